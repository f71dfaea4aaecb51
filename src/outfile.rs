//! Renders into a file: writes a temporary file next to it, checks it, syncs it, then renames it, so that no partial file ever has the final name.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::error::{Error, ErrorKind, Result, Warning};
use crate::job::Job;
use crate::mux;
use crate::options::{Control, Render, Report};
use crate::soundtrack::{SoundFormat, SoundReport};

/// Renders a job into the file `path`, replacing any existing one. On failure or cancellation the old file stays and nothing new is left behind.
pub fn render_to_file(
    job: &Job,
    path: &Path,
    options: &Render,
    control: &Control,
) -> Result<Report> {
    let mut replaced = Vec::new();
    let (mut part, mut report) = loop {
        let chosen = job.preferred_encoder(options);
        let mut part = Part::beside(path)?;
        match part.fill(|out| job.render(out, options, control)) {
            Ok(report) => break (part, report),
            // It got stuck and is not chosen again; another encoder starts over.
            Err(e)
                if e.kind() == ErrorKind::Encoder && job.preferred_encoder(options) != chosen =>
            {
                replaced.push(e);
            }
            Err(e) => return Err(e),
        }
    };
    for error in replaced {
        let message = format!("{error}; the video was made by {}", report.video_encoder);
        let warning = Warning::new("encoder_replaced", "", message);
        report.warnings.push(warning);
    }
    let facts = part.check()?;
    let video = facts.tracks.iter().find(|track| track.video.is_some());
    let n_frames = video.map_or(0, |track| track.n_samples);
    if n_frames != report.n_frames {
        let message = format!(
            "the finished file has {n_frames} frames instead of {}; nothing was kept",
            report.n_frames
        );
        return Err(Error::new(ErrorKind::Internal, message));
    }
    control.check()?;
    part.keep()?;
    Ok(report)
}

/// Mixes only a job's sound into the file `path`, replacing any existing one. On failure or cancellation the old file stays and nothing new is left behind.
pub fn render_sound_to_file(
    job: &Job,
    path: &Path,
    format: SoundFormat,
    options: &Render,
    control: &Control,
) -> Result<SoundReport> {
    let mut part = Part::beside(path)?;
    let report = part.fill(|out| job.render_sound(out, format, options, control))?;
    if format == SoundFormat::M4a {
        let facts = part.check()?;
        let heard = facts.tracks.first().and_then(|track| track.audio.as_ref());
        let n_samples = heard.map_or(0, |audio| audio.heard_samples);
        if n_samples != report.n_samples {
            let message = format!(
                "the finished file has {n_samples} samples instead of {}; nothing was kept",
                report.n_samples
            );
            return Err(Error::new(ErrorKind::Internal, message));
        }
    }
    control.check()?;
    part.keep()?;
    Ok(report)
}

/// The temporary files of running renders.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of every render into a file in this process, for a program that exits without waiting for its renders.
pub fn remove_unfinished_files() {
    for path in unfinished().iter() {
        // The file may have just been finished or removed.
        let _ = std::fs::remove_file(path);
    }
}

/// An entry in the list of unfinished files, removed on drop.
struct Listed(PathBuf);

impl Listed {
    fn new(path: &Path) -> Listed {
        unfinished().insert(path.to_owned());
        Listed(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// A temporary file in the folder of the final one.
struct Part<'a> {
    path: &'a Path,
    folder: &'a Path,
    file: NamedTempFile,
    listed: Listed,
}

impl<'a> Part<'a> {
    fn beside(path: &'a Path) -> Result<Part<'a>> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if path.is_dir() {
            return Err(Error::new(
                ErrorKind::Io,
                format!("{} is a folder; name a file in it", path.display()),
            ));
        }
        let file = tempfile::Builder::new()
            .prefix(".kinora-")
            .suffix(".part")
            .tempfile_in(folder)
            .map_err(|e| failed("cannot write next to", path, e))?;
        let listed = Listed::new(file.path());
        Ok(Part {
            path,
            folder,
            file,
            listed,
        })
    }

    /// Lets `work` write the file.
    fn fill<R>(
        &mut self,
        work: impl FnOnce(BufWriter<&mut File>) -> Result<(BufWriter<&mut File>, R)>,
    ) -> Result<R> {
        let (buffered, report) = work(BufWriter::with_capacity(1 << 20, self.file.as_file_mut()))?;
        buffered
            .into_inner()
            .map_err(|e| failed("cannot write", self.path, e.into_error()))?;
        Ok(report)
    }

    /// Reads the MP4 back and checks it.
    fn check(&mut self) -> Result<mux::FileFacts> {
        self.file
            .rewind()
            .map_err(|e| failed("cannot read back", self.path, e))?;
        mux::check(BufReader::new(self.file.as_file())).map_err(|e| {
            let message = "the finished file failed its check; nothing was kept";
            Error::new(e.kind(), message).with_source(e)
        })
    }

    /// Syncs the file to disk and gives it its final name.
    fn keep(self) -> Result<()> {
        let Part {
            path,
            folder,
            file,
            listed,
        } = self;
        share(file.as_file()).map_err(|e| failed("cannot set the permissions of", path, e))?;
        file.as_file()
            .sync_all()
            .map_err(|e| failed("cannot store", path, e))?;
        file.persist(path)
            .map_err(|e| failed("cannot rename the finished file to", path, e.error))?;
        drop(listed);
        // The name is durable once the folder is synced; file systems that cannot sync folders offer nothing better.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

fn failed(what: &str, path: &Path, e: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("{what} {}", path.display())).with_source(e)
}

/// Makes a finished file as readable as any new file; temporary files are private.
#[cfg(unix)]
fn share(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn share(_file: &File) -> std::io::Result<()> {
    Ok(())
}
