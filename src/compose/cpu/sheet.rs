//! An image of premultiplied RGBA floats: the canvas, a group's sheet, a blurred source.

use rayon::prelude::*;

use crate::compose::sampling::level_size;

/// One pixel: premultiplied red, green, blue, and alpha; 1 is full.
pub(super) type Px = [f32; 4];

/// Pixels in rows without padding; never empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sheet {
    /// Columns, ≥ 1.
    pub width: usize,
    /// Rows, ≥ 1.
    pub height: usize,
    /// `width*height` pixels.
    pub px: Vec<Px>,
}

impl Sheet {
    /// Creates a sheet of one color.
    pub fn filled(width: usize, height: usize, color: Px) -> Sheet {
        debug_assert!(width > 0 && height > 0, "a sheet has pixels");
        Sheet {
            width,
            height,
            px: vec![color; width * height],
        }
    }

    /// Converts an 8-bit image to floats, with a transparent margin on every side.
    pub fn from_rgba(rgba: &[u8], width: usize, margin: usize) -> Sheet {
        let height = rgba.len() / 4 / width;
        let mut sheet = Sheet::filled(width + 2 * margin, height + 2 * margin, [0.0; 4]);
        let stride = sheet.width;
        let rows = sheet.px[margin * stride..].par_chunks_exact_mut(stride);
        rows.zip(rgba.par_chunks_exact(width * 4))
            .for_each(|(to, from)| {
                for (px, bytes) in to[margin..].iter_mut().zip(from.as_chunks::<4>().0) {
                    *px = bytes.map(|v| f32::from(v) * (1.0 / 255.0));
                }
            });
        sheet
    }

    /// Returns the same pixels with a transparent margin on every side.
    pub fn with_margin(&self, margin: usize) -> Sheet {
        let mut sheet = Sheet::filled(self.width + 2 * margin, self.height + 2 * margin, [0.0; 4]);
        let stride = sheet.width;
        let rows = sheet.px[margin * stride..].chunks_exact_mut(stride);
        for (to, from) in rows.zip(self.px.chunks_exact(self.width)) {
            to[margin..][..self.width].copy_from_slice(from);
        }
        sheet
    }

    /// Copies a part of the sheet, which must lie inside it.
    pub fn part(&self, [x, y]: [usize; 2], [width, height]: [usize; 2]) -> Sheet {
        let rows = self.px.chunks_exact(self.width).skip(y).take(height);
        Sheet {
            width,
            height,
            px: rows
                .flat_map(|row| row[x..x + width].iter().copied())
                .collect(),
        }
    }

    /// Replaces border columns and rows (left, top, right, bottom) by their inner neighbors.
    pub fn repeat_borders(&mut self, [left, top, right, bottom]: [bool; 4]) {
        let (width, n) = (self.width, self.px.len());
        if width < 3 || self.height < 3 {
            return;
        }
        for row in self.px.chunks_exact_mut(width) {
            if left {
                row[0] = row[1];
            }
            if right {
                row[width - 1] = row[width - 2];
            }
        }
        if top {
            self.px.copy_within(width..2 * width, 0);
        }
        if bottom {
            self.px.copy_within(n - 2 * width..n - width, n - width);
        }
    }

    /// Returns one row.
    pub fn row(&self, y: usize) -> &[Px] {
        &self.px[y * self.width..][..self.width]
    }

    /// Returns the next mip level: 2x2 means; odd sides repeat their last row or column.
    pub fn half(&self) -> Sheet {
        let [width, height] =
            level_size(self.width as u32, self.height as u32, 1).map(|side| side as usize);
        let mut out = Sheet::filled(width, height, [0.0; 4]);
        out.px
            .par_chunks_mut(width)
            .enumerate()
            .for_each(|(y, row)| {
                let top = self.row(2 * y);
                let bottom = self.row((2 * y + 1).min(self.height - 1));
                for (x, px) in row.iter_mut().enumerate() {
                    let (l, r) = (2 * x, (2 * x + 1).min(self.width - 1));
                    *px = std::array::from_fn(|c| {
                        (top[l][c] + top[r][c] + bottom[l][c] + bottom[r][c]) * 0.25
                    });
                }
            });
        out
    }

    /// Returns the memory held, in bytes.
    pub fn n_bytes(&self) -> usize {
        self.px.len() * size_of::<Px>()
    }
}
