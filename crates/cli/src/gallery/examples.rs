//! A small timeline for each look that shows it well.

use std::path::Path;
use std::sync::Arc;

use image::{DynamicImage, ImageFormat};
use kinora::Job;
use kinora::media::{Assets, FolderAssets, MemoryAssets};
use kinora::plan::looks::Look;
use kinora::text::Fonts;
use kinora::timeline::Timeline;
use kinora::units::Size;
use serde_json::{Value, json};

use super::scenes;
use crate::failure::Failure;
use crate::looks::Kind;

/// The words of the captions, one every `WORD_SECS`.
const WORDS: [&str; 7] = ["Every", "word", "appears", "as", "it", "is", "spoken."];
const WORD_SECS: f64 = 0.36;
const FIRST_WORD_SECS: f64 = 0.3;
/// Length of a shot under captions, and of a moving one.
const CAPTIONS_SECS: f64 = 3.3;
const MOTION_SECS: f64 = 3.0;
/// Minimum length of a shot next to a transition, and the maximum share of a shot that a transition covers (`Transition::duration`).
const LEAST_SHOT_SECS: f64 = 1.2;
const SHARE: f64 = 0.4;
/// How much is shown before and after a hard cut.
const AROUND_A_CUT_SECS: f64 = 0.2;
/// Maximum number of pictures from a folder.
const MOST_PICTURES: usize = 24;

/// The pictures and fonts of all examples.
pub(crate) struct Examples {
    assets: Arc<dyn Assets>,
    pictures: Vec<String>,
    fonts: Fonts,
    size: Size,
    named: bool,
}

/// A look's timeline, its active span, and the three best instants for stills; in seconds.
pub(crate) struct Example {
    pub(crate) job: Job,
    pub(crate) span: [f64; 2],
    pub(crate) instants: [f64; 3],
}

/// A document before it is resolved.
struct Written {
    document: Value,
    span: [f64; 2],
    instants: [f64; 3],
}

impl Examples {
    /// Creates examples of `size` from the pictures in `media`, or from drawn ones.
    pub(crate) fn new(media: Option<&Path>, size: Size) -> Result<Examples, Failure> {
        let (assets, pictures): (Arc<dyn Assets>, _) = match media {
            Some(folder) => (Arc::new(FolderAssets::new(folder)), pictures_in(folder)?),
            None => {
                let (assets, names) = drawn()?;
                (Arc::new(assets), names)
            }
        };
        Ok(Examples {
            assets,
            pictures,
            fonts: Fonts::default(),
            size,
            named: false,
        })
    }

    /// Returns the same examples in another size, with the look's name written into the picture.
    pub(crate) fn named(&self, size: Size) -> Examples {
        Examples {
            assets: Arc::clone(&self.assets),
            pictures: self.pictures.clone(),
            fonts: self.fonts.clone(),
            size,
            named: true,
        }
    }

    /// Returns the fonts, which are read once.
    pub(crate) fn fonts(&self) -> &Fonts {
        &self.fonts
    }

    /// Returns the source of the pictures.
    pub(crate) fn assets(&self) -> &dyn Assets {
        &*self.assets
    }

    /// Returns the example of a look, the `index`th of its table.
    pub(crate) fn of(&self, kind: Kind, look: &Look, index: usize) -> Result<Example, Failure> {
        self.resolve(self.written(kind, look, index), look)
    }

    /// Returns the same pictures at the same times without the look: a hard cut, no captions, no motion.
    pub(crate) fn without(
        &self,
        kind: Kind,
        look: &Look,
        index: usize,
    ) -> Result<Example, Failure> {
        let mut written = self.written(kind, look, index);
        let document = &mut written.document;
        match kind {
            Kind::Transitions => {
                document["transition"] = json!({ "name": look.name, "duration": 0 });
            }
            Kind::Captions => document["captions"]["words"] = json!([]),
            Kind::Motions => document["motion"] = json!({ "name": look.name, "amount": 0 }),
        }
        self.resolve(written, look)
    }

    fn written(&self, kind: Kind, look: &Look, index: usize) -> Written {
        match kind {
            Kind::Transitions => self.transition(look, index),
            Kind::Captions => self.captions(look, index),
            Kind::Motions => self.motion(look, index),
        }
    }

