//! Whole videos with providers on a network, against a mock server that others wrote: aimock, which speaks OpenAI's interface and fal's queue.
//! What is asked is compared with the vendors' documented fields.
//!
//! `npm install --prefix DIR @copilotkit/aimock@1.43.0`, then `KINORA_LLMOCK=DIR/node_modules/.bin/llmock cargo test --test cli mocked`.
//! Without the program these tests say so and pass.

mod gate;

use std::fs;
use std::io::Cursor;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use self::gate::{Mock, Seen};
use super::{code, folder_with, kinora, lines, small, stderr};

/// What the vendors document for a request: required fields, then all others (OpenAI's and fal's descriptions of 2026).
const CHAT: [&[&str]; 2] = [
    &["model", "messages"],
    &[
        "temperature",
        "max_completion_tokens",
        "max_tokens",
        "response_format",
    ],
];
const GENERATIONS: [&[&str]; 2] = [
    &["prompt"],
    &[
        "model",
        "n",
        "size",
        "quality",
        "output_format",
        "output_compression",
        "background",
        "moderation",
        "user",
    ],
];
const EDITS: [&[&str]; 2] = [
    &["image[]", "prompt"],
    &[
        "mask",
        "model",
        "n",
        "size",
        "quality",
        "input_fidelity",
        "background",
        "output_format",
        "user",
    ],
];
const SPEECH: [&[&str]; 2] = [
    &["model", "input", "voice"],
    &["instructions", "response_format", "speed"],
];
const TRANSCRIPTIONS: [&[&str]; 2] = [
    &["file", "model"],
    &[
        "language",
        "prompt",
        "response_format",
        "temperature",
        "timestamp_granularities[]",
    ],
];
const FLUX_SCHNELL: [&[&str]; 2] = [
    &["prompt"],
    &[
        "image_size",
        "num_inference_steps",
        "seed",
        "num_images",
        "enable_safety_checker",
        "sync_mode",
    ],
];
const LTX_DISTILLED: [&[&str]; 2] = [
    &["prompt", "image_url"],
    &[
        "negative_prompt",
        "resolution",
        "aspect_ratio",
        "seed",
        "num_frames",
        "frame_rate",
        "expand_prompt",
    ],
];

/// Stands for a key: any variable that is set does.
const KEY_ENV: &str = "PATH";

/// Two scenes, said in two lines of the same length.
const LINES: [&str; 2] = [
    "Mara lit the old lamp at eight.",
    "Then, slowly, the boat came home.",
];

fn script() -> String {
    let scene = |text: &str, picture: &str| json!({ "lines": [{ "speaker": null, "text": text }], "picture": picture });
    let scenes = [
        scene(LINES[0], "A lighthouse at dusk."),
        scene(LINES[1], "A boat in a harbor."),
    ];
    json!({ "title": "The lamp", "scenes": scenes }).to_string()
}

fn png() -> Vec<u8> {
    let picture = image::RgbImage::from_fn(512, 768, |x, y| {
        image::Rgb([(x / 2) as u8, (y / 4) as u8, 90])
    });
    let mut file = Cursor::new(Vec::new());
    picture
        .write_to(&mut file, image::ImageFormat::Png)
        .unwrap();
    file.into_inner()
}

/// A sound with a burst for each word.
fn wav(n_words: usize) -> Vec<u8> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 24_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    for i in 0..n_words * 9600 {
        let t = i as f32 / 24_000.0;
        let is_loud = i % 9600 < 7200;
        let tone = (t * 180.0 * std::f32::consts::TAU).sin()
            + 0.5 * (t * 720.0 * std::f32::consts::TAU).sin();
        let sample = if is_loud { tone * 9000.0 } else { 0.0 };
        writer.write_sample(sample as i16).unwrap();
    }
    writer.finalize().unwrap();
    file.into_inner()
}

/// Words as a transcriber tells them: without points and commas, one of them misheard.
fn heard(text: &str, wrong: (&str, &str)) -> Value {
    let words = text.split(' ').enumerate().map(|(i, word)| {
        let bare: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
        let told = if bare == wrong.0 { wrong.1 } else { &bare };
        json!({ "word": told, "start": i as f64 * 0.4, "end": i as f64 * 0.4 + 0.3 })
    });
    let words: Vec<Value> = words.collect();
    json!({ "transcription": { "text": text, "language": "english", "duration": 2.8, "words": words } })
}

