//! The table of models: the current model for each name of the interface, and its fallback if it is gone. The data is in `data/models.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::providers::CostClass;
use crate::request::{ImageModel, VideoModel, WireName};
use crate::scene::cast_member;

/// Whether a model is available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is available.
    #[default]
    Live,
    /// It was available once.
    Retired,
    /// No public interface is known.
    Absent,
}

/// How a model takes the size of its picture.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sizing {
    /// Width and height, with the longer side at most this, px.
    Pixels(u32),
    /// The nearest of these ratios, such as `9:16`.
    Aspect(Vec<String>),
    /// The nearest of these sizes, such as `1024x1536`.
    Named(Vec<String>),
}

impl Default for Sizing {
    fn default() -> Sizing {
        Sizing::Pixels(1440)
    }
}

/// Aspect ratios that nearly all models know.
fn default_aspects() -> Vec<String> {
    ["16:9", "9:16", "1:1"].map(str::to_owned).to_vec()
}

/// How a model takes reference pictures.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Called instead of the model's own endpoint.
    pub endpoint: String,
    /// The field for the pictures' addresses.
    pub field: String,
    /// Whether the field takes a list.
    pub is_list: bool,
    /// How it takes a size, if that differs from the model itself.
    pub size: Option<Sizing>,
    /// The field for the seed; empty for none.
    #[serde(default = "default_seed")]
    pub seed: String,
    /// Inputs that are always sent, in place of the model's own.
    #[serde(default)]
    pub inputs: Map<String, Value>,
    /// Its cost class, if it is higher than that of the model itself.
    pub class: Option<CostClass>,
}

/// A row of `[[picture]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PictureModel {
    /// The interface's name, or one used only by fallbacks.
    pub name: String,
    /// The vendor; empty if there is none.
    #[serde(default)]
    pub vendor: String,
    /// The endpoint, as the vendor spells it.
    #[serde(default)]
    pub endpoint: String,
    /// Whether it is available.
    #[serde(default)]
    pub state: State,
    /// The model that is used instead.
    pub fallback: Option<String>,
    /// How it takes a size.
    #[serde(default)]
    pub size: Sizing,
    /// The field for a style's name.
    pub style: Option<String>,
    /// Whether it takes LoRA files.
    #[serde(default)]
    pub lora: bool,
    /// The field for the seed; empty for none.
    #[serde(default = "default_seed")]
    pub seed: String,
    /// Inputs that are always sent.
    #[serde(default)]
    pub inputs: Map<String, Value>,
    /// How it takes reference pictures.
    pub reference: Option<Reference>,
}

impl PictureModel {
    /// Returns the cost class by its name; `None` for names used only by fallbacks, which cost as much as the requested model.
    pub fn class(&self) -> Option<CostClass> {
        ImageModel::parse(&self.name).map(CostClass::of_images)
    }
}

impl ClipModel {
    /// Returns the same for a clip model.
    pub fn class(&self) -> Option<CostClass> {
        VideoModel::parse(&self.name).map(CostClass::of_clips)
    }
}

fn default_seed() -> String {
    "seed".to_owned()
}

/// A length that a model supports.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// The vendor's spelling.
    pub value: String,
    /// Its meaning in seconds.
    pub secs: f64,
}

/// A length given as a number of frames.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameCount {
    /// The name of the field.
    pub field: String,
    /// Frames per second.
    pub fps: f64,
    /// Fewest.
    pub least: u32,
    /// Most.
    pub most: u32,
}

