//! A finished picture as layers for parallax, or flat.

use image::{Rgb, RgbImage, Rgba, RgbaImage};
use rayon::prelude::*;
use tiny_skia::Pixmap;

use crate::Ask;
use crate::canvas::{Canvas, lay};
use crate::noise::hash;
use crate::passes::{Film, treat};
use crate::scene::compose;
use crate::styles::{Style, style};
use crate::vocabulary::Weather;

/// One sheet of a picture.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Its content, such as `sky`, `land`, `water`, `subjects`, `front`, `weather`; several layers may share a name.
    pub name: &'static str,
    /// 0 far to 1 near: how much it moves with the camera.
    pub depth: f32,
    /// Straight (not premultiplied) alpha; larger than the picture by [`Painting::margin`] on each side.
    pub picture: RgbaImage,
}

/// A picture in layers, back to front. Parts hidden by a nearer layer are painted too.
#[derive(Clone, Debug)]
pub struct Painting {
    /// Back to front; the first is opaque.
    pub layers: Vec<Layer>,
    /// How far each layer reaches beyond the picture on each side, px.
    pub margin: u32,
    /// The weather to animate in front of the picture; the layer named `weather` shows it as a still.
    pub weather: Option<Weather>,
}

impl Painting {
    /// Returns the layers composited in place, without the margin.
    pub fn flatten(&self) -> RgbImage {
        let (w, h) = self
            .layers
            .first()
            .map_or((1, 1), |l| l.picture.dimensions());
        let m = self.margin;
        let mut flat = RgbImage::new(
            w.saturating_sub(2 * m).max(1),
            h.saturating_sub(2 * m).max(1),
        );
        for layer in &self.layers {
            for (x, y, pixel) in flat.enumerate_pixels_mut() {
                let Rgba([r, g, b, a]) = *layer.picture.get_pixel(x + m, y + m);
                let a = u32::from(a);
                let mix = |top: u8, low: u8| {
                    ((u32::from(top) * a + u32::from(low) * (255 - a) + 127) / 255) as u8
                };
                *pixel = Rgb([mix(r, pixel[0]), mix(g, pixel[1]), mix(b, pixel[2])]);
            }
        }
        flat
    }
}

/// Paints a picture in layers that may be moved against each other.
pub fn paint(ask: &Ask<'_>) -> Painting {
    let (width, height) = ask.size();
    let margin = (width.max(height) / 25).max(2);
    let mut canvas = Canvas::new(width, height, Some(margin));
    let weather = compose(&mut canvas, ask);
    let style = style(ask.style);
    let mut under: Option<(Pixmap, RgbImage)> = None;
    let mut layers = Vec::new();
    for sheet in canvas.finish() {
        let mut seen = sheet.pixmap.clone();
        if let Some((below, _)) = &under {
            seen.data_mut().copy_from_slice(below.data());
            lay(&mut seen, &sheet.pixmap);
        }
        let mut flat = RgbImage::new(seen.width(), seen.height());
        treated(&seen, style, ask).develop(&mut flat);
        layers.push(Layer {
            name: sheet.name,
            depth: sheet.depth,
            picture: cut_out(&flat, under.as_ref().map(|u| &u.1), &sheet.pixmap),
        });
        under = Some((seen, flat));
    }
    Painting {
        layers,
        margin,
        weather: (weather != Weather::Clear).then_some(weather),
    }
}

/// Paints the picture flat, which is faster. The composition is that of [`paint`]; edges between layers may differ by a shade.
pub fn paint_flat(ask: &Ask<'_>) -> RgbImage {
    let (width, height) = ask.size();
    let mut canvas = Canvas::new(width, height, None);
    compose(&mut canvas, ask);
    let mut flat = RgbImage::new(width, height);
    if let Some(sheet) = canvas.finish().first() {
        let film = treated(&sheet.pixmap, style(ask.style), ask);
        film.develop(&mut flat);
    }
    flat
}

fn treated(picture: &Pixmap, style: &Style, ask: &Ask<'_>) -> Film {
    let mut film = Film::new(picture, ask.seed ^ hash(ask.words));
    treat(&mut film, style.passes);
    film
}

/// Returns a layer's own colors: laid over the treated layers below, they give the treated whole.
fn cut_out(whole: &RgbImage, below: Option<&RgbImage>, sheet: &Pixmap) -> RgbaImage {
    let mut picture = RgbaImage::new(sheet.width(), sheet.height());
    let below = below.unwrap_or(whole);
    picture
        .par_chunks_mut(4)
        .zip(whole.par_chunks(3))
        .zip(below.par_chunks(3))
        .zip(sheet.pixels().par_iter())
        .for_each(|(((to, whole), below), mask)| {
            let alpha = f32::from(mask.alpha()) / 255.0;
            for ((out, w), b) in to.iter_mut().zip(whole).zip(below) {
                let own = (f32::from(*w) - (1.0 - alpha) * f32::from(*b)) / alpha.max(1.0 / 255.0);
                *out = own.clamp(0.0, 255.0) as u8;
            }
            to[3] = mask.alpha();
        });
    picture
}
