//! Requests: one case for each rule (requests/table.txt), every name of every list (requests/names.txt), round trips, schemas, hostile bodies.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "requests/expanded.rs"]
mod expanded;
#[path = "requests/fields.rs"]
mod fields;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use expanded::expanded;
use kinora_studio::request::{
    FieldProblem, FieldWarning, ImageModel, Parsed, ShortRequest, UniverseRequest,
    UniverseSettings, WireName,
};
use serde_json::{Value, json};

/// A case of the table.
#[derive(Debug, Default)]
struct Case {
    name: String,
    endpoint: String,
    body: String,
    problems: Vec<(String, String, String)>,
    warnings: Vec<(String, String)>,
    values: Vec<(String, String)>,
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in include_str!("requests/table.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        if mark == "==" {
            cases.push(Case {
                name: rest.to_owned(),
                ..Case::default()
            });
            continue;
        }
        let Some(case) = cases.last_mut().filter(|_| !line.is_empty()) else {
            continue;
        };
        let pair = |separator| {
            rest.split_once(separator)
                .map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()))
        };
        match mark {
            "!" => {
                let (place, reason) = pair('|').unwrap();
                let (code, field) = place.split_once(' ').unwrap();
                let field = if field == "-" { "" } else { field };
                case.problems
                    .push((code.to_owned(), field.to_owned(), reason));
            }
            "~" => case.warnings.push(pair('|').unwrap()),
            "=" => case.values.push(pair(' ').unwrap()),
            endpoint => {
                case.endpoint = endpoint.to_owned();
                case.body = expanded(rest);
            }
        }
    }
    cases
}

type Outcome = Result<(Value, Vec<FieldWarning>), Vec<FieldProblem>>;

fn json_of<T: serde::Serialize>(parsed: Result<Parsed<T>, Vec<FieldProblem>>) -> Outcome {
    parsed.map(|parsed| {
        (
            serde_json::to_value(&parsed.request).unwrap(),
            parsed.warnings,
        )
    })
}

fn outcome(case: &Case, universes: &BTreeMap<String, UniverseSettings>) -> Outcome {
    match case.endpoint.split_once('@') {
        None if case.endpoint == "short" => json_of(ShortRequest::parse(&case.body)),
        None => json_of(UniverseRequest::parse(&case.body)),
        Some((_, universe)) => {
            let parsed = UniverseRequest::parse(&case.body)?;
            let resolved = parsed.request.resolve(&universes[universe])?;
            Ok((serde_json::to_value(resolved).unwrap(), parsed.warnings))
        }
    }
}

