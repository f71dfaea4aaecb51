//! AV1 by SVT-AV1, from the machine's shared library: the fastest AV1 encoder, where it is installed.

mod layout;
mod library;
mod parameters;
mod quiet;
mod session;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use library::Svt;
use parameters::{ROWS, parallelism, parameters};
use session::Session;

use crate::encode::av1::Av1Encoder;
use crate::encode::groups::{GroupEncoder, Unit, Waiting};
use crate::encode::obu;
use crate::encode::sequence::{Sequence, encoder_error};
use crate::encode::{VideoConfig, VideoEncoder, VideoSettings};
use crate::error::Result;
use crate::frame::{Frame, Packet};
use crate::plan::draw::DrawList;

/// Least side of a picture that the library takes.
pub(super) const MIN_SIDE: u32 = 64;

/// Version of the library, or why there is none.
pub(super) fn version() -> std::result::Result<String, String> {
    Svt::get().map(|svt| svt.version_text.clone())
}

/// Least distance of key frames inside one encoder, in frames: two of its groups of 8. 1.4.1 waited for ever at key frames side by side.
const MIN_KEY_DISTANCE: u64 = 16;

/// An encoder. Fails when the library is missing or of an unknown version, or refuses the settings.
///
/// Versions that can hang while they encode several pictures at once encode one at a time, and key frames that are near each other begin a new
/// encoder each; several groups of pictures at once keep the cores at work then.
pub(super) fn open(settings: &VideoSettings) -> Result<Box<dyn VideoEncoder>> {
    let svt = Svt::get().map_err(encoder_error)?;
    if settings.size.width < MIN_SIDE || settings.size.height < MIN_SIDE {
        return Err(encoder_error(format!(
            "SVT-AV1 takes no picture of {}: each side must be at least {MIN_SIDE}",
            settings.size
        )));
    }
    let row = ROWS[settings.quality.row()];
    let name = format!(
        "SVT-AV1 {}, preset {}, crf {}",
        svt.version_text, row.preset, row.crf
    );
    let mut neighbors = settings.keyframes.windows(2);
    let is_dense = neighbors.any(|pair| pair[1].saturating_sub(pair[0]) < MIN_KEY_DISTANCE);
    if !is_dense && !svt.version.can_hang_in_parallel() {
        let lp = parallelism(settings.threads, svt.layout.lp_is_level);
        return Ok(Box::new(SvtAv1 {
            session: Session::open(svt, &parameters(settings, row, lp))?,
            sequence: Sequence::new(settings)?,
            sequence_header: None,
            name,
        }));
    }
    let parameters = parameters(settings, row, 1);
    // What it refuses is known before the first frame.
    Session::open(svt, &parameters)?;
    let open = Arc::new(move |_first, _is_cancelled: &Arc<_>| {
        let session = Session::open(svt, &parameters)?;
        Ok(Box::new(session) as Box<dyn GroupEncoder>)
    });
    Ok(Box::new(Av1Encoder::new(
        settings,
        ("SVT-AV1", name),
        open,
    )?))
}

impl GroupEncoder for Session {
    fn encode(&mut self, frame: Waiting, is_key: bool, out: &mut Vec<Unit>) -> Result<()> {
        Session::encode(self, &frame, is_key, out)
    }

    fn finish(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        Session::finish(self, out)
    }
}

/// The whole video in one encoder.
struct SvtAv1 {
    session: Session,
    sequence: Sequence,
    sequence_header: Option<Vec<u8>>,
    name: String,
}

impl SvtAv1 {
    fn add(&mut self, units: Vec<Unit>, out: &mut Vec<Packet>) -> Result<()> {
        for Unit { data, shown } in units {
            let broken = || encoder_error(format!("SVT-AV1 gave a broken frame {shown}"));
            let unit = obu::temporal_unit(&data).ok_or_else(broken)?;
            if self.sequence_header.is_none() {
                self.sequence_header = unit.sequence_header;
            }
            out.push(self.sequence.stamp(unit.data, unit.is_sync)?);
        }
        Ok(())
    }
}

impl VideoEncoder for SvtAv1 {
    fn encode(&mut self, frame: &Frame, _known: &DrawList, out: &mut Vec<Packet>) -> Result<()> {
        let is_key = self.sequence.admit(frame)?;
        let mut units = Vec::new();
        self.session.encode(frame, is_key, &mut units)?;
        self.add(units, out)
    }

    fn finish(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        self.sequence.check_not_empty()?;
        let mut units = Vec::new();
        self.session.finish(&mut units)?;
        self.add(units, out)?;
        self.sequence.check_complete()
    }

    fn config(&self) -> Result<VideoConfig> {
        self.sequence_header
            .clone()
            .map(|sequence_header| VideoConfig::Av1 { sequence_header })
            .ok_or_else(|| encoder_error("the sequence header comes with the first packet"))
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn pulse(&self) -> Arc<AtomicU64> {
        self.sequence.pulse()
    }
}
