//! An asset as a file that a child can read: the file itself, or an unnamed copy.

use std::fs::{File, Metadata};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;

use super::child::Stop;
use crate::media::Assets;

/// The file on a child's standard input. The child reopens it as `/dev/fd/0`, so children do not share a position, and ffmpeg does not learn its name.
#[derive(Debug)]
pub(super) struct Input {
    file: File,
    identity: Option<Identity>,
    stop: Stop,
}

/// Identity of a file in its current state: device, inode, size, and times of the last write and change.
pub(super) type Identity = [i128; 5];

impl Input {
    /// Opens an asset of at most `most` bytes; returns `None` when it is longer. An asset that is not a file is copied to a temporary, unnamed file, which
    /// disappears with its last reader. `stop` ends waits for the children that read it.
    pub(super) fn open(
        name: &str,
        (assets, stop): (&dyn Assets, &Stop),
        most: u64,
    ) -> io::Result<Option<Input>> {
        let (mut identity, stop) = (None, stop.clone());
        let file = match assets.open_file(name)? {
            Some(file) => {
                identity = Some(identity_of(&file.metadata()?));
                file
            }
            None => {
                let mut stream = assets.open(name)?;
                if stream.seek(SeekFrom::End(0))? > most {
                    return Ok(None);
                }
                stream.rewind()?;
                let mut file = tempfile::tempfile()?;
                io::copy(&mut stream, &mut file)?;
                file.rewind()?;
                file
            }
        };
        let n_bytes = file.metadata()?.len();
        Ok((n_bytes <= most).then_some(Input {
            file,
            identity,
            stop,
        }))
    }

    /// Returns the identity; `None` if the asset is not a file.
    pub(super) fn identity(&self) -> Option<Identity> {
        self.identity
    }

    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Returns a handle for one child.
    pub(super) fn for_child(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}

fn identity_of(about: &Metadata) -> Identity {
    let nanoseconds = |secs: i64, rest: i64| i128::from(secs) * 1_000_000_000 + i128::from(rest);
    [
        i128::from(about.dev()),
        i128::from(about.ino()),
        i128::from(about.size()),
        nanoseconds(about.mtime(), about.mtime_nsec()),
        nanoseconds(about.ctime(), about.ctime_nsec()),
    ]
}

/// Builds the arguments that restrict a child to its standard input: one local file and nothing else. Playlists, scripts and lists of files are not
/// among the formats, because they name other files.
pub(super) fn arguments(formats: &str) -> Vec<String> {
    let fixed = [
        "-protocol_whitelist",
        "file,pipe",
        "-format_whitelist",
        formats,
    ];
    fixed.map(str::to_owned).to_vec()
}

/// The child's name for its standard input.
pub(super) const NAME: &str = "file:/dev/fd/0";
