//! Resolution of a timeline into draw lists and a mix plan.
//!
//! Input: a [`Timeline`], facts about its media, and fonts. Output: a [`Plan`], whose [`Plan::at`] returns any frame as a draw list.
//! It does no I/O, reads no clock, and draws all random choices from the document's seed. Same document and facts, same plan.

mod captions;
mod clips;
pub mod looks;
mod styles;

mod cuts;
mod easing;
mod known;
mod lengths;
mod motion;
mod overlays;
mod pictures;
mod places;
mod report;
mod seed;
mod shots;
mod sound;
mod source;
mod transitions;

use crate::error::{Error, Problem, Result, Warning};
use crate::facts::Facts;
use crate::scene::draw::{DrawList, Layer, LayerId};
use crate::scene::mix::MixPlan;
use crate::scene::{ClipUse, PictureUse};
use crate::text::Fonts;
use crate::timeline::{Fps, Timeline};
use crate::units::{Color, FrameRate, Size, Time};
use captions::CaptionTrack;
pub(crate) use captions::{PageWord, ShownPage, Timing, sentence_ends};
use cuts::Cut;
use report::Report;
use shots::Shot;
pub(crate) use sound::{SPEEDS, heard_span, piece};

/// Longest distance between keyframes, so that a player can seek. For moving still pictures, a keyframe costs as much as 40 other frames.
/// With keyframes every 2 s, files were 1.4 (H.264) to 1.7 (AV1) times as large at the same quality.
const MAX_KEYFRAME_GAP: Time = Time::from_millis(5000);
/// Id of the captions' main layer; their other layers use ids below it, down to half the id range.
const CAPTIONS_ID: LayerId = LayerId(u32::MAX);

/// Returns whether a layer of a frame belongs to the captions.
pub(crate) fn is_caption(id: LayerId) -> bool {
    id.0 > CAPTIONS_ID.0 / 2
}

/// A resolved document: sizes, spans and all choices are fixed; nothing is drawn yet.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Size of the canvas.
    pub size: Size,
    /// Frames per second.
    pub rate: FrameRate,
    /// Frames in the video.
    pub n_frames: u64,
    /// Color behind everything.
    pub background: Color,
    /// Pictures by [`crate::scene::draw::PictureId`].
    pub pictures: Vec<PictureUse>,
    /// Clips; their ids are above those of the pictures.
    pub clips: Vec<ClipUse>,
    /// Frames that must be keyframes, rising: frame 0, each cut, and others so that gaps are at most 5 s.
    pub keyframes: Vec<u64>,
    /// The sound.
    pub mix: MixPlan,
    shots: Vec<Shot>,
    cuts: Vec<Cut>,
    overlays: Vec<overlays::Overlay>,
    captions: Option<CaptionTrack>,
    timing: Timing,
}

impl Plan {
    /// Resolves a document. Reports all problems together; returns the warnings with the plan.
    pub fn resolve(
        timeline: &Timeline,
        facts: &Facts,
        fonts: &Fonts,
    ) -> Result<(Plan, Vec<Warning>)> {
        let mut report = Report::default();
        let plan = Plan::build(timeline, facts, fonts, &mut report);
        // `spoken` words exist only if the document has just their text.
        captions::point_to_text(&facts.spoken, &mut report);
        match plan {
            Some(plan) if report.problems.is_empty() => Ok((plan, report.warnings)),
            _ => Err(Error::document(report.problems)),
        }
    }

