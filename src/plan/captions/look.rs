//! A style row checked and resolved: colors parsed, lengths in canvas pixels, times in ticks.

use super::super::report::Report;
use super::super::styles::{style, style_names};
use crate::error::{Problem, Warning};
use crate::text::{Align, FontRequest, Fonts};
use crate::timeline::{CaptionStyle, EntryKind, LetterCase, NameOr, TextAlign, nearest};
use crate::units::{Color, Time};

/// A face whose weight is further from the one asked for is worth a warning.
const WEIGHT_TOLERANCE: f32 = 150.0;

/// Most shadows of a style.
const MAX_SHADOWS: usize = 8;

/// A style ready to draw; lengths in canvas px.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) font: FontRequest,
    pub(super) case: LetterCase,
    pub(super) size: f32,
    pub(super) line_height: f32,
    pub(super) align: Align,
    pub(super) fill: Color,
    /// Widening on each side, and color.
    pub(super) stroke: Option<(f32, Color)>,
    pub(super) shadows: Vec<Shadow>,
    pub(super) panel: Option<Panel>,
    pub(super) active: Option<Color>,
    pub(super) idle: Option<Color>,
    pub(super) rise: f32,
    pub(super) entry: Time,
    pub(super) exit: Time,
    pub(super) max_words: usize,
    pub(super) max_lines: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shadow {
    pub(super) offset: [f32; 2],
    pub(super) sigma: f32,
    pub(super) color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Panel {
    pub(super) color: Color,
    pub(super) radius: f32,
    pub(super) padding: [f32; 2],
}

/// Resolves a style at a scale. `None` when it has problems, which are then in the report.
pub(super) fn resolve(
    named: &NameOr<CaptionStyle>,
    path: &str,
    scale: f32,
    fonts: &Fonts,
    report: &mut Report,
) -> Option<Look> {
    let row = match named {
        NameOr::Inline(row) => row,
        NameOr::Name(name) => match style(name) {
            Some(row) => row,
            None => {
                report.problem(unknown_style(name, path));
                return None;
            }
        },
    };
    let n_problems = report.problems.len();
    let mut check = Check { path, report };
    check.numbers(row);
    let look = check.look(row, scale);
    if report.problems.len() > n_problems {
        return None;
    }
    warn_of_font(&look.font, path, fonts, report);
    Some(look)
}

fn unknown_style(name: &str, path: &str) -> Problem {
    let list: Vec<&str> = style_names().collect();
    let shown: String = name.chars().take(60).collect();
    let problem = Problem::new(
        "unknown_style",
        path,
        format!(
            "`{shown}` is no caption style; known: {}. A style may also be written out here as an object",
            list.join(", ")
        ),
    );
    match nearest(name, style_names()) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem,
    }
}

fn warn_of_font(font: &FontRequest, path: &str, fonts: &Fonts, report: &mut Report) {
    let path = format!("{path}.font");
    match fonts.weight_at_hand(font) {
        None => report.warn(Warning::new(
            "missing_font",
            path,
            format!(
                "the font `{}` is neither bundled nor installed; Noto Sans stands in. Install it, or add its file with `Fonts::with_font`",
                font.family
            ),
        )),
        Some(weight) if (weight - f32::from(font.weight)).abs() > WEIGHT_TOLERANCE => {
            report.warn(Warning::new(
                "missing_weight",
                path,
                format!(
                    "`{}` has no face of weight {}; the one of {weight} stands in",
                    font.family, font.weight
                ),
            ));
        }
        Some(_) => {}
    }
}

/// Checks fields and turns them into pixels, colors and ticks.
struct Check<'a> {
    path: &'a str,
    report: &'a mut Report,
}

