//! `kinora.toml`: what is read from it, and every problem at its line.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kinora_studio::failure::FailureKind;
use kinora_studio::providers::config::{Building, Capability, Kind, Named, ProvidersConfig};
use kinora_studio::providers::http::Auth;
use kinora_studio::providers::openai::TokenField;

use crate::files::{mp4, png};
use crate::setup::{Setup, picture_ask, table};

fn names(list: &[Named]) -> Vec<&str> {
    list.iter().map(|named| named.name.as_str()).collect()
}

#[test]
fn without_a_word_all_is_offline() {
    for text in ["", "# nothing\n", "[script]\n", "[clips]\nproviders = []\n"] {
        let config = ProvidersConfig::read(text).unwrap();
        for list in [
            &config.script,
            &config.voice,
            &config.pictures,
            &config.align,
        ] {
            assert_eq!(names(list), ["offline"]);
        }
        assert!(config.clips.is_empty() && config.vision.is_empty() && config.models.is_none());
    }
}

#[test]
fn everything_that_can_be_set_is_read() {
    let text = r#"
models = "mine.toml"
[script]
providers = ["local", "openai", "offline"]
[voice]
providers = ["elevenlabs"]
[pictures]
providers = ["reseller", "mine"]
[clips]
providers = ["reseller"]
[align]
providers = ["elevenlabs", "local"]
[vision]
providers = ["local"]
[provider.local]
kind = "openai"
base_url = "http://127.0.0.1:8000/v1/"
model = "qwen"
align_model = "whisper-large"
token_field = "max_tokens"
timeout_secs = 600
voice = "af"
languages = ["en", "de"]
[provider.reseller]
kind = "fal"
base_url = "https://fal.reseller.example"
key_env = "RESELLER_KEY"
auth = "Bearer"
allow_hosts = ["media.reseller.example", "10.0.0.5:9000"]
job_secs = 900
[provider.mine]
kind = "folder"
path = "pictures"
"#;
    let config = ProvidersConfig::read(text).unwrap();
    assert_eq!(names(&config.script), ["local", "openai", "offline"]);
    assert_eq!(names(&config.pictures), ["reseller", "mine"]);
    assert_eq!(config.models.as_deref(), Some(Path::new("mine.toml")));
    let Kind::OpenAi(local) = &config.script[0].kind else {
        panic!("{:?}", config.script[0])
    };
    assert_eq!(
        (local.script_model.as_str(), local.align_model.as_str()),
        ("qwen", "whisper-large")
    );
    assert_eq!(
        (local.token_field, local.endpoint.timeout),
        (TokenField::MaxTokens, Duration::from_secs(600))
    );
    assert_eq!(
        local.endpoint.key_env, None,
        "another address does not get OpenAI's key"
    );
    assert_eq!(local.languages, ["en", "de"]);
    let Kind::OpenAi(usual) = &config.script[1].kind else {
        panic!("{:?}", config.script[1])
    };
    assert_eq!(usual.endpoint.key_env.as_deref(), Some("OPENAI_API_KEY"));
    let Kind::Fal(fal) = &config.clips[0].kind else {
        panic!("{:?}", config.clips[0])
    };
    assert_eq!(fal.endpoint.auth, Auth::Scheme("Bearer".into()));
    assert_eq!(
        (fal.endpoint.allowed.len(), fal.job_time.as_secs()),
        (2, 900)
    );
    assert_eq!(fal.endpoint.key_env.as_deref(), Some("RESELLER_KEY"));
}

