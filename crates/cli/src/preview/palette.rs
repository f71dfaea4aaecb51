//! The colors of a GIF's frames: chosen for the pictures they show, mixed by an ordered dither.

/// Maximum number of colors; one more index means "as before".
pub(crate) const N_COLORS: usize = 255;

/// Bits per channel for counting pixels.
const COUNT_BITS: u32 = 5;
/// Bits per channel for looking up the nearest color.
const LOOKUP_BITS: u32 = 6;
/// Rounds of Lloyd's algorithm; later ones change little.
const N_ROUNDS: usize = 4;
/// The amplitude of the dither, in distances between neighboring colors.
const REACH: f32 = 1.5;
/// Weights of red, green and blue in distances, roughly as perceived by the eye.
const WEIGHTS: [f32; 3] = [0.9, 1.2, 0.6];

/// Thresholds of an 8x8 ordered dither, 0 to 63 (Bayer 1973).
const BAYER: [[u8; 8]; 8] = [
    [0, 32, 8, 40, 2, 34, 10, 42],
    [48, 16, 56, 24, 50, 18, 58, 26],
    [12, 44, 4, 36, 14, 46, 6, 38],
    [60, 28, 52, 20, 62, 30, 54, 22],
    [3, 35, 11, 43, 1, 33, 9, 41],
    [51, 19, 59, 27, 49, 17, 57, 25],
    [15, 47, 7, 39, 13, 45, 5, 37],
    [63, 31, 55, 23, 61, 29, 53, 21],
];

/// A color of the pictures and its weight.
#[derive(Clone, Copy, Debug)]
struct Point {
    color: [f32; 3],
    weight: f32,
}

/// The colors, with a lookup of the nearest one.
pub(crate) struct Palette {
    colors: Vec<[f32; 3]>,
    /// Index of the nearest color by the upper bits of the channels, computed on first use.
    nearest: Vec<Option<u8>>,
    /// The peak-to-peak amplitude of the dither in a channel.
    spread: f32,
}

impl Palette {
    /// Chooses the colors for pictures in 8-bit RGB.
    pub(crate) fn of(pictures: &[Vec<u8>]) -> Palette {
        let points = points(pictures);
        let mut colors = split(points.clone());
        for _ in 0..N_ROUNDS {
            settle(&mut colors, &points);
        }
        let gaps = colors.iter().enumerate().map(|(i, color)| {
            let others = colors.iter().enumerate().filter(|(j, _)| *j != i);
            let gaps = others.map(|(_, other)| distance(*color, *other));
            // A single color has nothing to mix with.
            gaps.min_by(f32::total_cmp).unwrap_or(0.0).sqrt()
        });
        // The gap covers all three channels together.
        let spread = REACH * gaps.sum::<f32>() / colors.len() as f32 / 3f32.sqrt();
        Palette {
            colors,
            nearest: vec![None; 1 << (3 * LOOKUP_BITS)],
            spread,
        }
    }

    /// Returns the index of the color for a pixel at (column, row).
    pub(crate) fn index_of(&mut self, pixel: [u8; 3], (x, y): (usize, usize)) -> u8 {
        let push = (f32::from(BAYER[y % 8][x % 8]) - 31.5) / 64.0 * self.spread;
        let cut = 8 - LOOKUP_BITS;
        let steps =
            pixel.map(|channel| (f32::from(channel) + push).clamp(0.0, 255.0) as usize >> cut);
        let at = steps.iter().fold(0, |at, step| (at << LOOKUP_BITS) | step);
        *self.nearest[at].get_or_insert_with(|| {
            let center = steps.map(|step| ((step << cut) + (1 << cut) / 2) as f32);
            nearest(&self.colors, center) as u8
        })
    }

    /// Returns 8-bit RGB of the colors, padded with black.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let channels = self.colors.iter().flatten();
        let mut bytes: Vec<u8> = channels.map(|channel| channel.round() as u8).collect();
        bytes.resize(256 * 3, 0);
        bytes
    }
}

/// Returns the mean color of the pixels in each cell of the color cube. A cell's weight is the square root of its pixel count, so that small areas get colors, too.
fn points(pictures: &[Vec<u8>]) -> Vec<Point> {
    let mut cells = vec![([0u32; 3], 0u32); 1 << (3 * COUNT_BITS)];
    for pixel in pictures.iter().flat_map(|rgb| rgb.as_chunks::<3>().0) {
        let at = pixel.iter().fold(0, |at, channel| {
            (at << COUNT_BITS) | usize::from(channel >> (8 - COUNT_BITS))
        });
        let (sums, n) = &mut cells[at];
        for (sum, channel) in sums.iter_mut().zip(pixel) {
            *sum += u32::from(*channel);
        }
        *n += 1;
    }
    let filled = cells.into_iter().filter(|(_, n)| *n > 0);
    filled
        .map(|(sums, n)| Point {
            color: sums.map(|sum| sum as f32 / n as f32),
            weight: (n as f32).sqrt(),
        })
        .collect()
}

