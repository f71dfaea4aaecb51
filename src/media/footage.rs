//! A clip's frames, decoded by kinora itself, or by the machine's ffmpeg if kinora cannot and the assets allow it.

use std::sync::Arc;

use super::clip::{ClipFrame, ClipReader};
use super::ffmpeg::{ForeignClip, INSTALL, NOT_READ, Stop};
use super::refusal::{Refusal, guarded};
use super::{AssetRead, Assets};
use crate::error;
use crate::facts::ClipFacts;
use crate::units::Time;

/// An open clip, as used in a render.
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
    /// Opens a named clip, within the assets' limits.
    ///
    /// # Errors
    /// `Media`, naming the asset, when it cannot be opened or is not a clip that can be decoded.
    pub fn of_asset(name: &'a str, assets: &'a dyn Assets) -> error::Result<Footage<'a>> {
        Footage::open(name, assets).map_err(|refusal| refusal.error(name, ""))
    }

    /// Returns the frame on screen at `time`, whose interval contains it; before the start the first frame, after the end the last one.
    ///
    /// # Errors
    /// `Media`, naming the asset, when the frame or one that it depends on cannot be decoded.
    pub fn frame_at(&mut self, time: Time) -> error::Result<Arc<ClipFrame>> {
        let index = self.facts.starts.partition_point(|start| *start <= time);
        let frame = self.frame(index.saturating_sub(1));
        frame.map_err(|refusal| refusal.error(self.name, ""))
    }

    /// Opens a named clip.
    pub(crate) fn open(name: &'a str, assets: &'a dyn Assets) -> Result<Footage<'a>, Refusal> {
        Footage::open_until(name, assets, &Stop::default())
    }

    /// Opens a named clip; `stop` ends a wait for another program, now and later.
    pub(crate) fn open_until(
        name: &'a str,
        assets: &'a dyn Assets,
        stop: &Stop,
    ) -> Result<Footage<'a>, Refusal> {
        let stream = assets
            .open(name)
            .map_err(|e| Refusal::of_open(&e, name, assets))?;
        let place = (name, assets, stop);
        let decoder = match guarded(|| own(stream, assets)) {
            Ok((reader, None)) => Decoder::Own(Box::new(reader)),
            // The partial output of kinora's decoder is better than nothing.
            Ok((mut reader, Some((refusal, is_bearable)))) => match foreign(place, refusal) {
                Err(_) if is_bearable => {
                    reader.make_do();
                    Decoder::Own(Box::new(reader))
                }
                foreign => Decoder::Foreign(Box::new(foreign?)),
            },
            Err(refusal) => Decoder::Foreign(Box::new(foreign(place, refusal)?)),
        };
        Ok(Footage {
            name,
            assets,
            facts: decoder.facts().clone(),
            decoder,
            stop: stop.clone(),
        })
    }

    /// Returns the facts of the clip.
    pub fn facts(&self) -> &ClipFacts {
        &self.facts
    }

    /// Returns a note for the user about the decoder, to follow the file's name.
    pub fn told(&self) -> Option<String> {
        match &self.decoder {
            Decoder::Own(_) => None,
            Decoder::Foreign(clip) => Some(clip.told().to_owned()),
        }
    }

    /// Returns whether the frame of this index could not be decoded and another one is shown instead.
    pub(crate) fn is_lost(&self, index: usize) -> bool {
        match &self.decoder {
            Decoder::Own(reader) => reader.is_lost(index),
            Decoder::Foreign(_) => false,
        }
    }

    /// Returns the frame that begins at `facts().starts[index]`; an index past the end gives the last one.
    pub(crate) fn frame(&mut self, index: usize) -> Result<Arc<ClipFrame>, Refusal> {
        let refusal = match &mut self.decoder {
            Decoder::Foreign(clip) => return clip.frame_at(self.facts.inside(index)),
            Decoder::Own(reader) => match guarded(|| reader.frame(index)) {
                Ok(frame) => return Ok(frame),
                Err(refusal) => refusal,
            },
        };
        // Some unsupported features, such as fields, are only detected when they occur.
        let place = (self.name, self.assets, &self.stop);
        let mut clip = match (foreign(place, refusal), &mut self.decoder) {
            (Ok(clip), _) => clip,
            (Err(refusal), Decoder::Own(reader)) if reader.is_watched() => {
                reader.make_do();
                return guarded(|| reader.frame(index)).map_err(|_| refusal);
            }
            (Err(refusal), _) => return Err(refusal),
        };
        // ffmpeg may number the frames differently, so the frame is selected by time.
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

/// Opens kinora's reader; also returns why its decoder cannot handle all of the clip, and whether it handles most of it.
fn own(
    stream: Box<dyn AssetRead>,
    assets: &dyn Assets,
) -> Result<(ClipReader, Option<(Refusal, bool)>), Refusal> {
    let mut reader = ClipReader::open(stream, &assets.clip_limits())?;
    let may_leave = assets.ffmpeg().is_some_and(|it| it.version().is_ok());
    let beyond = reader.beyond_decoder(may_leave)?;
    Ok((reader, beyond))
}

/// Lets the machine's ffmpeg read a clip that kinora rejected, if it may and can; otherwise returns kinora's error, with advice.
fn foreign(
    (name, assets, stop): (&str, &dyn Assets, &Stop),
    refusal: Refusal,
) -> Result<ForeignClip, Refusal> {
    const OTHERS_MAY: [&str; 4] = [
        "unsupported_clip",
        "missing_library",
        "damaged_clip",
        "undecodable",
    ];
    let ffmpeg = assets
        .ffmpeg()
        .filter(|_| OTHERS_MAY.contains(&refusal.code));
    let Some(ffmpeg) = ffmpeg else {
        return Err(refusal);
    };
    if ffmpeg.version().is_err() {
        let hint = refusal.hint.as_deref().unwrap_or_default();
        let hint = format!("{hint}; or {INSTALL}");
        return Err(refusal.hint(hint));
    }
    match ForeignClip::open(name, (assets, stop), ffmpeg) {
        Ok(mut clip) => {
            // For formats that kinora normally reads, the codec's name alone would not explain enough.
            if refusal.code == "damaged_clip" || refusal.reason.contains("H.264") {
                clip.blame(&refusal.reason);
            }
            Ok(clip)
        }
        Err(other) if other.code == NOT_READ => Err(Refusal {
            reason: format!(
                "{} (and this machine's ffmpeg cannot read it either: {})",
                refusal.reason, other.reason
            ),
            ..refusal
        }),
        Err(other) => Err(other),
    }
}
