//! The GPU back end: draw lists become render passes over half-float sheets; a compute pass converts the canvas to planar YUV.
//!
//! Input: draw lists and decoded pictures. Output: frames, up to three behind. It never panics on a lost device; every failure is returned by the next
//! `submit` or `drain` as an error of kind `Device`.
//!
//! Each file has three parts: the structs that shaders see (`gpu_data`), per-frame state, and long-lived state.

mod blur;
mod caches;
mod device;
mod painter;
mod params;
mod passes;
mod pictures;
mod pipelines;
mod readback;
mod sample;
#[doc(hidden)]
pub mod shaders;
mod shape;
mod sheets;

pub use device::{ADAPTER_VARIABLE, Gpu};

use self::painter::Painter;
use self::readback::Readback;
use self::sheets::Sheet;
use super::Pictures;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Frame;
use crate::scene::draw::DrawList;
use crate::text::Fonts;
use crate::units::Size;

/// Composes on a GPU and reads planar YUV back through a ring of buffers.
#[derive(Debug)]
pub struct Compositor {
    size: Size,
    canvas: Sheet,
    painter: Painter,
    readback: Readback,
}

impl Compositor {
    /// Creates a compositor for frames of `size`; software adapters only if allowed. [`ADAPTER_VARIABLE`] selects the adapter.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if no adapter can be used; the message says what was found and what to install.
    pub fn new(size: Size, fonts: &Fonts, software_allowed: bool) -> Result<Compositor> {
        Compositor::on(Gpu::open(software_allowed)?, size, fonts)
    }

    /// Creates a compositor on an open device.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device failed or is too small.
    pub fn on(gpu: Gpu, size: Size, fonts: &Fonts) -> Result<Compositor> {
        gpu.fits(size.width, size.height, "the canvas")?;
        let painter = Painter::new(gpu, fonts, size);
        let whole = vec![[0, 0, size.width as i32, size.height as i32]];
        let canvas = painter
            .sheets
            .create(&painter.gpu, [size.width, size.height], whole)?;
        let readback = Readback::new(&painter.gpu, size, &canvas.view);
        painter.gpu.check()?;
        Ok(Compositor {
            size,
            canvas,
            painter,
            readback,
        })
    }

    /// Starts a frame; returns the oldest one if the ring is full.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device failed or is too small; [`ErrorKind::Internal`] if a picture is missing or the buffer has another size.
    pub fn submit(
        &mut self,
        list: &DrawList,
        pictures: &Pictures,
        mut into: Frame,
    ) -> Result<Option<Frame>> {
        if into.size != self.size {
            let message = format!(
                "the buffer is {}, but the canvas is {}",
                into.size, self.size
            );
            return Err(Error::new(ErrorKind::Internal, message));
        }
        self.painter.gpu.check()?;
        into.index = list.frame;
        let encoder = self.painter.paint(list, pictures, &self.canvas)?;
        self.readback.launch(&self.painter.gpu, encoder, into);
        self.painter.gpu.check()?;
        if self.readback.is_full() {
            return self.drain();
        }
        Ok(None)
    }

    /// Returns the next frame in flight.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device failed or did not answer.
    pub fn drain(&mut self) -> Result<Option<Frame>> {
        self.readback.collect(&self.painter.gpu)
    }

    /// Returns adapter, backend and driver.
    pub fn name(&self) -> String {
        self.painter.gpu.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::draw::Blend;
    use crate::scene::draw::{Content, GlyphRun, Known, Layer, LayerId, Paint};
    use crate::text::RunMask;
    use crate::units::Color;

    /// Opens any available adapter.
    fn compositor(size: Size, fonts: &Fonts) -> Option<Compositor> {
        Compositor::new(size, fonts, true)
            .inspect_err(|e| println!("skipped: {e}"))
            .ok()
    }

    fn empty_run() -> GlyphRun {
        GlyphRun {
            glyphs: [].into(),
            range: 0..0,
            spread_px: 0.0,
            blur_px: 0.0,
            offset: [0.0; 2],
            paint: Paint::Solid(Color::WHITE),
        }
    }

    #[test]
    fn a_run_is_painted_through_its_mask_and_emoji_lie_over_it() {
        let size = Size::new(32, 32).unwrap();
        let fonts = Fonts::default();
        let Some(mut gpu) = compositor(size, &fonts) else {
            return;
        };
        let run = empty_run();
        // Extends past the left border; coverage rises by column; the last row is a half-transparent gray emoji.
        let mask = RunMask {
            x: -3,
            y: 5,
            width: 16,
            height: 4,
            coverage: (0..64).map(|i| i % 16 * 17).collect(),
            color: Some(
                (0..256)
                    .map(|i| if i < 192 { 0 } else { [64, 64, 64, 128][i % 4] })
                    .collect(),
            ),
        };
        fonts.plant(&run, mask);
        let layer = Layer {
            id: LayerId(0),
            known: Known::New,
            opacity: 0.5,
            blend: Blend::Normal,
            content: Content::Glyphs(run),
        };
        let list = DrawList {
            frame: 0,
            background: Color::BLACK,
            layers: vec![layer],
        };
        gpu.submit(&list, &Pictures::new(), Frame::black(size))
            .unwrap();
        let frame = gpu.drain().unwrap().unwrap();
        for (i, &luma) in frame.planes()[0].iter().enumerate() {
            let (column, row) = (i as i32 % 32 + 3, i as i32 / 32 - 5);
            let painted = match (0..16).contains(&column) && (0..4).contains(&row) {
                true => column as f32 / 15.0,
                false => 0.0,
            };
            let emoji = if painted > 0.0 && row == 3 {
                [64.0 / 255.0, 128.0 / 255.0]
            } else {
                [0.0; 2]
            };
            let light = 0.5 * (emoji[0] + painted * (1.0 - emoji[1]));
            let exact = 16.0 + 219.0 * light;
            assert!(
                (f32::from(luma) - exact).abs() <= 0.75,
                "px {i}: {luma} for {exact}"
            );
        }
    }

    #[test]
    fn a_lost_device_is_a_typed_error() {
        let size = Size::new(32, 32).unwrap();
        let Some(mut gpu) = compositor(size, &Fonts::default()) else {
            return;
        };
        let list = DrawList {
            frame: 0,
            background: Color::WHITE,
            layers: Vec::new(),
        };
        let none = Pictures::new();
        let submit = |gpu: &mut Compositor| gpu.submit(&list, &none, Frame::black(size));
        assert!(submit(&mut gpu).is_ok());
        gpu.painter.gpu.device.destroy();
        let failed = (0..4)
            .map(|_| submit(&mut gpu))
            .find_map(std::result::Result::err);
        let e = failed.expect("a destroyed device draws nothing");
        assert_eq!(e.kind(), ErrorKind::Device);
        while let Ok(Some(_)) = gpu.drain() {}
        let e = submit(&mut gpu).expect_err("the device stays lost");
        assert!(e.to_string().contains("graphics device"), "{e}");
    }
}