/// Returns the mean of points, the channel with the largest spread, and its variance times their weight.
fn spread_of(points: &[Point]) -> ([f32; 3], usize, f32) {
    let total: f32 = points.iter().map(|point| point.weight).sum();
    let channels = [0, 1, 2].map(|i| {
        let mean = points.iter().map(|p| p.weight * p.color[i]).sum::<f32>() / total;
        let variance = points
            .iter()
            .map(|p| p.weight * (p.color[i] - mean).powi(2));
        (mean, variance.sum::<f32>() * WEIGHTS[i])
    });
    let widest = (0..3).max_by(|a, b| channels[*a].1.total_cmp(&channels[*b].1));
    let widest = widest.unwrap_or(0);
    (
        channels.map(|channel| channel.0),
        widest,
        channels[widest].1,
    )
}

/// Chooses initial colors: repeatedly splits the group with the largest spread at its mean (after Wan, Wong and Prusinkiewicz 1988).
fn split(points: Vec<Point>) -> Vec<[f32; 3]> {
    let measured = |points: Vec<Point>| (spread_of(&points), points);
    let mut groups = vec![measured(points)];
    while groups.len() < N_COLORS {
        let widest = (0..groups.len()).max_by(|a, b| groups[*a].0.2.total_cmp(&groups[*b].0.2));
        let widest = widest.filter(|at| groups[*at].1.len() > 1 && groups[*at].0.2 > 0.0);
        let Some(widest) = widest else { break };
        let ((mean, channel, _), points) = groups.swap_remove(widest);
        let (low, high): (Vec<Point>, Vec<Point>) = points
            .into_iter()
            .partition(|point| point.color[channel] < mean[channel]);
        let halves = [low, high].into_iter().filter(|half| !half.is_empty());
        groups.extend(halves.map(measured));
    }
    groups.into_iter().map(|(spread, _)| spread.0).collect()
}

/// Moves each color to the mean of the points nearest to it (Lloyd 1982).
fn settle(colors: &mut [[f32; 3]], points: &[Point]) {
    let mut sums = vec![([0f32; 3], 0f32); colors.len()];
    for point in points {
        let (sum, weight) = &mut sums[nearest(colors, point.color)];
        for (sum, channel) in sum.iter_mut().zip(point.color) {
            *sum += point.weight * channel;
        }
        *weight += point.weight;
    }
    for (color, (sum, weight)) in colors.iter_mut().zip(sums) {
        if weight > 0.0 {
            *color = sum.map(|sum| sum / weight);
        }
    }
}

fn nearest(colors: &[[f32; 3]], color: [f32; 3]) -> usize {
    let (mut best, mut least) = (0, f32::MAX);
    for (i, other) in colors.iter().enumerate() {
        let distance = distance(color, *other);
        if distance < least {
            (best, least) = (i, distance);
        }
    }
    best
}

/// Returns the squared distance, in code values.
fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    let [r, g, b] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    WEIGHTS[0] * r * r + WEIGHTS[1] * g * g + WEIGHTS[2] * b * b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(colors: &[[u8; 3]]) -> Vec<u8> {
        colors.iter().copied().flatten().collect()
    }

    #[test]
    fn few_colors_are_kept_exactly() {
        let colors = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [12, 34, 56]];
        let mut palette = Palette::of(&[flat(&colors)]);
        assert_eq!(palette.colors.len(), 4);
        palette.spread = 0.0;
        let bytes = palette.to_bytes();
        for color in colors {
            let at = usize::from(palette.index_of(color, (0, 0))) * 3;
            assert_eq!(bytes[at..at + 3], color);
        }
        assert_eq!(Palette::of(&[flat(&[[9, 9, 9]; 4])]).colors, [[9.0; 3]]);
    }

    #[test]
    fn areas_of_a_ramp_keep_their_mean() {
        let pixels = (0..128 * 128).map(|i| [(i % 128) as u8 * 2, (i / 128) as u8 * 2, 128]);
        let pixels: Vec<[u8; 3]> = pixels.collect();
        let mut palette = Palette::of(&[flat(&pixels)]);
        assert_eq!(palette.colors.len(), N_COLORS);
        for (left, top) in [(16, 16), (96, 40), (56, 104)] {
            let mut sums = [0.0; 3];
            for (x, y) in (0..256).map(|i| (left + i % 16, top + i / 16)) {
                let pixel = pixels[y * 128 + x];
                let index = usize::from(palette.index_of(pixel, (x, y)));
                let got = palette.colors[index];
                for i in 0..3 {
                    sums[i] += got[i] - f32::from(pixel[i]);
                }
            }
            let errors = sums.map(|sum| sum / 256.0);
            assert!(errors.iter().all(|error| error.abs() < 5.0), "{errors:?}");
        }
    }
}
