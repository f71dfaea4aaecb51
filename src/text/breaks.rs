//! Shapes text, breaks it into few lines of similar length, and shrinks it if it does not fit.

use std::borrow::Cow;

use parley::{
    BaseDirection, FontFamily, FontFamilyName, FontWeight, Layout, LineHeight, OverflowWrap,
    StyleProperty, WordBreak,
};

use super::TextRequest;
use super::engine::{Engine, Families};
use super::script::{is_east_asian, joins_letters};

/// Smallest factor to which text shrinks before it takes more lines than allowed.
const LEAST_FIT: f32 = 0.7;

/// Number of shrinking steps.
const FIT_STEPS: u16 = 12;

/// Shapes the text; each word uses the first family that has all its characters.
pub(super) fn shape(
    engine: &mut Engine,
    request: &TextRequest<'_>,
    families: &Families,
    text: &str,
) -> Layout<()> {
    let names: Vec<FontFamilyName<'_>> = families
        .names
        .iter()
        .map(|f| FontFamilyName::named(f))
        .collect();
    let parts = engine.parts(families, text);
    let mut builder = engine
        .layouts
        .ranged_builder(&mut engine.context, text, 1.0, false);
    builder.set_base_direction(match request.context.is_rtl(text) {
        true => BaseDirection::Rtl,
        false => BaseDirection::Ltr,
    });
    for property in [
        StyleProperty::FontFamily(FontFamily::List(Cow::Borrowed(&names))),
        StyleProperty::FontSize(request.size_px),
        StyleProperty::FontWeight(FontWeight::new(f32::from(request.font.weight))),
        StyleProperty::FontStyle(request.font.style()),
        StyleProperty::LetterSpacing(spacing_em(request) * request.size_px),
        StyleProperty::LineHeight(LineHeight::FontSizeRelative(request.line_height)),
        StyleProperty::OverflowWrap(OverflowWrap::BreakWord),
    ] {
        builder.push_default(property);
    }
    if keeps_words(text) {
        builder.push_default(StyleProperty::WordBreak(WordBreak::KeepAll));
    }
    for (bytes, family) in parts {
        let mut names = names.clone();
        names[..=family].rotate_right(1);
        let stack = FontFamily::List(Cow::Owned(names));
        builder.push(StyleProperty::FontFamily(stack), bytes);
    }
    builder.build(text)
}

/// Longest word kept on one line, in characters; characters one em wide count double.
const MAX_KEPT: usize = 16;

/// Returns whether lines break only between words: true if all words are short, as in Korean or in text with marked word boundaries.
fn keeps_words(text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || c == '\u{200b}');
    let width =
        |c: char| 1 + usize::from(is_east_asian(c) || ('\u{ac00}'..='\u{d7af}').contains(&c));
    words.all(|word| word.chars().map(width).sum::<usize>() <= MAX_KEPT)
}

/// Returns the space added after each letter, in em; zero where letters join, because space would separate them.
pub(super) fn spacing_em(request: &TextRequest<'_>) -> f32 {
    match request.font.letter_spacing_em {
        0.0 => 0.0,
        _ if joins_letters(request.text) => 0.0,
        spacing => spacing,
    }
}

/// Breaks text into as few lines as fit, of similar length; returns the factor by which the text must shrink.
pub(super) fn break_lines(layout: &mut Layout<()>, request: &TextRequest<'_>) -> f32 {
    // Breaking text of size s at width w equals breaking it at size 1 and width w/s, so nothing is reshaped.
    let longest_word = layout.calculate_content_widths().min;
    let mut fit = 1.0;
    for step in 0..=FIT_STEPS {
        fit = 1.0 - (1.0 - LEAST_FIT) * f32::from(step) / f32::from(FIT_STEPS);
        let width = request.max_width_px / fit;
        layout.break_all_lines(Some(width));
        if layout.len() <= request.max_lines.max(1) && longest_word <= width {
            break;
        }
    }
    let widest = request.max_width_px / fit;
    let n_lines = layout.len();
    if n_lines > 1 {
        // The narrowest width with the same number of lines makes the lines most alike.
        let (mut low, mut high) = (widest / n_lines as f32 * 0.5, widest);
        while high - low > request.size_px * 0.05 {
            let middle = (low + high) / 2.0;
            layout.break_all_lines(Some(middle));
            let fits = layout.len() <= n_lines && (longest_word <= middle || longest_word > widest);
            *(if fits { &mut high } else { &mut low }) = middle;
        }
        layout.break_all_lines(Some(high));
    }
    fit
}

/// Returns start and end of the visible part of a line on its axis, without white space and the last letter's spacing.
pub(super) fn span(line: &parley::Line<'_, ()>, fit: f32, spacing: f32) -> (f32, f32) {
    let (mut left, mut right, mut pen) = (f32::MAX, 0.0_f32, 0.0);
    for run in line.runs() {
        for cluster in run.visual_clusters() {
            let advance = cluster.advance() * fit;
            if !cluster.is_space_or_nbsp() && !cluster.is_hard_line_break() {
                left = left.min(pen);
                right = pen + advance - spacing;
            }
            pen += advance;
        }
    }
    if left == f32::MAX {
        return (0.0, 0.0);
    }
    (left, right.max(left))
}
