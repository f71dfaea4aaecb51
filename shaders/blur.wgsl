// Steps of a Gaussian blur: halve, filter along one axis, expand. Also makes and moves mip levels of sheets.

// Twin of `BlurParams` in src/compose/gpu/blur.rs.
struct BlurParams {
    place: Place,
    // The image inside the texture: column, row, columns, rows.
    region: vec4<i32>,
    // Step along the filtered axis.
    step: vec2<i32>,
    // Columns and rows put before the image.
    margin: i32,
    edge: u32,
    // Source px per target px (expand only).
    scale: f32,
    // Taps on each side of the center.
    radius: i32,
    // Weights, four to a vector.
    weights: array<vec4<f32>, 7>,
}

const TRANSPARENT: u32 = 0u;
const MIRROR: u32 = 2u;

@group(0) @binding(0) var<uniform> params: BlurParams;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return corner(params.place, index);
}

fn mirrored(i: vec2<i32>, n: vec2<i32>) -> vec2<i32> {
    let period = 2 * n;
    let m = ((i % period) + period) % period;
    return select(period - 1 - m, m, m < n);
}

// The px of the image at any index.
fn fetched(index: vec2<i32>) -> vec4<f32> {
    let size = params.region.zw;
    var i = index - params.margin;
    switch params.edge {
        case TRANSPARENT: {
            if any(i < vec2<i32>(0)) || any(i >= size) {
                return vec4<f32>(0.0);
            }
        }
        case MIRROR: {
            i = mirrored(i, size);
        }
        default: {
            i = clamp(i, vec2<i32>(0), size - 1);
        }
    }
    return textureLoad(first, params.region.xy + i, 0);
}

fn pixel(position: vec4<f32>) -> vec2<i32> {
    return vec2<i32>(floor(position.xy + params.place.origin));
}

@fragment
fn halve(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let i = 2 * pixel(position);
    let top = fetched(i) + fetched(i + vec2<i32>(1, 0));
    let bottom = fetched(i + vec2<i32>(0, 1)) + fetched(i + vec2<i32>(1, 1));
    return 0.25 * (top + bottom);
}

@fragment
fn gauss(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let center = pixel(position);
    var sum = vec4<f32>(0.0);
    for (var k = 0; k <= 2 * params.radius; k++) {
        sum += fetched(center + (k - params.radius) * params.step) * params.weights[k / 4][k % 4];
    }
    return sum;
}

// Bilinear; with a scale of 1 a plain copy.
@fragment
fn expand(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let at = (position.xy + params.place.origin) * params.scale - 0.5;
    let base = floor(at);
    let f = at - base;
    let i = vec2<i32>(base);
    let top = mix(fetched(i), fetched(i + vec2<i32>(1, 0)), f.x);
    let bottom = mix(fetched(i + vec2<i32>(0, 1)), fetched(i + vec2<i32>(1, 1)), f.x);
    return mix(top, bottom, f.y);
}
