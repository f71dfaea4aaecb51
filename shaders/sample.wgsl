// Pictures and sheets under a pose: Catmull-Rom samples of mip levels, their mean over the shutter, brightness and wipe.

// Twin of `SampleMap` in src/compose/gpu/sample.rs.
struct SampleMap {
    // Rows of the map from canvas px to px of the mip level; the fourth column is unused.
    rows: array<vec4<f32>, 3>,
    // The level inside the texture: column, row, columns, rows.
    region: vec4<i32>,
    // Where the source ends in px of the level: left, top, right, bottom.
    borders: vec4<f32>,
    // 1 when the source is a window into the level: edges are a matter of its borders, not of the level's pixels.
    is_window: u32,
    // 1 when the map only shifts by whole px: one load instead of sixteen.
    whole_px: u32,
}

// Twin of `SampleParams` in src/compose/gpu/sample.rs.
struct SampleParams {
    place: Place,
    // a, b, c and the softness in px; 0, 0, -1, 0 for no wipe.
    wipe: vec4<f32>,
    n_maps: u32,
    // 1 / maps of the pose; more than `n_maps` when some show nothing.
    share: f32,
    edge: u32,
    brightness: f32,
    // 1 for two taps each way instead of four.
    bilinear: u32,
    maps: array<SampleMap, 16>,
}

const TRANSPARENT: u32 = 0u;
const MIRROR: u32 = 2u;

@group(0) @binding(0) var<uniform> params: SampleParams;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return corner(params.place, index);
}

// Which of `n` px four taps read.
fn taps(i: vec4<i32>, n: i32, mirrored: bool) -> vec4<i32> {
    if mirrored {
        let period = 2 * n;
        let m = ((i % period) + period) % period;
        return select(period - 1 - m, m, m < vec4<i32>(n));
    }
    return clamp(i, vec4<i32>(0), vec4<i32>(n - 1));
}

// Keys 1981, a = -1/2.
fn catmull_rom(f: f32) -> vec4<f32> {
    let f2 = f * f;
    let f3 = f2 * f;
    return vec4<f32>(
        f2 - 0.5 * (f + f3),
        1.0 - 2.5 * f2 + 1.5 * f3,
        0.5 * f + 2.0 * f2 - 1.5 * f3,
        0.5 * (f3 - f2),
    );
}

fn filtered(u: vec2<f32>, region: vec4<i32>, mirrored: bool) -> vec4<f32> {
    let at = clamp(u - 0.5, vec2<f32>(-4e6), vec2<f32>(4e6));
    let base = floor(at);
    let f = at - base;
    let wx = catmull_rom(f.x);
    let wy = catmull_rom(f.y);
    let steps = vec4<i32>(-1, 0, 1, 2);
    let xs = taps(vec4<i32>(i32(base.x)) + steps, region.z, mirrored) + region.x;
    let ys = taps(vec4<i32>(i32(base.y)) + steps, region.w, mirrored) + region.y;
    var sum = vec4<f32>(0.0);
    for (var j = 0; j < 4; j++) {
        let y = ys[j];
        let row = textureLoad(first, vec2<i32>(xs.x, y), 0) * wx.x
            + textureLoad(first, vec2<i32>(xs.y, y), 0) * wx.y
            + textureLoad(first, vec2<i32>(xs.z, y), 0) * wx.z
            + textureLoad(first, vec2<i32>(xs.w, y), 0) * wx.w;
        sum += row * wy[j];
    }
    return sum;
}

fn bilinear(u: vec2<f32>, region: vec4<i32>, mirrored: bool) -> vec4<f32> {
    let at = clamp(u - 0.5, vec2<f32>(-1e6), vec2<f32>(1e6));
    let base = floor(at);
    let f = at - base;
    let steps = vec4<i32>(0, 1, 0, 1);
    let xs = taps(vec4<i32>(i32(base.x)) + steps, region.z, mirrored) + region.x;
    let ys = taps(vec4<i32>(i32(base.y)) + steps, region.w, mirrored) + region.y;
    let top = mix(textureLoad(first, vec2<i32>(xs.x, ys.x), 0), textureLoad(first, vec2<i32>(xs.y, ys.x), 0), f.x);
    let bottom = mix(textureLoad(first, vec2<i32>(xs.x, ys.y), 0), textureLoad(first, vec2<i32>(xs.y, ys.y), 0), f.x);
    return mix(top, bottom, f.y);
}

