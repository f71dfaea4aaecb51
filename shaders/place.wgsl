// Where a draw lands and how it leaves the shader. First part of every drawing shader.

// Twin of `Place` in src/compose/gpu/params.rs.
struct Place {
    // Covered part of the render target: left, top, right, bottom in its px.
    rect: vec4<f32>,
    // Canvas position of the target's px (0, 0).
    origin: vec2<f32>,
    // Columns and rows of the target.
    size: vec2<f32>,
    // One of the constants below.
    mode: u32,
    opacity: f32,
}

// The premultiplied color.
const PLAIN: u32 = 0u;
// What the backdrop's color is multiplied with by the multiply blend.
const FACTOR: u32 = 1u;
// Ones, for a blend that only clamps alpha.
const ONES: u32 = 2u;
// The alpha in all channels.
const ALPHA: u32 = 3u;

@group(1) @binding(0) var first: texture_2d<f32>;
@group(1) @binding(1) var second: texture_2d<f32>;

// Corner 0..3 of a triangle strip over the rectangle.
fn corner(place: Place, index: u32) -> vec4<f32> {
    let t = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    let at = mix(place.rect.xy, place.rect.zw, t) / place.size * 2.0 - 1.0;
    return vec4<f32>(at.x, -at.y, 0.0, 1.0);
}

fn finished(place: Place, color: vec4<f32>) -> vec4<f32> {
    let c = color * place.opacity;
    switch place.mode {
        case FACTOR: {
            return vec4<f32>(vec3<f32>(1.0 - c.a) + c.rgb, 1.0);
        }
        case ONES: {
            return vec4<f32>(1.0);
        }
        case ALPHA: {
            return vec4<f32>(c.a);
        }
        default: {
            return c;
        }
    }
}