/// A row of `[[clip]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipModel {
    /// The interface's name, or one used only by fallbacks.
    pub name: String,
    /// The vendor; empty if there is none.
    #[serde(default)]
    pub vendor: String,
    /// The endpoint, as the vendor spells it.
    #[serde(default)]
    pub endpoint: String,
    /// Whether it is available.
    #[serde(default)]
    pub state: State,
    /// The model that is used instead.
    pub fallback: Option<String>,
    /// The field for the picture's address.
    #[serde(default = "default_image")]
    pub image: String,
    /// Whether it takes a prompt.
    #[serde(default = "yes")]
    pub prompt: bool,
    /// Lengths that it supports, for the field `duration`.
    #[serde(default)]
    pub duration: Vec<Length>,
    /// How it takes a length in frames.
    pub frames: Option<FrameCount>,
    /// The field for the aspect ratio.
    pub aspect: Option<String>,
    /// Aspect ratios that it supports.
    #[serde(default = "default_aspects")]
    pub aspects: Vec<String>,
    /// Inputs that are always sent.
    #[serde(default)]
    pub inputs: Map<String, Value>,
}

fn default_image() -> String {
    "image_url".to_owned()
}

fn yes() -> bool {
    true
}

/// A row of `[[lora]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lora {
    /// A value of `loraConfig.loraSlug`.
    pub slug: String,
    /// The style in words.
    pub words: String,
    /// The address of its weights, if the operator has set one.
    pub path: Option<String>,
    /// Its strength.
    pub scale: Option<f64>,
}

/// A row of `[[voice]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    /// A value of `voiceId`.
    pub id: String,
    /// The vendor of the voice.
    pub vendor: String,
}

/// A row of `[[openai_size]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenAiSize {
    /// The start of a model's name.
    pub prefix: String,
    /// How it takes a size.
    pub size: Sizing,
}

/// The table of models.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelTable {
    /// Models of pictures.
    pub picture: Vec<PictureModel>,
    /// Models of clips.
    pub clip: Vec<ClipModel>,
    /// Names of styles, by the vendor list that has them.
    pub styles: BTreeMap<String, Vec<String>>,
    /// LoRA files.
    pub lora: Vec<Lora>,
    /// Voices.
    pub voice: Vec<Voice>,
    /// Sizes for OpenAI models.
    pub openai_size: Vec<OpenAiSize>,
}

/// What the rows of models have in common.
trait Row {
    fn name(&self) -> &str;
    fn state(&self) -> State;
    fn fallback(&self) -> Option<&str>;
    fn is_askable(&self) -> bool;
}

macro_rules! row {
    ($model:ty) => {
        impl Row for $model {
            fn name(&self) -> &str {
                &self.name
            }
            fn state(&self) -> State {
                self.state
            }
            fn fallback(&self) -> Option<&str> {
                self.fallback.as_deref()
            }
            fn is_askable(&self) -> bool {
                !self.vendor.is_empty() && !self.endpoint.is_empty()
            }
        }
    };
}
row!(PictureModel);
row!(ClipModel);

impl ModelTable {
    /// Returns the table that comes with the program.
    pub fn builtin() -> ModelTable {
        toml::from_str(include_str!("../../data/models.toml")).expect("a test reads this file")
    }

    /// Merges an operator's table into this one: rows of the same name are replaced, others added.
    ///
    /// # Errors
    /// All problems of the result, one sentence each.
    pub fn overridden(mut self, text: &str) -> Result<ModelTable, Vec<String>> {
        let over: ModelTable =
            toml::from_str(text).map_err(|e| vec![e.to_string().trim().to_owned()])?;
        lay(&mut self.picture, over.picture, |row| &row.name);
        lay(&mut self.clip, over.clip, |row| &row.name);
        lay(&mut self.lora, over.lora, |row| &row.slug);
        lay(&mut self.voice, over.voice, |row| &row.id);
        lay(&mut self.openai_size, over.openai_size, |row| &row.prefix);
        // Longer prefixes come before the shorter ones they begin with.
        self.openai_size
            .sort_by_key(|row| std::cmp::Reverse(row.prefix.len()));
        self.styles.extend(over.styles);
        let problems = self.problems();
        match problems.is_empty() {
            true => Ok(self),
            false => Err(problems),
        }
    }

