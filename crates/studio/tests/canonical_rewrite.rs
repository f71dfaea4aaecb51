//! Rewriting: prose and plays become canonical scripts, and so does whatever else is sent.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::time::{Duration, Instant};

use kinora_studio::script::canonical::{Canonical, parse, rewrite};

const HARBOR: &str = "## Scene 1: The Harbor (6s)\n\n#### Shot 1.1 (2.5s)\nFog over @Harbor.\n\n#### Shot 1.2 (3.5s)\n@Old_Tom turns.\nHe waits.\n\
                      @Old_Tom: \"We leave today.\"\n@Narrator: \"And so they left.\"\n\n#### Shot 1.3 (0.5s)\n@Old_Tom: \"Go!\"\n\n\
                      ## Reusable Elements\nCharacters: @Old_Tom, @Narrator\nLocations: @Harbor\nObjects: (none)\n";

fn rewritten(text: &str) -> Canonical {
    let out = rewrite(text);
    let reading = parse(&out).unwrap_or_else(|d| {
        panic!(
            "{d:#?}\nfrom {:?}\nto {out}",
            text.chars().take(200).collect::<String>()
        )
    });
    assert!(reading.warnings.is_empty(), "{:?}\n{out}", reading.warnings);
    assert_eq!(rewrite(&out), out, "what is canonical stays");
    reading.script
}

fn said(script: &Canonical) -> Vec<(String, String)> {
    script
        .shots()
        .flat_map(|shot| &shot.speech)
        .map(|s| (s.handle.clone(), s.text.clone()))
        .collect()
}

fn pair(handle: &str, text: &str) -> (String, String) {
    (handle.into(), text.into())
}

#[test]
fn prose_becomes_scenes_of_sentences() {
    let script = rewritten(
        "The old harbor woke slowly. Fog lay on the water.\nNobody spoke.\n\n\"We leave today,\" said Anna. Then Mr. Hill asked, \"Why? Is it late?\" \
         \"Nobody knows,\" she said.",
    );
    assert_eq!(script.scenes.len(), 2);
    assert_eq!(script.scenes[0].title, "The old harbor woke slowly");
    let expected = [
        pair("Narrator", "The old harbor woke slowly."),
        pair("Narrator", "Fog lay on the water."),
        pair("Narrator", "Nobody spoke."),
        pair("Anna", "We leave today,"),
        pair("Mr_Hill", "Why? Is it late?"),
        pair("Narrator", "\"Nobody knows,\" she said."),
    ];
    assert_eq!(said(&script), expected);
    assert_eq!(script.elements.characters, ["Narrator", "Anna", "Mr_Hill"]);
    // 5 words at 137 a minute are 2.19 s.
    assert_eq!(script.scenes[0].shots[0].secs, 2.2);
}

#[test]
fn plays_become_scenes_of_speeches() {
    let script = rewritten(
        "EXT. OLD HARBOR - DAY\n\nFog. A boat rocks.\n\nANNA (whispering)\nWe leave today.\n(turning)\nNow!\n\nTOM: Why?\nNARRATOR: Nobody knew.\n\n\
         CUT TO:\n\nINT. CABIN - NIGHT\n\nTOM (tired): Good night [beat] all.\nVISUAL: a lamp goes out",
    );
    let expected = [
        pair("ANNA", "We leave today."),
        pair("ANNA", "Now!"),
        pair("TOM", "Why?"),
        pair("Narrator", "Nobody knew."),
        pair("TOM", "Good night all."),
    ];
    let found: Vec<(String, String)> = said(&script)
        .into_iter()
        .map(|(h, t)| (if h == "Narrator" { h } else { h.to_uppercase() }, t))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(
        script
            .scenes
            .iter()
            .map(|s| s.title.as_str())
            .collect::<Vec<_>>(),
        ["Old Harbor - Day", "Cabin - Night"]
    );
    assert_eq!(script.elements.locations, ["Old_Harbor", "Cabin"]);
    assert_eq!(script.elements.characters, ["Anna", "Tom", "Narrator"]);
    let last = script.shots().last().unwrap();
    assert_eq!(last.description, ["a lamp goes out"]);
    let tired = script
        .shots()
        .find(|shot| shot.speech.iter().any(|s| s.text.starts_with("Good")))
        .unwrap();
    assert!(
        tired.description.contains(&"Tom, tired".to_owned()),
        "{tired:?}"
    );
}

#[test]
fn scripts_that_are_nearly_canonical_keep_what_they_have() {
    let script = rewritten(
        "# My film\n## The Harbor\n#### Shot 1.1 (4s)\n- Fog over the water\n@Anna: We leave today.\n#### Shot 7\nA boat [slow].\n## Reusable Elements\n\
         Characters: @Anna, @Tom\nLocations: @Harbor\nObjects: @Anna, @Lamp",
    );
    assert_eq!(script.scenes.len(), 1);
    assert_eq!(script.scenes[0].title, "The Harbor");
    assert_eq!(script.scenes[0].shots[0].secs, 4.0);
    assert_eq!(
        script.scenes[0].shots[0].description,
        ["Fog over the water"]
    );
    assert_eq!(said(&script), [pair("Anna", "We leave today.")]);
    assert_eq!(script.elements.locations, ["Harbor"]);
    assert_eq!(script.elements.objects, ["Anna_2", "Lamp"]);
}

