//! A provider on a network that is paid for each call: it writes scripts of three scenes and paints their pictures, and remembers what it was asked for.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};

use super::stub::{self, Act, Seen, Stub};

/// Scenes of a script.
const N_SCENES: usize = 3;
/// What a video takes: a script, and a picture for each scene.
pub const CALLS_PER_VIDEO: usize = 1 + N_SCENES;
/// How long a picture takes, so that some are cut off.
const PAINTING: Duration = Duration::from_millis(50);

/// The provider.
pub struct Paid(Stub);

impl Paid {
    pub fn start() -> Paid {
        let painted = picture();
        Paid(Stub::start(move |asked, _| answer(asked, &painted)))
    }

    /// The part of `kinora.toml` that names it.
    pub fn config(&self) -> String {
        let url = self.0.url("/v1");
        format!(
            "[script]\nproviders = [\"paid\"]\n[pictures]\nproviders = [\"paid\"]\n[provider.paid]\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"m\"\n"
        )
    }

    /// How often it was asked for each thing, by idempotency key.
    pub fn asked(&self) -> BTreeMap<String, usize> {
        let mut asked = BTreeMap::new();
        for seen in self.0.seen() {
            let key = seen.header("idempotency-key").expect("every call has one");
            *asked.entry(key.to_owned()).or_default() += 1;
        }
        asked
    }
}

fn answer(asked: &Seen, painted: &Value) -> Act {
    match asked.path.as_str() {
        "/v1/chat/completions" => {
            let wish = asked.json()["messages"][1]["content"].to_string();
            let about = wish.rsplit("\\n").next().unwrap().trim_matches('"');
            let scenes = (1..=N_SCENES).map(|i| {
                let text = format!("Boat {i} passes.");
                json!({ "lines": [{ "speaker": null, "text": text }], "picture": format!("{about}, boat {i}.") })
            });
            let script = json!({ "title": "Boats", "scenes": scenes.collect::<Vec<_>>() });
            let message = json!({ "role": "assistant", "content": script.to_string() });
            stub::json(
                200,
                &json!({ "choices": [{ "finish_reason": "stop", "message": message }] }),
            )
        }
        "/v1/images/generations" => {
            thread::sleep(PAINTING);
            stub::json(200, painted)
        }
        _ => stub::send(404, "text/plain", b""),
    }
}

fn picture() -> Value {
    let mut file = Cursor::new(Vec::new());
    let picture = RgbImage::from_fn(288, 512, |x, y| Rgb([x as u8, y as u8, 90]));
    let picture = DynamicImage::from(picture);
    picture.write_to(&mut file, ImageFormat::Png).unwrap();
    json!({ "data": [{ "b64_json": STANDARD.encode(file.into_inner()) }] })
}
