//! An asset as a file that a child can read: the file itself, or a copy without a name.

use std::fs::{File, Metadata};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;

use super::child::Stop;
use crate::media::Assets;

/// The file on a child's standard input. `/dev/fd/0` opens it again there, so children do not share a place in it, and ffmpeg learns no name.
#[derive(Debug)]
pub(super) struct Input {
    file: File,
    identity: Option<Identity>,
    stop: Stop,
}

/// Which file it is, as it is now: device, number, size, and when it was last written and changed.
pub(super) type Identity = [i128; 5];

impl Input {
    /// Opens an asset of at most `most` bytes; `None` when it is longer. What is no file is copied into a temporary one, which has no name and so goes with
    /// its last reader. `stop` ends waits for the children that read it.
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

    /// `None` of what is no file.
    pub(super) fn identity(&self) -> Option<Identity> {
        self.identity
    }

    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// For one child.
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

/// How a child is asked for its standard input: one local file and nothing else. Playlists, scripts and lists of files are not on the list of formats, as
/// they name other files.
pub(super) fn arguments(formats: &str) -> Vec<String> {
    let fixed = [
        "-protocol_whitelist",
        "file,pipe",
        "-format_whitelist",
        formats,
    ];
    fixed.map(str::to_owned).to_vec()
}

/// The child's name of its standard input.
pub(super) const NAME: &str = "file:/dev/fd/0";
