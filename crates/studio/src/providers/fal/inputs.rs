//! The inputs of a model, by its row in the table.

use kinora::units::within;
use serde_json::{Map, Value, json};

use super::data_uri;
use crate::providers::CostClass;
use crate::providers::models::{ClipModel, ModelTable, PictureModel, Reference, Sizing};
use crate::providers::prompts::{clip_prompt, picture_prompt, style_in_words};
use crate::providers::sizing::{Told, nearest};
use crate::providers::{ClipAsk, Picture, PictureAsk};

/// Most pictures that one request may refer to.
const MAX_REFERENCES: usize = 8;
/// Seeds are 32 bits at most endpoints.
const SEED_MASK: u64 = 0x7fff_ffff;

/// A request to the queue.
pub(super) struct Job {
    pub(super) endpoint: String,
    pub(super) input: Value,
    /// The cost class of the model that runs; `None`: that of the requested model.
    pub(super) class: Option<CostClass>,
}

/// How a style is passed: as a field of the model, or as words in the prompt.
struct Styled {
    fields: Map<String, Value>,
    words: String,
}

fn styled(row: &PictureModel, style: &str, table: &ModelTable, notes: &mut Vec<String>) -> Styled {
    let mut fields = Map::new();
    if let Some(field) = row
        .style
        .as_ref()
        .filter(|_| table.knows_style(&row.name, style))
    {
        fields.insert(field.clone(), style.into());
        return Styled {
            fields,
            words: String::new(),
        };
    }
    let Some(lora) = table.lora.iter().find(|lora| lora.slug == style) else {
        return Styled {
            fields,
            words: style_in_words(style),
        };
    };
    match (&lora.path, row.lora) {
        (Some(path), true) => {
            let scale = lora.scale.unwrap_or(1.0);
            fields.insert("loras".to_owned(), json!([{"path": path, "scale": scale}]));
            Styled {
                fields,
                words: lora.words.clone(),
            }
        }
        (path, _) => {
            let why = if path.is_none() {
                "has no file in the table of models"
            } else {
                "does not work with this model"
            };
            notes.push(format!(
                "the LoRA {style} {why}; the prompt describes the style instead"
            ));
            Styled {
                fields,
                words: lora.words.clone(),
            }
        }
    }
}

/// Builds the request for a picture; `notes` gets what the model could not be given.
pub(super) fn picture_job(
    row: &PictureModel,
    ask: &PictureAsk,
    references: &[Vec<u8>],
    table: &ModelTable,
    notes: &mut Vec<String>,
) -> Job {
    let reference = row.reference.as_ref().filter(|_| !references.is_empty());
    if reference.is_none() && !references.is_empty() {
        notes.push(format!(
            "the model {} does not accept character pictures; the prompt describes the characters instead",
            row.name
        ));
    }
    let (mut input, words, size, seed) = match reference {
        // Another endpoint, which has none of the model's own inputs.
        Some(reference) => {
            let size = reference.size.as_ref().unwrap_or(&row.size);
            let words = words_of(&ask.style, table);
            (reference.inputs.clone(), words, size, &reference.seed)
        }
        None => {
            let Styled { fields, words } = styled(row, &ask.style, table, notes);
            let mut input = row.inputs.clone();
            input.extend(fields);
            (input, words, &row.size, &row.seed)
        }
    };
    input.insert("prompt".to_owned(), picture_prompt(ask, &words).into());
    input.extend(told_size(size, ask));
    if !seed.is_empty() {
        input.insert(seed.clone(), (ask.seed & SEED_MASK).into());
    }
    let mut job = Job {
        endpoint: row.endpoint.clone(),
        input: Value::Object(input),
        class: row.class(),
    };
    if let Some(reference) = reference {
        job.refer(row, reference, references, notes);
    }
    job
}

/// Returns the field and value of a size.
fn told_size(size: &Sizing, ask: &PictureAsk) -> Option<(String, Value)> {
    let (field, value) = match size.told(ask.width, ask.height)? {
        Told::Pixels(width, height) => ("image_size", json!({"width": width, "height": height})),
        Told::Aspect(ratio) => ("aspect_ratio", ratio.into()),
        Told::Named(size) => ("image_size", size.into()),
    };
    Some((field.to_owned(), value))
}

/// Returns a style in words.
fn words_of(style: &str, table: &ModelTable) -> String {
    let lora = table.lora.iter().find(|lora| lora.slug == style);
    lora.map_or_else(|| style_in_words(style), |lora| lora.words.clone())
}