#[test]
fn listed_locations_and_objects_stay_however_they_are_listed() {
    let lists = [
        "## Reusable Elements\nCharacters: @Mara\nLocations: @Old_Pier, @Harbor\nObjects: @Lamp",
        "### Reusable elements:\n**Characters:** @Mara\n**Locations:** @Old_Pier (a wooden pier, long), @Harbor\n**Objects**: @Lamp",
        "**Reusable Elements**\n- Characters: @Mara\n- Locations: @Old_Pier; @Harbor\n- Objects: @Lamp",
        "Reusable Elements:\n\nCharacters:\n- @Mara\n\nLocations:\n- @Old_Pier: a wooden pier\n- @Harbor\n\nObjects:\n- @Lamp",
        "## Reusable Elements\n### Characters\n- @Mara\n### Locations\n* @Old_Pier - a pier\n* @Harbor\n### Objects\n1. @Lamp",
        "Characters: @Mara\nLocations: @Old_Pier, @Harbor\nObjects: @Lamp",
        "## Reusable Elements\nCharacters: Mara\nLocations: Old Pier (wooden), Harbor\nObjects: Lamp",
    ];
    let scene = "Scene one (5s)\n#### Shot 1.1 (4s)\n@Harbor at dusk. @Lamp burns at the @Old_Pier.\n@Mara: \"It burns.\"\n";
    for list in lists {
        for text in [
            format!("## {scene}{list}"),
            format!("## 1. {scene}\n{list}"),
            format!("{list}\n\n## 1. {scene}"),
        ] {
            let script = rewritten(&text);
            let elements = &script.elements;
            assert_eq!(elements.locations, ["Old_Pier", "Harbor"], "{text}");
            assert_eq!(elements.objects, ["Lamp"], "{text}");
            assert_eq!(elements.characters, ["Mara"], "{text}");
            assert_eq!(script.scenes.len(), 1, "{text}");
            assert_eq!(said(&script), [pair("Mara", "It burns.")], "{text}");
            assert_eq!(
                script.scenes[0].shots[0].description,
                ["@Harbor at dusk. @Lamp burns at the @Old_Pier."],
                "what is seen still names them: {text}"
            );
        }
    }
}

#[test]
fn canonical_scripts_stay_and_their_lengths_are_made_to_agree() {
    assert_eq!(rewrite(HARBOR), HARBOR.replace("(6s)", "(6.5s)"));
}

#[test]
fn other_languages_are_rewritten_too() {
    let german = rewritten("„Wir gehen“, sagte Änne. Dann schwieg sie.");
    assert_eq!(
        said(&german),
        [
            pair("Änne", "Wir gehen"),
            pair("Narrator", "Dann schwieg sie.")
        ]
    );
    let japanese = rewritten("朝の港。霧が深い。\n\n花子：「行きましょう」\n太郎：「はい」");
    assert_eq!(
        japanese.scenes[0].shots[0].description,
        ["朝の港。霧が深い。"]
    );
    assert_eq!(
        said(&japanese),
        [pair("花子", "行きましょう"), pair("太郎", "はい")]
    );
    let prose = rewritten("朝の港。霧が深い。船が出る。");
    assert_eq!(prose.shots().count(), 3);
    let play = rewritten("花子：「行きましょう」\n太郎：「はい」");
    assert_eq!(
        said(&play),
        [pair("花子", "行きましょう"), pair("太郎", "はい")]
    );
    rewritten("وصلت السفينة. قالت ليلى: «سنغادر اليوم».");
    rewritten("सीता ने कहा। \"चलो\"");
}

#[test]
fn long_texts_keep_their_words_within_ten_minutes() {
    let script = rewritten(&"The fox ran over the hill and looked back at the sea. ".repeat(900));
    assert_eq!(said(&script).len(), 900);
    let secs: f64 = script.shots().map(|shot| shot.secs).sum();
    assert!((590.0..=600.0).contains(&secs), "{secs}");
    assert!(script.shots().count() <= 300);
}

/// A small generator of numbers (splitmix64), so that failures come again.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

