// The whole target in one color.

// Twin of `FillParams` in src/compose/gpu/shape.rs.
struct FillParams {
    place: Place,
    // Premultiplied.
    color: vec4<f32>,
}

@group(0) @binding(0) var<uniform> params: FillParams;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return corner(params.place, index);
}

@fragment
fn fill() -> @location(0) vec4<f32> {
    return finished(params.place, params.color);
}