fn answers() -> Vec<Value> {
    let answer = |of: Value, response: Value| json!({ "match": of, "response": response });
    let of = |endpoint: &str| json!({ "endpoint": endpoint });
    let nth = |n: usize| json!({ "endpoint": "transcription", "sequenceIndex": n });
    let media = |name: &str| json!({ "url": format!("https://queue.fal.run/media/{name}") });
    let queued = |model: &str| json!({ "endpoint": "fal", "model": model });
    vec![
        answer(of("chat"), json!({ "content": script() })),
        answer(
            of("image"),
            json!({ "image": { "b64Json": STANDARD.encode(png()) } }),
        ),
        answer(
            of("speech"),
            json!({ "audio": STANDARD.encode(wav(7)), "format": "wav" }),
        ),
        answer(nth(0), heard(LINES[0], ("eight", "ate"))),
        answer(nth(1), heard(LINES[1], ("", ""))),
        answer(
            queued("fal-ai/flux/schnell"),
            json!({ "json": { "images": [media("picture.png")], "seed": 1, "has_nsfw_concepts": [false] } }),
        ),
        answer(
            queued("fal-ai/ltx-video-13b-distilled/image-to-video"),
            json!({ "json": { "video": media("clip.mp4") } }),
        ),
    ]
}

/// A clip of two seconds.
fn clip() -> Vec<u8> {
    let folder = folder_with(&small());
    let args = [
        "render",
        "timeline.json",
        "-o",
        "clip.mp4",
        "--codec",
        "h264",
        "--backend",
        "cpu",
    ];
    let output = kinora(folder.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    fs::read(folder.path().join("clip.mp4")).unwrap()
}

/// A video with providers at `mock`; what the program told of it.
fn video(folder: &Path, config: &str, args: &[&str]) -> Value {
    fs::write(folder.join("kinora.toml"), config).unwrap();
    let usual = [
        "--work",
        "work",
        "--json",
        "--subtitles",
        "srt",
        "--codec",
        "h264",
        "--backend",
        "cpu",
        "-o",
        "out.mp4",
    ];
    let output = kinora(folder, &[args, &usual].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let probe = kinora(folder, &["probe", "out.mp4"]);
    assert_eq!(code(&probe), 0, "{}", stderr(&probe));
    let result = lines(&output).pop().unwrap();
    assert_eq!(
        (&result["event"], &result["n_scenes"]),
        (&json!("result"), &json!(2))
    );
    result
}

fn check(what: &str, given: &[String], [required, others]: [&[&str]; 2]) {
    for name in required {
        assert!(
            given.iter().any(|g| g == name),
            "{what} lacks {name}: {given:?}"
        );
    }
    for name in given {
        let is_known = required.contains(&name.as_str()) || others.contains(&name.as_str());
        assert!(is_known, "{what} has {name}, which is not documented");
    }
}

/// Whether every request has the fields that are documented, and the key as the vendor wants it.
fn compare(requests: &[Seen], n: usize, fields: [&[&str]; 2], auth: &str) {
    assert_eq!(requests.len(), n, "{requests:?}");
    for request in requests {
        assert_eq!(
            (request.method.as_str(), request.header("authorization")),
            ("POST", Some(auth))
        );
        let is_form = request
            .header("content-type")
            .unwrap()
            .starts_with("multipart/form-data; boundary=");
        let names = match is_form {
            true => request.form_names(),
            false => request
                .json()
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect(),
        };
        check(&request.path, &names, fields);
    }
}

#[test]
fn a_prompt_becomes_a_video_by_a_server_that_speaks_openais_interface() {
    let Some(mock) = Mock::start(&answers(), Vec::new()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let config = format!(
        "[script]\nproviders = [\"mock\"]\n[voice]\nproviders = [\"mock\"]\n[pictures]\nproviders = [\"mock\"]\n[align]\nproviders = [\"mock\"]\n\
         [provider.mock]\nkind = \"openai\"\nbase_url = \"{}\"\nkey_env = \"{KEY_ENV}\"\n",
        mock.url("/v1")
    );
    let result = video(
        folder.path(),
        &config,
        &["short", "--prompt", "a lighthouse", "--words", "14"],
    );
    assert_eq!(result["timing"], "aligned");
    let subtitles = fs::read_to_string(folder.path().join("out.srt")).unwrap();
    let said: Vec<&str> = subtitles.split_whitespace().collect();
    // As they were written, at the times at which they were heard.
    for word in LINES.iter().flat_map(|line| line.split(' ')) {
        assert!(said.contains(&word), "{word} in {subtitles}");
    }
    let auth = format!("Bearer {}", std::env::var(KEY_ENV).unwrap());
    compare(&mock.seen("/v1/chat/completions"), 1, CHAT, &auth);
    compare(&mock.seen("/v1/audio/speech"), 2, SPEECH, &auth);
    compare(
        &mock.seen("/v1/audio/transcriptions"),
        2,
        TRANSCRIPTIONS,
        &auth,
    );
    compare(&mock.seen("/v1/images/generations"), 2, GENERATIONS, &auth);
}

#[test]
fn a_picture_of_a_character_goes_along_where_edits_are_known() {
    let Some(mock) = Mock::start(&answers(), Vec::new()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mara.png"), png()).unwrap();
    let id = "6f1d0c1e-3f57-4b55-9d8c-0a5a4f0f9d11";
    let cast = format!(
        "[[character]]\nid = \"{id}\"\nname = \"Mara\"\ndescription = \"a keeper\"\nimage = \"mara.png\"\n"
    );
    fs::write(folder.path().join("cast.toml"), cast).unwrap();
    let request = json!({ "universeId": "u", "prompt": "a lighthouse", "targetDuration": 10, "characters": [id] });
    fs::write(folder.path().join("request.json"), request.to_string()).unwrap();
    let config = format!(
        "[script]\nproviders = [\"mock\"]\n[voice]\nproviders = [\"mock\"]\n[pictures]\nproviders = [\"mock\"]\n\
         [provider.mock]\nkind = \"openai\"\nbase_url = \"{}\"\n",
        mock.url("/v1")
    );
    video(
        folder.path(),
        &config,
        &["universe", "request.json", "--cast", "cast.toml"],
    );
    let edits = mock.seen("/v1/images/edits");
    assert_eq!(edits.len(), 2);
    for edit in &edits {
        check("edits", &edit.form_names(), EDITS);
        let text = String::from_utf8_lossy(&edit.body);
        assert!(text.contains("filename=\"reference-0.png\"\r\nContent-Type: image/png"));
    }
}

#[test]
fn pictures_and_clips_come_from_a_queue() {
    let files = vec![("picture.png", png()), ("clip.mp4", clip())];
    let Some(mock) = Mock::start(&answers(), files) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let config = format!(
        "[script]\nproviders = [\"mock\"]\n[pictures]\nproviders = [\"queue\"]\n[clips]\nproviders = [\"queue\"]\n\
         [provider.mock]\nkind = \"openai\"\nbase_url = \"{}\"\n\
         [provider.queue]\nkind = \"fal\"\nbase_url = \"{}\"\nkey_env = \"{KEY_ENV}\"\n",
        mock.url("/v1"),
        mock.queue_url()
    );
    let args = [
        "short",
        "--prompt",
        "a lighthouse",
        "--words",
        "14",
        "--voice",
        "none",
        "--model",
        "flux_schnell",
        "--clips",
        "ltx_video_13b_distilled",
    ];
    video(folder.path(), &config, &args);
    let auth = format!("Key {}", std::env::var(KEY_ENV).unwrap());
    let of = |path: &str, method: &str| -> Vec<Seen> {
        let all = mock.seen(&format!("/queue/{path}")).into_iter();
        all.filter(|seen| seen.method == method).collect()
    };
    let submitted = |path: &str| of(path, "POST");
    compare(&submitted("fal-ai/flux/schnell"), 2, FLUX_SCHNELL, &auth);
    compare(
        &submitted("fal-ai/ltx-video-13b-distilled"),
        2,
        LTX_DISTILLED,
        &auth,
    );
    let looks = of("fal-ai/", "GET");
    assert!(
        looks.len() >= 8,
        "a look and a result for each of four jobs"
    );
    assert!(
        looks
            .iter()
            .all(|seen| seen.header("authorization") == Some(&auth))
    );
    // Files are fetched without the key.
    let media = mock.seen("/queue/media/");
    assert_eq!(media.len(), 4);
    assert!(
        media
            .iter()
            .all(|seen| seen.header("authorization").is_none())
    );
}
