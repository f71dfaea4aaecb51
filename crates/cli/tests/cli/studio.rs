//! The studio's commands: whole videos, storyboards, estimates, scripts, lists, and what they refuse.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{code, kinora, lines, names_in, stderr};

const SCRIPT: &str = "Mara lit the lamp. The boat came home.";

/// Runs a command whose results stay in the folder.
fn studio(folder: &Path, args: &[&str]) -> std::process::Output {
    let mut args = args.to_vec();
    args.extend(["--work", "work"]);
    kinora(folder, &args)
}

#[test]
fn a_script_becomes_a_video_and_the_second_time_nothing_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "short",
        "--script",
        SCRIPT,
        "--aspect",
        "16:9",
        "--captions",
        "modern",
        "--backend",
        "cpu",
        "--subtitles",
        "srt",
        "--json",
        "-o",
        "out.mp4",
    ];
    let output = studio(folder.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let told = lines(&output);
    let result = told.last().unwrap();
    assert_eq!(result["event"], "result");
    // What is put in place of something better comes before the first sign of work.
    let notes = told.iter().take_while(|line| line["event"] == "note");
    let stages: Vec<&str> = notes.filter_map(|note| note["stage"].as_str()).collect();
    assert!(stages.starts_with(&["voice", "pictures"]), "{told:?}");
    assert!(result["duration_secs"].as_f64().unwrap() > 2.0, "{result}");
    let subtitles = fs::read_to_string(folder.path().join("out.srt")).unwrap();
    let cues = ["Mara lit the lamp.", "The boat came home."];
    assert!(
        cues.iter().all(|cue| subtitles.contains(cue)),
        "as spoken, not as the style shows it: {subtitles}"
    );
    let made = |told: &[Value]| {
        told.iter()
            .filter(|line| line["is_kept"] == false && line["stage"] == "pictures")
            .count()
    };
    assert!(made(&told) > 0);
    let probe = kinora(folder.path(), &["probe", "out.mp4"]);
    assert_eq!(code(&probe), 0, "{}", stderr(&probe));
    let facts = String::from_utf8_lossy(&probe.stdout).into_owned();
    assert!(
        facts.contains("avc1") && facts.contains("mp4a"),
        "what plays everywhere is the default: {facts}"
    );
    // The run's folder is a timeline like any other, and says the codec.
    let timeline = result["timeline"].as_str().unwrap();
    let written = fs::read_to_string(folder.path().join(timeline)).unwrap();
    let written: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written["output"]["codec"], "h264");
    let lint = kinora(folder.path(), &["lint", timeline, "--backend", "cpu"]);
    assert_eq!(code(&lint), 0, "{}", stderr(&lint));
    let again = lines(&studio(folder.path(), &args));
    assert_eq!(made(&again), 0, "pictures were kept");
    assert_eq!(again.last().unwrap()["event"], "result");
}

#[test]
fn requests_with_problems_are_refused_whole_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let request =
        json!({ "prompt": "a", "script": "b", "quality": "best", "musicConfig": { "volume": 2 } });
    fs::write(folder.path().join("request.json"), request.to_string()).unwrap();
    let output = studio(folder.path(), &["short", "request.json", "-o", "out.mp4"]);
    assert_eq!(code(&output), 2);
    for field in ["script", "quality", "musicConfig.volume"] {
        assert!(
            stderr(&output).contains(field),
            "{field}: {}",
            stderr(&output)
        );
    }
    assert_eq!(names_in(folder.path()), ["request.json"]);
}

