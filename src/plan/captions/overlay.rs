//! A block of text as an overlay: uses the captions' layout without their times.

use super::super::report::Report;
use super::case::{lower, upper};
use super::letters::Words;
use super::place::style_scale;
use super::sheet::{Parts, Sheet, Shown, State, layers};
use super::{check, warn_of_left_out};
use crate::error::{Problem, Warning};
use crate::scene::draw::Blend;
use crate::scene::draw::{Content, Group, Homography, Known, Layer, LayerId};
use crate::text::{Context, Fonts, TextRequest, clean};
use crate::timeline::{LetterCase, Place, TextDraw};
use crate::units::Size;

/// Maximum text length in characters; the rest is cut.
const MAX_CHARS: usize = 2000;

/// A laid-out text overlay.
#[derive(Clone, Debug)]
pub(crate) struct TextOverlay {
    group: Group,
}

impl TextOverlay {
    /// Returns the overlay as an opaque layer, the same in every frame that shows it.
    pub(crate) fn layer(&self, id: LayerId) -> Layer {
        Layer {
            id,
            known: Known::New,
            opacity: 1.0,
            blend: Blend::Normal,
            content: Content::Group(self.group.clone()),
        }
    }
}

/// Lays out a text overlay; `path` is its document path (`layers[0].draw.text`). Returns `None` if it has problems or nothing to show.
pub(crate) fn text_block(
    draw: &TextDraw,
    path: &str,
    canvas: Size,
    fonts: &Fonts,
    report: &mut Report,
) -> Option<TextOverlay> {
    let n_problems = report.problems.len();
    check_place(&draw.place, path, report);
    let style_path = format!("{path}.style");
    let look = check::resolve(&draw.style, &style_path, style_scale(canvas), fonts, report);
    let text_path = format!("{path}.text");
    let text = clean_text(&draw.text, &text_path, report);
    if report.problems.len() > n_problems {
        return None;
    }
    let look = look?;
    let context = Context::of([text.as_str()]);
    let text = match look.case {
        LetterCase::Upper => upper(&text, context.turkic),
        LetterCase::Lower => lower(&text, context.turkic),
        // The author of a title has already chosen the capitals.
        LetterCase::AsIs | LetterCase::Sentence | LetterCase::Title => text,
    };
    let place = &draw.place;
    let n_written = text.split('\n').count();
    let block = fonts.layout(&TextRequest {
        text: &text,
        font: &look.font,
        size_px: look.size,
        line_height: look.line_height,
        max_width_px: (place.width * f64::from(canvas.width)) as f32,
        max_lines: look.max_lines.max(n_written),
        align: look.align,
        context,
    });
    warn_of_left_out(&block, &text_path, report);
    let center = [
        place.x * f64::from(canvas.width),
        place.y * f64::from(canvas.height),
    ];
    let lines = (0..block.lines.len()).map(|line| block.glyphs_in(line));
    let lines: Vec<_> = lines.collect();
    let words = Words {
        text: &text,
        glyphs: &lines,
        first: 0,
        page: 0,
    };
    let sheet = Sheet::new(&block, center.map(|v| v as f32), &words, &look)?;
    let shown: Vec<Shown> = (0..sheet.words.len())
        .map(|word| Shown {
            word,
            state: State::Plain,
            letters: usize::MAX,
        })
        .collect();
    let mut group = sheet.group(&look, &shown, Parts::All)?;
    group.bounds = sheet.bounds;
    let boxes = sheet.boxes.iter().copied().map(Content::Box);
    let letters = group.layers.into_iter().map(|layer| layer.content);
    group.layers = layers(boxes.chain(letters));
    if place.rotate != 0.0 {
        let there = Homography::shift(-center[0], -center[1]);
        let turned = Homography::turn(place.rotate.to_radians()).after(there);
        group.pose.maps = vec![Homography::shift(center[0], center[1]).after(turned)];
    }
    Some(TextOverlay { group })
}

fn check_place(place: &Place, path: &str, report: &mut Report) {
    for (field, value, range) in [
        ("x", place.x, [-1.0, 2.0]),
        ("y", place.y, [-1.0, 2.0]),
        ("width", place.width, [0.001, 4.0]),
        ("rotate", place.rotate, [-3600.0, 3600.0]),
    ] {
        report.in_range(&format!("{path}.place.{field}"), value, range);
    }
}

fn clean_text(text: &str, path: &str, report: &mut Report) -> String {
    let clean = clean(text, MAX_CHARS, true);
    if clean.text.is_empty() {
        report.problem(Problem::new("empty_text", path, "there is no visible text"));
    }
    if clean.truncated {
        report.warn(Warning::new(
            "text_truncated",
            path,
            format!("the text was cut: it is longer than {MAX_CHARS} characters, or has control characters or endless marks on a letter"),
        ));
    }
    clean.text
}
