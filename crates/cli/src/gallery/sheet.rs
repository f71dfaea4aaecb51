//! The contact sheet: for each look a card with three stills, its name and its description, all drawn by the engine.

use std::sync::Arc;

use image::{DynamicImage, RgbImage, Rgba, RgbaImage};
use kinora::media::MemoryAssets;
use kinora::plan::looks::Look;
use kinora::timeline::Timeline;
use kinora::units::{Size, Time};
use kinora::{Job, Render};
use serde_json::{Value, json};

use super::examples::{Examples, png};
use crate::failure::Failure;
use crate::looks::Kind;

/// The gap between cards, and around them all.
const GAP: u32 = 24;
/// Spacing inside a card: around the stills, between them, and the height of the text below.
const PADDING: u32 = 18;
const BETWEEN: u32 = 8;
const TEXT_HEIGHT: u32 = 140;
/// Sizes of the text, px: legible when the sheet is shown at half its size.
const NAME_PX: f64 = 40.0;
const QUIET_PX: f64 = 25.0;
/// The height of the title above the cards.
const TITLE_HEIGHT: u32 = 132;
/// Corner radius of stills.
const STILL_RADIUS: f32 = 10.0;

const PAGE: &str = "#0E1116";
const CARD: &str = "#1A1F28";
const NAME: &str = "#FFFFFF";
const QUIET: &str = "#9AA6B6";

/// How the stills of a kind are shown.
struct Format {
    /// The size at which frames are composed.
    canvas: Size,
    /// The part shown, around the center.
    window: Size,
    /// Whether a card's stills are stacked vertically.
    stacked: bool,
    /// Number of cards side by side.
    columns: usize,
}

impl Format {
    fn card(&self) -> Size {
        let Size { width, height } = self.window;
        let (across, down) = if self.stacked { (1, 3) } else { (3, 1) };
        let side = |n: u32, length: u32| n * length + (n - 1) * BETWEEN;
        Size {
            width: 2 * PADDING + side(across, width),
            height: PADDING + side(down, height) + TEXT_HEIGHT,
        }
    }

    /// Returns the center of a card's `i`th still.
    fn middle(&self, i: u32) -> [u32; 2] {
        let Size { width, height } = self.window;
        let (column, row) = if self.stacked { (0, i) } else { (i, 0) };
        [
            PADDING + column * (width + BETWEEN) + width / 2,
            PADDING + row * (height + BETWEEN) + height / 2,
        ]
    }
}

/// Returns an upright format for looks that fill the picture, and wide bands for captions, so that the letters are legible.
fn format(kind: Kind) -> Format {
    let size = |width, height| Size { width, height };
    match kind {
        Kind::Captions => Format {
            canvas: size(760, 760),
            window: size(660, 216),
            stacked: true,
            columns: 4,
        },
        Kind::Transitions | Kind::Motions => Format {
            canvas: size(216, 384),
            window: size(216, 384),
            stacked: false,
            columns: 4,
        },
    }
}

/// Returns the size at which the stills of a kind are composed.
pub(super) fn still_size(kind: Kind) -> Size {
    format(kind).canvas
}

/// Draws the whole sheet; `progress` is called for each card.
pub(super) fn draw(
    kind: Kind,
    looks: &[Look],
    examples: &Examples,
    (options, progress): (&Render, &dyn Fn(usize) -> kinora::Result<()>),
) -> Result<RgbImage, Failure> {
    let format = format(kind);
    let card = format.card();
    let columns = looks.len().min(format.columns).max(1) as u32;
    let rows = (looks.len() as u32).div_ceil(columns);
    let (width, height) = (
        columns * (card.width + GAP) + GAP,
        TITLE_HEIGHT + rows * (card.height + GAP),
    );
    let page = rgb(PAGE);
    let mut sheet = RgbImage::from_pixel(width, height, page);
    let title = title(kind, looks.len(), width, examples, options)?;
    place(&mut sheet, &title, [0, 0]);
    for (i, look) in looks.iter().enumerate() {
        progress(i)?;
        let example = examples.of(kind, look, i)?;
        let mut stills = Vec::new();
        for secs in example.instants {
            let at = Time::from_secs(secs).unwrap_or(Time::ZERO);
            let frame = example.job.still(at, options)?;
            stills.push(rounded(&frame.to_rgb(), &format));
        }
        let drawn = draw_card(look, &format, stills, (examples, options))?;
        let (column, row) = (i as u32 % columns, i as u32 / columns);
        let x = GAP + column * (card.width + GAP);
        let y = TITLE_HEIGHT + row * (card.height + GAP);
        place(&mut sheet, &drawn, [x, y]);
    }
    Ok(sheet)
}

/// Returns the shown part of a still, with rounded corners.
fn rounded(rgb: &[u8], format: &Format) -> RgbaImage {
    let (canvas, shown) = (format.canvas, format.window);
    let (left, top) = (
        (canvas.width - shown.width) / 2,
        (canvas.height - shown.height) / 2,
    );
    let (w, h) = (shown.width as f32, shown.height as f32);
    RgbaImage::from_fn(shown.width, shown.height, |x, y| {
        let inset = |v: f32, side: f32| (v.min(side - v) - STILL_RADIUS).min(0.0);
        let (dx, dy) = (inset(x as f32 + 0.5, w), inset(y as f32 + 0.5, h));
        let inside = (STILL_RADIUS - dx.hypot(dy) + 0.5).clamp(0.0, 1.0);
        let at = ((top + y) * canvas.width + left + x) as usize * 3;
        Rgba([
            rgb[at],
            rgb[at + 1],
            rgb[at + 2],
            (inside * 255.0).round() as u8,
        ])
    })
}

