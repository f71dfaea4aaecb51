//! Who will make what a request names, told without asking anybody: warnings and classes of price by configuration.

use kinora_studio::estimate::Makers;
use kinora_studio::makers::Configured;
use kinora_studio::offers::Makes;
use kinora_studio::providers::CostClass;
use kinora_studio::providers::config::ProvidersConfig;
use kinora_studio::providers::models::{ModelTable, State};
use kinora_studio::request::{ImageModel, ShortRequest, UniverseRequest, VideoModel, WireName};
use serde_json::{Value, json};

const FAL: &str = "[script]\nproviders = [\"openai\"]\n[pictures]\nproviders = [\"fal\", \"offline\"]\n[clips]\nproviders = [\"fal\"]\n";

fn with<T>(config: &str, work: impl FnOnce(&Configured<'_>) -> T) -> T {
    let (config, table) = (
        ProvidersConfig::read(config).unwrap(),
        ModelTable::builtin(),
    );
    work(&Configured {
        config: &config,
        table: &table,
    })
}

fn short(body: Value) -> ShortRequest {
    ShortRequest::from_value(&body).unwrap().request
}

fn universe(body: Value) -> UniverseRequest {
    UniverseRequest::from_value(&body).unwrap().request
}

#[test]
fn every_model_that_is_gone_is_named_before_the_money_goes() {
    with(FAL, |configured| {
        let mut n_gone = [0, 0];
        for name in ImageModel::names() {
            let row = configured.table.picture.iter().find(|row| row.name == name);
            let is_gone = row.is_none_or(|row| row.state != State::Live);
            let found = configured.expected(name, Makes::Picture);
            assert_eq!(found.note.is_some(), is_gone, "{name}: {found:?}");
            n_gone[0] += usize::from(is_gone);
        }
        for name in VideoModel::names() {
            let row = configured.table.clip.iter().find(|row| row.name == name);
            let is_gone = row.is_none_or(|row| row.state != State::Live);
            let found = configured.expected(name, Makes::Clip);
            assert_eq!(found.note.is_some(), is_gone, "{name}: {found:?}");
            n_gone[1] += usize::from(is_gone);
        }
        assert_eq!(n_gone, [9, 9]);
        let asked = json!({ "prompt": "a fox", "imageConfig": { "model": "midjourney" }, "videoConfig": { "enabled": true, "model": "veo2" } });
        let warnings = configured.warnings_of_short(&short(asked));
        let fields: Vec<&str> = warnings.iter().map(|w| w.field.as_str()).collect();
        assert_eq!(fields, ["imageConfig.model", "videoConfig.model"]);
        assert!(warnings[0].message.contains("using flux_pro_ultra instead"));
    });
}

#[test]
fn what_a_model_of_clips_does_not_take_is_named() {
    let asked = |model: &str| {
        short(json!({ "prompt": "a fox", "videoConfig": {
            "enabled": true, "model": model, "videoDirectorNotes": "slowly", "duration": 4,
        } }))
    };
    for (config, model, due) in [
        (FAL, "luma_ray2", vec![]),
        (FAL, "kling_pro_5s", vec!["videoConfig.duration"]),
        (
            FAL,
            "stable_video",
            vec!["videoConfig.videoDirectorNotes", "videoConfig.duration"],
        ),
        (
            "",
            "luma_ray2",
            vec!["videoConfig.model", "videoConfig.videoDirectorNotes"],
        ),
    ] {
        let warnings = with(config, |configured| {
            configured.warnings_of_short(&asked(model))
        });
        let fields: Vec<&str> = warnings.iter().map(|w| w.field.as_str()).collect();
        assert_eq!(fields, due, "{model}");
    }
}

#[test]
fn prices_are_of_who_will_make_it() {
    let script = || {
        short(
            json!({ "script": "A fox wakes.", "videoConfig": { "enabled": true, "model": "veo2" } }),
        )
    };
    let offline = Makers {
        pictures: Some(CostClass::Offline),
        clips: Some(CostClass::Offline),
        briefs: false,
    };
    assert_eq!(with("", |c| c.makers_of_short(&script())), offline);
    let found = with(FAL, |c| c.makers_of_short(&script()));
    assert_eq!(found.pictures, Some(CostClass::Economy));
    assert!(
        found.briefs && found.clips > Some(CostClass::Offline),
        "{found:?}"
    );
    let prompt = short(json!({ "prompt": "a fox" }));
    assert!(
        !with(FAL, |c| c.makers_of_short(&prompt)).briefs,
        "its writer says what is seen"
    );
    let saved =
        json!({ "prompt": "a fox", "characters": ["123e4567-e89b-12d3-a456-426614174000"] });
    let (saved, nobody) = (universe(saved), universe(json!({ "prompt": "a fox" })));
    let dear = with(FAL, |c| c.makers_of_universe(&saved).pictures);
    assert_eq!(dear, Some(CostClass::Standard), "flux-pro/kontext");
    let cheap = with(FAL, |c| c.makers_of_universe(&nobody).pictures);
    assert_eq!(cheap, Some(CostClass::Economy));
    let warned = |request: &UniverseRequest| with(FAL, |c| c.warnings_of_universe(request));
    assert_eq!(warned(&saved)[0].field, "characters");
    assert!(warned(&nobody).is_empty());
}
