//! AV1 by SVT-AV1, from the machine's shared library: the fastest AV1 encoder, if it is installed.

mod layout;
mod library;
mod parameters;
mod quiet;
mod session;

use std::sync::Arc;

use library::Svt;
use parameters::{parallelism, parameters, rows};
use session::Session;

use crate::encode::VideoSettings;
use crate::encode::av1::Av1;
use crate::encode::grouped::{GroupedEncoder, Library};
use crate::encode::groups::{GroupEncoder, Unit, Waiting};
use crate::encode::sequence::encoder_error;
use crate::error::Result;

/// Minimum side of a picture that the library accepts.
pub(super) const MIN_SIDE: u32 = 64;

/// Returns the version of the library, or the reason why it is missing.
pub(super) fn version() -> std::result::Result<String, String> {
    Svt::get().map(|svt| svt.version_text.clone())
}

/// Minimum distance of key frames within one encoder, in frames: one of its groups of 16. 1.4.1 hung on adjacent key frames.
const MIN_KEY_DISTANCE: u64 = 16;

/// Opens an encoder; returns an error if the library is missing, has an unknown version, or rejects the settings.
///
/// Versions that can hang while encoding several pictures in parallel encode one at a time. If key frames are close together, each starts a new
/// encoder.
pub(super) fn open(settings: &VideoSettings) -> Result<GroupedEncoder> {
    let svt = Svt::get().map_err(encoder_error)?;
    if settings.size.width < MIN_SIDE || settings.size.height < MIN_SIDE {
        return Err(encoder_error(format!(
            "SVT-AV1 does not support pictures of {}: each side must be at least {MIN_SIDE}",
            settings.size
        )));
    }
    let row = rows(svt.version)[settings.quality.row()];
    let name = format!(
        "SVT-AV1 {}, preset {}, crf {}",
        svt.version_text, row.preset, row.crf
    );
    let mode = Mode::of(settings, svt);
    let parameters = parameters(settings, row, mode.lp);
    // Reports rejected settings before the first frame.
    Session::open(svt, &parameters)?;
    let library = Library {
        library: "SVT-AV1",
        name,
        format: Box::new(Av1::default()),
        lead: 0,
        n_threads: mode.n_encoders,
        starts: mode.starts,
    };
    let open = move |_first, _is_cancelled: &Arc<_>| {
        let session = Session::open(svt, &parameters)?;
        Ok(Box::new(session) as Box<dyn GroupEncoder>)
    };
    GroupedEncoder::new(settings, library, Arc::new(open))
}

/// How the work is distributed. One encoder for the whole video takes the least memory. Several in parallel, each with a group of pictures, use all cores
/// with versions that may only work on one picture at a time. The bytes are the same.
struct Mode {
    /// The library's parameter `lp`.
    lp: u32,
    n_encoders: usize,
    /// Frames at which a new encoder starts.
    starts: Vec<u64>,
}

impl Mode {
    fn of(settings: &VideoSettings, svt: &Svt) -> Mode {
        let mut neighbors = settings.keyframes.windows(2);
        let is_dense = neighbors.any(|pair| pair[1].saturating_sub(pair[0]) < MIN_KEY_DISTANCE);
        if !is_dense && !svt.version.can_hang_in_parallel() {
            return Mode {
                lp: parallelism(settings.threads, svt.layout.lp_is_level),
                n_encoders: 1,
                starts: vec![0],
            };
        }
        Mode {
            lp: 1,
            n_encoders: settings.threads.max(1),
            starts: settings.keyframes.clone(),
        }
    }
}

impl GroupEncoder for Session {
    fn encode(&mut self, frame: Waiting, is_key: bool, out: &mut Vec<Unit>) -> Result<()> {
        Session::encode(self, &frame, is_key, out)
    }

    fn finish(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        Session::finish(self, out)
    }
}
