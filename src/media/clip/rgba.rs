//! Converts planes to upright RGBA: interpolates chroma at its position, rounds once, uses vector instructions.

use image::RgbaImage;
use multiversion::multiversion;

use super::frame::{
    ChromaSiting, ClipColor, ClipFrame, ColorMatrix, ColorRange, Plane, Subsampling,
};

/// Rows turned together: 16 pixels of 4 bytes fill a cache line of a turned row.
const BAND_ROWS: usize = 16;

/// Fractional bits of a pixel's sum.
const SHIFT: i32 = 16;
/// Fractional bits of interpolated chroma: sixteenths.
const CHROMA_SHIFT: i32 = 4;

/// Weights from samples to R'G'B', in units of `1 / (1 << SHIFT)`; those of chroma apply to sixteenths.
#[derive(Clone, Copy)]
struct Weights {
    black: i32,
    luma: i32,
    red_cr: i32,
    green_cb: i32,
    green_cr: i32,
    blue_cb: i32,
}

impl Weights {
    /// Computes the inverse of ITU-R BT.709-6, items 3.2 to 3.4, with the matrix's own weights of red and blue.
    fn of(color: ClipColor) -> Weights {
        let (kr, kb) = match color.matrix {
            ColorMatrix::Bt601 => (0.299, 0.114),
            ColorMatrix::Bt709 | ColorMatrix::Identity => (0.2126, 0.0722),
            ColorMatrix::Bt2020 => (0.2627, 0.0593),
            ColorMatrix::Smpte240m => (0.212, 0.087),
        };
        let (black, luma_span, chroma_span) = match color.range {
            ColorRange::Limited => (16, 219.0, 224.0),
            ColorRange::Full => (0, 255.0, 255.0),
        };
        let kg: f64 = 1.0 - kr - kb;
        let one = f64::from(1 << SHIFT);
        let luma = 255.0 / luma_span * one;
        let chroma = 255.0 / chroma_span * one / f64::from(1 << CHROMA_SHIFT);
        let (cr, cb) = (2.0 * (1.0 - kr), 2.0 * (1.0 - kb));
        Weights {
            black,
            luma: luma.round() as i32,
            red_cr: (chroma * cr).round() as i32,
            green_cb: (-chroma * cb * kb / kg).round() as i32,
            green_cr: (-chroma * cr * kr / kg).round() as i32,
            blue_cb: (chroma * cb).round() as i32,
        }
    }
}

impl ClipFrame {
    /// Returns the frame upright as opaque R'G'B', without conversion of primaries or of the pixel aspect ratio.
    pub fn to_rgba(&self) -> RgbaImage {
        let (width, height) = self.upright_size();
        let mut out = vec![0; width as usize * height as usize * 4];
        self.write_rgba(out.as_chunks_mut().0);
        RgbaImage::from_raw(width, height, out).expect("as many bytes as pixels need")
    }

    fn write_rgba(&self, out: &mut [[u8; 4]]) {
        let (columns, rows) = self.stored_size();
        let mut converter = Converter::new(self);
        if self.quarter_turns == 0 && !self.is_mirrored {
            for (y, row) in out.chunks_exact_mut(columns.max(1)).enumerate() {
                converter.row(y, row);
            }
            return;
        }
        let mut band = vec![[0; 4]; columns * BAND_ROWS];
        for top in (0..rows).step_by(BAND_ROWS) {
            let n = BAND_ROWS.min(rows - top);
            for (y, row) in band.chunks_exact_mut(columns).take(n).enumerate() {
                converter.row(top + y, row);
                if self.is_mirrored {
                    row.reverse();
                }
            }
            self.turn(&band[..n * columns], top, out);
        }
    }

    fn stored_size(&self) -> (usize, usize) {
        let Plane { width, height, .. } = self.planes[0];
        (width as usize, height as usize)
    }

    /// Writes a band of rows starting at `top` to its position after turning.
    fn turn(&self, band: &[[u8; 4]], top: usize, out: &mut [[u8; 4]]) {
        let (columns, rows) = self.stored_size();
        let n = band.len() / columns;
        match self.quarter_turns {
            1 => {
                for x in 0..columns {
                    let start = x * rows + rows - top - n;
                    let to = &mut out[start..start + n];
                    for (y, px) in to.iter_mut().rev().enumerate() {
                        *px = band[y * columns + x];
                    }
                }
            }
            2 => {
                let start = (rows - top - n) * columns;
                let to = &mut out[start..start + band.len()];
                to.copy_from_slice(band);
                to.reverse();
            }
            3 => {
                for x in 0..columns {
                    let start = (columns - 1 - x) * rows + top;
                    let to = &mut out[start..start + n];
                    for (y, px) in to.iter_mut().enumerate() {
                        *px = band[y * columns + x];
                    }
                }
            }
            _ => out[top * columns..top * columns + band.len()].copy_from_slice(band),
        }
    }
}

/// Converts row by row, with buffers for one row.
struct Converter<'a> {
    frame: &'a ClipFrame,
    weights: Weights,
    /// A row of each chroma plane in quarters, centered on 0, with one column repeated at both ends.
    narrow: [Vec<i16>; 2],
    /// As wide as luma, in sixteenths.
    wide: [Vec<i16>; 2],
}