#[test]
fn every_rule_of_the_table_holds() {
    let universes: BTreeMap<String, UniverseSettings> =
        toml::from_str(include_str!("requests/universes.toml")).unwrap();
    let cases = cases();
    assert!(cases.len() > 150, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let outcome = outcome(case, &universes);
        let told = match &outcome {
            Ok((value, warnings)) => told_of_request(case, value, warnings),
            Err(problems) => told_of_problems(case, problems),
        };
        wrong.extend(
            told.into_iter()
                .map(|told| format!("{}: {told}", case.name)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn told_of_request(case: &Case, value: &Value, warnings: &[FieldWarning]) -> Vec<String> {
    let mut told = Vec::new();
    if !case.problems.is_empty() {
        told.push("accepted".to_owned());
    }
    for (pointer, expected) in &case.values {
        let expected = (expected != "absent").then(|| serde_json::from_str(expected).unwrap());
        let found = value.pointer(pointer);
        if found != expected.as_ref() {
            told.push(format!("{pointer} is {found:?}, not {expected:?}"));
        }
    }
    let is_told = |(field, part): &(String, String)| {
        warnings
            .iter()
            .any(|w| w.field == *field && w.message.contains(part.as_str()))
    };
    if warnings.len() != case.warnings.len() || !case.warnings.iter().all(is_told) {
        told.push(format!("warnings {warnings:?}"));
    }
    told
}

fn told_of_problems(case: &Case, problems: &[FieldProblem]) -> Vec<String> {
    let is_told = |(code, field, part): &(String, String, String)| {
        problems.iter().any(|p| {
            p.code.as_str() == code && p.field == *field && p.reason.contains(part.as_str())
        })
    };
    let is_right = problems.len() == case.problems.len() && case.problems.iter().all(is_told);
    if is_right {
        Vec::new()
    } else {
        vec![format!("problems {problems:#?}")]
    }
}

#[test]
fn every_name_of_every_list_is_taken_and_given_back() {
    let lists = include_str!("requests/names.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let mut n_names = 0;
    for list in lists {
        let (place, names) = list.split_once(": ").unwrap();
        let (endpoint, field) = place.split_once(' ').unwrap();
        for name in names.split(", ").map(|name| name.trim_matches('"')) {
            let mut body = json!({ "prompt": "A fox", "voiceoverKey": "k" });
            if endpoint == "short" {
                body = json!({ "prompt": "A fox", "imageConfig": {} });
            }
            put(&mut body, field, name);
            // Styles of pictures are kept only with their model.
            for (style, model) in [
                ("recraft", "recraft"),
                ("lora", "sdxl_lora"),
                ("leonardo", leonardo_model(name)),
            ] {
                if field.starts_with(&format!("imageConfig.{style}")) {
                    put(&mut body, "imageConfig.model", model);
                }
            }
            let parsed = if endpoint == "short" {
                json_of(ShortRequest::from_value(&body))
            } else {
                json_of(UniverseRequest::from_value(&body))
            };
            let (value, _) =
                parsed.unwrap_or_else(|problems| panic!("{field} {name}: {problems:?}"));
            let found = value.pointer(&format!("/{}", field.replace('.', "/")));
            assert_eq!(found.and_then(Value::as_str), Some(name), "{field}");
            n_names += 1;
        }
    }
    assert!(n_names > 250, "{n_names} names");
}

fn leonardo_model(style: &str) -> &'static str {
    if style == "BOKEH" {
        "leonardo_phoenix_quality"
    } else {
        "leonardo_flux_precision"
    }
}

fn put(body: &mut Value, field: &str, value: &str) {
    let place = field.split('.').fold(body, |place, step| &mut place[step]);
    *place = value.into();
}

#[test]
fn tables_of_names_are_in_order_and_hold_each_name_once() {
    let names: Vec<&str> = ImageModel::names().collect();
    assert_eq!(names.first(), Some(&"flux_schnell"));
    assert!(
        ImageModel::all()
            .map(WireName::as_str)
            .eq(names.iter().copied())
    );
    assert!(ImageModel::all().all(|model| ImageModel::parse(model.as_str()) == Some(model)));
    assert!(serde_json::from_value::<ImageModel>(json!("fluxx")).is_err());
}

#[test]
fn what_was_read_reads_the_same_again() {
    for case in cases() {
        if let Ok(parsed) = ShortRequest::parse(&case.body) {
            let text = serde_json::to_string(&parsed.request).unwrap();
            assert_eq!(
                serde_json::from_str::<ShortRequest>(&text).unwrap(),
                parsed.request,
                "{}",
                case.name
            );
        }
        if let Ok(parsed) = UniverseRequest::parse(&case.body) {
            let text = serde_json::to_string(&parsed.request).unwrap();
            assert_eq!(
                serde_json::from_str::<UniverseRequest>(&text).unwrap(),
                parsed.request,
                "{}",
                case.name
            );
        }
    }
    let error = serde_json::from_str::<ShortRequest>(r#"{"quality": "x"}"#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("quality: `x` is not one of"), "{error}");
}

#[test]
fn bytes_are_read_as_they_come() {
    assert!(ShortRequest::parse(b"\xef\xbb\xbf{\"prompt\": \"A fox\"}").is_ok());
    let problems = ShortRequest::parse(b"{\"prompt\": \"\xff\"}").unwrap_err();
    assert!(
        problems[0].reason.contains("not valid JSON"),
        "{problems:?}"
    );
}

#[test]
fn schemas_hold_every_field_and_list() {
    let schema = schemars::schema_for!(ShortRequest).to_value();
    let defaults = serde_json::to_value(ShortRequest::default()).unwrap();
    for field in defaults
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .chain(["prompt", "script", "directorNotes"])
    {
        let property = schema
            .pointer(&format!("/properties/{field}"))
            .unwrap_or_else(|| panic!("{field}"));
        assert!(
            property.to_string().contains("null"),
            "{field} may be null: {property}"
        );
    }
    assert_eq!(
        schema["$defs"]["ImageModel"]["enum"]
            .as_array()
            .unwrap()
            .len(),
        ImageModel::TABLE.len()
    );
    assert_eq!(schema["properties"]["prompt"]["maxLength"], 10_000);
    assert_eq!(
        schema["$defs"]["ScriptConfig"]["properties"]["targetLengthInWords"]["maximum"],
        1500
    );
    assert_eq!(
        schema["$defs"]["ScriptConfig"]["properties"]["targetLengthInWords"]["default"],
        70
    );
    assert_eq!(schema["oneOf"].as_array().unwrap().len(), 2);
    let schema = schemars::schema_for!(UniverseRequest).to_value();
    assert!(
        schema["properties"]["animationPreset"]
            .to_string()
            .contains("static")
    );
    assert!(schema["$defs"]["TargetSecs"].to_string().contains("600"));
    assert_eq!(
        schema["$defs"]["InlineCharacter"]["required"],
        json!(["name", "description"])
    );
}

#[test]
fn settings_are_checked() {
    let good = "slug = 'a-1'\naiStyleByDefault = true";
    let settings = UniverseSettings::from_toml(good).unwrap();
    assert_eq!(settings, UniverseSettings::new("a-1"));
    let again = UniverseSettings::from_json(&serde_json::to_string(&settings).unwrap()).unwrap();
    assert_eq!(again, settings);
    let again = UniverseSettings::from_toml(&toml::to_string(&settings).unwrap()).unwrap();
    assert_eq!(again, settings);
    let style = r#"{ id = "00000000-0000-4000-8000-000000000001", name = "", style = "x" }"#;
    let bad = format!(
        "slug = 'A b'\nlanguages = ['en', 'EN', 'en', 'x']\nmusic = {{ volume = nan }}\nvisualStyles = [{style}, {style}]"
    );
    let problems = UniverseSettings::from_toml(&bad).unwrap_err();
    let mut fields: Vec<&str> = problems.iter().map(|p| p.field.as_str()).collect();
    fields.sort_unstable();
    let expected = [
        "languages[1]",
        "languages[2]",
        "languages[3]",
        "music.volume",
        "slug",
        "visualStyles[0].name",
        "visualStyles[1].id",
        "visualStyles[1].name",
    ];
    assert_eq!(fields, expected);
    let none = UniverseSettings::from_toml("slug = 'a'\nlanguages = []").unwrap_err();
    assert_eq!(
        none.iter().map(|p| p.field.as_str()).collect::<Vec<_>>(),
        ["visualStyles", "languages"]
    );
    let pixel = UniverseSettings::from_toml("slug = 'service-pixel-art'\naiStyleByDefault = true")
        .unwrap_err();
    assert_eq!(pixel[0].field, "visualStyles");
    for wrong in [
        "slug = 3",
        "slug = 'a'\nstyle = 1",
        "slug = 'a'\ncaptionsStyle = 'neonn'",
        "slug",
    ] {
        let problems = UniverseSettings::from_toml(wrong).unwrap_err();
        let is_told = problems.iter().all(|problem| !problem.reason.is_empty());
        assert!(is_told && !problems.is_empty(), "{problems:?}");
    }
}

#[test]
fn settings_are_read_as_requests_are() {
    let all = UniverseSettings::from_json(
        r#"{"slug": 3, "captions": "yes", "captionsStyle": "neonn", "music": {"volume": 2, "tempo": 1}, "visualStyles": [{"name": "A"}, 7], "videoFormat": 1, "languages": "en", "colour": 1}"#,
    );
    let mut fields: Vec<String> = all.unwrap_err().into_iter().map(|p| p.field).collect();
    fields.sort_unstable();
    let expected = [
        "captions",
        "captionsStyle",
        "colour",
        "languages",
        "music.tempo",
        "music.volume",
        "slug",
        "videoFormat",
        "visualStyles[0].style",
        "visualStyles[1]",
    ];
    assert_eq!(fields, expected, "all at once, each where it is");
    let styled = r#"{"slug": "a", "visualStyles": [{"name": "Ink", "style": "ink"}, {"name": "Ink", "style": "wash"}, {"id": "", "name": "Noir", "style": "noir"}]}"#;
    let styled = UniverseSettings::from_json(styled).unwrap();
    let ids: std::collections::BTreeSet<_> = styled.visual_styles.iter().map(|s| s.id).collect();
    assert_eq!(ids.len(), 3, "each style has an id");
    let fewer = r#"{"slug": "a", "visualStyles": [{"name": "Noir", "style": "other words"}]}"#;
    let fewer = UniverseSettings::from_json(fewer).unwrap();
    assert_eq!(
        fewer.visual_styles[0].id, styled.visual_styles[2].id,
        "the same each time"
    );
}

#[test]
fn hostile_bodies_are_answered_at_once() {
    let many = |item: &str| vec![item; 100_000].join(",");
    let fields: String = (0..100_000).map(|n| format!(",\"field{n}\": 1")).collect();
    let bodies = [
        format!("{{\"prompt\": \"{}\"}}", "x".repeat(1_000_000)),
        format!("{{\"prompt\": \"{}\"}}", "\u{202e}🦊".repeat(100_000)),
        format!("{{\"script\": \"{}\"}}", "a. ".repeat(16_000)),
        format!(
            "{{\"userScript\": \"{}\"}}",
            "## Scene 1: A (1s)\\n".repeat(2_600)
        ),
        format!(
            "{{\"userScript\": \"{}\"}}",
            "## Scene 1: A (1s)\\n".repeat(100_000)
        ),
        format!(
            "{{\"userScript\": \"## 1. A (1s)\\n#### 1.1 (1s)\\n{}\"}}",
            "@a(@b[".repeat(8_000)
        ),
        format!("{{\"quality\": \"{}\"}}", "high".repeat(250_000)),
        format!("{{\"{}\": 1}}", "quality".repeat(150_000)),
        format!("{{\"prompt\": \"x\"{fields}}}"),
        format!("{{\"characters\": [{}]}}", many("{}")),
        format!("{{\"characters\": [{}]}}", many("\"x\"")),
        format!("{{\"prompt\": {}", "[".repeat(10_000)),
        format!("{}{}", "{\"a\":".repeat(10_000), "}".repeat(10_000)),
        format!("{{{}}}", many("\"a\": 1")),
        "\u{0}".repeat(1_000_000),
    ];
    for body in &bodies {
        let start = Instant::now();
        let (short, universe) = (ShortRequest::parse(body), UniverseRequest::parse(body));
        let took = start.elapsed();
        assert!(
            took < Duration::from_secs(2),
            "{took:?} for {}",
            &body.chars().take(60).collect::<String>()
        );
        for problems in [short.as_ref().err(), universe.as_ref().err()]
            .into_iter()
            .flatten()
        {
            assert!(!problems.is_empty() && problems.len() <= 101);
            assert!(
                problems
                    .iter()
                    .all(|p| p.reason.len() < 4000 && p.field.len() < 4000),
                "{problems:?}"
            );
        }
        let warnings = short.map(|parsed| parsed.warnings).unwrap_or_default();
        assert!(warnings.len() <= 101);
    }
}
