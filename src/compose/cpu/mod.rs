//! The CPU back end, the reference: rows of float pixels, in bands over the current rayon pool.
//!
//! Input: a draw list and its pictures. Output: a finished frame, immediately. The order of sums never depends on threads, so all pools give the same bytes.

mod backdrop;
mod bilinear;
mod blend;
mod blur;
mod enlarged;
mod hidden;
mod lanes;
mod paint;
mod pictures;
mod planar;
mod prepare;
mod reach;
mod shape;
mod sheet;
mod source;
mod taps;
mod yuv;

use rayon::prelude::*;

use super::Pictures;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Frame;
use crate::scene::draw::DrawList;
use crate::text::Fonts;
use crate::units::Size;

use paint::{Band, Ready, Scratch, paint};
use prepare::{BAND_ROWS, Stock, Target};
use sheet::{Px, Sheet};
use yuv::rows_to_yuv;

/// Composes on the CPU, over tiles on the current rayon pool.
#[derive(Debug)]
pub struct Compositor {
    stock: Stock,
    short_way: bool,
}

impl Compositor {
    /// Creates a compositor for frames of `size`.
    pub fn new(size: Size, fonts: &Fonts) -> Compositor {
        Compositor {
            stock: Stock::new(size, fonts),
            short_way: true,
        }
    }

    /// Creates a compositor that uses the general path for every frame: the reference for the short way in tests and benches.
    pub fn reference(size: Size, fonts: &Fonts) -> Compositor {
        Compositor {
            short_way: false,
            ..Compositor::new(size, fonts)
        }
    }

    /// Draws a frame into the given buffer. Fails if the buffer has another size or a picture is missing.
    pub fn draw(&mut self, list: &DrawList, pictures: &Pictures, mut into: Frame) -> Result<Frame> {
        if into.size != self.stock.size {
            let message = format!(
                "the buffer is {}, but the frames are {}",
                into.size, self.stock.size
            );
            return Err(Error::new(ErrorKind::Internal, message));
        }
        into.index = list.frame;
        self.stock.begin_frame(pictures)?;
        let steps = match self.short_way {
            true => planar::steps(&mut self.stock, list)?,
            false => None,
        };
        match steps {
            Some(steps) => planar::draw(steps, &mut into),
            None => self.draw_general(list, &mut into)?,
        }
        Ok(into)
    }

    /// Draws a frame by the general path, and from the first pane on by the short way if possible: a pane would need the whole canvas in floats.
    fn draw_general(&mut self, list: &DrawList, into: &mut Frame) -> Result<()> {
        let above = match self.short_way {
            true => planar::steps_from_pane(&mut self.stock, &list.layers)?,
            false => None,
        };
        let Some((n_below, steps)) = above else {
            return self.draw_layers(list, into);
        };
        let below = DrawList {
            layers: list.layers[..n_below].to_vec(),
            ..*list
        };
        self.draw_layers(&below, into)?;
        planar::draw_over(steps, into);
        Ok(())
    }

    /// Draws every layer in floats.
    fn draw_layers(&mut self, list: &DrawList, into: &mut Frame) -> Result<()> {
        let color = list.background;
        let background = [color.r, color.g, color.b, 1.0];
        let mut canvas = None;
        let mut target = Target::Canvas {
            sheet: &mut canvas,
            size: self.stock.size,
            background,
        };
        let ready = self.stock.begin(&list.layers, [0; 2], &mut target)?;
        finish(&ready, background, canvas.as_ref(), into);
        self.stock.end_frame(ready);
        Ok(())
    }

    /// Returns the compositor's name.
    pub fn name(&self) -> String {
        let threads = rayon::current_num_threads();
        format!("cpu ({}, {threads} threads)", instruction_set())
    }
}

