//! The source of a timeline and its assets: a file and its folder, or stdin and the current folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinora::Job;
use kinora::media::{Ffmpeg, FolderAssets};
use kinora::text::Fonts;

use crate::failure::Failure;
use crate::input;
use crate::music::WithMusic;

/// Maximum size of a document, in bytes; an hour of captions is far below it.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// The timeline of a command.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Source {
    /// The timeline (JSON), or - for stdin; asset paths are relative to its folder (for stdin: the current folder)
    #[arg(value_name = "TIMELINE")]
    path: PathBuf,

    /// Refuse clips and sounds that kinora cannot read itself, instead of reading them with this machine's ffmpeg
    #[arg(long)]
    no_ffmpeg: bool,
}

impl Source {
    /// Reads, checks and resolves the timeline.
    pub(crate) fn job(&self) -> Result<Job, Failure> {
        let folder = FolderAssets::new(self.folder());
        let folder = match self.no_ffmpeg {
            true => folder,
            false => folder.with_ffmpeg(Ffmpeg::on_path()),
        };
        let assets = WithMusic::new(folder);
        Ok(Job::from_json(
            &self.text()?,
            Arc::new(assets),
            Fonts::default(),
        )?)
    }

    /// Whether the timeline is the file at `path`, even under another name.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        match (self.path.canonicalize(), path.canonicalize()) {
            (Ok(own), Ok(other)) => own == other,
            _ => false,
        }
    }

    fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !self.is_stdin() => folder,
            _ => Path::new(""),
        }
    }

    fn text(&self) -> Result<String, Failure> {
        input::read_text("the timeline ", &self.path, MAX_DOCUMENT_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_lie_beside_the_timeline() {
        let source = |path: &str| Source {
            path: path.into(),
            no_ffmpeg: false,
        };
        let folder = |path: &str| source(path).folder().to_owned();
        assert_eq!(folder("a/b/timeline.json"), Path::new("a/b"));
        assert_eq!(folder("timeline.json"), Path::new(""));
        assert_eq!(folder("-"), Path::new(""));
    }
}
