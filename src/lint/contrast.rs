//! Contrast of letters with their background (WCAG 2.2, 1.4.3 and its definitions).

use crate::frame::Frame;
use crate::scene::draw::{Content, GlyphRun, Layer, Paint};
use crate::units::{Color, Rect};

/// WCAG's minimum for large text.
pub(super) const LEAST_RATIO: f32 = 3.0;

/// Share of a shadow's opacity that is counted: shadows fade with the distance from the letters.
const SHADOW_SHARE: f32 = 0.6;

/// Returns the fill with the least contrast to its background, and the ratio; `None` if no letter is drawn.
pub(super) fn weakest(captions: &[Layer], ground: Color) -> Option<(Color, f32)> {
    let mut drawn = Vec::new();
    for layer in captions {
        flatten(&layer.content, &mut drawn);
    }
    let fills = drawn.iter().enumerate().filter_map(|(i, content)| {
        let run = fill_of(content)?;
        let fill = mean_of(&run.paint);
        let behind = drawn[..i]
            .iter()
            .filter_map(|below| backing(below, run))
            .fold(ground, over);
        let mut ratio = ratio(over(behind, fill), behind);
        for stroke in drawn[..i].iter().filter_map(|below| stroke_around(below)) {
            ratio = ratio.max(self::ratio(fill, over(behind, stroke)));
        }
        Some((fill, ratio))
    });
    fills.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Collects the contents of groups, back to front.
fn flatten<'a>(content: &'a Content, out: &mut Vec<&'a Content>) {
    match content {
        Content::Group(group) => {
            for layer in &group.layers {
                flatten(&layer.content, out);
            }
        }
        other => out.push(other),
    }
}

fn fill_of(content: &Content) -> Option<&GlyphRun> {
    match content {
        Content::Glyphs(run)
            if run.spread_px == 0.0 && run.blur_px == 0.0 && run.offset == [0.0; 2] =>
        {
            (!run.range.is_empty()).then_some(run)
        }
        _ => None,
    }
}

fn stroke_around(content: &Content) -> Option<Color> {
    match content {
        Content::Glyphs(run) if run.spread_px > 0.0 && run.blur_px == 0.0 => {
            Some(mean_of(&run.paint))
        }
        _ => None,
    }
}

/// Returns the color that a lower layer puts behind the whole run: a panel that contains the letters, or a shadow.
fn backing(content: &Content, run: &GlyphRun) -> Option<Color> {
    match content {
        Content::Box(shape) => {
            let glyphs = run.glyphs.get(run.range.clone())?;
            let all_inside = glyphs
                .iter()
                .all(|glyph| holds(shape.rect, glyph.x, glyph.y));
            all_inside.then(|| mean_of(&shape.paint))
        }
        Content::Glyphs(shadow) if shadow.blur_px > 0.0 => {
            Some(mean_of(&shadow.paint).faded(SHADOW_SHARE))
        }
        _ => None,
    }
}

fn holds(rect: Rect, x: f32, y: f32) -> bool {
    (rect.x..=rect.x + rect.width).contains(&x) && (rect.y..=rect.y + rect.height).contains(&y)
}

fn mean_of(paint: &Paint) -> Color {
    match paint {
        Paint::Solid(color) => *color,
        Paint::Linear { stops, .. } => {
            let mean =
                |get: fn(&Color) -> f32| stops.iter().map(|(_, c)| get(c)).sum::<f32>() / 4.0;
            Color {
                r: mean(|c| c.r),
                g: mean(|c| c.g),
                b: mean(|c| c.b),
                a: mean(|c| c.a),
            }
        }
    }
}

/// Returns `top` over the opaque `below`, blended as in the compositor.
fn over(below: Color, top: Color) -> Color {
    let mix = |below: f32, top_value: f32| below + (top_value - below) * top.a;
    Color {
        r: mix(below.r, top.r),
        g: mix(below.g, top.g),
        b: mix(below.b, top.b),
        a: 1.0,
    }
}

/// Returns WCAG's contrast ratio, 1 to 21.
fn ratio(a: Color, b: Color) -> f32 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Returns WCAG's relative luminance of an sRGB color.
fn luminance(color: Color) -> f32 {
    let linear = |v: f32| match v {
        v if v <= 0.04045 => v / 12.92,
        v => ((v + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b)
}

/// Returns the mean color of a frame inside `part`, or `None` if that lies outside the frame.
pub(super) fn mean_color(frame: &Frame, part: Rect) -> Option<Color> {
    let (width, height) = (frame.size.width as usize, frame.size.height as usize);
    let span = |from: f32, length: f32, side: usize| {
        let edge = |v: f32| (v.max(0.0) as usize).min(side) / 2;
        edge(from)..edge(from + length).max(edge(from))
    };
    let columns = span(part.x, part.width, width);
    let rows = span(part.y, part.height, height);
    let n = (columns.len() * rows.len()) as f64;
    if n == 0.0 {
        return None;
    }
    let mean = |plane: &[u8], scale: usize| {
        let stride = width / 2 * scale;
        let row = |y: usize| {
            let row = &plane[y * scale * stride..][..stride];
            columns
                .clone()
                .map(|x| u64::from(row[x * scale]))
                .sum::<u64>()
        };
        rows.clone().map(row).sum::<u64>() as f64 / n
    };
    // One luma sample per chroma sample is enough for a mean.
    let [luma, cb, cr] = frame.planes();
    let y = (mean(luma, 2) - 16.0) / 219.0;
    let (u, v) = ((mean(cb, 1) - 128.0) / 224.0, (mean(cr, 1) - 128.0) / 224.0);
    // ITU-R BT.709-6, 3.2 and 3.3, inverted.
    let channel = |value: f64| value.clamp(0.0, 1.0) as f32;
    Some(Color {
        r: channel(y + 1.5748 * v),
        g: channel(y - 0.1873 * u - 0.4681 * v),
        b: channel(y + 1.8556 * u),
        a: 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Size;

    #[test]
    fn ratios_are_those_of_the_standard() {
        assert!((ratio(Color::WHITE, Color::BLACK) - 21.0).abs() < 1e-4);
        // A value that contrast checkers show: #767676 on white is the darkest gray with 4.54:1.
        let gray = Color::parse("#767676").unwrap();
        assert!((ratio(gray, Color::WHITE) - 4.54).abs() < 0.005);
        assert_eq!(ratio(gray, gray), 1.0);
    }

    #[test]
    fn the_mean_is_that_of_the_part() {
        let mut frame = Frame::black(Size::new(64, 32).unwrap());
        frame.planes_mut()[0][16 * 64..].fill(235);
        let part = |y: f32, height: f32| Rect {
            x: 8.0,
            y,
            width: 20.0,
            height,
        };
        let at = |part| mean_color(&frame, part).unwrap();
        assert!(at(part(0.0, 16.0)).r < 0.001);
        assert!(at(part(16.0, 40.0)).g > 0.999);
        assert!((at(part(8.0, 16.0)).b - 0.5).abs() < 0.01);
        assert_eq!(mean_color(&frame, part(40.0, 10.0)), None);
        assert_eq!(mean_color(&frame, part(-40.0, 10.0)), None);
    }
}