const PIECES: &[&str] = &[
    "The fox ran. ",
    "\"We go,\" said Anna. ",
    "ANNA: Hello\n",
    "Tom (aside): no\n",
    "INT. HARBOR - DAY\n",
    "[BEAT]",
    "(beat)",
    "(",
    ")",
    "[",
    "]",
    "@",
    "@Anna",
    "@Anna: ",
    "\"",
    "“",
    "”",
    "„",
    "«",
    "「",
    "」",
    "\\",
    "\\\"",
    "\n",
    "\n\n",
    "\r",
    "\t",
    "# ",
    "## ",
    "## Scene 1: Fog (4s)\n",
    "#### Shot 1.1 (4s)\n",
    "#### ",
    "## Reusable Elements\n",
    "Characters: @Anna\n",
    "Locations: @Anna, (none)\n",
    "Objects: (none)\n",
    "- ",
    "* ",
    "1. ",
    "12) ",
    "---\n",
    "===",
    "```\n",
    "> ",
    "| ",
    "<b>",
    ": ",
    "：",
    "NARRATOR: ",
    "VISUAL: ",
    "FADE OUT.\n",
    "é",
    "e\u{301}",
    "\u{301}",
    "\u{200d}",
    "\u{202e}",
    "\u{feff}",
    "\u{2028}",
    "\0",
    "🦊",
    "1️⃣",
    "👩‍👩‍👧",
    "漢字。",
    "かな",
    "สวัสดี",
    "सीता",
    "क्ष",
    "שלום",
    "مرحبا",
    "İ",
    "ß",
    "ﬁ",
    "Ω",
    "0",
    "9999999999",
    "4s)",
    "(4s)",
    "(601s)",
    ".",
    "!",
    "…",
    "-",
    "_",
    "word ",
    "Word ",
    "WORD ",
    "-Anna-",
    "_",
    "•",
    "—",
    "＂",
    "＠",
    "％",
    "\u{ad}",
    "\u{3164}",
    "\u{600}",
    "\u{1f1e6}",
];

#[test]
fn whatever_is_rewritten_is_canonical() {
    let mut numbers = Numbers(7);
    for _ in 0..4000 {
        let n_pieces = 1 + numbers.below(24);
        let text: String = (0..n_pieces)
            .map(|_| PIECES[numbers.below(PIECES.len())])
            .collect();
        rewritten(&text);
    }
    for piece in PIECES {
        rewritten(piece);
        rewritten(&piece.repeat(50));
    }
    let table = include_str!("canonical/table.txt");
    for case in table.split("\n== ") {
        let lines = case.lines().filter_map(|line| line.strip_prefix("> "));
        rewritten(&lines.collect::<Vec<_>>().join("\n"));
    }
    assert_eq!(
        rewritten(" \n ").scenes[0].shots[0].description,
        ["An empty frame."]
    );
}

fn hostile_texts() -> Vec<String> {
    let speech = "## 1. A (1s)\n#### 1.1 (1s)\n@A: \"";
    vec![
        "x".repeat(1_000_000),
        "word ".repeat(200_000),
        "a. ".repeat(330_000),
        "## Scene 1: A (1s)\n".repeat(100_000),
        "#### Shot 1.1 (1s)\n".repeat(100_000),
        "#".repeat(1_000_000),
        format!(
            "## Scene 1: A (1s)\n#### Shot 1.1 (1s)\n{}",
            "@a@b(".repeat(200_000)
        ),
        format!(
            "## Scene 1: A (1s)\n#### Shot 1.1 (1s)\n{}",
            "@a @b\n".repeat(150_000)
        ),
        format!("{speech}{}", "\\\"".repeat(400_000)),
        format!("{speech}{}\"", "[".repeat(900_000)),
        format!("## 1. A ({}s)", "9".repeat(900_000)),
        format!("## {} A (1s)", "9".repeat(900_000)),
        format!(
            "## 1. A (1s)\n## Reusable Elements\nCharacters: {}",
            "@a,".repeat(300_000)
        ),
        format!(
            "## 1. A (1s)\n## Reusable Elements\n{}",
            (0..60_000)
                .map(|n| format!("Characters: @a{n}\n"))
                .collect::<String>()
        ),
        "((((".repeat(200_000) + &"))))".repeat(200_000),
        "\u{202e}\u{2066}🦊".repeat(100_000),
        "e\u{301}\u{301}".repeat(200_000),
        "\"".repeat(1_000_001),
        "“a. ".repeat(200_000),
        "A: b\n".repeat(200_000),
        (0..120_000)
            .map(|n| format!("N{}: b\n", n % 60_000))
            .collect(),
        (0..60_000)
            .map(|n| format!("INT. P{n}\nP{n}: b\n"))
            .collect(),
        "INT. A\n".repeat(100_000),
        "漢".repeat(300_000),
        "@".repeat(1_000_000),
        "[a".repeat(400_000),
        "\n".repeat(1_000_000),
    ]
}

#[test]
fn hostile_texts_are_answered_at_once() {
    for text in &hostile_texts() {
        let shown: String = text.chars().take(40).collect();
        let start = Instant::now();
        if let Err(diagnostics) = parse(text) {
            assert!(diagnostics.len() <= 201);
            assert!(
                diagnostics.iter().all(|d| d.message.len() < 1000),
                "{shown:?}"
            );
        }
        let parsed = start.elapsed();
        let out = rewrite(text);
        let both = start.elapsed();
        assert!(
            parsed < Duration::from_secs(2),
            "{parsed:?} to parse {shown:?}"
        );
        assert!(
            both < Duration::from_secs(6),
            "{both:?} to parse and rewrite {shown:?}"
        );
        assert!(
            parse(&out).is_ok_and(|reading| reading.warnings.is_empty()),
            "{shown:?}"
        );
    }
}
