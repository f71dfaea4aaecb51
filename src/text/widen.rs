//! A mask widened by a round pen, for glyphs that have no outline (bitmap emoji).
//!
//! By the exact Euclidean distance transform of Felzenszwalb and Huttenlocher, "Distance Transforms of Sampled Functions" (2012), whose start
//! values hold the coverage of edge pixels, so that the widened edge stays smooth.

/// A squared distance larger than any in a mask.
const FAR: f32 = 1e12;

/// Coverage widened by `radius` px; the mask must already have that much room on each side.
pub(super) fn widen(data: &mut [u8], width: usize, radius: f32) {
    if width == 0 || radius <= 0.0 {
        return;
    }
    let height = data.len() / width;
    // An edge pixel of coverage a lies (1 - a) px from the shape's inside, seen along the axis that crosses the edge.
    let mut squared: Vec<f32> = data
        .iter()
        .map(|v| match *v {
            0 => FAR,
            v => {
                let outside = 1.0 - f32::from(v) / 255.0;
                outside * outside
            }
        })
        .collect();
    let mut scratch = Scratch::new(width.max(height));
    for row in squared.chunks_exact_mut(width) {
        scratch.transform(row);
    }
    let mut column = vec![0.0; height];
    for x in 0..width {
        for (y, value) in column.iter_mut().enumerate() {
            *value = squared[y * width + x];
        }
        scratch.transform(&mut column);
        for (y, value) in column.iter().enumerate() {
            squared[y * width + x] = *value;
        }
    }
    for (out, squared) in data.iter_mut().zip(squared) {
        let covered = (radius + 1.0 - squared.sqrt()).clamp(0.0, 1.0);
        *out = (*out).max((covered * 255.0 + 0.5) as u8);
    }
}

/// The lower envelope of parabolas over one line.
struct Scratch {
    at: Vec<usize>,
    from: Vec<f32>,
    values: Vec<f32>,
}

impl Scratch {
    fn new(n: usize) -> Scratch {
        Scratch {
            at: vec![0; n],
            from: vec![0.0; n + 1],
            values: vec![0.0; n],
        }
    }

    fn transform(&mut self, line: &mut [f32]) {
        let n = line.len();
        let values = &mut self.values[..n];
        values.copy_from_slice(line);
        let mut last = 0;
        self.at[0] = 0;
        self.from[0] = f32::MIN;
        self.from[1] = f32::MAX;
        for q in 1..n {
            let meet = |p: usize| {
                let (pf, qf) = (p as f32, q as f32);
                ((values[q] + qf * qf) - (values[p] + pf * pf)) / (2.0 * (qf - pf))
            };
            let mut s = meet(self.at[last]);
            while last > 0 && s <= self.from[last] {
                last -= 1;
                s = meet(self.at[last]);
            }
            last += 1;
            self.at[last] = q;
            self.from[last] = s;
            self.from[last + 1] = f32::MAX;
        }
        let mut k = 0;
        for (q, out) in line.iter_mut().enumerate() {
            while self.from[k + 1] < q as f32 {
                k += 1;
            }
            let d = q as f32 - self.at[k] as f32;
            *out = d * d + values[self.at[k]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_becomes_a_disc() {
        let (side, radius) = (41_usize, 12.0_f32);
        let mut data = vec![0; side * side];
        data[20 * side + 20] = 255;
        widen(&mut data, side, radius);
        let area: f32 = data.iter().map(|v| f32::from(*v) / 255.0).sum();
        // Centers within `radius` are covered, and half of the pixel at the rim.
        let want = std::f32::consts::PI * (radius + 0.5) * (radius + 0.5);
        assert!((area / want - 1.0).abs() < 0.02, "{area} of {want}");
        for (i, value) in data.iter().enumerate() {
            let (dx, dy) = ((i % side) as f32 - 20.0, (i / side) as f32 - 20.0);
            let distance = dx.hypot(dy);
            assert!((distance > radius) || *value == 255);
            assert!((distance < radius + 1.0) || *value == 0);
        }
    }
}