    /// Returns the problems of the table, such as fallbacks that lead nowhere.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = chain_problems(&self.picture);
        problems.extend(chain_problems(&self.clip));
        problems
    }

    /// Returns the picture model to use for a name, and notes for the user.
    pub fn live_picture(&self, name: &str) -> Option<(&PictureModel, Vec<String>)> {
        live(&self.picture, name)
    }

    /// Returns the clip model to use for a name, and notes for the user.
    pub fn live_clip(&self, name: &str) -> Option<(&ClipModel, Vec<String>)> {
        live(&self.clip, name)
    }

    /// Returns whether a vendor's list has this style.
    pub fn knows_style(&self, vendor_list: &str, style: &str) -> bool {
        self.styles
            .get(vendor_list)
            .is_some_and(|list| list.iter().any(|known| known == style))
    }

    /// Returns the voice to use at `vendor`, and a note if it is not the requested one. Ids missing in the table are the vendor's own.
    pub fn voice_for<'a>(&'a self, vendor: &str, id: &'a str) -> (&'a str, Vec<String>) {
        if let Some((n, _)) = cast_member(id) {
            let own: Vec<&Voice> = self.voice.iter().filter(|v| v.vendor == vendor).collect();
            let voice = own.get((n + 1) % own.len().max(1));
            return (voice.map_or("", |voice| &voice.id), Vec::new());
        }
        let known = self.voice.iter().find(|voice| voice.id == id);
        let first = self.voice.iter().find(|voice| voice.vendor == vendor);
        match (known, first) {
            (Some(voice), Some(first)) if voice.vendor != vendor => {
                let note = format!(
                    "the voice {id} belongs to another provider; using {}",
                    first.id
                );
                (&first.id, vec![note])
            }
            (_, Some(first)) if id.is_empty() => (&first.id, Vec::new()),
            _ => (id, Vec::new()),
        }
    }

    /// Returns how this model of an OpenAI-compatible server takes a size.
    pub fn openai_sizing(&self, model: &str) -> Option<&Sizing> {
        let row = self
            .openai_size
            .iter()
            .find(|row| model.starts_with(&row.prefix));
        row.map(|row| &row.size)
    }
}

fn lay<T>(rows: &mut Vec<T>, over: Vec<T>, name: impl Fn(&T) -> &String) {
    for new in over {
        match rows.iter_mut().find(|row| name(row) == name(&new)) {
            Some(row) => *row = new,
            None => rows.push(new),
        }
    }
}

/// Follows fallbacks from `name` to an available model. A name that is not in the table starts at the first row.
fn live<'a, T: Row>(rows: &'a [T], name: &str) -> Option<(&'a T, Vec<String>)> {
    let find = |name: &str| rows.iter().find(|row| row.name() == name);
    let asked = find(name);
    let mut row = asked.or(rows.first())?;
    for _ in 0..rows.len() {
        if row.state() == State::Live {
            break;
        }
        row = find(row.fallback()?)?;
    }
    let why = match asked.map(Row::state) {
        Some(State::Live) => return Some((row, Vec::new())),
        Some(State::Retired) => "is retired",
        Some(State::Absent) => "has no public API",
        None => "is not in the table of models",
    };
    let note = format!("the model {name} {why}; using {} instead", row.name());
    (row.state() == State::Live).then(|| (row, vec![note]))
}

fn chain_problems<T: Row>(rows: &[T]) -> Vec<String> {
    let mut problems = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let name = row.name();
        if rows[..i].iter().any(|other| other.name() == name) {
            problems.push(format!("{name}: appears twice in the table"));
        }
        if row.state() == State::Live && !row.is_askable() {
            problems.push(format!("{name}: is live but has no vendor or no endpoint"));
        }
        if row.state() != State::Live && row.fallback().is_none() {
            problems.push(format!("{name}: is not available and has no fallback"));
        }
        let mut at = row;
        let mut n_steps = 0;
        while let Some(next) = at.fallback() {
            n_steps += 1;
            match rows.iter().find(|row| row.name() == next) {
                None => {
                    problems.push(format!("{name}: its fallback {next} is not in the table"));
                    break;
                }
                Some(_) if n_steps > rows.len() => {
                    problems.push(format!("{name}: its fallbacks form a loop"));
                    break;
                }
                Some(row) => at = row,
            }
        }
    }
    problems
}