#[test]
fn every_problem_is_told_at_its_line() {
    let text = r#"modles = "x"
[script]
providers = ["opneai", "elevenlabs", "mine"]
provider = ["offline"]
[voice]
providers = "offline"
[pictures]
providers = []
[provider.mine]
kind = "folder"
paht = "x"
[provider.one]
kind = "openia"
[provider.two]
base_url = "https://x"
[provider.three]
kind = "openai"
base_url = "ftp://x"
timeout_secs = 0
model = 7
token_field = "tokens"
allow_hosts = ["http://x/", "ok.example"]
[provider.four]
kind = "elevenlabs"
auth = "Bearer"
max_chars = "many"
"#;
    let problems = ProvidersConfig::read(text).unwrap_err();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let wanted = [
        (1, "modles: is not a known key; did you mean \"models\"?"),
        (
            3,
            "script.providers: \"opneai\" is not a provider: add a table [provider.opneai]; did you mean \"openai\"?",
        ),
        (
            3,
            "\"elevenlabs\" cannot do this: a provider of kind \"elevenlabs\" supports voice, align",
        ),
        (
            4,
            "script.provider: is not a known key; did you mean \"providers\"?",
        ),
        (6, "voice.providers: must be a list"),
        (8, "pictures.providers: is empty"),
        (10, "provider.mine.kind: `path` is required: the folder"),
        (
            11,
            "provider.mine.paht: is not a known key; did you mean \"path\"?",
        ),
        (
            13,
            "provider.one.kind: must be one of offline, openai, elevenlabs, fal, folder; did you mean \"openai\"?",
        ),
        (15, "provider.two: `kind` is required"),
        (18, "provider.three.base_url: must be an http or https URL"),
        (
            19,
            "provider.three.timeout_secs: must be a whole number from 1 to 1800",
        ),
        (
            20,
            "provider.three.model: must be a string in quotes, not a value of type integer",
        ),
        (21, "provider.three.token_field: must be"),
        (
            22,
            "provider.three.allow_hosts: \"http://x/\" is not a host",
        ),
        (25, "provider.four.auth: must be one word"),
        (26, "provider.four.max_chars: must be a whole number"),
    ];
    for (line, part) in wanted {
        assert!(
            told.iter()
                .any(|t| t.starts_with(&format!("line {line}: ")) && t.contains(part)),
            "{line} {part}\n{}",
            told.join("\n")
        );
    }
    assert_eq!(told.len(), wanted.len(), "{}", told.join("\n"));
}

#[test]
fn a_kind_that_is_gone_is_told_with_what_to_write_instead() {
    let text = "[script]\nproviders = [\"teller\"]\n[provider.teller]\nkind = \"local\"\npath = \"models/qwen3-4b\"\nmax_tokens = 500\n";
    let problems = ProvidersConfig::read(text).unwrap_err();
    let [problem] = problems.as_slice() else {
        panic!("one problem, not {problems:?}");
    };
    let told = problem.to_string();
    let parts = [
        "line 4: provider.teller.kind: \"local\" was removed",
        "kind = \"openai\"",
        "base_url",
        "http://localhost:11434/v1",
    ];
    for part in parts {
        assert!(told.contains(part), "{part}: {told}");
    }
}

