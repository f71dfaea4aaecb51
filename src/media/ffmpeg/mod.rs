//! The machine's own ffmpeg: clips and sounds that kinora does not read itself, through a child process.
//!
//! Takes: one asset, as an open file on the child's standard input. Gives: facts, exact frames by index, samples. Never: links ffmpeg's code; gives it
//! a file name, the network or the environment; lets it read what kinora reads itself.
//!
//! `programs` finds `ffmpeg` and `ffprobe`, `child` runs one of them within limits, `probe` and `stamps` read facts, `clip` and `sound` read media.

mod child;
mod clip;
mod describe;
mod filters;
mod input;
mod known;
mod probe;
mod programs;
mod sound;
mod stamps;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub(crate) use child::Stop;
pub(crate) use clip::{ForeignClip, NOT_READ};
pub(crate) use sound::{ForeignSound, sound_facts};

use known::Known;
use programs::Programs;

/// How to install it.
pub(crate) const INSTALL: &str =
    "install ffmpeg (`apt-get install ffmpeg`, `brew install ffmpeg`) so that kinora can read it";

/// The machine's `ffmpeg` and `ffprobe`, located when they are first needed. Clones share the result, and the cached facts of files.
///
/// Assets that have it ([`Assets::ffmpeg`](super::Assets::ffmpeg)) let it read what kinora cannot. It decodes with C code from many authors: use it for
/// untrusted files only if a decoder's fault may cost no more than this account on the machine. Its child has no environment, no network, no
/// file other than the asset, cannot write files, has bounded memory and CPU time, and is killed with its reader.
#[derive(Clone, Debug, Default)]
pub struct Ffmpeg {
    folder: Option<PathBuf>,
    found: Arc<OnceLock<Result<Programs, String>>>,
    clips: Known<clip::Facts>,
    sounds: Known<sound::Facts>,
}

impl Ffmpeg {
    /// Uses the programs in the folders of `PATH`.
    pub fn on_path() -> Ffmpeg {
        Ffmpeg::default()
    }

    /// Uses the programs in a folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Ffmpeg {
        Ffmpeg {
            folder: Some(folder.into()),
            ..Ffmpeg::default()
        }
    }

    /// Returns the version, such as `5.1.9-0+deb12u1`.
    ///
    /// # Errors
    /// The reason why it cannot be used.
    pub fn version(&self) -> Result<&str, &str> {
        self.programs().map(|programs| programs.version.as_str())
    }

    /// Returns whether it maps HDR to SDR in linear light (`zscale` and `tonemap`); otherwise it uses curves.
    pub fn maps_tones(&self) -> bool {
        self.programs().is_ok_and(|programs| programs.has_zscale)
    }

    fn programs(&self) -> Result<&Programs, &str> {
        let found = self
            .found
            .get_or_init(|| Programs::find(self.folder.as_deref()));
        found.as_ref().map_err(String::as_str)
    }
}
