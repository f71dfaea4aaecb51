//! H.264 by x264, in a separate program (`kinora-x264`, under the GPL) that is started for each group of pictures: the best H.264 per bit, if it
//! and libx264 are installed.
//!
//! Takes: frames. Gives: access units. Never: links anything under the GPL.

mod parameters;
mod program;
mod session;
mod wire;

use std::sync::{Arc, OnceLock};

use parameters::{LEAD, PRESET, RATE_FACTORS, parameters};
use session::{Session, Video};

use crate::encode::VideoSettings;
use crate::encode::avc::{Avc, starts};
use crate::encode::grouped::{GroupedEncoder, Library};
use crate::encode::groups::GroupEncoder;
use crate::encode::sequence::encoder_error;
use crate::error::Result;
use crate::units::within;

/// Maximum memory for all encoders together, and bytes that one needs per pixel: frames that wait for the look-ahead, and references.
const MAX_BYTES: usize = 3 << 30;
const BYTES_PER_PIXEL: usize = 100;

/// Returns the build number of the library that the program loads, or the reason why it is missing. Runs the program only once.
pub(super) fn version() -> std::result::Result<String, String> {
    static ASKED: OnceLock<std::result::Result<u32, String>> = OnceLock::new();
    ASKED
        .get_or_init(|| program::find().and_then(|path| session::ask_build(&path)))
        .clone()
        .map(|build| format!("build {build}"))
}

/// Opens an encoder for a video.
///
/// Returns an error if the program or the library is missing, or the list of key frames is invalid.
pub(super) fn open(settings: &VideoSettings) -> Result<GroupedEncoder> {
    let program = program::find().map_err(encoder_error)?;
    let version = version().map_err(encoder_error)?;
    let crf = RATE_FACTORS[settings.quality.row()];
    let library = Library {
        library: program::PROGRAM,
        name: format!("x264 {version}, {PRESET}, crf {crf}"),
        format: Box::new(Avc::default()),
        lead: LEAD,
        n_threads: n_threads(settings),
        starts: starts(&settings.keyframes),
    };
    let video = Video {
        size: settings.size,
        parameters: parameters(settings, crf),
    };
    let open = move |first, is_cancelled: &Arc<_>| {
        let session = Session::open(&program, &video, first, is_cancelled)?;
        Ok(Box::new(session) as Box<dyn GroupEncoder>)
    };
    GroupedEncoder::new(settings, library, Arc::new(open))
}

/// Returns the number of parallel encoders: as many as threads, but no more than memory allows for large pictures.
fn n_threads(settings: &VideoSettings) -> usize {
    let most = MAX_BYTES / (settings.size.area() * BYTES_PER_PIXEL);
    within(settings.threads, 1, most)
}