// A place brought back between the borders of a window.
fn folded(u: vec2<f32>, borders: vec4<f32>) -> vec2<f32> {
    if params.edge == MIRROR {
        let period = 2.0 * (borders.zw - borders.xy);
        var past = u - borders.xy;
        past -= period * floor(past / period);
        return borders.xy + min(past, period - past);
    }
    return max(min(u, borders.zw - 0.5), borders.xy + 0.5);
}

fn one_load(u: vec2<f32>, region: vec4<i32>, mirrored: bool) -> vec4<f32> {
    let i = vec2<i32>(floor(u));
    let x = taps(vec4<i32>(i.x), region.z, mirrored).x;
    let y = taps(vec4<i32>(i.y), region.w, mirrored).x;
    return textureLoad(first, region.xy + vec2<i32>(x, y), 0);
}

// Part of the canvas px at `u` (px of the level) that lies inside the source: the distance to each border, in canvas px.
fn inside(u: vec2<f32>, z: f32, index: u32) -> f32 {
    let r0 = params.maps[index].rows[0].xy;
    let r1 = params.maps[index].rows[1].xy;
    let r2 = params.maps[index].rows[2].xy;
    let slope = vec2<f32>(length(r0 - u.x * r2), length(r1 - u.y * r2)) / z;
    let per_px = 1.0 / max(slope, vec2<f32>(1e-20));
    let borders = params.maps[index].borders;
    let low = clamp(0.5 + (u - borders.xy) * per_px, vec2<f32>(0.0), vec2<f32>(1.0));
    let high = clamp(0.5 + (borders.zw - u) * per_px, vec2<f32>(0.0), vec2<f32>(1.0));
    return low.x * low.y * high.x * high.y;
}

fn seen_by(index: u32, at: vec2<f32>) -> vec4<f32> {
    let p = vec3<f32>(at, 1.0);
    let z = dot(params.maps[index].rows[2].xyz, p);
    if z <= 0.0 {
        return vec4<f32>(0.0);
    }
    var u = vec2<f32>(
        dot(params.maps[index].rows[0].xyz, p),
        dot(params.maps[index].rows[1].xyz, p),
    ) / z;
    let is_window = params.maps[index].is_window == 1u;
    let region = params.maps[index].region;
    var part = 1.0;
    if params.edge == TRANSPARENT {
        part = inside(u, z, index);
        if part <= 0.0 {
            return vec4<f32>(0.0);
        }
    } else if is_window {
        u = folded(u, params.maps[index].borders);
    }
    let mirrored = params.edge == MIRROR && !is_window;
    if params.maps[index].whole_px == 1u {
        return one_load(u, region, mirrored) * part;
    }
    if params.bilinear == 1u {
        return bilinear(u, region, mirrored) * part;
    }
    return filtered(u, region, mirrored) * part;
}

fn wiped(at: vec2<f32>) -> f32 {
    let d = dot(params.wipe.xyz, vec3<f32>(at, 1.0));
    let soft = params.wipe.w;
    if soft > 0.0 {
        let t = clamp(d / soft, 0.0, 1.0);
        return 1.0 - t * t * (3.0 - 2.0 * t);
    }
    return clamp(0.5 - d, 0.0, 1.0);
}

@fragment
fn sample(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let at = position.xy + params.place.origin;
    let open = wiped(at);
    var sum = vec4<f32>(0.0);
    if open > 0.0 {
        for (var i = 0u; i < params.n_maps; i++) {
            sum += seen_by(i, at);
        }
    }
    sum *= params.share * open;
    return finished(params.place, vec4<f32>(sum.rgb * params.brightness, sum.a));
}
