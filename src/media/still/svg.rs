//! SVG by the crate `resvg`: with the bundled fonts, without other files, drawn at a size suitable for video.
//!
//! A drawing is a program: the work that it causes is bounded before it is drawn.

use std::io::Cursor;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use image::metadata::Orientation;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{
    self, Group, ImageHrefResolver, ImageKind, Node, Options, Paint, Tree, fontdb, roxmltree,
};

use super::{Header, Pixels, size};
use crate::media::PictureLimits;
use crate::media::refusal::Refusal;
use crate::media::sniff::{self, Kind};
use crate::text::BUNDLED;

/// Longer side of the drawn picture, px: a drawing has no size in pixels, and this one fills 4K.
const SIDE_PX: f32 = 3840.0;
/// Maximum size of the text in bytes.
const MAX_BYTES: usize = 10_000_000;
/// Maximum number of nodes, including those of attributes and texts.
const MAX_NODES: u32 = 200_000;
/// Maximum nesting of elements.
const MAX_DEPTH: usize = 200;
/// Maximum number of steps of all filters together.
const MAX_FILTER_STEPS: u64 = 100;
/// Maximum number of drawn parts; those of a pattern count each time.
const MAX_VISITS: usize = 300_000;
/// Stack size, enough for the deepest nesting that `use` can make of these.
const STACK_BYTES: usize = 128 << 20;

/// Reads the size of the drawing.
pub(super) fn header(bytes: &[u8], limits: &PictureLimits) -> Result<Header, Refusal> {
    on_deep_stack(|| Drawing::read(bytes, limits).map(|drawing| drawing.header()))
}

/// Draws the whole picture.
pub(super) fn pixels(bytes: &[u8], limits: &PictureLimits) -> Result<Pixels, Refusal> {
    on_deep_stack(|| {
        let drawing = Drawing::read(bytes, limits)?;
        let (width, height) = drawing.size;
        let mut canvas = Pixmap::new(width, height).ok_or_else(too_much)?;
        let own = drawing.tree.size();
        let scale = Transform::from_scale(width as f32 / own.width(), height as f32 / own.height());
        resvg::render(&drawing.tree, scale, &mut canvas.as_mut());
        Ok(Pixels {
            header: drawing.header(),
            n_channels: 4,
            bytes: canvas.take(),
            is_premultiplied: true,
            profile: None,
        })
    })
}

/// Runs work on a large stack: nested elements use the stack, and an overflow would end the process.
fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("drawing".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work);
        match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(error) => resume_unwind(Box::new(error)),
        }
    })
}

/// A drawing that passed the checks.
struct Drawing {
    tree: Tree,
    /// Size in px.
    size: (u32, u32),
}

impl Drawing {
    fn read(bytes: &[u8], limits: &PictureLimits) -> Result<Drawing, Refusal> {
        if bytes.len() > MAX_BYTES {
            let reason = format!(
                "is an SVG of {} bytes; at most {MAX_BYTES} are allowed",
                bytes.len()
            );
            return Err(Refusal::new("too_large", reason).hint("export it as PNG"));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|_| unsupported("is an SVG that is not in UTF-8"))?;
        let options = roxmltree::ParsingOptions {
            allow_dtd: true,
            nodes_limit: MAX_NODES,
            ..roxmltree::ParsingOptions::default()
        };
        let document =
            roxmltree::Document::parse_with_options(text, options).map_err(|e| match e {
                roxmltree::Error::NodesLimitReached => too_much(),
                e => Refusal::damaged(e),
            })?;
        let n_steps = check_elements(&document)?;
        let tree = tree_of(&document, limits)?;
        let own = tree.size();
        let scale = SIDE_PX / own.width().max(own.height());
        let side = |px: f32| (px * scale).round().clamp(1.0, SIDE_PX) as u32;
        let size = (side(own.width()), side(own.height()));
        // One canvas for the picture, one per nested layer, and one per filter result.
        let mut walk = Walk {
            scale: f64::from(scale),
            n_visits: 0,
            n_layers: 0,
        };
        walk.group(tree.root(), 0)?;
        let n_bytes = size::n_pixels(size) * 4;
        size::check(
            size,
            n_bytes.saturating_mul(2 + walk.n_layers + n_steps),
            limits,
        )?;
        Ok(Drawing { tree, size })
    }

    fn header(&self) -> Header {
        Header {
            width: self.size.0,
            height: self.size.1,
            orientation: Orientation::NoTransforms,
            has_alpha: true,
        }
    }
}

fn too_much() -> Refusal {
    Refusal::new("too_large", "is an SVG that is too complex to draw").hint("export it as PNG")
}

fn unsupported(what: &str) -> Refusal {
    Refusal::new(
        "unsupported_picture",
        format!("{what}, which is not supported"),
    )
    .hint("export it as PNG")
}

