//! An asset as a file that a child can read: the file itself, or a copy without a name.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};

use crate::media::Assets;

/// The file on a child's standard input. `/dev/fd/0` opens it again there, so children do not share a place in it, and ffmpeg learns no name.
#[derive(Debug)]
pub(super) struct Input {
    file: File,
}

impl Input {
    /// Opens an asset of at most `most` bytes; `None` when it is longer. What is no file is copied into a temporary one, which has no name and so goes with
    /// its last reader.
    pub(super) fn open(name: &str, assets: &dyn Assets, most: u64) -> io::Result<Option<Input>> {
        let file = match assets.open_file(name)? {
            Some(file) => file,
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
        Ok((n_bytes <= most).then_some(Input { file }))
    }

    /// For one child.
    pub(super) fn for_child(&self) -> io::Result<File> {
        self.file.try_clone()
    }
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
