//! Estimates what a request costs before it runs: the length of the video and the credits for it.
//!
//! Takes an [`Input`], made from a request, and [`Rates`], and gives an [`Estimate`], the same for the same input wherever it is computed. It calls no
//! provider. A create call holds this many credits, and no run takes more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::providers::CostClass;
use crate::request::{
    AnimationPreset, ImageModel, MAX_VIDEO_SECS, ShortRequest, UniverseRequest, VideoModel,
};
use crate::script::{canonical, pace};

pub use crate::script::pace::spoken_secs;

/// The length and the price of a video.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Seconds, to a tenth: the interface's `estimatedDuration`.
    pub duration_secs: f64,
    /// The interface's `estimatedCredits`.
    pub credits: u64,
}

/// The makers of a video's pictures and clips, or of one scene's, as far as they affect the price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Makers {
    /// The cost class of the picture's maker; `None`: that of the requested model.
    pub pictures: Option<CostClass>,
    /// The same for the clip, if there is one.
    pub clips: Option<CostClass>,
    /// Whether a script provider describes the pictures for a script that has only speech.
    pub briefs: bool,
}

/// What determines length and cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// Expected length of the video, in seconds.
    pub secs: f64,
    /// How its pictures are made.
    pub pictures: Pictures,
}

/// How pictures are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pictures {
    /// By a universe's preset.
    Preset(AnimationPreset),
    /// By a picture model, and a clip model if there are clips.
    Models(ImageModel, Option<VideoModel>),
}

impl Input {
    /// Creates the input of a Short: its length is the time to speak its script, or the words to be written.
    pub fn of_short(request: &ShortRequest) -> Input {
        let to_write = || pace::secs_of_words(request.script_config.target_length_in_words);
        let clips = &request.video_config;
        Input {
            secs: request.script.as_deref().map_or_else(to_write, spoken_secs),
            pictures: Pictures::Models(
                request.image_config.model,
                clips.enabled.then_some(clips.model),
            ),
        }
    }

    /// Creates the input of a universe's video. Its length is that of its audio, else its script (for each shot the longer of its stated length and its
    /// speech), else the target length.
    ///
    /// `audio_secs` is the measured length of the uploaded audio; if it is unknown, the request's value counts.
    pub fn of_universe(request: &UniverseRequest, audio_secs: Option<f64>) -> Input {
        let audio = request
            .voiceover_key
            .as_ref()
            .and(audio_secs.or(request.voiceover_duration));
        let script = request.user_script.as_deref().map(script_secs);
        Input {
            secs: audio
                .or(script)
                .unwrap_or_else(|| f64::from(request.target_secs())),
            pictures: Pictures::Preset(request.preset()),
        }
    }
}

/// Returns the spoken length of a script. One that is not canonical (no parsed request has one) counts as speech from end to end.
fn script_secs(text: &str) -> f64 {
    canonical::parse(text).map_or_else(
        |_| spoken_secs(text),
        |reading| reading.script.spoken_or_written_secs(),
    )
}

/// Credits for every started step of a video. A service has its own table; these are the defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rates {
    /// Length of a step, in seconds. Default 10.
    #[schemars(range(min = 1, max = 600))]
    pub secs_per_step: u32,
    /// Minimum price of a video. Default 5.
    pub minimum: u64,
    /// For videos in universes.
    pub presets: PresetRates,
    /// For pictures, in Shorts.
    pub images: ClassRates,
    /// For clips, in Shorts, in addition to the pictures they begin with.
    pub clips: ClassRates,
    /// Charged once if a language model describes the pictures for a script that has only speech. Default 1.
    pub briefs: u64,
}

/// Credits per step by `animationPreset`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PresetRates {
    /// Still pictures with slow motion. Default 2.
    pub just_storyboard: u64,
    /// Clips of fast models. Default 8.
    pub fast: u64,
    /// Clips of the best models. Default 20.
    pub pro_animation: u64,
}

/// Credits per step by the model's cost class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassRates {
    /// Made by the program itself, because no provider is configured or all failed. Default 1.
    #[serde(default = "one")]
    pub offline: u64,
    /// Small, fast models.
    pub economy: u64,
    /// Models that most videos use.
    pub standard: u64,
    /// The largest models.
    pub premium: u64,
}

fn one() -> u64 {
    1
}

impl Default for PresetRates {
    fn default() -> PresetRates {
        PresetRates {
            just_storyboard: 2,
            fast: 8,
            pro_animation: 20,
        }
    }
}