    fn build(
        timeline: &Timeline,
        facts: &Facts,
        fonts: &Fonts,
        report: &mut Report,
    ) -> Option<Plan> {
        let (timeline, timing) = captions::written(timeline, &facts.spoken, report);
        let timeline = &*timeline;
        let (size, rate) = output(timeline, report);
        let background = Color {
            a: 1.0,
            ..report.color("output.background", &timeline.output.background)
        };
        let scope = shots::Scope {
            timeline,
            facts,
            size,
            rate,
        };
        let lengths::Lengths { frames, are_told } = lengths::boundaries(&scope, report);
        if timing.is_none() {
            // Without known words, shots cannot be too long for them.
            let is_by_words =
                |p: &Problem| p.path.starts_with("shots[") && p.path.ends_with("].words");
            report.problems.retain(|problem| !is_by_words(problem));
        }
        let mut table = pictures::PictureTable::default();
        let (shots, cuts) = shots::resolve(&scope, &frames, &mut table, report);
        let n_frames = frames.last().copied().unwrap_or(0);
        // If lengths are wrong, nothing else is reported as past the end.
        let end = if are_told && timing.is_some() {
            rate.time_of(n_frames)
        } else {
            lengths::LONGEST
        };
        let scope = overlays::Scope {
            facts,
            fonts,
            size,
            rate,
            end,
        };
        let overlays = overlays::resolve(&timeline.layers, &scope, &mut table, report);
        let captions = timeline.captions.as_ref();
        let captions =
            captions.and_then(|written| CaptionTrack::resolve(written, size, end, fonts, report));
        let mut mix = sound::resolve(timeline, facts, end, report);
        mix.tracks.extend(shots::sounds(&shots));
        // Lengths are unbounded until they pass the checks, and the number of keyframes grows with them.
        if n_frames == 0 || !report.problems.is_empty() {
            return None;
        }
        let keyframes = keyframes(&frames, rate);
        let (pictures, clips) = table.finish();
        Some(Plan {
            size,
            rate,
            n_frames,
            background,
            pictures,
            clips,
            keyframes,
            mix,
            shots,
            cuts,
            overlays,
            captions,
            timing: timing.unwrap_or(Timing::Exact),
        })
    }

    /// Returns the source of the caption words' times.
    pub(crate) fn timing(&self) -> Timing {
        self.timing
    }

    /// Returns the document path of a page's words: in its word list, or the text from which they were found.
    pub(crate) fn path_of_page(&self, page: ShownPage) -> String {
        match self.timing {
            Timing::Exact => format!("captions.words[{}].text", page.first_word()),
            Timing::Estimated => "captions.text".to_owned(),
        }
    }

    /// Returns the length of the video.
    pub fn duration(&self) -> Time {
        self.rate.time_of(self.n_frames)
    }

    /// Returns everything that must be decoded: pictures and clips.
    pub fn sources(&self) -> (&[PictureUse], &[ClipUse]) {
        (&self.pictures, &self.clips)
    }

    /// Returns the transition of every cut: the index of the incoming shot, and the name (for `Random`, the transition drawn).
    pub fn transitions(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.cuts.iter().map(|cut| (cut.after, cut.name))
    }

    /// Returns any frame of the video as a draw list; frames past the end repeat the last.
    pub fn at(&self, frame: u64) -> DrawList {
        let frame = frame.min(self.n_frames - 1);
        let mut layers = self.layers(frame);
        if let Some(before) = frame.checked_sub(1) {
            known::compare(&self.layers(before), &mut layers);
        }
        DrawList {
            frame,
            background: self.background,
            layers,
        }
    }

    /// Returns the caption pages as shown; empty without captions.
    pub(crate) fn caption_pages(&self) -> impl Iterator<Item = ShownPage<'_>> {
        self.captions.iter().flat_map(CaptionTrack::pages)
    }

    /// Returns the caption words as written; empty without captions.
    pub(crate) fn caption_words(&self) -> impl Iterator<Item = PageWord<'_>> {
        self.captions.iter().flat_map(CaptionTrack::said)
    }

    /// Describes a frame's position for users: its index and its shot.
    pub(crate) fn place_of(&self, frame: u64) -> String {
        format!("frame {frame} (shots[{}])", self.shot_at(frame))
    }

    /// Returns the index of the shot that a frame belongs to.
    pub(crate) fn shot_at(&self, frame: u64) -> usize {
        self.shots.partition_point(|shot| shot.end_frame <= frame)
    }

    /// Returns the layers of a frame, back to front, without comparison to the previous frame.
    fn layers(&self, frame: u64) -> Vec<Layer> {
        let t = self.rate.time_of(frame);
        let mut layers = Vec::new();
        // Overlaps are in order and never touch: each takes less than half of a shot.
        let next = self.cuts.partition_point(|cut| cut.end <= t);
        match self.cuts.get(next).filter(|cut| cut.start <= t) {
            Some(cut) => {
                let frame = (self.size, self.rate.frame_duration());
                layers.extend(cut.layers(&self.shots, t, frame));
            }
            None => {
                layers.extend(
                    self.shots
                        .get(self.shot_at(frame))
                        .map(|shot| shot.layers(t))
                        .unwrap_or_default(),
                );
            }
        }
        layers.extend(self.overlays.iter().filter_map(|overlay| overlay.layer(t)));
        if let Some(captions) = &self.captions {
            layers.extend(captions.layers_at(t, CAPTIONS_ID));
        }
        layers
    }
}

