//! Puts all results on a timeline in a separate folder, which `kinora render` can render again.

use std::fs;
use std::io;
use std::path::Path;

use kinora::timeline::{
    Audio, CaptionPosition, Captions, Clip, ClipFill, Draw, Layer, Music, NameOr, Place, Shot,
    TextDraw, Timeline, Voice, Word,
};

use super::brief::{Brief, CaptionChoice, MusicChoice};
use super::paint::{Animated, Painted};
use super::schedule::Span;
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::SpokenToken;
use crate::request::{CaptionStyle, WireName};

/// The results to lay out.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub brief: &'a Brief,
    /// The folder of the results.
    pub steps: &'a Path,
    /// One for each scene.
    pub spans: &'a [Span],
    pub pictures: &'a [Painted],
    /// One for each scene, or an empty list.
    pub clips: &'a [Animated],
    /// Sound files and their start times.
    pub voice: Vec<(&'a Path, f64)>,
    /// The playback speed of voices.
    pub speed: f64,
    pub words: &'a [SpokenToken],
    /// The music file.
    pub music: Option<&'a Path>,
}

/// Creates the folder and the timeline in it, `timeline.json`.
pub(crate) fn lay_out(parts: &Parts<'_>, folder: &Path) -> Result<Timeline, Failure> {
    let laid = timeline(parts, folder).and_then(|timeline| {
        let text = serde_json::to_string_pretty(&timeline)?;
        let unfinished = tempfile::NamedTempFile::new_in(folder)?;
        fs::write(unfinished.path(), text)?;
        unfinished
            .persist(folder.join("timeline.json"))
            .map_err(|e| e.error)?;
        Ok(timeline)
    });
    laid.map_err(|e| {
        let message = format!("{} cannot be written: {e}", folder.display());
        Failure::new(Stage::Timeline, FailureKind::of_io(&e), message)
    })
}

fn timeline(parts: &Parts<'_>, folder: &Path) -> io::Result<Timeline> {
    fs::create_dir_all(folder)?;
    let brief = parts.brief;
    let mut shots = Vec::new();
    for (i, span) in parts.spans.iter().enumerate() {
        let mut shot = Shot {
            duration: Some(span.secs()),
            ..Shot::default()
        };
        match parts.clips.get(i) {
            Some(clip) => {
                let file = place(
                    (parts.steps, folder),
                    &format!("scene-{:03}", i + 1),
                    &clip.file,
                )?;
                shot.clip = Some(Clip {
                    fill: ClipFill::Slow,
                    ..Clip::new(file)
                });
            }
            None => {
                shot.picture = Some(place(
                    (parts.steps, folder),
                    &format!("scene-{:03}", i + 1),
                    &parts.pictures[i].file,
                )?)
            }
        }
        shots.push(shot);
    }
    let mut timeline = Timeline::new(shots);
    [timeline.output.width, timeline.output.height] = brief.size;
    timeline.output.codec = brief.codec;
    timeline.seed = brief.seed;
    timeline.transition = NameOr::Name(brief.transition.clone());
    timeline.motion = NameOr::Name(if brief.floating { "floating" } else { "still" }.into());
    timeline.audio = audio(parts, folder)?;
    let captions = brief.captions.as_ref().filter(|_| !parts.words.is_empty());
    timeline.captions = captions.map(|choice| captions_of(choice, parts.words));
    timeline
        .layers
        .extend(brief.watermark.as_deref().map(watermark));
    Ok(timeline)
}

fn audio(parts: &Parts<'_>, folder: &Path) -> io::Result<Audio> {
    let mut audio = Audio::default();
    for (i, (file, start)) in parts.voice.iter().enumerate() {
        let mut voice = Voice::new(place(
            (parts.steps, folder),
            &format!("voice-{:03}", i + 1),
            file,
        )?);
        voice.start = *start;
        voice.speed = parts.speed;
        audio.voice.push(voice);
    }
    if let (Some(file), Some(choice)) = (parts.music, &parts.brief.music) {
        if audio.voice.is_empty() {
            audio.loudness = alone(choice.volume);
        }
        audio
            .music
            .push(music(choice, place((parts.steps, folder), "music", file)?));
    }
    Ok(audio)
}

/// Returns the loudness of music without speech: at full volume that of any video, else lower, as it would be behind a voice. `None` below the allowed range
/// leaves the level unchanged.
fn alone(volume: f64) -> Option<f64> {
    let usual = Audio::default().loudness?;
    Some(usual + 20.0 * volume.log10()).filter(|lufs| *lufs >= SOFTEST_LUFS)
}

/// The lowest loudness that a video may have.
const SOFTEST_LUFS: f64 = -40.0;

fn music(choice: &MusicChoice, file: String) -> Music {
    Music {
        volume: choice.volume,
        looped: choice.looped,
        fade_in: 0.5,
        ..Music::new(file)
    }
}

fn captions_of(choice: &CaptionChoice, words: &[SpokenToken]) -> Captions {
    let words = words.iter();
    Captions {
        style: NameOr::Name(choice.style.clone()),
        position: match choice.position.as_str() {
            "top" => CaptionPosition::Top,
            "center" => CaptionPosition::Center,
            _ => CaptionPosition::Bottom,
        },
        ..Captions::new(
            words
                .map(|word| Word::new(&word.text, word.start, word.end))
                .collect(),
        )
    }
}

/// A small text in the upper right corner, above the usual position of captions.
fn watermark(text: &str) -> Layer {
    let mut draw = TextDraw::new(text);
    draw.style = NameOr::Name(CaptionStyle::Minimal.as_str().into());
    draw.place = Place {
        x: 0.84,
        y: 0.04,
        width: 0.28,
        ..Place::default()
    };
    let mut layer = Layer::new(Draw::Text(draw));
    layer.opacity = 0.6;
    layer
}

/// Places a file in the folder under a name. A result, which never changes, is linked if the file system can; any other file is copied. An existing file of
/// that name is replaced.
fn place((steps, folder): (&Path, &Path), stem: &str, file: &Path) -> io::Result<String> {
    let extension = file.extension().and_then(|e| e.to_str()).unwrap_or("bin");
    let name = format!("{stem}.{extension}");
    let target = folder.join(&name);
    match fs::remove_file(&target) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    if !file.starts_with(steps) || fs::hard_link(file, &target).is_err() {
        fs::copy(file, &target)?;
    }
    Ok(name)
}
