// A glyph run: coverage (first texture) under a paint, then the colors of emoji (second texture) over it.

// Twin of `GlyphParams` in src/compose/gpu/shape.rs.
struct GlyphParams {
    place: Place,
    paint: PaintData,
    // Canvas px of the mask's px (0, 0).
    corner: vec2<i32>,
    // 1 when the run has emoji.
    has_color: u32,
}

@group(0) @binding(0) var<uniform> params: GlyphParams;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return corner(params.place, index);
}

@fragment
fn glyphs(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let at = position.xy + params.place.origin;
    let texel = vec2<i32>(floor(at)) - params.corner;
    var color = painted(params.paint, at) * textureLoad(first, texel, 0).r;
    if params.has_color == 1u {
        let emoji = textureLoad(second, texel, 0);
        color = emoji + color * (1.0 - emoji.a);
    }
    return finished(params.place, color);
}
