//! Canonical scripts: every diagnostic (canonical/table.txt), the printed form, the director's script.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kinora_studio::scene::Line;
use kinora_studio::script::canonical::{Diagnostic, DiagnosticCode, folded, parse};
use serde_json::Value;

const END: &str = "## Reusable Elements\nCharacters: (none)\nLocations: (none)\nObjects: (none)";

#[derive(Default)]
struct Case {
    name: String,
    text: String,
    diagnostics: Vec<(String, String, String)>,
    values: Vec<(String, Value)>,
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in include_str!("canonical/table.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        if mark == "==" {
            cases.push(Case {
                name: rest.to_owned(),
                ..Case::default()
            });
        }
        let Some(case) = cases.last_mut() else {
            continue;
        };
        match mark {
            ">" => case.text += &format!("{}\n", rest.replace("<end>", END)),
            "!" => {
                let (place, message) = rest.split_once(" |").unwrap();
                let (place, code) = place.split_once(' ').unwrap();
                case.diagnostics.push((
                    place.to_owned(),
                    code.to_owned(),
                    message.trim().to_owned(),
                ));
            }
            "=" => {
                let (pointer, value) = rest.split_once(' ').unwrap();
                case.values
                    .push((pointer.to_owned(), serde_json::from_str(value).unwrap()));
            }
            _ => {}
        }
    }
    cases
}

fn code_of(diagnostic: &Diagnostic) -> String {
    serde_json::to_value(diagnostic.code)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn every_script_of_the_table_is_read_as_it_says() {
    let mut wrong = Vec::new();
    for case in cases() {
        let outcome = parse(&case.text);
        let diagnostics = match &outcome {
            Ok(reading) => &reading.warnings,
            Err(diagnostics) => diagnostics,
        };
        let is_told = |(d, (place, code, part)): (&Diagnostic, &(String, String, String))| {
            format!("{}:{}", d.line, d.column) == *place
                && code_of(d) == *code
                && d.message.contains(part.as_str())
        };
        if diagnostics.len() != case.diagnostics.len()
            || !diagnostics.iter().zip(&case.diagnostics).all(is_told)
        {
            let told: Vec<String> = diagnostics
                .iter()
                .map(|d| format!("{}:{} {} | {}", d.line, d.column, code_of(d), d.message))
                .collect();
            wrong.push(format!("{}:\n  {}", case.name, told.join("\n  ")));
        }
        let script = outcome
            .map(|reading| serde_json::to_value(reading.script).unwrap())
            .unwrap_or_default();
        for (pointer, expected) in &case.values {
            if script.pointer(pointer) != Some(expected) {
                wrong.push(format!(
                    "{}: {pointer} is {:?}",
                    case.name,
                    script.pointer(pointer)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_printed_form_reads_the_same_and_prints_the_same() {
    let mut n_printed = 0;
    for case in cases() {
        let Ok(reading) = parse(&case.text) else {
            continue;
        };
        let printed = reading.script.to_string();
        let again = parse(&printed).unwrap_or_else(|d| panic!("{}: {d:?}\n{printed}", case.name));
        assert_eq!(again.script, reading.script, "{}", case.name);
        assert_eq!(again.script.to_string(), printed);
        n_printed += 1;
    }
    assert!(n_printed >= 7, "{n_printed}");
}

const HARBOR: &str = "## Scene 1: The Harbor (6s)\n\n#### Shot 1.1 (2.5s)\nFog over @Harbor.\n\n#### Shot 1.2 (3.5s)\n@Old_Tom turns.\nHe waits.\n\
                      @Old_Tom: \"We leave today.\"\n@Narrator: \"And so they left.\"\n\n#### Shot 1.3 (0.5s)\n@Old_Tom: \"Go!\"\n\n\
                      ## Reusable Elements\nCharacters: @Old_Tom, @Narrator\nLocations: @Harbor\nObjects: (none)\n";

#[test]
fn the_director_gets_a_scene_for_each_shot() {
    let script = parse(HARBOR).unwrap().script.to_script("de");
    assert_eq!((script.language.as_str(), script.scenes.len()), ("de", 3));
    assert_eq!(script.scenes[0].brief, "Fog over Harbor.");
    assert_eq!(script.scenes[0].secs, Some(2.5));
    assert!(script.scenes[0].lines.is_empty());
    assert_eq!(script.scenes[1].brief, "Old Tom turns. He waits. Harbor.");
    let tom = Line {
        speaker: Some("Old_Tom".into()),
        text: "We leave today.".into(),
    };
    assert_eq!(
        script.scenes[1].lines,
        [tom, Line::narrated("And so they left.")]
    );
    assert_eq!(
        script.scenes[2].brief, "The Harbor",
        "a shot without a description shows what its scene is called"
    );
    let places = script.scenes.iter().map(|scene| scene.place.as_deref());
    assert!(places.into_iter().all(|place| place == Some("Harbor")));
    assert_eq!(script.scenes[0].mentions, ["Harbor"]);
    assert_eq!(script.scenes[1].mentions, ["Old_Tom"]);
}

#[test]
fn shots_without_a_place_are_where_the_last_was_and_handles_become_words() {
    let text = "## Scene 1: Out (6s)\n\n#### Shot 1.1 (2s)\n@OldTom wakes.\n\n#### Shot 1.2 (2s)\nThe @RedBoat at the @StonePier.\n\n#### Shot 1.3 (2s)\nRain\n\n\
                ## Scene 2: Home (2s)\n\n#### Shot 2.1 (2s)\nA kitchen.\n\n\
                ## Reusable Elements\nCharacters: @OldTom\nLocations: @StonePier\nObjects: @RedBoat\n";
    let script = parse(text).unwrap().script.to_script("en");
    let seen: Vec<_> = script
        .scenes
        .iter()
        .map(|scene| (scene.brief.as_str(), scene.place.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            ("Old Tom wakes. Stone Pier.", Some("Stone Pier")),
            ("The Red Boat at the Stone Pier.", Some("Stone Pier")),
            ("Rain. Stone Pier.", Some("Stone Pier")),
            ("A kitchen.", None),
        ]
    );
}

#[test]
fn handles_fold_as_people_read_them() {
    for (a, b) in [
        ("Éva_Nagy", "eva nagy"),
        ("ＡＢＣ", "abc"),
        ("Old-Tom", "OLD_TOM"),
        ("Straße", "STRASSE"),
        ("한글", "한글"),
    ] {
        let same = folded(a) == folded(b);
        assert_eq!(same, a != "Straße", "{a} {b}: {} {}", folded(a), folded(b));
    }
    for (a, b) in [
        ("🦊", "🐔"),
        ("सीता", "सात"),
        ("น้ำ", "นำ"),
        ("Anna", "Anne"),
        ("Tom", "Tom_2"),
    ] {
        assert_ne!(folded(a), folded(b), "{a} {b}");
    }
}

#[test]
fn diagnostics_serialize_for_clients() {
    let diagnostics = parse("prose").unwrap_err();
    assert_eq!(diagnostics[0].code, DiagnosticCode::RawProse);
    let value = serde_json::to_value(&diagnostics[0]).unwrap();
    assert_eq!(
        (&value["line"], &value["column"], &value["code"]),
        (&1.into(), &1.into(), &"raw_prose".into())
    );
    assert!(
        diagnostics[0]
            .to_string()
            .starts_with("line 1, column 1: no scene heading")
    );
}
