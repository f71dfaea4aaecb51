// Solid colors and linear gradients.

// Twin of `PaintData` in src/compose/gpu/shape.rs.
struct PaintData {
    // Start and end of the gradient axis, canvas px; equal for a solid color.
    axis: vec4<f32>,
    // Rising, 0..1.
    offsets: vec4<f32>,
    // Premultiplied.
    colors: array<vec4<f32>, 4>,
}

// Premultiplied color at a canvas point.
fn painted(paint: PaintData, at: vec2<f32>) -> vec4<f32> {
    let along = paint.axis.zw - paint.axis.xy;
    let length2 = dot(along, along);
    var color = paint.colors[0];
    if length2 == 0.0 {
        return color;
    }
    let t = dot(at - paint.axis.xy, along) / length2;
    for (var i = 0; i < 3; i++) {
        let low = paint.offsets[i];
        let high = paint.offsets[i + 1];
        var w = select(0.0, 1.0, t >= high);
        if high > low {
            w = clamp((t - low) / (high - low), 0.0, 1.0);
        }
        color = mix(color, paint.colors[i + 1], w);
    }
    return color;
}
