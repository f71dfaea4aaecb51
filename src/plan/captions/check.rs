//! Checks style rows field by field and turns them into looks.

use super::super::report::Report;
use super::super::styles::{style, style_names};
use super::look::*;
use crate::error::{Problem, Warning};
use crate::text::{Align, FontRequest, Fonts};
use crate::timeline::{
    BurstStyle, CaptionStyle, Colors, ColorsHow, EntryKind, ExitKind, MarkerStyle, NameOr,
    PanelStyle, TextAlign, WordStyle, nearest,
};
use crate::units::{Color, Time};

/// A difference from the requested weight above this causes a warning.
const WEIGHT_TOLERANCE: f32 = 150.0;

/// Maximum number of shadows in a style.
const MAX_SHADOWS: usize = 8;

/// Maximum number of colors in a list, and of stops in a gradient.
const MAX_COLORS: usize = 8;
const MAX_STOPS: usize = 4;

/// Resolves a style at a scale. Returns `None` if it has problems, which are added to the report.
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
    let mut check = Check {
        path,
        scale,
        report,
    };
    check.numbers(row);
    let look = check.look(row);
    if report.problems.len() > n_problems {
        return None;
    }
    let states = [&look.active, &look.idle, &look.spoken];
    let others = states.into_iter().flatten().filter_map(|w| w.font.as_ref());
    for font in std::iter::once(&look.font).chain(others) {
        warn_of_font(font, path, fonts, report);
    }
    Some(look)
}