/// Paints the last layers and converts, band by band. The bands start from the canvas, or from the background if there is none.
fn finish(ready: &[Ready], background: Px, canvas: Option<&Sheet>, into: &mut Frame) {
    let width = into.size.width as usize;
    let [y, u, v] = into.planes_mut();
    let chroma = width / 2 * (BAND_ROWS / 2);
    let planes = y
        .par_chunks_mut(width * BAND_ROWS)
        .zip(u.par_chunks_mut(chroma).zip(v.par_chunks_mut(chroma)));
    planes.enumerate().for_each_init(
        <(Vec<Px>, Scratch)>::default,
        |(px, scratch), (i, (y, (u, v)))| {
            let first = i * BAND_ROWS * width;
            px.clear();
            match canvas {
                Some(canvas) => px.extend_from_slice(&canvas.px[first..first + y.len()]),
                None => px.resize(y.len(), background),
            }
            let origin = [0, (i * BAND_ROWS) as i32];
            paint(ready, &mut Band { px, origin, width }, scratch);
            let chroma_rows = u
                .chunks_exact_mut(width / 2)
                .zip(v.chunks_exact_mut(width / 2));
            let luma_rows = y
                .chunks_exact_mut(2 * width)
                .zip(px.chunks_exact(2 * width));
            for ((y, px), (u, v)) in luma_rows.zip(chroma_rows) {
                let (y0, y1) = y.split_at_mut(width);
                let (px0, px1) = px.split_at(width);
                rows_to_yuv([px0, px1], [y0, y1], u, v);
            }
        },
    );
}

/// A name known at build time (the macro below rewrites visible lifetimes).
type Label = &'static str;

#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn instruction_set() -> Label {
    multiversion::target::match_target! {
        "x86_64+avx512f" => "avx512",
        "x86_64+avx2" => "avx2",
        "aarch64+neon" => "neon",
        _ => "no wide vectors",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::draw::Blend;
    use crate::scene::draw::{Content, Glyph, GlyphRun, Known, Layer, LayerId, Paint};
    use crate::text::RunMask;
    use crate::units::Color;

    /// Returns a run that covers 4x2 px at (x, y): full, half, and one px of an emoji.
    fn run_with_mask(x: i32, y: i32) -> (GlyphRun, RunMask) {
        let glyph = Glyph {
            font: 0,
            id: 1,
            size_px: 9.0,
            x: x as f32,
            y: y as f32,
        };
        let run = GlyphRun {
            glyphs: [glyph].into(),
            range: 0..1,
            spread_px: 0.0,
            blur_px: 0.0,
            offset: [0.0; 2],
            paint: Paint::Solid(Color::WHITE),
        };
        let mut emoji = vec![0; 4 * 2 * 4];
        emoji[3 * 4..4 * 4].copy_from_slice(&[255, 0, 0, 255]);
        let mask = RunMask {
            x,
            y,
            width: 4,
            height: 2,
            coverage: vec![255, 51, 0, 0, 255, 51, 0, 0],
            color: Some(emoji),
        };
        (run, mask)
    }

    fn drawn(mut compositor: Compositor, places: &[[i32; 2]]) -> Frame {
        let mut layers = Vec::new();
        for &[x, y] in places {
            let (run, mask) = run_with_mask(x, y);
            compositor.stock.fonts.plant(&run, mask);
            layers.push(Layer {
                id: LayerId(0),
                known: Known::New,
                opacity: 1.0,
                blend: Blend::Normal,
                content: Content::Glyphs(run),
            });
        }
        let list = DrawList {
            frame: 7,
            background: Color::BLACK,
            layers,
        };
        let into = Frame::black(compositor.stock.size);
        compositor.draw(&list, &Pictures::new(), into).unwrap()
    }

    fn both(size: Size) -> [Compositor; 2] {
        let fonts = Fonts::default();
        [
            Compositor::new(size, &fonts),
            Compositor::reference(size, &fonts),
        ]
    }

    #[test]
    fn glyphs_are_painted_by_coverage_and_emoji_keep_their_colors() {
        for compositor in both(Size::new(32, 16).unwrap()) {
            let frame = drawn(compositor, &[[6, 4]]);
            assert_eq!(frame.index, 7);
            let row = &frame.planes()[0][4 * 32..][..12];
            // White, a fifth of white, nothing, red: 16 + 219 * luma.
            assert_eq!(row, [16, 16, 16, 16, 16, 16, 235, 60, 16, 63, 16, 16]);
        }
    }

    #[test]
    fn masks_are_cut_at_the_canvas() {
        let places = [
            [-2, -1],
            [30, 15],
            [-4, 0],
            [32, 0],
            [i32::MIN, 0],
            [i32::MAX, i32::MAX],
        ];
        let frames = both(Size::new(32, 16).unwrap()).map(|c| drawn(c, &places));
        assert_eq!(frames[0].planes()[0], frames[1].planes()[0]);
        let luma = frames[0].planes()[0];
        assert_eq!(luma[0], 16);
        assert_eq!(luma[15 * 32 + 30], 235);
        assert_eq!(luma.iter().filter(|&&y| y == 235).count(), 1);
    }
}
