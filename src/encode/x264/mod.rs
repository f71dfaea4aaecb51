//! H.264 by x264, in a program of its own (`kinora-x264`, under the GPL) that is started for each group of pictures: the best H.264 per bit, where it
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

/// Memory that all encoders together may take, and what one takes for each pixel: frames that wait for the look-ahead, and references.
const MAX_BYTES: usize = 3 << 30;
const BYTES_PER_PIXEL: usize = 100;

/// Build number of the library that the program has loaded, or why there is none. Asked once.
pub(super) fn version() -> std::result::Result<String, String> {
    static ASKED: OnceLock<std::result::Result<u32, String>> = OnceLock::new();
    ASKED
        .get_or_init(|| program::find().and_then(|path| session::ask_build(&path)))
        .clone()
        .map(|build| format!("build {build}"))
}

/// An encoder for a video.
///
/// Fails where the program or the library is absent, or on a bad list of key frames.
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

/// Encoders at once: as many as threads, but no more than memory allows for large pictures.
fn n_threads(settings: &VideoSettings) -> usize {
    let most = MAX_BYTES / (settings.size.area() * BYTES_PER_PIXEL);
    within(settings.threads, 1, most)
}