fn draw_card(
    look: &Look,
    format: &Format,
    stills: Vec<RgbaImage>,
    (examples, options): (&Examples, &Render),
) -> Result<RgbImage, Failure> {
    let card = format.card();
    let mut assets = MemoryAssets::default();
    let mut layers = vec![json!({
        "draw": { "box": { "color": CARD, "radius": 1080.0 * 16.0 / f64::from(card.width.min(card.height)) } },
    })];
    for (still, i) in stills.into_iter().zip(0..) {
        let size = still.dimensions().into();
        let name = format!("{i}.png");
        layers.push(json!({
            "draw": { "picture": { "picture": name, "place": place_of(card, format.middle(i), size) } },
        }));
        assets.insert(name, png(still.into())?);
    }
    let below = card.height - TEXT_HEIGHT;
    let text_width = card.width - 2 * PADDING;
    let name_place = place_of(card, [card.width / 2, below + 38], [text_width, 1]);
    let what_place = place_of(card, [card.width / 2, below + 96], [text_width, 1]);
    layers.push(text(card, look.name, [NAME_PX, 800.0], NAME, name_place));
    if !look.description.is_empty() {
        layers.push(text(
            card,
            &look.description,
            [QUIET_PX, 600.0],
            QUIET,
            what_place,
        ));
    }
    compose(card, layers, assets, examples, options)
}

fn title(
    kind: Kind,
    n: usize,
    width: u32,
    examples: &Examples,
    options: &Render,
) -> Result<RgbImage, Failure> {
    let size = Size {
        width,
        height: TITLE_HEIGHT,
    };
    let line = format!("kinora {}  ·  {n}", kind.name());
    let place = place_of(size, [width / 2, TITLE_HEIGHT / 2], [width, 1]);
    let layers = vec![text(size, &line, [1.5 * NAME_PX, 800.0], NAME, place)];
    compose(size, layers, MemoryAssets::default(), examples, options)
}

/// Returns a `place` value for a center and size in px.
fn place_of(canvas: Size, center: [u32; 2], size: [u32; 2]) -> Value {
    let (w, h) = (f64::from(canvas.width), f64::from(canvas.height));
    let share = |v: u32, side: f64| f64::from(v) / side;
    json!({
        "x": share(center[0], w),
        "y": share(center[1], h),
        "width": share(size[0], w),
        "height": share(size[1], h),
    })
}

/// Returns a plain text of `px` and `weight`. Sizes of styles are in px at 1080 px of the shorter side, a fifth less on wide canvases.
fn text(canvas: Size, text: &str, [px, weight]: [f64; 2], color: &str, place: Value) -> Value {
    let scale = if canvas.width <= canvas.height {
        f64::from(canvas.width) / 1080.0
    } else {
        f64::from(canvas.height) / 1080.0 * 0.8
    };
    let font = if weight > 700.0 {
        "Montserrat"
    } else {
        "Noto Sans"
    };
    json!({
        "draw": { "text": {
            "text": text,
            "place": place,
            "style": {
                "font": font, "weight": weight as u32, "case": "as-is", "size": (px / scale).min(400.0), "line_height": 1.3,
                "fill": color, "stroke": null, "shadows": [], "panel": null, "max_lines": 2,
            },
        } },
    })
}

/// Composes layers over the page's color into a picture.
fn compose(
    size: Size,
    layers: Vec<Value>,
    mut assets: MemoryAssets,
    examples: &Examples,
    options: &Render,
) -> Result<RgbImage, Failure> {
    let ground = RgbImage::from_pixel(size.width, size.height, rgb(PAGE));
    assets.insert("ground.png", png(DynamicImage::from(ground))?);
    let document = json!({
        "version": Timeline::VERSION,
        "output": { "width": size.width, "height": size.height },
        "shots": [{ "picture": "ground.png", "duration": 0.1 }],
        "layers": layers,
    });
    let fonts = examples.fonts().clone();
    let job = Job::from_json(&document.to_string(), Arc::new(assets), fonts)?;
    let frame = job.still(Time::ZERO, options)?;
    let pixels = frame.to_rgb();
    RgbImage::from_raw(size.width, size.height, pixels)
        .ok_or_else(|| Failure::Internal("a still does not have the requested size".into()))
}

fn place(sheet: &mut RgbImage, part: &RgbImage, [x, y]: [u32; 2]) {
    image::imageops::replace(sheet, part, i64::from(x), i64::from(y));
}

/// Parses a color written as `#rrggbb`.
fn rgb(hex: &str) -> Rgb {
    let value = u32::from_str_radix(hex.trim_start_matches('#'), 16).unwrap_or(0);
    image::Rgb([16, 8, 0].map(|shift| (value >> shift) as u8))
}

type Rgb = image::Rgb<u8>;
