//! The sounds of a mix, each decoded once: its length, its loudness over time, and its samples as far as memory allows.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::loudness::{Meter, Profile};
use super::sound::{Sound, failed};
use crate::error::Result;
use crate::media::Assets;
use crate::scene::mix::{Level, MixPlan, Track};
use crate::units::MIX_RATE_HZ;

/// Maximum bytes of samples kept, for all sounds together: enough for ten minutes of a voice and its music. Other sounds are decoded again each time.
const KEPT_BYTES: usize = 256 << 20;
/// Frames per chunk: 1 s.
pub(crate) const CHUNK: usize = MIX_RATE_HZ as usize;
/// Minimum frames measured of a sound whose loudness matters, so that a quiet beginning does not decide.
const MIN_MEASURED: u64 = 60 * MIX_RATE_HZ as u64;
/// Extra frames decoded beyond what is needed, to detect the end of a short sound.
const MARGIN: u64 = MIX_RATE_HZ as u64;

/// A second of samples. Many files have two identical channels, and a voice rarely needs two.
#[derive(Debug)]
pub(crate) enum Chunk {
    Mono(Box<[f32]>),
    Stereo(Box<[f32]>),
}

impl Chunk {
    fn new(stereo: &[f32]) -> Chunk {
        let frames = stereo.chunks_exact(2);
        if frames.clone().all(|frame| frame[0] == frame[1]) {
            Chunk::Mono(frames.map(|frame| frame[0]).collect())
        } else {
            Chunk::Stereo(stereo.into())
        }
    }

    fn n_bytes(&self) -> usize {
        let (Chunk::Mono(samples) | Chunk::Stereo(samples)) = self;
        size_of_val::<[f32]>(samples)
    }

    /// Appends `n` frames starting at `from`, or fewer at its end, as interleaved stereo.
    pub(crate) fn copy(&self, from: usize, n: usize, out: &mut Vec<f32>) {
        match self {
            Chunk::Mono(samples) => {
                let to = (from + n).min(samples.len());
                out.extend(samples[from.min(to)..to].iter().flat_map(|s| [*s, *s]));
            }
            Chunk::Stereo(samples) => {
                let to = (2 * (from + n)).min(samples.len());
                out.extend_from_slice(&samples[(2 * from).min(to)..to]);
            }
        }
    }
}

/// Facts and samples of one sound.
#[derive(Debug)]
pub(crate) struct Recording {
    /// Its energy over time; covers the decoded part.
    pub(crate) profile: Profile,
    /// Its samples; `None` when there are too many to keep.
    pub(crate) chunks: Option<Vec<Chunk>>,
}

impl Recording {
    /// Returns its number of frames, up to what the mix needs.
    pub(crate) fn n_frames(&self) -> u64 {
        self.profile.n_frames
    }
}

/// All sounds of a mix by the names of their assets.
#[derive(Debug)]
pub(crate) struct Library(BTreeMap<String, Arc<Recording>>);

impl Library {
    /// Decodes every sound that `plan` needs, as far as needed. `check` is called for every second of sound; its error stops the decoding.
    pub(crate) fn listen(
        plan: &MixPlan,
        assets: &dyn Assets,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Library> {
        let mut needed: BTreeMap<&str, (u64, &Track)> = BTreeMap::new();
        for track in plan.tracks.iter().filter(|t| t.is_heard(plan.n_samples)) {
            let n = frames_needed(track, plan.n_samples);
            let entry = needed.entry(&track.asset).or_insert((0, track));
            entry.0 = entry.0.max(n);
        }
        let (mut sounds, mut n_free) = (BTreeMap::new(), KEPT_BYTES);
        for (name, (n_frames, track)) in needed {
            let recording = record(track, n_frames, &mut n_free, (assets, check))?;
            sounds.insert(name.to_owned(), Arc::new(recording));
        }
        Ok(Library(sounds))
    }

    /// Returns the sound of a track; `None` if the track is inaudible.
    pub(crate) fn get(&self, track: &Track) -> Option<&Arc<Recording>> {
        self.0.get(&track.asset)
    }
}

/// Returns how many frames of its file a track may play in a mix of this length.
fn frames_needed(track: &Track, n_samples: u64) -> u64 {
    let on_timeline = track.end.min(n_samples).saturating_sub(track.start);
    let played = (on_timeline as f64 * track.speed).ceil() as u64 + MARGIN;
    let measured = match track.level {
        Level::GainDb(_) => played,
        Level::Normalized { .. } | Level::RelativeToVoice { .. } => played.max(MIN_MEASURED),
    };
    track
        .trim
        .end
        .min(track.trim.start.saturating_add(measured))
}

fn record(
    track: &Track,
    n_frames: u64,
    n_free: &mut usize,
    (assets, check): (&dyn Assets, &dyn Fn() -> Result<()>),
) -> Result<Recording> {
    let mut sound = Sound::open(track, assets)?;
    let (mut meter, mut chunks, mut n_left) = (Meter::new(), Some(Vec::new()), n_frames);
    let (mut piece, mut goes_on, mut n_kept) = (Vec::new(), true, 0);
    while goes_on && n_left > 0 {
        check()?;
        while goes_on && piece.len() < 2 * CHUNK {
            goes_on = sound.read(&mut piece).map_err(|e| failed(track, &e))?;
        }
        let n = (piece.len() / 2)
            .min(CHUNK)
            .min(n_left.min(CHUNK as u64) as usize);
        meter.push(&piece[..2 * n]);
        n_left -= n as u64;
        if let Some(kept) = chunks.as_mut().filter(|_| n > 0) {
            let chunk = Chunk::new(&piece[..2 * n]);
            n_kept += chunk.n_bytes();
            kept.push(chunk);
            if n_kept > *n_free {
                chunks = None;
            }
        }
        piece.drain(..2 * n);
        // The last packets may hold more than a chunk.
        goes_on |= !piece.is_empty();
    }
    if chunks.is_some() {
        *n_free -= n_kept;
    }
    Ok(Recording {
        profile: meter.finish(),
        chunks,
    })
}
