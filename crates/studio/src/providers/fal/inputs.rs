//! What a model is sent, by its row in the table.

use kinora::units::within;
use serde_json::{Map, Value, json};

use super::data_uri;
use crate::providers::models::{ClipModel, ModelTable, PictureModel};
use crate::providers::prompts::{clip_prompt, picture_prompt, style_in_words};
use crate::providers::sizing::{Told, nearest};
use crate::providers::{ClipAsk, Picture, PictureAsk};

/// Pictures that one request may refer to.
const MAX_REFERENCES: usize = 8;
/// Seeds are 32 bits at most endpoints.
const SEED_MASK: u64 = 0x7fff_ffff;

/// A request to the queue.
pub(super) struct Job {
    pub(super) endpoint: String,
    pub(super) input: Value,
}

/// How a style is told: as a field of the model, or in the prompt's words.
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
                "does not go with this model"
            };
            notes.push(format!(
                "the LoRA {style} {why}; the style was put into words"
            ));
            Styled {
                fields,
                words: lora.words.clone(),
            }
        }
    }
}

/// The request for a picture; `notes` gets what could not be told the model.
pub(super) fn picture_job(
    row: &PictureModel,
    ask: &PictureAsk,
    references: &[Vec<u8>],
    table: &ModelTable,
    notes: &mut Vec<String>,
) -> Job {
    let Styled { fields, words } = styled(row, &ask.style, table, notes);
    let mut input = row.inputs.clone();
    input.extend(fields);
    input.insert("prompt".to_owned(), picture_prompt(ask, &words).into());
    match row.size.told(ask.width, ask.height) {
        Some(Told::Pixels(width, height)) => input.insert(
            "image_size".to_owned(),
            json!({"width": width, "height": height}),
        ),
        Some(Told::Aspect(ratio)) => input.insert("aspect_ratio".to_owned(), ratio.into()),
        Some(Told::Named(size)) => input.insert("image_size".to_owned(), size.into()),
        None => None,
    };
    if !row.seed.is_empty() {
        input.insert(row.seed.clone(), (ask.seed & SEED_MASK).into());
    }
    let endpoint = match (&row.reference, references) {
        (_, []) => row.endpoint.clone(),
        (None, _) => {
            notes.push(format!(
                "the model {} takes no pictures of characters; it was told what they look like",
                row.name
            ));
            row.endpoint.clone()
        }
        (Some(reference), [first, ..]) => {
            let shown = if reference.is_list {
                references.len().min(MAX_REFERENCES)
            } else {
                1
            };
            if shown < references.len() {
                notes.push(format!(
                    "only {shown} of {} pictures of characters could be shown to {}",
                    references.len(),
                    row.name
                ));
            }
            let value = match reference.is_list {
                true => references
                    .iter()
                    .take(shown)
                    .map(|file| Value::from(data_uri(file)))
                    .collect(),
                false => Value::from(data_uri(first)),
            };
            input.insert(reference.field.clone(), value);
            reference.endpoint.clone()
        }
    };
    Job {
        endpoint,
        input: Value::Object(input),
    }
}

/// The request for a clip; `notes` gets what could not be told the model.
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
        notes.push(format!("the model {} takes no notes", row.name));
    }
    if let Some(ratio) = row.aspect.as_ref() {
        let name = nearest(&row.aspects, ':', ask.picture.width, ask.picture.height);
        input.extend(name.map(|name| (ratio.clone(), Value::from(name))));
    }
    // The next longer one, which is trimmed later; else the longest, which is held.
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
        // Video models code frames in blocks of eight after the first.
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(model: &str, style: &str) -> PictureAsk {
        PictureAsk {
            brief: "A lighthouse at dusk".into(),
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
        assert!(notes[0].contains("takes no pictures"), "{notes:?}");
        let (edit, notes) = job("bytedance_seedream_v3", "", &[vec![0x89], vec![0xff]]);
        assert_eq!(edit.endpoint, "fal-ai/bytedance/seedream/v4/edit");
        assert_eq!(
            edit.input["image_urls"],
            json!(["data:image/png;base64,iQ==", "data:image/jpeg;base64,/w=="])
        );
        assert_eq!(notes.len(), 1, "{notes:?}");
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