#[test]
fn options_that_cannot_be_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let refused: [(&[&str], &str); 7] = [
        (&["short", "-o", "out.mp4"], "prompt"),
        (
            &[
                "short",
                "--script",
                "x",
                "--captions",
                "neeon",
                "-o",
                "out.mp4",
            ],
            "did you mean",
        ),
        (&["short", "--script", "x", "-o", "out.gif"], "out.mp4"),
        (
            &["short", "--script-file", "none.txt", "-o", "out.mp4"],
            "none.txt",
        ),
        (
            &[
                "short",
                "--script",
                "x",
                "--character",
                "Mara",
                "-o",
                "out.mp4",
            ],
            "NAME=",
        ),
        (
            &["short", "--recording", "none.wav", "-o", "out.mp4"],
            "none.wav",
        ),
        (
            &[
                "short",
                "--script",
                "x",
                "--config",
                "none.toml",
                "-o",
                "out.mp4",
            ],
            "none.toml",
        ),
    ];
    for (args, said) in refused {
        let output = studio(folder.path(), args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(said),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_prompt_and_a_codec_are_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let refused: [(&[&str], &str); 6] = [
        (&["short", "none.json", "-o", "out.mp4"], "no such file"),
        (&["universe", "none.json", "-o", "out.mp4"], "no such file"),
        (&["universe", "-o", "out.mp4"], "what the video is about"),
        (
            &["short", "Why cats purr", "--script", "x", "-o", "out.mp4"],
            "is taken as the prompt",
        ),
        (
            &["short", "Why cats purr", "out.mp4", "-o", "out.mp4"],
            "2 arguments",
        ),
        (
            &[
                "short",
                "a lamp",
                "--codec",
                "h264",
                "--encoder",
                "rav1e",
                "-o",
                "out.mp4",
            ],
            "leave one of them out",
        ),
    ];
    for (args, said) in refused {
        let output = studio(folder.path(), args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(said),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn words_that_are_no_file_are_the_prompt_and_notes_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let output = kinora(
        folder.path(),
        &["storyboard", "Why cats purr", "-o", "board.html"],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stderr(&output);
    let first = said.lines().next().unwrap();
    assert!(
        first.starts_with("note: script: written by rules") && first.contains("--script-file"),
        "{said}"
    );
    assert_eq!(said.matches("by rules").count(), 1, "once: {said}");
    let board = fs::read_to_string(folder.path().join("board.json")).unwrap();
    assert!(board.to_lowercase().contains("cats"), "{board}");
    let output = kinora(folder.path(), &["estimate", "Why", "cats", "purr"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn the_configuration_names_the_codec() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("kinora.toml"),
        "[video]\ncodec = \"vp9\"\n",
    )
    .unwrap();
    let output = studio(folder.path(), &["short", "a lamp", "-o", "out.mp4"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("vp9") && stderr(&output).contains("h264"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_configuration_with_mistakes_is_told_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("kinora.toml"),
        "[script]\nproviders = [\"ofline\"]\n[voise]\nproviders = []\n",
    )
    .unwrap();
    let output = studio(folder.path(), &["short", "--script", "x", "-o", "out.mp4"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("offline") && stderr(&output).contains("voice"),
        "{}",
        stderr(&output)
    );
    // A provider that is named and has no key is told before any work.
    fs::write(folder.path().join("kinora.toml"), "[pictures]\nproviders = [\"mine\"]\n[provider.mine]\nkind = \"fal\"\nkey_env = \"KINORA_NO_SUCH_KEY\"\n").unwrap();
    let output = studio(folder.path(), &["short", "--script", "x", "-o", "out.mp4"]);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("KINORA_NO_SUCH_KEY"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_storyboard_is_a_page_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let output = kinora(
        folder.path(),
        &[
            "storyboard",
            "--script",
            "Mara <lit> the lamp.\n\nThe boat came home.",
            "-o",
            "board.html",
        ],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let board: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("board.json")).unwrap())
            .unwrap();
    let n = board["scenes"].as_array().unwrap().len();
    let page = fs::read_to_string(folder.path().join("board.html")).unwrap();
    assert!(n >= 1 && page.matches("<img ").count() == n, "{n} scenes");
    assert!(page.contains("data:image/jpeg;base64,") && !page.contains("<lit>"));
}

#[test]
fn scripts_are_checked_and_made_canonical() {
    let folder = tempfile::tempdir().unwrap();
    let prose = "Mara climbed the stairs. \"The light is out,\" said Mara.\n\nThe boat turned to the shore.";
    fs::write(folder.path().join("prose.txt"), prose).unwrap();
    let lint = kinora(folder.path(), &["script", "lint", "prose.txt"]);
    assert_eq!(code(&lint), 2);
    assert!(
        stderr(&lint).contains("line 1") && stderr(&lint).contains("needs_canonical_rewrite"),
        "{}",
        stderr(&lint)
    );
    let rewrite = studio(
        folder.path(),
        &["script", "rewrite", "prose.txt", "-o", "script.md"],
    );
    assert_eq!(code(&rewrite), 0, "{}", stderr(&rewrite));
    let lint = kinora(folder.path(), &["script", "lint", "script.md", "--json"]);
    assert_eq!(code(&lint), 0, "{}", stderr(&lint));
    assert_eq!(lines(&lint)[0]["is_canonical"], true);
}

#[test]
fn a_storyboard_of_a_universes_request_has_a_scene_for_each_shot() {
    let folder = tempfile::tempdir().unwrap();
    let story = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/story");
    let request = story.join("universe-request.json");
    let settings = story.join("universe.toml");
    let (request, settings) = (request.to_str().unwrap(), settings.to_str().unwrap());
    let board = ["storyboard", request, "-o", "board.html"];
    let home = folder.path().to_str().unwrap();
    let run = |more: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_kinora"))
            .args([&board[..], more].concat())
            .current_dir(folder.path())
            .env("XDG_CACHE_HOME", home)
            .output()
            .unwrap()
    };
    let output = run(&["--universe", "--settings", settings]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = fs::read_to_string(folder.path().join("board.json")).unwrap();
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(told["scenes"].as_array().unwrap().len(), 3);
    assert_eq!(told["scenes"][0]["lines"][0]["speaker"], "Mara");
    for wrong in [
        &["--universe", "--style", "news_brief"][..],
        &["--settings", settings],
    ] {
        let output = run(wrong);
        assert_eq!(code(&output), 2, "{wrong:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("--universe"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn estimates_and_lists_are_lines_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let estimate = kinora(
        folder.path(),
        &["estimate", "--prompt", "a lamp", "--words", "137", "--json"],
    );
    let estimate = &lines(&estimate)[0];
    assert_eq!(estimate["estimatedDuration"], 60.0);
    let credits = estimate["estimatedCredits"].as_u64().unwrap();
    assert!(credits > 0);
    // Prices stand in the configuration, beside tables that others read.
    let config = format!(
        "[video]\nmax_runs = 2\n[credits]\nminimum = {}\n",
        credits + 77
    );
    fs::write(folder.path().join("kinora.toml"), config).unwrap();
    let dearer = kinora(
        folder.path(),
        &["estimate", "--prompt", "a lamp", "--words", "137", "--json"],
    );
    assert_eq!(lines(&dearer)[0]["estimatedCredits"], credits + 77);
    fs::write(
        folder.path().join("kinora.toml"),
        "[credits]\nminimun = 1\n",
    )
    .unwrap();
    let wrong = kinora(folder.path(), &["estimate", "--prompt", "a lamp"]);
    assert_eq!(code(&wrong), 2);
    assert!(stderr(&wrong).contains("minimun"), "{}", stderr(&wrong));
    fs::remove_file(folder.path().join("kinora.toml")).unwrap();
    for (list, known) in [
        ("models", "flux_schnell"),
        ("styles", "watercolor"),
        ("styles", "hero_journey"),
    ] {
        let output = kinora(folder.path(), &[list, "--json"]);
        let rows = &lines(&output)[0];
        let has = rows
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["id"] == known);
        assert!(has, "{list} without {known}");
    }
    assert_eq!(code(&kinora(folder.path(), &["voices", "--json"])), 0);
}

#[test]
fn a_universe_request_is_made_with_its_settings() {
    let folder = tempfile::tempdir().unwrap();
    let story = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/story");
    let request = story.join("universe-request.json");
    let settings = story.join("universe.toml");
    let args = [
        "universe",
        request.to_str().unwrap(),
        "--settings",
        settings.to_str().unwrap(),
        "--codec",
        "h264",
        "--backend",
        "cpu",
        "--json",
        "-o",
        "out.mp4",
    ];
    let output = studio(folder.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let told = lines(&output);
    let result = told.last().unwrap();
    assert_eq!(result["n_scenes"], 3, "{result}");
    let timeline =
        fs::read_to_string(folder.path().join(result["timeline"].as_str().unwrap())).unwrap();
    let timeline: Value = serde_json::from_str(&timeline).unwrap();
    assert_eq!(
        timeline["layers"].as_array().unwrap().len(),
        1,
        "a watermark"
    );
    assert_eq!(timeline["captions"]["style"], "cinematic");
}

#[test]
fn a_picture_is_described_honestly() {
    let folder = tempfile::tempdir().unwrap();
    let picture = image::RgbImage::from_pixel(300, 400, image::Rgb([190, 40, 40]));
    picture.save(folder.path().join("a.png")).unwrap();
    fs::write(folder.path().join("text.png"), "no picture").unwrap();
    let output = studio(
        folder.path(),
        &["character", "a.png", "--name", "Mara", "--json"],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let told = &lines(&output)[0];
    assert_eq!(told["characters"][0]["name"], "Mara");
    let description = told["characters"][0]["description"].as_str().unwrap();
    assert!(description.contains("an upright picture"), "{description}");
    let notes = told["notes"].to_string();
    assert!(notes.contains("not recognized"), "{notes}");
    let none = studio(folder.path(), &["character", "text.png"]);
    assert_eq!(code(&none), 2, "{}", stderr(&none));
}