fn unknown_style(name: &str, path: &str) -> Problem {
    let list: Vec<&str> = style_names().collect();
    let shown: String = name.chars().take(60).collect();
    let problem = Problem::new(
        "unknown_style",
        path,
        format!(
            "`{shown}` is not a caption style; known: {}. A style can also be written here as an object",
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
        None => {
            let families = fonts.families();
            let near = match nearest(&font.family, families.iter().map(String::as_str)) {
                Some(near) => format!("Did you mean `{near}`? If not, install"),
                None => "Install".to_owned(),
            };
            report.warn(Warning::new(
                "missing_font",
                path,
                format!(
                    "the font `{}` is neither bundled nor installed; using Noto Sans. {near} it, or name its file in `fonts`",
                    font.family
                ),
            ));
        }
        Some(weight) if (weight - f32::from(font.weight)).abs() > WEIGHT_TOLERANCE => {
            report.warn(Warning::new(
                "missing_weight",
                path,
                format!(
                    "`{}` has no face of weight {}; using weight {weight}",
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
    scale: f32,
    report: &'a mut Report,
}

impl Check<'_> {
    fn numbers(&mut self, row: &CaptionStyle) {
        let stroke = row.stroke.as_ref().map_or(0.0, |s| s.width);
        let entry = &row.entry;
        self.in_ranges(
            "",
            &[
                ("weight", f32::from(row.weight), [100.0, 900.0]),
                ("size", row.size, [8.0, 400.0]),
                ("letter_spacing_em", row.letter_spacing_em, [-0.2, 1.0]),
                ("line_height", row.line_height as f32, [0.8, 3.0]),
                ("stroke.width", stroke, [0.0, 60.0]),
                ("wander_px", row.wander_px, [0.0, 20.0]),
                ("tilt_deg", row.tilt_deg, [0.0, 30.0]),
                ("next", row.next, [0.0, 1.0]),
                ("entry.rise_px", entry.rise_px, [-400.0, 400.0]),
                ("entry.scale[0]", entry.scale[0], [0.0, 3.0]),
                ("entry.scale[1]", entry.scale[1], [0.0, 3.0]),
                ("entry.blur_px", entry.blur_px, [0.0, 100.0]),
                ("entry.split_px", entry.split_px, [0.0, 40.0]),
                ("entry.before", entry.before, [0.0, 1.0]),
                ("entry.ms", entry.ms as f32, [0.0, 5000.0]),
                ("entry.stagger_ms", entry.stagger_ms as f32, [0.0, 1000.0]),
                ("exit.ms", row.exit.ms as f32, [0.0, 5000.0]),
                ("max_words", row.max_words as f32, [1.0, 20.0]),
                ("max_lines", row.max_lines as f32, [1.0, 6.0]),
            ],
        );
        self.length("shadows", row.shadows.len(), [0, MAX_SHADOWS]);
        let family = row.font.trim();
        if family.is_empty() || family.chars().count() > 100 {
            self.report.problem(Problem::new(
                "bad_font",
                format!("{}.font", self.path),
                "a font family's name must have 1 to 100 characters",
            ));
        }
    }

    fn in_ranges(&mut self, before: &str, fields: &[(&str, f32, [f32; 2])]) {
        for (field, value, range) in fields {
            let path = format!("{}.{before}{field}", self.path);
            self.report.in_range(&path, *value, *range);
        }
    }

    fn length(&mut self, field: &str, n: usize, range: [usize; 2]) {
        let path = format!("{}.{field}.length", self.path);
        self.report.in_range(&path, n, range);
    }

    fn color(&mut self, field: &str, text: &str) -> Color {
        Color::parse(text).unwrap_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            self.report.problem(
                Problem::new(
                    "bad_color",
                    format!("{}.{field}", self.path),
                    format!("`{shown}` is not a color"),
                )
                .hint("colors are written `#rgb`, `#rrggbb` or `#rrggbbaa`"),
            );
            Color::BLACK
        })
    }

    /// Parses a list of 1 to `most` colors; never empty.
    fn colors(&mut self, field: &str, texts: &[String], most: usize) -> Vec<Color> {
        self.length(field, texts.len(), [1, most]);
        let texts = texts.iter().take(most).enumerate();
        let mut colors: Vec<Color> = texts
            .map(|(i, text)| self.color(&format!("{field}[{i}]"), text))
            .collect();
        if colors.is_empty() {
            colors.push(Color::BLACK);
        }
        colors
    }

    fn tint(&mut self, field: &str, written: &Colors) -> Tint {
        let row = match written {
            NameOr::Name(color) => return Tint::One(self.color(field, color)),
            NameOr::Inline(row) => row,
        };
        let most = match row.how {
            ColorsHow::Down | ColorsHow::Across => MAX_STOPS,
            ColorsHow::Pages | ColorsHow::Words => MAX_COLORS,
        };
        let colors = self.colors(&format!("{field}.colors"), &row.colors, most);
        let stops = || {
            let last = colors.len() - 1;
            std::array::from_fn(|i| {
                let i = i.min(last);
                (i as f32 / last.max(1) as f32, colors[i])
            })
        };
        match row.how {
            ColorsHow::Down => Tint::Down(stops()),
            ColorsHow::Across => Tint::Across(stops()),
            ColorsHow::Pages => Tint::Pages(colors),
            ColorsHow::Words => Tint::Words(colors),
        }
    }

    fn line(
        &mut self,
        field: &str,
        line: Option<&crate::timeline::LineStyle>,
    ) -> Option<(f32, Color)> {
        let line = line?;
        self.in_ranges(&format!("{field}."), &[("width", line.width, [0.0, 60.0])]);
        let color = self.color(&format!("{field}.color"), &line.color);
        (line.width > 0.0).then_some((line.width * self.scale, color))
    }

    fn shadows(&mut self, row: &CaptionStyle) -> Vec<Shadow> {
        let scale = self.scale;
        let mut shadows = Vec::new();
        for (i, shadow) in row.shadows.iter().take(MAX_SHADOWS).enumerate() {
            let reach = [-200.0, 200.0];
            let path = format!("shadows[{i}].");
            self.in_ranges(
                &path,
                &[
                    ("dx", shadow.dx, reach),
                    ("dy", shadow.dy, reach),
                    ("blur", shadow.blur, [0.0, 200.0]),
                    ("spread", shadow.spread, [0.0, 60.0]),
                ],
            );
            shadows.push(Shadow {
                offset: [shadow.dx * scale, shadow.dy * scale],
                // CSS: "the resulting shadow must approximate a Gaussian of half the blur radius".
                sigma: shadow.blur / 2.0 * scale,
                spread: shadow.spread * scale,
                color: self.tint(&format!("{path}color"), &shadow.color),
                above_stroke: shadow.above_stroke,
            });
        }
        shadows
    }

    fn panel(&mut self, panel: &PanelStyle) -> Panel {
        let size = [0.0, 400.0];
        self.in_ranges(
            "panel.",
            &[
                ("radius", panel.radius, size),
                ("padding[0]", panel.padding[0], size),
                ("padding[1]", panel.padding[1], size),
                ("backdrop_blur", panel.backdrop_blur, [0.0, 200.0]),
                ("torn_px", panel.torn_px, [0.0, 60.0]),
            ],
        );
        Panel {
            color: self.color("panel.color", &panel.color),
            per_line: panel.per_line,
            radius: panel.radius * self.scale,
            padding: panel.padding.map(|p| p * self.scale),
            border: self.line("panel.border", panel.border.as_ref()),
            rule: self.line("panel.rule", panel.rule.as_ref()),
            brackets: self.line("panel.brackets", panel.brackets.as_ref()),
            glass_sigma: panel.backdrop_blur / 2.0 * self.scale,
            torn: panel.torn_px * self.scale,
        }
    }

    fn word(&mut self, field: &str, word: &WordStyle, font: &FontRequest) -> WordLook {
        if let Some(weight) = word.weight {
            let fields = [("weight", f32::from(weight), [100.0, 900.0])];
            self.in_ranges(&format!("{field}."), &fields);
        }
        self.in_ranges(
            &format!("{field}."),
            &[
                ("opacity", word.opacity, [0.0, 1.0]),
                ("scale", word.scale, [0.5, 2.0]),
                ("sway_deg", word.sway_deg, [0.0, 30.0]),
                ("shake_px", word.shake_px, [0.0, 40.0]),
                ("ms", word.ms as f32, [0.0, 1000.0]),
            ],
        );
        let other = FontRequest {
            weight: word.weight.unwrap_or(font.weight),
            italic: word.italic.unwrap_or(font.italic),
            ..font.clone()
        };
        let fill = word.fill.as_ref();
        let flash = word.flash.as_ref();
        WordLook {
            fill: fill.map(|fill| self.tint(&format!("{field}.fill"), fill)),
            opacity: word.opacity,
            font: (other != *font).then_some(other),
            flash: flash.map(|flash| self.color(&format!("{field}.flash"), flash)),
            sweep: word.sweep,
            scale: f64::from(word.scale),
            sway: f64::from(word.sway_deg).to_radians(),
            shake: f64::from(word.shake_px * self.scale),
            change: Time::from_millis(i64::from(word.ms)),
        }
    }

    fn marker(&mut self, marker: &MarkerStyle) -> Marker {
        let em = [0.0, 2.0];
        self.in_ranges(
            "marker.",
            &[
                ("width", marker.width, [0.0, 60.0]),
                ("radius_em", marker.radius_em, em),
                ("padding_em[0]", marker.padding_em[0], em),
                ("padding_em[1]", marker.padding_em[1], em),
                ("ms", marker.ms as f32, [0.0, 1000.0]),
            ],
        );
        Marker {
            kind: marker.kind,
            color: self.tint("marker.color", &marker.color),
            width: marker.width * self.scale,
            radius_em: marker.radius_em,
            padding_em: marker.padding_em,
            outline: self.line("marker.outline", marker.outline.as_ref()),
            glide: Time::from_millis(i64::from(marker.ms)),
        }
    }

    fn burst(&mut self, burst: &BurstStyle) -> Burst {
        self.in_ranges(
            "burst.",
            &[
                ("count", burst.count as f32, [1.0, 24.0]),
                ("size", burst.size, [1.0, 100.0]),
                ("reach_px", burst.reach_px, [0.0, 600.0]),
                ("ms", burst.ms as f32, [50.0, 2000.0]),
            ],
        );
        Burst {
            count: burst.count as usize,
            colors: self.colors("burst.colors", &burst.colors, MAX_COLORS),
            size: burst.size * self.scale,
            reach: burst.reach_px * self.scale,
            time: Time::from_millis(i64::from(burst.ms)),
        }
    }

    fn look(&mut self, row: &CaptionStyle) -> Look {
        let scale = self.scale;
        let font = FontRequest {
            family: row.font.trim().to_owned(),
            weight: row.weight,
            italic: row.italic,
            letter_spacing_em: row.letter_spacing_em,
        };
        let stroke = row.stroke.as_ref().map(|stroke| {
            let color = self.tint("stroke.color", &stroke.color);
            (stroke.width / 2.0 * scale, color)
        });
        let mut word = |field, style: &Option<WordStyle>| {
            let style = style.as_ref();
            style.map(|word| self.word(field, word, &font))
        };
        let active = word("active", &row.active);
        let (idle, spoken) = (word("idle", &row.idle), word("spoken", &row.spoken));
        let initial = row.initial.as_ref().map(|initial| {
            self.in_ranges("initial.", &[("scale", initial.scale, [0.5, 3.0])]);
            (initial.scale, self.color("initial.fill", &initial.fill))
        });
        let caret = row.caret.as_ref().map(|caret| {
            let ms = caret.blink_ms;
            self.in_ranges("caret.", &[("blink_ms", ms as f32, [100.0, 5000.0])]);
            let color = self.color("caret.color", &caret.color);
            (color, Time::from_millis(i64::from(ms)))
        });
        Look {
            case: row.case,
            size: row.size * scale,
            line_height: row.line_height as f32,
            align: match row.align {
                TextAlign::Left => Align::Start,
                TextAlign::Center => Align::Center,
                TextAlign::Right => Align::End,
            },
            fill: self.tint("fill", &row.fill),
            stroke: stroke.filter(|(spread, _)| *spread > 0.0),
            shadows: self.shadows(row),
            panel: row.panel.as_ref().map(|panel| self.panel(panel)),
            wander: row.wander_px * scale,
            tilt: row.tilt_deg.to_radians(),
            initial,
            active,
            idle,
            spoken,
            marker: row.marker.as_ref().map(|marker| self.marker(marker)),
            caret,
            burst: row.burst.as_ref().map(|burst| self.burst(burst)),
            next: row.next,
            entry: entry(row, scale),
            exit: match row.exit.kind {
                ExitKind::Cut => Time::ZERO,
                ExitKind::Fade => Time::from_millis(i64::from(row.exit.ms)),
            },
            max_words: row.max_words as usize,
            max_lines: row.max_lines as usize,
            font,
        }
    }
}

fn entry(row: &CaptionStyle, scale: f32) -> Entry {
    let entry = &row.entry;
    Entry {
        kind: entry.kind,
        each: entry.each,
        rise: f64::from(entry.rise_px * scale),
        scale: entry.scale.map(f64::from),
        blur: entry.blur_px * scale,
        split: f64::from(entry.split_px * scale),
        before: entry.before,
        time: match entry.kind {
            EntryKind::Cut => Time::ZERO,
            _ => Time::from_millis(i64::from(entry.ms)),
        },
        stagger: Time::from_millis(i64::from(entry.stagger_ms)),
    }
}