    fn resolve(&self, written: Written, look: &Look) -> Result<Example, Failure> {
        let Written {
            mut document,
            span,
            instants,
        } = written;
        document["version"] = json!(Timeline::VERSION);
        document["output"] = json!({ "width": self.size.width, "height": self.size.height });
        if self.named {
            document["layers"] = json!([name_layer(look.name)]);
        }
        let text = document.to_string();
        let job = Job::from_json(&text, Arc::clone(&self.assets), self.fonts.clone())?;
        Ok(Example {
            job,
            span,
            instants,
        })
    }

    fn picture(&self, index: usize) -> &str {
        &self.pictures[index % self.pictures.len()]
    }

    fn transition(&self, look: &Look, index: usize) -> Written {
        let length = look.default_ms.unwrap_or(0) as f64 / 1000.0;
        let shot = (length / SHARE + 0.05).max(LEAST_SHOT_SECS);
        let other = self.picture(index + (self.pictures.len() / 2).max(1));
        let document = json!({
            "transition": look.name,
            "shots": [
                { "picture": self.picture(index), "duration": shot },
                { "picture": other, "duration": shot },
            ],
        });
        let seen = length.max(2.0 * AROUND_A_CUT_SECS);
        let at = |p: f64| shot + (p - 0.5) * seen;
        Written {
            document,
            span: [0.0, 1.0].map(at),
            instants: [0.25, 0.5, 0.75].map(at),
        }
    }

    fn captions(&self, look: &Look, index: usize) -> Written {
        let time = |i: usize| FIRST_WORD_SECS + i as f64 * WORD_SECS;
        let word = |(i, text): (usize, &&str)| json!({ "text": text, "start": time(i), "end": time(i + 1) });
        let words: Vec<Value> = WORDS.iter().enumerate().map(word).collect();
        let document = json!({
            "shots": [{ "picture": self.picture(index), "duration": CAPTIONS_SECS }],
            "captions": { "style": look.name, "position": "center", "words": words },
        });
        // Late enough in a word that its animation has ended.
        let instants = [0, 2, 5].map(|i| time(i) + 0.75 * WORD_SECS);
        Written {
            document,
            span: [0, WORDS.len()].map(time),
            instants,
        }
    }

    fn motion(&self, look: &Look, index: usize) -> Written {
        let document = json!({
            "motion": look.name,
            "seed": index,
            "shots": [{ "picture": self.picture(index), "duration": MOTION_SECS }],
        });
        Written {
            document,
            span: [0.0, MOTION_SECS],
            instants: [0.0, 0.5, 0.98].map(|p| p * MOTION_SECS),
        }
    }
}

/// Returns a layer with a look's name on a dark pill near the top.
fn name_layer(name: &str) -> Value {
    json!({
        "draw": { "text": {
            "text": name,
            "style": {
                "size": 54, "case": "as-is", "stroke": null, "shadows": [],
                "panel": { "color": "#0B0D12C8", "radius": 40, "padding": [36, 16] },
            },
            "place": { "y": 0.1, "width": 0.9 },
        } },
    })
}

fn drawn() -> Result<(MemoryAssets, Vec<String>), Failure> {
    let mut assets = MemoryAssets::default();
    let mut names = Vec::new();
    for (i, picture) in scenes::draw_all().into_iter().enumerate() {
        let name = format!("{i}.png");
        assets.insert(name.clone(), png(picture.into())?);
        names.push(name);
    }
    Ok((assets, names))
}

/// Encodes a picture as a PNG file in memory.
pub(crate) fn png(picture: DynamicImage) -> Result<Vec<u8>, Failure> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture
        .write_to(&mut bytes, ImageFormat::Png)
        .map_err(|e| Failure::Internal(format!("a picture in memory cannot be encoded: {e}")))?;
    Ok(bytes.into_inner())
}

/// Returns the names of the pictures in a folder, in alphabetical order.
fn pictures_in(folder: &Path) -> Result<Vec<String>, Failure> {
    let shown = folder.display();
    let entries = std::fs::read_dir(folder)
        .map_err(|e| Failure::Usage(format!("--media {shown}: cannot be read: {e}")))?;
    let is_picture = |name: &String| {
        let extension = Path::new(name).extension().and_then(|e| e.to_str());
        extension.is_some_and(|e| ["jpg", "jpeg", "png"].contains(&&*e.to_lowercase()))
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(is_picture)
        .collect();
    names.sort();
    names.truncate(MOST_PICTURES);
    if names.len() < 2 {
        return Err(Failure::Usage(format!(
            "--media {shown}: at least two pictures (*.jpg, *.png) are needed, but {} found",
            names.len()
        )));
    }
    Ok(names)
}
