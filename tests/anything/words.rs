//! Any words in any script, at any times, in any style.

use std::sync::LazyLock;

use kinora::plan::looks;
use serde_json::{Value, json};

use crate::choices::Choices;

static STYLES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let styles = looks::caption_styles();
    styles.iter().map(|look| look.name).collect()
});

/// Scripts that join, stack, run from the right, have no spaces, or show nothing at all.
const WORDS: [&str; 44] = [
    "word",
    "A",
    "don’t",
    "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
    "naïve",
    "...",
    "—",
    "\"",
    "3,14159",
    "مرحبا",
    "שָׁלוֹם",
    "ﷺ",
    "नमस्ते",
    "க்ஷ",
    "สวัสดีครับ",
    "こんにちは世界",
    "你好，世界。",
    "안녕하세요",
    "ខ្មែរ",
    "မြန်မာ",
    "བོད་སྐད",
    "Ελληνικά",
    "Привет",
    "ქართული",
    "አማርኛ",
    "ߒߞߏ",
    "𞤆𞤵𞤤𞤢𞤪",
    "𒀀𒁀",
    "👩‍👩‍👧‍👦",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "🇩🇪🇫🇷",
    "☝🏿",
    "Z̸̡̢̛̗͓̖̱͎̳̥͇̻̤͇̒̈́͛a̵l̶g̷o",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}x",
    "\u{202e}flip\u{202c}",
    "\u{2066}iso\u{2069}",
    "a\u{300}\u{301}\u{302}\u{303}\u{304}",
    "\u{ad}soft\u{ad}hyphen",
    "tab\tnew\nline",
    "ß",
    "ŉİıǅ",
    "\u{e000}\u{10ffff}\u{fffd}",
];

fn word(choices: &mut Choices) -> String {
    match choices.below(8) {
        0 | 1 => "word".into(),
        2 => {
            // Any characters of the whole range.
            let n = 1 + choices.below(5);
            let any = |_| char::from_u32(choices.whole(1, 0x1_ffff) as u32).unwrap_or('?');
            (0..n).map(any).collect()
        }
        3 => choices.pick(&WORDS).repeat(1 + choices.below(12)),
        _ => choices.pick(&WORDS).to_owned(),
    }
}

/// Several words and lines.
pub fn text(choices: &mut Choices) -> String {
    let n = 1 + choices.below(6);
    let words: Vec<String> = (0..n).map(|_| word(choices)).collect();
    words.join(choices.pick(&[" ", "\n", "", "  "]))
}

/// How many words the captions of a document have.
pub fn words(document: &Value) -> usize {
    document["captions"]["words"].as_array().map_or(0, Vec::len)
}

pub fn captions(choices: &mut Choices) -> Value {
    let n = 1 + choices.below(12);
    let mut now = choices.number(0.0, [0.0, 3.0]);
    let words: Vec<Value> = (0..n)
        .map(|_| {
            let secs = choices.number(0.3, [0.0, 2.0]);
            let word = json!({ "text": word(choices), "start": now, "end": now + secs });
            // They may overlap, touch, or leave a pause.
            now += match choices.below(4) {
                0 | 1 => secs,
                2 => secs / 2.0,
                _ => secs + choices.number(0.0, [0.0, 1.5]),
            };
            word
        })
        .collect();
    let position = choices.pick(&["bottom", "center", "top"]);
    json!({ "words": words, "position": position, "style": style(choices) })
}

/// A style by name, or some fields of one written out.
pub fn style(choices: &mut Choices) -> Value {
    if !choices.one_in(3) {
        return json!(choices.pick(&STYLES));
    }
    let mut style = json!({});
    for (field, value) in fields(choices) {
        if choices.one_in(4) {
            style[field] = value;
        }
    }
    style
}

fn colors(choices: &mut Choices) -> Value {
    match choices.below(3) {
        0 => json!("#ffffff"),
        1 => json!("#ff000040"),
        _ => {
            let how = choices.pick(&["down", "across", "pages", "words"]);
            let n = 1 + choices.below(4);
            json!({ "colors": vec!["#00ff00"; n], "how": how })
        }
    }
}

fn line(choices: &mut Choices) -> Value {
    json!({ "width": choices.number(4.0, [0.0, 60.0]), "color": "#0088ff" })
}

fn fields(choices: &mut Choices) -> Vec<(&'static str, Value)> {
    let mut fields = letters(choices);
    fields.extend(looks_of_words(choices));
    fields.extend(ways(choices));
    fields
}