impl Job {
    /// Adds reference pictures; another endpoint takes them.
    fn refer(
        &mut self,
        row: &PictureModel,
        reference: &Reference,
        files: &[Vec<u8>],
        notes: &mut Vec<String>,
    ) {
        let most = if reference.is_list { MAX_REFERENCES } else { 1 };
        let shown = &files[..files.len().min(most)];
        if shown.len() < files.len() {
            notes.push(format!(
                "only {} of {} character pictures could be sent to {}",
                shown.len(),
                files.len(),
                row.name
            ));
        }
        if let Some(class) = reference.class.filter(|class| Some(*class) != row.class()) {
            notes.push(format!(
                "{} does not accept character pictures; used {}, at the price of a {} model",
                row.name,
                reference.endpoint,
                class.as_str()
            ));
            self.class = Some(class);
        }
        let mut uris = shown.iter().map(|file| Value::from(data_uri(file)));
        let value = match reference.is_list {
            true => uris.collect(),
            false => uris.next().unwrap_or_default(),
        };
        self.input[&reference.field] = value;
        self.endpoint.clone_from(&reference.endpoint);
    }
}

/// Builds the request for a clip; `notes` gets what the model could not be given.
pub(super) fn clip_job(
    row: &ClipModel,
    ask: &ClipAsk,
    picture: &Picture,
    notes: &mut Vec<String>,
) -> Job {
    let mut input = row.inputs.clone();
    input.insert(row.image.clone(), data_uri(&picture.file).into());
    if row.prompt {
        input.insert("prompt".to_owned(), clip_prompt(ask).into());
    } else if ask
        .notes
        .as_ref()
        .is_some_and(|text| !text.trim().is_empty())
    {
        notes.push(format!("the model {} does not accept notes", row.name));
    }
    if let Some(ratio) = row.aspect.as_ref() {
        let name = nearest(&row.aspects, ':', ask.picture.width, ask.picture.height);
        input.extend(name.map(|name| (ratio.clone(), Value::from(name))));
    }
    // The next longer one, which is trimmed later; else the longest, whose last frame is held.
    let longer = row
        .duration
        .iter()
        .filter(|length| length.secs >= ask.secs - 1e-3);
    let longer = longer.min_by(|a, b| a.secs.total_cmp(&b.secs));
    let length = longer.or_else(|| row.duration.iter().max_by(|a, b| a.secs.total_cmp(&b.secs)));
    input.extend(length.map(|length| ("duration".to_owned(), Value::from(length.value.clone()))));
    if let Some(frames) = &row.frames {
        let range = [frames.least, frames.most].map(f64::from);
        let n = within((ask.secs * frames.fps).ceil(), range[0], range[1]);
        // After the first frame, video models code frames in blocks of eight.
        let n = 1 + (n as u32).saturating_sub(1).div_ceil(8) * 8;
        let n = if n > frames.most {
            n.saturating_sub(8)
        } else {
            n
        };
        input.insert(frames.field.clone(), n.max(frames.least).into());
    }
    Job {
        endpoint: row.endpoint.clone(),
        input: Value::Object(input),
        class: row.class(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(model: &str, style: &str) -> PictureAsk {
        PictureAsk {
            brief: "A lighthouse at dusk".into(),
            keywords: String::new(),
            notes: Some("low sun".into()),
            model: model.into(),
            style: style.into(),
            figures: Vec::new(),
            width: 1080,
            height: 1920,
            seed: 0x1_2345_6789,
            place: String::new(),
        }
    }

    fn job(model: &str, style: &str, references: &[Vec<u8>]) -> (Job, Vec<String>) {
        let table = ModelTable::builtin();
        let (row, mut notes) = table.live_picture(model).unwrap();
        let job = picture_job(row, &ask(model, style), references, &table, &mut notes);
        (job, notes)
    }

    #[test]
    fn each_model_is_asked_in_its_own_words() {
        let (schnell, notes) = job("flux_schnell", "", &[]);
        assert_eq!(schnell.endpoint, "fal-ai/flux/schnell");
        let wanted = json!({"prompt": "A lighthouse at dusk\nlow sun", "image_size": {"width": 1088, "height": 1920}, "num_inference_steps": 4, "seed": 0x2345_6789});
        assert_eq!(schnell.input, wanted);
        assert!(notes.is_empty());
        let (ultra, _) = job("flux_pro_ultra", "CINEMATIC", &[]);
        assert_eq!(ultra.input["aspect_ratio"], "9:16");
        assert_eq!(
            ultra.input["prompt"],
            "A lighthouse at dusk\nlow sun\nStyle: cinematic"
        );
        let (recraft, _) = job("recraft", "realistic_image/hdr", &[]);
        assert_eq!(recraft.input["style"], "realistic_image/hdr");
        assert!(recraft.input.get("seed").is_none());
        let (gpt, _) = job("gpt_image_1", "", &[]);
        assert_eq!(gpt.input["image_size"], "1024x1536");
    }

    #[test]
    fn what_cannot_be_told_is_noted() {
        let (_, notes) = job("flux_lora", "90s-anime", &[]);
        assert!(notes[0].contains("no file"), "{notes:?}");
        let (_, notes) = job("midjourney", "", &[]);
        assert!(
            notes[0].contains("midjourney") && notes[0].contains("flux_pro_ultra"),
            "{notes:?}"
        );
        let (plain, notes) = job("hidream_full", "", &[vec![0x89]]);
        assert_eq!(plain.endpoint, "fal-ai/hidream-i1-full");
        assert!(
            notes[0].contains("does not accept character pictures"),
            "{notes:?}"
        );
        let (edit, notes) = job("bytedance_seedream_v3", "", &[vec![0x89], vec![0xff]]);
        assert_eq!(edit.endpoint, "fal-ai/bytedance/seedream/v4/edit");
        assert_eq!(
            edit.input["image_urls"],
            json!(["data:image/png;base64,iQ==", "data:image/jpeg;base64,/w=="])
        );
        assert_eq!(notes.len(), 1, "{notes:?}");
    }

    #[test]
    fn an_endpoint_for_characters_is_sent_its_own_inputs_and_no_others() {
        // The published inputs of each endpoint.
        let known = [
            (
                "fal-ai/flux-pro/kontext",
                "prompt image_url aspect_ratio seed guidance_scale sync_mode num_images output_format safety_tolerance enhance_prompt",
            ),
            (
                "fal-ai/gpt-image-1/edit-image",
                "prompt image_urls image_size num_images quality input_fidelity background output_format sync_mode",
            ),
            (
                "fal-ai/bytedance/seedream/v4/edit",
                "prompt image_urls image_size num_images max_images seed sync_mode enable_safety_checker enhance_prompt_mode",
            ),
        ];
        let table = ModelTable::builtin();
        for row in table.picture.iter().filter(|row| row.reference.is_some()) {
            let (made, notes) = job(&row.name, "CINEMATIC", &[vec![0x89]]);
            let (_, inputs) = known
                .iter()
                .find(|(endpoint, _)| *endpoint == made.endpoint)
                .unwrap();
            for field in made.input.as_object().unwrap().keys() {
                assert!(
                    inputs.split(' ').any(|known| known == field),
                    "{}: {field}",
                    row.name
                );
            }
            let is_told = made
                .input
                .get("aspect_ratio")
                .or(made.input.get("image_size"));
            assert!(is_told.is_some(), "{}: no size", row.name);
            let dearer = made.class != row.class();
            assert_eq!(
                notes.iter().any(|note| note.contains("at the price of")),
                dearer,
                "{notes:?}"
            );
        }
        let (schnell, _) = job("flux_schnell", "", &[vec![0x89]]);
        assert_eq!(schnell.input["aspect_ratio"], "9:16");
        assert_eq!(schnell.class, Some(CostClass::Standard));
    }

    #[test]
    fn a_lora_with_a_file_is_sent() {
        let over = "[[lora]]\nslug = \"90s-anime\"\nwords = \"anime\"\npath = \"https://example.com/a.safetensors\"\nscale = 0.8";
        let table = ModelTable::builtin().overridden(over).unwrap();
        let (row, mut notes) = table.live_picture("flux_lora").unwrap();
        let job = picture_job(row, &ask("flux_lora", "90s-anime"), &[], &table, &mut notes);
        assert_eq!(
            job.input["loras"],
            json!([{"path": "https://example.com/a.safetensors", "scale": 0.8}])
        );
        assert!(notes.is_empty());
    }

    #[test]
    fn clips_are_asked_for_in_the_lengths_that_are_known() {
        let table = ModelTable::builtin();
        let input = |model: &str, secs: f64| {
            let ask = ClipAsk {
                picture: ask("", ""),
                model: model.into(),
                notes: None,
                secs,
            };
            let (row, mut notes) = table.live_clip(model).unwrap();
            let picture = Picture {
                file: vec![0xff],
                width: 1080,
                height: 1920,
            };
            clip_job(row, &ask, &picture, &mut notes).input
        };
        assert_eq!(input("luma_ray2", 3.0)["duration"], "5s");
        assert_eq!(input("luma_ray2", 5.1)["duration"], "9s");
        assert_eq!(input("luma_ray2", 30.0)["duration"], "9s");
        assert_eq!(input("kling_v2_master_10s", 2.0)["duration"], "10");
        assert_eq!(input("seedance_480p_5s", 2.0)["resolution"], "480p");
        assert_eq!(input("ltx_video_13b_distilled", 5.0)["num_frames"], 121);
        assert_eq!(input("wan_i2v", 5.0)["num_frames"], 81);
        assert_eq!(input("wan_i2v", 60.0)["num_frames"], 97);
        assert_eq!(input("wan_i2v", 5.0)["aspect_ratio"], "9:16");
        assert!(input("stable_video", 5.0).get("prompt").is_none());
    }
}