/// Rejects expensive elements; returns the number of filter steps.
fn check_elements(document: &roxmltree::Document<'_>) -> Result<u64, Refusal> {
    let mut n_steps = 0;
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        if node.ancestors().take(MAX_DEPTH + 1).count() > MAX_DEPTH {
            return Err(too_much());
        }
        let name = node.tag_name().name();
        if !name.starts_with("fe") {
            continue;
        }
        n_steps += 1;
        // Each of these multiplies the work per pixel.
        for (attribute, most) in [("numOctaves", 8.0), ("order", 9.0), ("radius", 8.0)] {
            let numbers = node.attribute(attribute).unwrap_or_default();
            let mut numbers = numbers
                .split([' ', ','])
                .filter_map(|n| n.parse::<f32>().ok());
            if numbers.any(|n| n > most) {
                return Err(too_much());
            }
        }
    }
    if n_steps > MAX_FILTER_STEPS {
        return Err(too_much());
    }
    Ok(n_steps)
}

fn tree_of(document: &roxmltree::Document<'_>, limits: &PictureLimits) -> Result<Tree, Refusal> {
    let is_incomplete = AtomicBool::new(false);
    let n_pixels = AtomicU64::new(0);
    let missing = || {
        is_incomplete.store(true, Ordering::Relaxed);
        None
    };
    let options = Options {
        font_family: "Noto Sans".to_owned(),
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, data, _| {
                picture_inside(data, &n_pixels, limits).or_else(missing)
            }),
            resolve_string: Box::new(|_, _| missing()),
        },
        fontdb: fonts(),
        ..Options::default()
    };
    let tree = Tree::from_xmltree(document, &options).map_err(|e| match e {
        usvg::Error::ElementsLimitReached
        | usvg::Error::ParsingFailed(roxmltree::Error::NodesLimitReached) => too_much(),
        usvg::Error::InvalidSize => {
            Refusal::damaged("it has no size: neither `width` and `height` nor a `viewBox`")
        }
        e => Refusal::damaged(e),
    })?;
    drop(options);
    if is_incomplete.load(Ordering::Relaxed) {
        return Err(unsupported(
            "is an SVG that shows another file or an unreadable picture",
        ));
    }
    Ok(tree)
}

/// Decodes a picture embedded in the drawing; all of them together must stay within the limits of one.
fn picture_inside(
    data: Arc<Vec<u8>>,
    n_pixels: &AtomicU64,
    limits: &PictureLimits,
) -> Option<ImageKind> {
    let kind = sniff::kind_of(&data[..data.len().min(sniff::HEAD_BYTES)]).ok()?;
    let wrap = match kind {
        Kind::Jpeg => ImageKind::JPEG,
        Kind::Raster(image::ImageFormat::Png) => ImageKind::PNG,
        Kind::Raster(image::ImageFormat::Gif) => ImageKind::GIF,
        Kind::Raster(image::ImageFormat::WebP) => ImageKind::WEBP,
        _ => return None,
    };
    let header = super::header(Cursor::new(data.as_slice()), kind, limits).ok()?;
    let own = size::n_pixels((header.width, header.height));
    let all = n_pixels.fetch_add(own, Ordering::Relaxed) + own;
    (all <= limits.n_pixels / 8).then(|| wrap(data))
}

/// Walks through everything that will be drawn, as often as it is drawn: nested patterns multiply.
struct Walk {
    /// Factor from the drawing's units to px.
    scale: f64,
    n_visits: usize,
    /// Maximum number of canvases needed in addition to the first one.
    n_layers: u64,
}

impl Walk {
    fn group(&mut self, group: &Group, depth: u64) -> Result<(), Refusal> {
        let depth = depth + u64::from(group.should_isolate());
        self.n_layers = self.n_layers.max(depth);
        for node in group.children() {
            self.n_visits += 1;
            if self.n_visits > MAX_VISITS {
                return Err(too_much());
            }
            if let Node::Path(path) = node {
                let paints = [
                    path.fill().map(usvg::Fill::paint),
                    path.stroke().map(usvg::Stroke::paint),
                ];
                for paint in paints.into_iter().flatten() {
                    self.check_paint(paint, path.abs_transform())?;
                }
            }
            // Masks, patterns and clips take another canvas each.
            let mut inner = Ok(());
            node.subroots(|root| {
                if inner.is_ok() {
                    inner = self.group(root, depth + 1);
                }
            });
            inner?;
            if let Node::Group(group) = node {
                self.group(group, depth)?;
            }
        }
        Ok(())
    }

    /// Returns an error for patterns larger than the picture.
    fn check_paint(&self, paint: &Paint, transform: Transform) -> Result<(), Refusal> {
        let Paint::Pattern(pattern) = paint else {
            return Ok(());
        };
        let (x, y) = transform.pre_concat(pattern.transform()).get_scale();
        let (width, height) = (pattern.rect().width() * x, pattern.rect().height() * y);
        let area = f64::from(width) * f64::from(height) * self.scale * self.scale;
        match area <= f64::from(SIDE_PX * SIDE_PX) {
            true => Ok(()),
            false => Err(too_much()),
        }
    }
}

/// Returns the bundled fonts. The machine's fonts are not used, so that a drawing looks the same everywhere.
fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    FONTS
        .get_or_init(|| {
            let mut fonts = fontdb::Database::new();
            for font in BUNDLED {
                fonts.load_font_source(fontdb::Source::Binary(Arc::new(font)));
            }
            fonts.set_serif_family("EB Garamond");
            fonts.set_sans_serif_family("Noto Sans");
            fonts.set_monospace_family("Courier Prime");
            fonts.set_cursive_family("Caveat");
            fonts.set_fantasy_family("Righteous");
            Arc::new(fonts)
        })
        .clone()
}