fn letters(choices: &mut Choices) -> Vec<(&'static str, Value)> {
    let c = choices;
    vec![
        ("font", json!(c.pick(&["Montserrat", "Anton", "No Such"]))),
        ("weight", json!(c.whole(100, 900))),
        ("italic", json!(c.one_in(2))),
        (
            "case",
            json!(c.pick(&["as-is", "sentence", "upper", "lower", "title"])),
        ),
        ("size", json!(c.number(72.0, [8.0, 400.0]))),
        ("letter_spacing_em", json!(c.number(0.0, [-0.2, 1.0]))),
        ("line_height", json!(c.number(1.16, [0.8, 3.0]))),
        ("align", json!(c.pick(&["center", "left", "right"]))),
        ("fill", colors(c)),
        (
            "stroke",
            json!({ "width": c.number(8.0, [0.0, 60.0]), "color": colors(c) }),
        ),
        (
            "shadows",
            json!([{ "dx": c.number(0.0, [-200.0, 200.0]), "dy": c.number(4.0, [-200.0, 200.0]),
                "blur": c.number(12.0, [0.0, 200.0]), "spread": c.number(0.0, [0.0, 60.0]),
                "color": colors(c), "above_stroke": c.one_in(2) }]),
        ),
        ("wander_px", json!(c.number(0.0, [0.0, 20.0]))),
        ("tilt_deg", json!(c.number(0.0, [0.0, 30.0]))),
        (
            "initial",
            json!({ "scale": c.number(1.0, [0.5, 3.0]), "fill": "#ff0000" }),
        ),
    ]
}

fn looks_of_words(choices: &mut Choices) -> Vec<(&'static str, Value)> {
    let c = choices;
    let panel = json!({
        "color": c.pick(&["#000000", "#000000B8"]),
        "per_line": c.one_in(2),
        "radius": c.number(16.0, [0.0, 400.0]),
        "padding": [c.number(28.0, [0.0, 400.0]), c.number(16.0, [0.0, 400.0])],
        "border": line(c),
        "rule": line(c),
        "brackets": line(c),
        "backdrop_blur": c.number(0.0, [0.0, 200.0]),
        "torn_px": c.number(0.0, [0.0, 60.0]),
    });
    let active = json!({
        "fill": colors(c),
        "opacity": c.number(1.0, [0.0, 1.0]),
        "weight": c.whole(100, 900),
        "flash": "#ffffff",
        "sweep": c.one_in(2),
        "scale": c.number(1.0, [0.5, 2.0]),
        "sway_deg": c.number(0.0, [0.0, 30.0]),
        "shake_px": c.number(0.0, [0.0, 40.0]),
        "ms": c.whole(0, 1000),
    });
    let marker = json!({
        "kind": c.pick(&["box", "line", "pen", "swash"]),
        "color": colors(c),
        "width": c.number(6.0, [0.0, 60.0]),
        "radius_em": c.number(0.3, [0.0, 2.0]),
        "padding_em": [c.number(0.2, [0.0, 2.0]), c.number(0.2, [0.0, 2.0])],
        "outline": line(c),
        "ms": c.whole(0, 1000),
    });
    vec![
        ("panel", panel),
        ("active", active),
        (
            "idle",
            json!({ "fill": colors(c), "opacity": c.number(0.5, [0.0, 1.0]) }),
        ),
        ("spoken", json!({ "fill": colors(c), "italic": true })),
        ("marker", marker),
        (
            "caret",
            json!({ "color": "#ffffff", "blink_ms": c.whole(100, 5000) }),
        ),
        (
            "burst",
            json!({ "count": c.whole(1, 24), "colors": ["#ff0000", "#00ff00"],
                "size": c.number(10.0, [1.0, 100.0]), "reach_px": c.number(100.0, [0.0, 600.0]), "ms": c.whole(50, 2000) }),
        ),
    ]
}

fn ways(choices: &mut Choices) -> Vec<(&'static str, Value)> {
    const KINDS: [&str; 11] = [
        "fade", "cut", "spring", "back", "drop", "flicker", "steps", "jitter", "slide", "wipe",
        "type",
    ];
    let c = choices;
    let entry = json!({
        "kind": c.pick(&KINDS),
        "each": c.pick(&["page", "words", "spoken"]),
        "rise_px": c.number(12.0, [-400.0, 400.0]),
        "scale": [c.number(1.0, [0.0, 3.0]), c.number(1.0, [0.0, 3.0])],
        "blur_px": c.number(0.0, [0.0, 100.0]),
        "split_px": c.number(0.0, [0.0, 40.0]),
        "before": c.number(0.0, [0.0, 1.0]),
        "ms": c.whole(0, 5000),
        "stagger_ms": c.whole(0, 1000),
    });
    vec![
        ("next", json!(c.number(0.0, [0.0, 1.0]))),
        ("entry", entry),
        (
            "exit",
            json!({ "kind": c.pick(&["fade", "cut"]), "ms": c.whole(0, 5000) }),
        ),
        ("max_words", json!(c.whole(1, 20))),
        ("max_lines", json!(c.whole(1, 6))),
    ]
}
