//! Estimates: length and credits of every kind of request, in every script, never less for more.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kinora_studio::estimate::{
    Estimate, Input, Makers, Pictures, Rates, charged, estimate, estimate_by, spoken_secs,
};
use kinora_studio::providers::CostClass;
use kinora_studio::request::{
    AnimationPreset, ImageModel, ShortRequest, UniverseRequest, VideoModel, WireName,
};

fn of_short(body: &str) -> Estimate {
    let request = ShortRequest::parse(body).unwrap().request;
    estimate(&Input::of_short(&request), &Rates::default())
}

fn of_universe(body: &str, audio_secs: Option<f64>) -> Estimate {
    let request = UniverseRequest::parse(body).unwrap().request;
    estimate(&Input::of_universe(&request, audio_secs), &Rates::default())
}

fn pair(estimate: Estimate) -> (f64, u64) {
    (estimate.duration_secs, estimate.credits)
}

#[test]
fn shorts_cost_by_words_and_models() {
    // 70 words at 137 a minute.
    assert_eq!(pair(of_short(r#"{"prompt": "x"}"#)), (30.7, 5));
    // 1370 words are ten minutes: 60 steps.
    let long = |more: &str| {
        format!(r#"{{"prompt": "x", "scriptConfig": {{"targetLengthInWords": 1370}}{more}}}"#)
    };
    assert_eq!(pair(of_short(&long(""))), (600.0, 60));
    assert_eq!(
        pair(of_short(&long(r#", "imageConfig": {"model": "flux_pro"}"#))),
        (600.0, 120)
    );
    assert_eq!(
        pair(of_short(&long(
            r#", "imageConfig": {"model": "midjourney"}"#
        ))),
        (600.0, 240)
    );
    assert_eq!(
        pair(of_short(&long(r#", "videoConfig": {"enabled": true}"#))),
        (600.0, 60 * 13)
    );
    assert_eq!(
        pair(of_short(&long(
            r#", "videoConfig": {"enabled": true, "model": "veo2"}"#
        ))),
        (600.0, 60 * 25)
    );
    assert_eq!(
        pair(of_short(&long(r#", "videoConfig": {"model": "veo2"}"#))),
        (600.0, 60),
        "clips that are not enabled"
    );
    assert_eq!(of_short(r#"{"script": "One two three. Four, five!", "scriptConfig": {"targetLengthInWords": 900}}"#).duration_secs, 2.2);
}

#[test]
fn universes_cost_by_length_and_preset() {
    assert_eq!(pair(of_universe(r#"{"prompt": "x"}"#, None)), (60.0, 12));
    assert_eq!(
        pair(of_universe(r#"{"prompt": "x", "duration": "61"}"#, None)),
        (61.0, 14)
    );
    assert_eq!(
        pair(of_universe(
            r#"{"prompt": "x", "animationPreset": "fast"}"#,
            None
        )),
        (60.0, 48)
    );
    assert_eq!(
        pair(of_universe(
            r#"{"prompt": "x", "animationPreset": "pro", "duration": "600"}"#,
            None
        )),
        (600.0, 1200)
    );
    assert_eq!(
        pair(of_universe(r#"{"prompt": "x", "animation": true}"#, None)),
        (60.0, 48)
    );
    assert_eq!(
        pair(of_universe(r#"{"prompt": "x", "duration": "1"}"#, None)),
        (1.0, 5),
        "the minimum"
    );
}

#[test]
fn audio_counts_as_it_was_measured() {
    let body = r#"{"voiceoverKey": "k", "voiceoverDuration": 20.5, "duration": "300"}"#;
    assert_eq!(of_universe(body, None).duration_secs, 20.5);
    assert_eq!(of_universe(body, Some(99.0)).duration_secs, 99.0);
    assert_eq!(
        of_universe(r#"{"voiceoverKey": "k", "duration": "30"}"#, None).duration_secs,
        30.0
    );
    assert_eq!(
        of_universe(r#"{"prompt": "x"}"#, Some(99.0)).duration_secs,
        60.0,
        "audio that the request does not name"
    );
}

#[test]
fn scripts_count_by_what_is_longer_in_each_shot() {
    let words = vec!["word"; 137].join(" ");
    let end = "## Reusable Elements\nCharacters: @Narrator\nLocations: (none)\nObjects: (none)";
    let script = format!(
        "## Scene 1: A (10s)\n#### Shot 1.1 (5s)\n@Narrator: \"{words}\"\n#### Shot 1.2 (5s)\n@Narrator: \"word\"\n{end}"
    );
    let body = serde_json::json!({ "userScript": script, "duration": "600" }).to_string();
    assert_eq!(
        of_universe(&body, None).duration_secs,
        65.5,
        "with the pauses before and after"
    );
    let shots: String = (1..=100)
        .map(|n| format!("#### Shot 1.{n} (0.01s)\nA lamp.\n"))
        .collect();
    let body = serde_json::json!({ "userScript": format!("## Scene 1: A (1s)\n{shots}{end}") });
    assert_eq!(
        of_universe(&body.to_string(), None).duration_secs,
        120.0,
        "no picture is seen for less than 1.2 s"
    );
}

#[test]
fn words_take_their_time_in_every_script() {
    let about = |text: &str, secs: f64| {
        let found = spoken_secs(text);
        assert!(
            (found - secs).abs() <= secs * 0.02 + 1e-9,
            "{text}: {found} s, not {secs}"
        );
    };
    about("", 0.0);
    about("  … — 🦊 !?", 0.0);
    about(&vec!["don't"; 137].join(" "), 60.0);
    about(&"слово ".repeat(137), 60.0);
    about(&"كلمة ".repeat(137), 60.0);
    about(&"स्कूल ".repeat(137), 60.0);
    about(&"well-known ".repeat(137), 120.0);
    about(&"語".repeat(45), 10.0);
    about(&"かなカナ".repeat(9), 8.0);
    about(&"한글 ".repeat(9), 4.0);
    about(&"สวัสดี".repeat(10), 6.0);
    about("1984", 2.0 * 60.0 / 137.0);
    about(&"9,999,999,999,999 ".repeat(10), 110.0 * 60.0 / 137.0);
    about(&"5 % + 3 °C & £2 = ".repeat(10), 100.0 * 60.0 / 137.0);
    about("# A\n=====\n## B", 5.0 * 60.0 / 137.0);
    about(&"x".repeat(137 * 20), 60.0);
}

#[test]
fn longer_texts_never_cost_less() {
    let pieces = [
        "a", "b ", "1", "9 ", "漢", "カ", "한", "ส", "ำ", "é", "\u{301}", "'", "-", ".", "\u{94d}",
        "क", "🦊", "\n", "word ", "@", "(", "٣",
    ];
    let mut seed = 1u64;
    for _ in 0..200 {
        let (mut text, mut last) = (String::new(), 0.0);
        for _ in 0..60 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            let secs = spoken_secs(&text);
            assert!(secs >= last - 1e-9, "{text:?}: {secs} after {last}");
            last = secs;
        }
    }
}

#[test]
fn longer_videos_never_cost_less_and_better_models_never_either() {
    let rates = Rates::default();
    let clips = std::iter::once(None).chain(VideoModel::all().map(Some));
    let models =
        clips.flat_map(|clip| ImageModel::all().map(move |image| Pictures::Models(image, clip)));
    for pictures in AnimationPreset::all().map(Pictures::Preset).chain(models) {
        let mut last = (0.0, 0);
        for tenth in 0..1300 {
            let secs = f64::from(tenth) * 0.5;
            let now = pair(estimate(&Input { secs, pictures }, &rates));
            assert!(
                now.0 >= last.0
                    && now.1 >= last.1
                    && now.1 >= rates.minimum
                    && now.0 >= secs.min(600.0),
                "{pictures:?} {secs}: {now:?} after {last:?}"
            );
            last = now;
        }
    }
    let classes: Vec<CostClass> = VideoModel::all().map(CostClass::of_clips).collect();
    assert!(
        classes.is_sorted(),
        "the interface lists clip models from the cheapest"
    );
    let n_premium = classes
        .iter()
        .filter(|class| **class == CostClass::Premium)
        .count();
    assert_eq!(n_premium, 10);
    assert_eq!(
        CostClass::of_clips(VideoModel::default()),
        CostClass::Standard
    );
    assert_eq!(
        CostClass::of_images(ImageModel::default()),
        CostClass::Economy
    );
}

#[test]
fn a_substitute_costs_what_it_is() {
    let rates = Rates::default();
    let by = |pictures, clips| Makers {
        pictures,
        clips,
        briefs: false,
    };
    let offline = Some(CostClass::Offline);
    let dear = Input {
        secs: 100.0,
        pictures: Pictures::Models(ImageModel::Midjourney, Some(VideoModel::Veo2)),
    };
    assert_eq!(estimate(&dear, &rates).credits, 280);
    assert_eq!(
        estimate_by(&dear, &by(offline, offline), &rates).credits,
        20
    );
    assert_eq!(estimate_by(&dear, &by(None, offline), &rates).credits, 50);
    // Three quarters of the time as it was asked for, one quarter by the program.
    let scenes = [
        (50.0, by(None, None)),
        (25.0, by(offline, offline)),
        (25.0, by(None, None)),
    ];
    assert_eq!(charged(&dear, &scenes, &rates), 215);
    assert_eq!(charged(&dear, &[(3.0, by(None, None))], &rates), 280);
    assert_eq!(charged(&dear, &[], &rates), 280, "nobody says who made it");
    let universe = |preset| Input {
        secs: 100.0,
        pictures: Pictures::Preset(preset),
    };
    for (preset, makers, due) in [
        (AnimationPreset::ProAnimation, by(offline, offline), 30),
        (AnimationPreset::Fast, by(None, None), 80),
        (AnimationPreset::JustStoryboard, by(offline, None), 20),
        // The pictures of characters are shown to a dearer model.
        (
            AnimationPreset::JustStoryboard,
            by(Some(CostClass::Standard), None),
            30,
        ),
    ] {
        let found = estimate_by(&universe(preset), &makers, &rates).credits;
        assert_eq!(found, due, "{preset}");
    }
    let briefs = Makers {
        briefs: true,
        ..Makers::default()
    };
    assert_eq!(estimate_by(&dear, &briefs, &rates).credits, 281);
    assert_eq!(
        charged(&dear, &[(1.0, briefs), (2.0, by(None, None))], &rates),
        281
    );
    let no_scene_costs_more = scenes.iter().all(|(_, makers)| {
        estimate_by(&dear, makers, &rates).credits <= estimate(&dear, &rates).credits
    });
    assert!(no_scene_costs_more);
}

#[test]
fn rates_are_configuration() {
    assert_eq!(toml::from_str::<Rates>("").unwrap(), Rates::default());
    let rates: Rates = toml::from_str("minimum = 1\nsecs_per_step = 30\n[presets]\nfast = 7\n[clips]\neconomy = 1\nstandard = 2\npremium = 3").unwrap();
    let of = |secs, pictures| estimate(&Input { secs, pictures }, &rates).credits;
    assert_eq!(of(61.0, Pictures::Preset(AnimationPreset::Fast)), 21);
    assert_eq!(
        of(30.0, Pictures::Preset(AnimationPreset::JustStoryboard)),
        2
    );
    assert_eq!(
        of(
            30.0,
            Pictures::Models(ImageModel::Sdxl, Some(VideoModel::Veo2))
        ),
        4
    );
    assert_eq!(
        toml::from_str::<Rates>(&toml::to_string(&rates).unwrap()).unwrap(),
        rates
    );
    for wrong in [
        "minimum = -1",
        "minimum = 1.5",
        "preset = 1",
        "[clips]\neconomy = 1",
    ] {
        assert!(toml::from_str::<Rates>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn odd_lengths_have_a_price_too() {
    let mut rates = Rates::default();
    let pictures = Pictures::Preset(AnimationPreset::Fast);
    for secs in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(
            pair(estimate(&Input { secs, pictures }, &rates)),
            (600.0, 480)
        );
    }
    assert_eq!(
        pair(estimate(
            &Input {
                secs: -3.0,
                pictures
            },
            &rates
        )),
        (1.0, 8)
    );
    rates.presets.fast = u64::MAX;
    rates.secs_per_step = 0;
    assert_eq!(
        estimate(
            &Input {
                secs: 1e12,
                pictures
            },
            &rates
        )
        .credits,
        u64::MAX
    );
}
