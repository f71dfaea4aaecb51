//! The offline writer: lengths over a grid, sameness, difference, no repetition, the prompt's own words.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use kinora_studio::providers::{Call, ScriptAsk, ScriptProvider};
use kinora_studio::scene::Script;
use kinora_studio::script::{language_of, n_words, sentences};
use kinora_studio::writer::{OfflineWriter, write};

const STYLES: [&str; 11] = [
    "default",
    "no_style",
    "engaging_conversational",
    "dixit_biography",
    "kind_biography",
    "hero_journey",
    "emotional_story",
    "dramatic_reveal",
    "heartwarming_stories",
    "educational_history",
    "news_brief",
];

/// A prompt and words of it that a script must have.
const PROMPTS: [(&str, &[&str]); 12] = [
    (
        "a lighthouse keeper who finds a message in a bottle during a storm",
        &["lighthouse keeper"],
    ),
    (
        "Make a short video about Marie Curie and the discovery of radium",
        &["Marie Curie"],
    ),
    ("The history of coffee", &["coffee"]),
    ("5 tips for better sleep", &["sleep"]),
    ("Why do cats purr?", &["cats"]),
    (
        "A robot learns to paint in an abandoned factory",
        &["robot"],
    ),
    ("two brothers build a boat", &["brothers"]),
    ("a lighthouse above a stormy sea at dusk", &["lighthouse"]),
    (
        "Breaking news: the city council approves a new park",
        &["city council"],
    ),
    (
        "Tell me a bedtime story about Mia, a young fox who is afraid of the dark. She has a red scarf.",
        &["Mia"],
    ),
    ("how to bake bread", &["bread"]),
    (
        "An old woman in a kitchen writes letters to the moon",
        &["woman"],
    ),
];

fn ask(prompt: &str, style: &str, n_words: usize) -> ScriptAsk {
    ScriptAsk {
        prompt: prompt.into(),
        style: style.into(),
        n_words,
        language: "en".into(),
        characters: Vec::new(),
        enhance: false,
    }
}

fn text(script: &Script) -> String {
    let lines: Vec<&str> = script
        .scenes
        .iter()
        .flat_map(|s| s.lines.iter().map(|l| l.text.as_str()))
        .collect();
    lines.join(" ")
}

fn written(prompt: &str, style: &str, n: usize) -> Script {
    write(&ask(prompt, style, n), 0).unwrap().value
}

