// Rounded boxes, painted or as the window of a blurred backdrop.

// Twin of `ShapeParams` in src/compose/gpu/shape.rs.
struct ShapeParams {
    place: Place,
    paint: PaintData,
    // Premultiplied color of the border.
    border: vec4<f32>,
    // Center x, y and half width, half height, canvas px.
    frame: vec4<f32>,
    // Cosine and sine of the turn.
    turn: vec2<f32>,
    radius: f32,
    border_px: f32,
    // Standard deviation of the outline's blur, px; 0 for none.
    blur_px: f32,
}

@group(0) @binding(0) var<uniform> params: ShapeParams;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return corner(params.place, index);
}

// Signed distance to the outline in px, negative inside.
fn distance_to_outline(at: vec2<f32>) -> f32 {
    let d = at - params.frame.xy;
    let c = params.turn.x;
    let s = params.turn.y;
    let local = abs(vec2<f32>(c * d.x + s * d.y, c * d.y - s * d.x));
    let q = local - params.frame.zw + params.radius;
    return length(max(q, vec2<f32>(0.0))) + min(max(q.x, q.y), 0.0) - params.radius;
}

fn coverage(distance: f32) -> f32 {
    if params.blur_px > 0.0 {
        // OUTLINE_REACH of src/compose/sampling.rs, twice.
        return smoothstep(0.0, 1.0, 0.5 - distance / (3.8 * params.blur_px));
    }
    return clamp(0.5 - distance, 0.0, 1.0);
}

@fragment
fn shape(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let at = position.xy + params.place.origin;
    let d = distance_to_outline(at);
    let whole = coverage(d);
    let fill = painted(params.paint, at) * whole;
    let line = params.border * (whole - coverage(d + params.border_px));
    return finished(params.place, line + fill * (1.0 - line.a));
}

// The blurred backdrop (first texture, the target's size) seen through the shape.
@fragment
fn frost(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let seen = coverage(distance_to_outline(position.xy + params.place.origin));
    if params.place.mode == ALPHA {
        return vec4<f32>(seen * params.place.opacity);
    }
    return finished(params.place, textureLoad(first, vec2<i32>(position.xy), 0) * seen);
}
