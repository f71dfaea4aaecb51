//! How loud sounds are (EBU R128) and what amplitude each track gets from that.

use ebur128::{EbuR128, Mode};

use super::sound::{Sound, failed};
use crate::error::{Error, ErrorKind, Result};
use crate::media::Assets;
use crate::plan::mix::{Level, MixPlan, Track};
use crate::units::MIX_RATE_HZ;

/// Loudness that stands in for a silent or missing reference, in LUFS.
const USUAL_LUFS: f64 = -16.0;
/// Greatest gain that matching loudness may give, in dB: beyond it, it is noise that would be lifted.
const MAX_LIFT_DB: f64 = 40.0;
/// Frames measured at least, when the file has them: a quiet beginning must not decide.
const MIN_MEASURED: u64 = 60 * MIX_RATE_HZ as u64;
/// Frames measured at most of a looped sound.
const MAX_MEASURED_LOOP: u64 = 600 * MIX_RATE_HZ as u64;
/// Frames of one gating block of EBU R128 (400 ms); shorter sounds are measured as if repeated.
const GATING_BLOCK: usize = 2 * MIX_RATE_HZ as usize / 5;

/// The amplitude of every track: its level resolved by measuring what it depends on.
pub(crate) fn amplitudes(plan: &MixPlan, assets: &dyn Assets) -> Result<Vec<f64>> {
    let mut meter = Meter {
        plan,
        assets,
        measured: vec![None; plan.tracks.len()],
    };
    (0..plan.tracks.len())
        .map(|i| meter.amplitude(i, plan.tracks.len()))
        .collect()
}

struct Meter<'a> {
    plan: &'a MixPlan,
    assets: &'a dyn Assets,
    /// Loudness by track: not yet measured, or measured (`None`: silent).
    measured: Vec<Option<Option<f64>>>,
}

impl Meter<'_> {
    /// The amplitude of track `i`; `n_left` bounds the chain of references.
    fn amplitude(&mut self, i: usize, n_left: usize) -> Result<f64> {
        let (reference, volume) = match self.plan.tracks[i].level {
            Level::GainDb(db) => return Ok(10f64.powf(db / 20.0)),
            Level::RelativeTo { volume, .. } if volume <= 0.0 => return Ok(0.0),
            Level::RelativeTo { track, volume } => (track, volume),
        };
        let wanted = match reference {
            Some(r) if r >= self.plan.tracks.len() || n_left == 0 => {
                return Err(Error::new(
                    ErrorKind::Internal,
                    format!("the level of sound track {i} refers to itself or to no track"),
                ));
            }
            Some(r) => {
                let amplitude = self.amplitude(r, n_left - 1)?;
                self.loudness(r)?
                    .map(|lufs| lufs + 20.0 * amplitude.log10())
                    .filter(|lufs| lufs.is_finite())
                    .unwrap_or(USUAL_LUFS)
            }
            None => USUAL_LUFS,
        };
        let lift_db = self.loudness(i)?.map_or(0.0, |own| wanted - own);
        Ok(volume * 10f64.powf(lift_db.min(MAX_LIFT_DB) / 20.0))
    }

    fn loudness(&mut self, i: usize) -> Result<Option<f64>> {
        if let Some(known) = self.measured[i] {
            return Ok(known);
        }
        let track = &self.plan.tracks[i];
        let mut sound = Sound::open(track, self.assets)?;
        let heard = self.plan.n_samples.saturating_sub(track.start);
        let limit = match (heard.max(MIN_MEASURED), track.looped) {
            (n, true) => n.min(MAX_MEASURED_LOOP),
            (n, false) => n,
        };
        let lufs = integrated(&mut sound, limit, track)?;
        self.measured[i] = Some(lufs);
        Ok(lufs)
    }
}

/// Integrated loudness in LUFS of the first `limit` frames; `None` when silent (below the absolute gate of -70 LUFS).
fn integrated(sound: &mut Sound, limit: u64, track: &Track) -> Result<Option<f64>> {
    let internal =
        |e: ebur128::Error| Error::new(ErrorKind::Internal, "loudness meter").with_source(e);
    let mut meter = EbuR128::new(2, MIX_RATE_HZ, Mode::I).map_err(internal)?;
    let mut piece = Vec::new();
    let mut n_frames = 0;
    let mut beginning = Vec::new();
    while n_frames < limit && sound.read(&mut piece).map_err(|e| failed(track, &e))? {
        let n = (piece.len() / 2).min((limit - n_frames) as usize);
        n_frames += n as u64;
        meter.add_frames_f32(&piece[..2 * n]).map_err(internal)?;
        if beginning.len() < 2 * GATING_BLOCK {
            beginning.extend_from_slice(&piece[..2 * n]);
        }
        piece.clear();
    }
    if !beginning.is_empty() && beginning.len() < 2 * GATING_BLOCK {
        for _ in 0..GATING_BLOCK.div_ceil(beginning.len() / 2) {
            meter.add_frames_f32(&beginning).map_err(internal)?;
        }
    }
    let lufs = meter.loudness_global().map_err(internal)?;
    Ok(lufs.is_finite().then_some(lufs))
}