/// A configuration of the repository with its commented tables switched on.
fn switched_on(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let is_row = |line: &str| {
        let key = line.split(" = ").next().unwrap_or_default();
        line.starts_with('[') || key != line && !key.contains(' ')
    };
    let lines = text.lines().map(|line| match line.strip_prefix("# ") {
        Some(row) if is_row(row) => row,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_table_of_the_examples_can_be_switched_on() {
    for file in ["examples/kinora.toml", "deploy/kinora.toml"] {
        let read = ProvidersConfig::read(&switched_on(file));
        assert!(read.is_ok(), "{file}: {read:?}");
    }
    let wanted = [
        ("ollama", "http://localhost:11434/v1"),
        ("llamacpp", "http://localhost:8080/v1"),
        ("localai", "http://localhost:8080/v1"),
        ("speaches", "http://localhost:8000/v1"),
    ];
    let example = switched_on("examples/kinora.toml");
    let (_, tables) = example.split_once("[provider.").unwrap();
    for (name, base_url) in wanted {
        let text = format!("[align]\nproviders = [\"{name}\"]\n[provider.{tables}");
        let config = ProvidersConfig::read(&text).unwrap();
        let Kind::OpenAi(server) = &config.align[0].kind else {
            panic!("{:?}", config.align[0])
        };
        assert_eq!(server.endpoint.base_url.as_str(), base_url);
        assert_eq!(server.endpoint.key_env, None, "{name} needs no key");
    }
}

#[test]
fn broken_toml_is_told_at_its_line() {
    let problems = ProvidersConfig::read("[script]\nproviders = [\"a\"\n[voice\n").unwrap_err();
    assert!(
        problems.iter().all(|p| (2..=4).contains(&p.line)),
        "{problems:?}"
    );
    assert!(!problems.is_empty());
}

fn building(folder: &Path) -> Building {
    Building {
        http: Setup::new().http,
        table: table(),
        folder: folder.to_owned(),
    }
}

#[test]
fn what_was_read_is_built() {
    let with = building(Path::new("."));
    let build = |name: &str, capability: Capability| {
        let text = format!("[{}]\nproviders = [\"{name}\"]\n", capability.table());
        ProvidersConfig::read(&text).unwrap()
    };
    assert_eq!(
        build("openai", Capability::Script).script[0]
            .script(&with)
            .unwrap()
            .name(),
        "openai"
    );
    assert_eq!(
        build("elevenlabs", Capability::Voice).voice[0]
            .voice(&with)
            .unwrap()
            .model(),
        "eleven_multilingual_v2"
    );
    assert_eq!(
        build("fal", Capability::Pictures).pictures[0]
            .pictures(&with)
            .unwrap()
            .unwrap()
            .name(),
        "fal"
    );
    assert_eq!(
        build("fal", Capability::Clips).clips[0]
            .clips(&with)
            .unwrap()
            .unwrap()
            .name(),
        "fal"
    );
    assert_eq!(
        build("openai", Capability::Align).align[0]
            .align(&with)
            .unwrap()
            .model(),
        "whisper-1"
    );
    assert!(ProvidersConfig::default().script[0].script(&with).is_none());
}

#[test]
fn a_folder_that_cannot_be_used_is_told_before_any_work() {
    let root = tempfile::tempdir().unwrap();
    let with = building(root.path());
    let config = ProvidersConfig::read("[pictures]\nproviders = [\"mine\"]\n[clips]\nproviders = [\"mine\"]\n[provider.mine]\nkind = \"folder\"\npath = \"shots\"\n").unwrap();
    let told = |wanted: &str| {
        let failure = config.pictures[0].pictures(&with).map(|_| ()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotConfigured);
        assert!(failure.message.contains(wanted), "{wanted}: {failure}");
    };
    told("cannot be read");
    let folder = root.path().join("shots");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("notes.txt"), "x").unwrap();
    told("contains no picture");
    std::fs::write(folder.join("a.png"), "no picture").unwrap();
    told("contains a.png, which is text, not a picture");
    std::fs::write(folder.join("a.png"), png(256, 300)).unwrap();
    let painter = config.pictures[0].pictures(&with).unwrap().unwrap();
    let answer = painter
        .paint(&picture_ask(""), &[], &Setup::new().call())
        .unwrap();
    assert_eq!(
        (answer.value.height, answer.value.file),
        (300, png(256, 300))
    );
    let identity = painter.model().to_owned();
    std::fs::write(folder.join("b.png"), png(256, 256)).unwrap();
    assert_ne!(
        config.pictures[0].pictures(&with).unwrap().unwrap().model(),
        identity,
        "other files, other results"
    );

    assert!(config.clips[0].clips(&with).is_err());
    std::fs::write(folder.join("1.mp4"), mp4()).unwrap();
    assert!(config.clips[0].clips(&with).is_ok());
    let _: Arc<_> = config.clips[0].clips(&with).unwrap().unwrap();
}
