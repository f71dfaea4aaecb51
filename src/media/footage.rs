//! A clip's frames, decoded by kinora itself, or by the machine's ffmpeg where kinora cannot and the assets allow it.

use std::sync::Arc;

use super::Assets;
use super::clip::{ClipFacts, ClipFrame, ClipReader};
use super::ffmpeg::{ForeignClip, INSTALL, NOT_READ, Stop};
use super::refusal::{Refusal, guarded};
use crate::error;
use crate::units::Time;

/// A clip that is open, as a render opens it.
pub struct Footage<'a> {
    name: &'a str,
    assets: &'a dyn Assets,
    facts: ClipFacts,
    decoder: Decoder,
    stop: Stop,
}

impl std::fmt::Debug for Footage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Footage")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

enum Decoder {
    Own(Box<ClipReader>),
    Foreign(Box<ForeignClip>),
}

impl<'a> Footage<'a> {
    /// Opens the clip behind a name, within the assets' limits.
    ///
    /// # Errors
    /// `Media`, naming the asset, when it cannot be opened or is no clip that can be decoded.
    pub fn of_asset(name: &'a str, assets: &'a dyn Assets) -> error::Result<Footage<'a>> {
        Footage::open(name, assets).map_err(|refusal| refusal.error(name, ""))
    }

    /// The frame on the screen at `time`: that whose interval holds it; before the start the first, after the end the last.
    ///
    /// # Errors
    /// `Media`, naming the asset, when the frame or one that it needs cannot be decoded.
    pub fn frame_at(&mut self, time: Time) -> error::Result<Arc<ClipFrame>> {
        let index = self.facts.starts.partition_point(|start| *start <= time);
        let frame = self.frame(index.saturating_sub(1));
        frame.map_err(|refusal| refusal.error(self.name, ""))
    }

    /// Opens the clip behind a name.
    pub(crate) fn open(name: &'a str, assets: &'a dyn Assets) -> Result<Footage<'a>, Refusal> {
        let stream = assets
            .open(name)
            .map_err(|e| Refusal::of_open(&e, name, assets))?;
        let own = guarded(|| ClipReader::open(stream, &assets.clip_limits()));
        let decoder = match own {
            Ok(reader) => Decoder::Own(Box::new(reader)),
            Err(refusal) => Decoder::Foreign(Box::new(foreign(name, assets, refusal)?)),
        };
        Ok(Footage {
            name,
            assets,
            facts: decoder.facts().clone(),
            decoder,
            stop: Stop::default(),
        })
    }

    /// Lets `stop` end a wait for another program.
    pub(crate) fn stopped_by(&mut self, stop: &Stop) {
        self.stop = stop.clone();
        if let Decoder::Foreign(clip) = &mut self.decoder {
            clip.stopped_by(stop);
        }
    }

    /// What is known of the clip.
    pub fn facts(&self) -> &ClipFacts {
        &self.facts
    }

    /// What its user should know of the decoder, to follow the file's name.
    pub fn told(&self) -> Option<String> {
        match &self.decoder {
            Decoder::Own(_) => None,
            Decoder::Foreign(clip) => Some(clip.told().to_owned()),
        }
    }

    /// Whether the frame of this index could not be decoded and another is shown for it.
    pub(crate) fn is_lost(&self, index: usize) -> bool {
        match &self.decoder {
            Decoder::Own(reader) => reader.is_lost(index),
            Decoder::Foreign(_) => false,
        }
    }

    /// The frame that begins at `facts().starts[index]`; an index past the end gives the last.
    pub(crate) fn frame(&mut self, index: usize) -> Result<Arc<ClipFrame>, Refusal> {
        let refusal = match &mut self.decoder {
            Decoder::Foreign(clip) => return clip.frame_at(self.facts.inside(index)),
            Decoder::Own(reader) => match guarded(|| reader.frame(index)) {
                Ok(frame) => return Ok(frame),
                Err(refusal) => refusal,
            },
        };
        // Some of what cannot be decoded is seen only when it comes, such as fields.
        let mut clip = foreign(self.name, self.assets, refusal)?;
        clip.stopped_by(&self.stop);
        // Its frames may be counted in another way: the time says which is meant.
        let frame = clip.frame_at(self.facts.inside(index));
        self.decoder = Decoder::Foreign(Box::new(clip));
        frame
    }
}

impl Decoder {
    fn facts(&self) -> &ClipFacts {
        match self {
            Decoder::Own(reader) => reader.facts(),
            Decoder::Foreign(clip) => clip.facts(),
        }
    }
}

/// The machine's ffmpeg for a clip that kinora refused, if it may and can read it; otherwise that refusal, with what would help.
fn foreign(name: &str, assets: &dyn Assets, refusal: Refusal) -> Result<ForeignClip, Refusal> {
    let Some(ffmpeg) = assets
        .ffmpeg()
        .filter(|_| matches!(refusal.code, "unsupported_clip" | "missing_library"))
    else {
        return Err(refusal);
    };
    if ffmpeg.version().is_err() {
        let hint = refusal.hint.as_deref().unwrap_or_default();
        let hint = format!("{hint}; or {INSTALL}");
        return Err(refusal.hint(hint));
    }
    ForeignClip::open(name, assets, ffmpeg).map_err(|other| match other.code {
        NOT_READ => Refusal {
            reason: format!(
                "{} (and this machine's ffmpeg does not read it either: {})",
                refusal.reason, other.reason
            ),
            ..refusal
        },
        _ => other,
    })
}