impl<'a> Converter<'a> {
    fn new(frame: &'a ClipFrame) -> Converter<'a> {
        let width = frame.planes[0].width as usize;
        let buffer = |n| [vec![0; n], vec![0; n]];
        Converter {
            frame,
            weights: Weights::of(frame.color),
            narrow: buffer(frame.planes[1].width as usize + 2),
            wide: buffer(width.next_multiple_of(2)),
        }
    }

    fn row(&mut self, y: usize, out: &mut [[u8; 4]]) {
        let planes = &self.frame.planes;
        let luma = row_of(&planes[0], y);
        match (self.frame.color.matrix, self.frame.subsampling) {
            (ColorMatrix::Identity, Subsampling::Yuv444) => {
                let others = [row_of(&planes[1], y), row_of(&planes[2], y)];
                gbr_row(luma, others, self.weights, out);
                return;
            }
            (_, Subsampling::Gray) => {}
            _ => self.chroma(y),
        }
        let n = luma.len();
        ycc_row(
            luma,
            [&self.wide[0][..n], &self.wide[1][..n]],
            self.weights,
            out,
        );
    }

    /// Fills `wide` for the row `y` of luma.
    fn chroma(&mut self, y: usize) {
        let siting = self.frame.color.siting;
        for i in 0..2 {
            let plane = &self.frame.planes[i + 1];
            let narrow = &mut self.narrow[i];
            let (near, far, weights) =
                taps(self.frame.subsampling, siting, y, plane.height as usize);
            let n = plane.width as usize;
            mix_rows(
                [row_of(plane, near), row_of(plane, far)],
                weights,
                &mut narrow[1..=n],
            );
            narrow[0] = narrow[1];
            narrow[n + 1] = narrow[n];
            match (self.frame.subsampling, siting) {
                (Subsampling::Yuv444, _) => widen_equal(&narrow[1..=n], &mut self.wide[i]),
                (_, ChromaSiting::Center) => widen(narrow, [1, 3, 3, 1], &mut self.wide[i]),
                _ => widen(narrow, [0, 4, 2, 2], &mut self.wide[i]),
            }
        }
    }
}

fn row_of(plane: &Plane, y: usize) -> &[u8] {
    let width = plane.width as usize;
    &plane.data[y * width..(y + 1) * width]
}

/// Returns the two chroma rows around luma row `y`, and their weights in quarters.
fn taps(
    subsampling: Subsampling,
    siting: ChromaSiting,
    y: usize,
    n_rows: usize,
) -> (usize, usize, [i16; 2]) {
    if subsampling != Subsampling::Yuv420 {
        return (y, y, [4, 0]);
    }
    let (near, is_upper) = (y / 2, y.is_multiple_of(2));
    let below = (near + 1).min(n_rows - 1);
    match (siting, is_upper) {
        (ChromaSiting::TopLeft, true) => (near, near, [4, 0]),
        (ChromaSiting::TopLeft, false) => (near, below, [2, 2]),
        (_, true) => (near, near.saturating_sub(1), [3, 1]),
        (_, false) => (near, below, [3, 1]),
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn mix_rows([a, b]: [&[u8]; 2], [wa, wb]: [i16; 2], out: &mut [i16]) {
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        *out = (i16::from(*a) - 128) * wa + (i16::from(*b) - 128) * wb;
    }
}

/// Computes two columns from each: the left from the previous column and this one, the right from this one and the next, with one pair of `weights` each.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn widen(narrow: &[i16], [a, b, c, d]: [i16; 4], wide: &mut [i16]) {
    let n = narrow.len() - 2;
    let (before, own, next) = (&narrow[..n], &narrow[1..=n], &narrow[2..]);
    let pairs = wide.as_chunks_mut::<2>().0.iter_mut();
    for (((before, own), next), [left, right]) in before.iter().zip(own).zip(next).zip(pairs) {
        *left = before * a + own * b;
        *right = own * c + next * d;
    }
}

fn widen_equal(narrow: &[i16], wide: &mut [i16]) {
    for (narrow, wide) in narrow.iter().zip(wide) {
        *wide = narrow * 4;
    }
}

#[inline(always)]
fn code(sum: i32) -> u32 {
    ((sum + (1 << (SHIFT - 1))) >> SHIFT).clamp(0, 255) as u32
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn ycc_row(luma: &[u8], [cb, cr]: [&[i16]; 2], weights: Weights, out: &mut [[u8; 4]]) {
    let Weights {
        black,
        luma: weight,
        red_cr,
        green_cb,
        green_cr,
        blue_cb,
    } = weights;
    for (((y, cb), cr), px) in luma.iter().zip(cb).zip(cr).zip(out) {
        let y = (i32::from(*y) - black) * weight;
        let (cb, cr) = (i32::from(*cb), i32::from(*cr));
        let red = code(y + cr * red_cr);
        let green = code(y + cb * green_cb + cr * green_cr);
        let blue = code(y + cb * blue_cb);
        *px = (red | green << 8 | blue << 16 | 255 << 24).to_le_bytes();
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn gbr_row(green: &[u8], [blue, red]: [&[u8]; 2], weights: Weights, out: &mut [[u8; 4]]) {
    let scaled = |code_in: &u8| code((i32::from(*code_in) - weights.black) * weights.luma);
    for (((g, b), r), px) in green.iter().zip(blue).zip(red).zip(out) {
        *px = (scaled(r) | scaled(g) << 8 | scaled(b) << 16 | 255 << 24).to_le_bytes();
    }
}