#[test]
fn lengths_are_kept_over_a_grid_and_no_sentence_comes_twice() {
    let mut wrong = Vec::new();
    for (prompt, words) in PROMPTS {
        for style in STYLES {
            for target in [1, 5, 12, 20, 30, 45, 70, 120, 200, 350, 600, 1000, 1500] {
                let script = written(prompt, style, target);
                let said = text(&script);
                let n = n_words(&said);
                if n.abs_diff(target) > (target / 10).max(6) {
                    wrong.push(format!("{n} words for {target}: {style}, {prompt}"));
                }
                let mut seen = HashSet::new();
                for sentence in sentences(&said, "en") {
                    if !seen.insert(sentence.to_lowercase()) {
                        wrong.push(format!("twice in {style} {target}: {sentence}"));
                    }
                }
                for word in words {
                    if !said.to_lowercase().contains(&word.to_lowercase()) {
                        wrong.push(format!("no `{word}` in {style} {target}: {said}"));
                    }
                }
                if said.contains(['{', '}', '[', ']', '|', '^']) {
                    wrong.push(format!("a slot is left in {style} {target}: {said}"));
                }
                assert!(!script.scenes.is_empty() && script.scenes.len() <= 150);
                assert!(script.scenes.iter().all(|s| !s.brief.is_empty()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

#[test]
fn the_same_ask_gives_the_same_script_and_another_seed_another() {
    for style in STYLES {
        let ask = ask(PROMPTS[0].0, style, 120);
        assert_eq!(write(&ask, 7).unwrap(), write(&ask, 7).unwrap());
        let texts: HashSet<String> = (0..4)
            .map(|seed| text(&write(&ask, seed).unwrap().value))
            .collect();
        assert!(texts.len() > 1, "{style}");
    }
}

#[test]
fn every_style_tells_it_in_its_own_way() {
    for (prompt, _) in PROMPTS {
        for target in [20, 70, 200] {
            let mut by_text: HashMap<String, &str> = HashMap::new();
            for style in STYLES {
                let said = text(&written(prompt, style, target));
                if let Some(other) = by_text.insert(said, style) {
                    panic!("{style} is {other} at {target} words for {prompt}");
                }
            }
        }
    }
}

#[test]
fn names_numbers_quotes_and_statements_of_the_prompt_are_kept() {
    let prompt = "Tell a story about a baker in 1924 who hides a note. The note says \"meet me at the old mill\". His oven never goes cold.";
    let said = text(&written(prompt, "default", 150));
    for part in [
        "baker",
        "1924",
        "meet me at the old mill",
        "His oven never goes cold.",
    ] {
        assert!(said.contains(part), "no `{part}`: {said}");
    }
    let said = text(&written(
        "5 tips for better sleep",
        "engaging_conversational",
        70,
    ));
    assert!(said.contains("5 tips for better sleep"), "{said}");
}

#[test]
fn briefs_follow_the_prompt() {
    let script = written("a lighthouse above a stormy sea at dusk", "default", 120);
    let briefs: Vec<&str> = script.scenes.iter().map(|s| s.brief.as_str()).collect();
    let n_lighthouses = briefs.iter().filter(|b| b.contains("lighthouse")).count();
    assert!(n_lighthouses * 2 > briefs.len(), "{briefs:#?}");
    assert!(
        briefs
            .iter()
            .all(|b| b.contains("at dusk") && b.contains("storm clouds")),
        "{briefs:#?}"
    );
}

#[test]
fn articles_and_verbs_agree() {
    for (prompt, _) in PROMPTS {
        for style in STYLES {
            let said = format!(" {} ", text(&written(prompt, style, 600)).to_lowercase());
            for wrong in [
                " a old ",
                " a abandoned",
                " a honest",
                " an lighthouse",
                " an robot",
                " a a ",
                " the the ",
                " they is ",
                " they has ",
                " they was ",
                " he are ",
                " it are ",
                " brothers is ",
                " brothers has ",
                "  ",
            ] {
                assert!(
                    !said.contains(wrong),
                    "`{wrong}` in {style} for {prompt}:\n{said}"
                );
            }
        }
    }
}

#[test]
fn enhancing_chooses_a_style_and_adds_notes() {
    let mut ask = ask(
        "a detective and the mystery of the hidden door",
        "default",
        70,
    );
    let plain = write(&ask, 0).unwrap();
    ask.enhance = true;
    let enhanced = write(&ask, 0).unwrap();
    assert!(
        enhanced.notes.iter().any(|n| n.contains("dramatic_reveal")),
        "{:?}",
        enhanced.notes
    );
    assert!(
        enhanced
            .notes
            .iter()
            .any(|n| n.starts_with("Director's notes"))
    );
    assert_ne!(plain.value, enhanced.value);
    let director = enhanced.value.notes.unwrap();
    assert!(enhanced.notes.iter().any(|n| n.contains(&director)));
    assert_eq!(plain.value.notes, None);
    assert!(plain.notes[0].contains("offline"));
}

#[test]
fn other_languages_have_their_own_grammar_or_a_note() {
    let rows = [
        (
            "es",
            "Haz un video sobre un farero que encuentra una carta en la playa y no sabe de quién es",
        ),
        (
            "de",
            "Ein alter Leuchtturmwärter, der eine Nachricht in einer Flasche findet und nicht weiß, von wem",
        ),
    ];
    for (language, prompt) in rows {
        for target in [15, 70, 200, 400] {
            let wish = ScriptAsk {
                language: language.into(),
                ..ask(prompt, "default", target)
            };
            let answer = write(&wish, 0).unwrap();
            let n = n_words(&text(&answer.value));
            assert_eq!(answer.value.language, language);
            assert!(
                n.abs_diff(target) <= (target / 10).max(8),
                "{language}: {n} for {target}"
            );
        }
    }
    let answer = write(
        &ask(
            "История о старом маяке и его смотрителе, который живёт один",
            "default",
            70,
        ),
        0,
    )
    .unwrap();
    assert_eq!(answer.value.language, "en");
    assert!(
        answer.notes.iter().any(|n| n.contains("(`ru`)")),
        "{:?}",
        answer.notes
    );
}

#[test]
fn the_video_has_the_language_that_was_asked_for() {
    let (english, german) = (
        "The history of lighthouses",
        "Die Geschichte der Leuchttürme an der Küste",
    );
    let wishes = [
        (english, "de", "de"),
        (english, "es-MX", "es"),
        (german, "en", "en"),
        (german, "", "de"),
        (german, "fr", "en"),
        (english, "fr", "en"),
    ];
    for (prompt, language, written) in wishes {
        let wish = ScriptAsk {
            language: language.into(),
            ..ask(prompt, "default", 120)
        };
        let answer = write(&wish, 0).unwrap();
        assert_eq!(answer.value.language, written, "{prompt} in {language}");
        assert_eq!(
            language_of(&text(&answer.value)),
            written,
            "{}",
            text(&answer.value)
        );
        let says = |what: &str| answer.notes.iter().any(|note| note.contains(what));
        assert_eq!(says("no grammar"), language == "fr");
        assert_eq!(says("different language"), !language.is_empty());
    }
}

#[test]
fn hostile_prompts_give_a_script_or_a_failure() {
    let long = "word ".repeat(50_000);
    let prompts = [
        "?",
        "",
        "   ",
        "😀😀😀",
        "a",
        "the",
        "of",
        "1",
        "\"\"",
        "x: y: z:",
        "how to",
        "why",
        "5 tips to",
        "A. B. C.",
        "{subject} [x/y]",
        long.as_str(),
        "of of of",
        "the history of",
        "who",
    ];
    for prompt in prompts {
        for target in [0, 1, 70, 1500, 9000] {
            let before = Instant::now();
            match write(&ask(prompt, "hero_journey", target), 3) {
                Ok(answer) => assert!(!answer.value.scenes.is_empty(), "{prompt:?}"),
                Err(failure) => assert!(!prompt.contains(char::is_alphanumeric), "{failure}"),
            }
            assert!(before.elapsed().as_secs() < 5);
        }
    }
}

#[test]
fn it_is_a_script_provider() {
    let writer: &dyn ScriptProvider = &OfflineWriter::default();
    let call = Call {
        before: None,
        deadline: Instant::now(),
        cancel: kinora::CancelToken::default(),
        key: "k".into(),
        scene: None,
    };
    let answer = writer
        .write(&ask("a fox in the snow", "default", 70), &call)
        .unwrap();
    assert_eq!(writer.name(), "offline");
    assert!(answer.value.title.is_some());
    assert_eq!(writer.rewrite("x", &call).unwrap(), None);
}