impl Default for Rates {
    /// Pictures 1, 2 or 4 credits a step; clips 6, 12 or 24 more.
    fn default() -> Rates {
        let rates = |economy, standard, premium| ClassRates {
            offline: one(),
            economy,
            standard,
            premium,
        };
        Rates {
            secs_per_step: 10,
            minimum: 5,
            presets: PresetRates::default(),
            images: rates(1, 2, 4),
            clips: rates(6, 12, 24),
            briefs: one(),
        }
    }
}

/// The class of the pictures included in the price of presets.
const CLASS_OF_PRESETS: CostClass = CostClass::Economy;

impl Rates {
    fn per_step(&self, pictures: Pictures, makers: &Makers) -> u64 {
        match pictures {
            Pictures::Preset(preset) => self.of_preset(preset, makers),
            Pictures::Models(image, clip) => {
                let class = makers.pictures.unwrap_or(CostClass::of_images(image));
                let clip = clip.map_or(0, |model| {
                    self.clips
                        .of(makers.clips.unwrap_or(CostClass::of_clips(model)))
                });
                self.images.of(class).saturating_add(clip)
            }
        }
    }

    /// Returns a preset's price. It rises if pictures take a more expensive model than usual. If the program makes the clips itself, it is at most the price of
    /// a storyboard plus offline clips.
    fn of_preset(&self, preset: AnimationPreset, makers: &Makers) -> u64 {
        let rate = match preset {
            AnimationPreset::JustStoryboard => self.presets.just_storyboard,
            AnimationPreset::Fast => self.presets.fast,
            AnimationPreset::ProAnimation => self.presets.pro_animation,
        };
        let own = self
            .presets
            .just_storyboard
            .saturating_add(self.clips.offline);
        let rate = match makers.clips {
            Some(CostClass::Offline) => rate.min(own),
            _ => rate,
        };
        let class = makers.pictures.unwrap_or(CLASS_OF_PRESETS);
        let more = self.images.of(class.max(CLASS_OF_PRESETS));
        rate.saturating_add(more.saturating_sub(self.images.of(CLASS_OF_PRESETS)))
    }

    fn of_briefs(&self, is_written: bool) -> u64 {
        if is_written { self.briefs } else { 0 }
    }
}

impl ClassRates {
    /// Returns the credits of a class.
    pub fn of(&self, class: CostClass) -> u64 {
        match class {
            CostClass::Offline => self.offline,
            CostClass::Economy => self.economy,
            CostClass::Standard => self.standard,
            CostClass::Premium => self.premium,
        }
    }
}

/// The length of a video and its price: every started step, and at least the minimum. Longer never costs less.
///
/// The length is capped at the maximum, which also replaces a length that is not a number.
pub fn estimate(input: &Input, rates: &Rates) -> Estimate {
    estimate_by(input, &Makers::default(), rates)
}

/// Estimates the same for known makers.
pub fn estimate_by(input: &Input, makers: &Makers, rates: &Rates) -> Estimate {
    let (duration_secs, n_steps) = steps(input.secs, rates);
    let credits = n_steps
        .saturating_mul(rates.per_step(input.pictures, makers))
        .saturating_add(rates.of_briefs(makers.briefs));
    Estimate {
        duration_secs,
        credits: credits.max(rates.minimum),
    }
}

/// Returns the price of a finished video: each scene by the makers of its picture and clip, weighted by its length. `scenes` holds seconds and makers.
pub fn charged(input: &Input, scenes: &[(f64, Makers)], rates: &Rates) -> u64 {
    let (_, n_steps) = steps(input.secs, rates);
    let all: f64 = scenes.iter().map(|(secs, _)| secs).sum();
    let first = scenes
        .first()
        .map(|(_, makers)| *makers)
        .unwrap_or_default();
    let is_same =
        |makers: &Makers| (makers.pictures, makers.clips) == (first.pictures, first.clips);
    if all <= 0.0 || scenes.iter().all(|(_, makers)| is_same(makers)) {
        return estimate_by(input, &first, rates).credits;
    }
    let parts = scenes
        .iter()
        .map(|(secs, makers)| rates.per_step(input.pictures, makers) as f64 * secs / all);
    let credits = (n_steps as f64 * parts.sum::<f64>() - 1e-6).ceil() as u64;
    let credits = credits.saturating_add(rates.of_briefs(first.briefs));
    credits.max(rates.minimum)
}

/// Returns the length of a video, to a tenth of a second, and the number of started steps.
fn steps(secs: f64, rates: &Rates) -> (f64, u64) {
    let secs = if secs.is_finite() {
        secs.clamp(1.0, MAX_VIDEO_SECS)
    } else {
        MAX_VIDEO_SECS
    };
    let duration_secs = (secs * 10.0 - 1e-6).ceil() / 10.0;
    let step = f64::from(rates.secs_per_step.max(1));
    (duration_secs, (duration_secs / step).ceil() as u64)
}
