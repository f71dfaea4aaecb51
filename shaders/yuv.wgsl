// The finished canvas to planar YUV 4:2:0, 8 bits, BT.709 limited range: 8x2 px per invocation, four bytes to a word.

// Twin of `YuvParams` in src/compose/gpu/readback.rs. Strides and offsets count words.
struct YuvParams {
    width: u32,
    height: u32,
    luma_stride: u32,
    chroma_stride: u32,
    u_start: u32,
    v_start: u32,
}

@group(0) @binding(0) var canvas: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
@group(0) @binding(2) var<uniform> params: YuvParams;

fn luma(rgb: vec3<f32>) -> f32 {
    return dot(rgb, vec3<f32>(0.2126, 0.7152, 0.0722));
}

fn luma_byte(rgb: vec3<f32>) -> u32 {
    return u32(clamp(floor(16.5 + 219.0 * luma(rgb)), 16.0, 235.0));
}

fn chroma_byte(difference: f32) -> u32 {
    return u32(clamp(floor(128.5 + 224.0 * difference), 16.0, 240.0));
}

@compute @workgroup_size(8, 8)
fn planar(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = vec2<u32>(id.x * 8u, id.y * 2u);
    if at.x >= params.width || at.y >= params.height {
        return;
    }
    var rows = array<vec2<u32>, 2>(vec2<u32>(0u), vec2<u32>(0u));
    var u = 0u;
    var v = 0u;
    for (var pair = 0u; pair < 4u; pair++) {
        var sum = vec3<f32>(0.0);
        for (var k = 0u; k < 4u; k++) {
            let dx = pair * 2u + (k & 1u);
            let row = k >> 1u;
            // Past the last column the last one is read; those bytes are padding.
            let from_px = vec2<u32>(min(at.x + dx, params.width - 1u), at.y + row);
            let rgb = textureLoad(canvas, from_px, 0).rgb;
            sum += rgb;
            rows[row][pair >> 1u] |= luma_byte(rgb) << (8u * (dx & 3u));
        }
        let mean = 0.25 * sum;
        let y = luma(mean);
        u |= chroma_byte((mean.b - y) / 1.8556) << (8u * pair);
        v |= chroma_byte((mean.r - y) / 1.5748) << (8u * pair);
    }
    let word = at.y * params.luma_stride + id.x * 2u;
    words[word] = rows[0].x;
    words[word + 1u] = rows[0].y;
    words[word + params.luma_stride] = rows[1].x;
    words[word + params.luma_stride + 1u] = rows[1].y;
    let chroma = id.y * params.chroma_stride + id.x;
    words[params.u_start + chroma] = u;
    words[params.v_start + chroma] = v;
}