/// Returns the checked size and rate of the picture.
fn output(timeline: &Timeline, report: &mut Report) -> (Size, FrameRate) {
    if timeline.version != Timeline::VERSION {
        let message = format!(
            "version {} is not supported; this engine reads version {}",
            timeline.version,
            Timeline::VERSION
        );
        report.problem(Problem::new("unknown_version", "version", message));
    }
    let out = &timeline.output;
    for (name, side) in [("width", out.width), ("height", out.height)] {
        if !Size::SIDES.contains(&side) || side % 2 != 0 {
            let message = format!(
                "{side} px is not an even number from {} to {}",
                Size::SIDES.start(),
                Size::SIDES.end()
            );
            report.problem(Problem::new(
                "out_of_range",
                format!("output.{name}"),
                message,
            ));
        }
    }
    let rate = match &out.fps {
        Fps::Whole(fps) => FrameRate::new(*fps, 1),
        Fps::Text(text) => rate_from_text(text),
    };
    if rate.is_none() {
        let shown = match &out.fps {
            Fps::Whole(fps) => fps.to_string(),
            Fps::Text(text) => format!("`{}`", text.chars().take(40).collect::<String>()),
        };
        let message = format!(
            "{shown} is not a frame rate from 1 to 120 whose frames last a whole number of 1/705,600,000 s"
        );
        let problem = Problem::new("bad_rate", "output.fps", message);
        report.problem(problem.hint(
            "use, for example, 24, 25, 30, 50, 60, 120 or their /1.001 forms (\"30000/1001\", \"29.97\")",
        ));
    }
    let standard = Size {
        width: 1080,
        height: 1920,
    };
    let thirty = FrameRate::new(30, 1).expect("a frame of 1/30 s is whole in ticks");
    (
        Size::new(out.width, out.height).unwrap_or(standard),
        rate.unwrap_or(thirty),
    )
}

/// Parses `30`, `30000/1001`, or the usual short forms of the NTSC rates.
fn rate_from_text(text: &str) -> Option<FrameRate> {
    let ntsc = match text.trim() {
        "23.976" | "23.98" => Some(24),
        "29.97" => Some(30),
        "59.94" => Some(60),
        "119.88" => Some(120),
        _ => None,
    };
    match (ntsc, text.split_once('/')) {
        (Some(nominal), _) => FrameRate::new(nominal * 1000, 1001),
        (None, Some((num, den))) => {
            FrameRate::new(num.trim().parse().ok()?, den.trim().parse().ok()?)
        }
        (None, None) => FrameRate::new(text.trim().parse().ok()?, 1),
    }
}

/// Returns every boundary, plus evenly spaced frames between boundaries so that gaps are at most 5 s.
fn keyframes(boundaries: &[u64], rate: FrameRate) -> Vec<u64> {
    let longest = (MAX_KEYFRAME_GAP.0 / rate.frame_duration().0).max(1) as u64;
    let split = |pair: &[u64]| {
        let (start, length) = (pair[0], pair[1] - pair[0]);
        let parts = length.div_ceil(longest);
        (0..parts).map(move |k| start + length * k / parts)
    };
    boundaries.windows(2).flat_map(split).collect()
}