impl Check<'_> {
    fn numbers(&mut self, row: &CaptionStyle) {
        let stroke = row.stroke.as_ref().map_or(0.0, |s| s.width);
        let panel = row.panel.clone().unwrap_or_default();
        for (field, value, range) in [
            ("weight", f32::from(row.weight), [100.0, 900.0]),
            ("size", row.size, [8.0, 400.0]),
            ("letter_spacing_em", row.letter_spacing_em, [-0.2, 1.0]),
            ("line_height", row.line_height as f32, [0.8, 3.0]),
            ("stroke.width", stroke, [0.0, 60.0]),
            ("panel.radius", panel.radius, [0.0, 400.0]),
            ("panel.padding[0]", panel.padding[0], [0.0, 400.0]),
            ("panel.padding[1]", panel.padding[1], [0.0, 400.0]),
            ("entry.rise_px", row.entry.rise_px, [-400.0, 400.0]),
            ("entry.ms", row.entry.ms as f32, [0.0, 5000.0]),
            ("exit.ms", row.exit.ms as f32, [0.0, 5000.0]),
            ("max_words", row.max_words as f32, [1.0, 20.0]),
            ("max_lines", row.max_lines as f32, [1.0, 6.0]),
            (
                "shadows.length",
                row.shadows.len() as f32,
                [0.0, MAX_SHADOWS as f32],
            ),
        ] {
            self.in_range(field, value, range);
        }
        for (i, shadow) in row.shadows.iter().take(MAX_SHADOWS).enumerate() {
            self.in_range(&format!("shadows[{i}].dx"), shadow.dx, [-200.0, 200.0]);
            self.in_range(&format!("shadows[{i}].dy"), shadow.dy, [-200.0, 200.0]);
            self.in_range(&format!("shadows[{i}].blur"), shadow.blur, [0.0, 200.0]);
        }
        let family = row.font.trim();
        if family.is_empty() || family.chars().count() > 100 {
            self.report.problem(Problem::new(
                "bad_font",
                format!("{}.font", self.path),
                "a font family's name has 1 to 100 characters",
            ));
        }
    }

    fn in_range(&mut self, field: &str, value: f32, range: [f32; 2]) {
        let path = format!("{}.{field}", self.path);
        self.report.in_range(&path, value, range);
    }

    fn color(&mut self, field: &str, text: &str) -> Color {
        Color::parse(text).unwrap_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            self.report.problem(
                Problem::new(
                    "bad_color",
                    format!("{}.{field}", self.path),
                    format!("`{shown}` is no color"),
                )
                .hint("colors are written `#rgb`, `#rrggbb` or `#rrggbbaa`"),
            );
            Color::BLACK
        })
    }

    fn look(&mut self, row: &CaptionStyle, scale: f32) -> Look {
        let stroke = row.stroke.as_ref().map(|stroke| {
            let color = self.color("stroke.color", &stroke.color);
            (stroke.width / 2.0 * scale, color)
        });
        let shadows = row.shadows.iter().take(MAX_SHADOWS).enumerate();
        let shadows = shadows
            .map(|(i, shadow)| Shadow {
                offset: [shadow.dx * scale, shadow.dy * scale],
                // CSS: "the resulting shadow must approximate a Gaussian of half the blur radius".
                sigma: shadow.blur / 2.0 * scale,
                color: self.color(&format!("shadows[{i}].color"), &shadow.color),
            })
            .collect();
        let panel = row.panel.as_ref().map(|panel| Panel {
            color: self.color("panel.color", &panel.color),
            radius: panel.radius * scale,
            padding: panel.padding.map(|p| p * scale),
        });
        let mut word = |field, style: &Option<crate::timeline::WordStyle>| {
            style.as_ref().map(|word| self.color(field, &word.fill))
        };
        let (active, idle) = (
            word("active.fill", &row.active),
            word("idle.fill", &row.idle),
        );
        let time = |kind, ms: u32| match kind {
            EntryKind::Cut => Time::ZERO,
            EntryKind::Fade => Time::from_millis(i64::from(ms)),
        };
        Look {
            font: FontRequest {
                family: row.font.trim().to_owned(),
                weight: row.weight,
                italic: row.italic,
                letter_spacing_em: row.letter_spacing_em,
            },
            case: row.case,
            size: row.size * scale,
            line_height: row.line_height as f32,
            align: match row.align {
                TextAlign::Left => Align::Left,
                TextAlign::Center => Align::Center,
                TextAlign::Right => Align::Right,
            },
            fill: self.color("fill", &row.fill),
            stroke: stroke.filter(|(spread, _)| *spread > 0.0),
            shadows,
            panel,
            active,
            idle,
            rise: row.entry.rise_px * scale,
            entry: time(row.entry.kind, row.entry.ms),
            exit: time(row.exit.kind, row.exit.ms),
            max_words: row.max_words as usize,
            max_lines: row.max_lines as usize,
        }
    }
}
