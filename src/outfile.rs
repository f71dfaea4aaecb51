//! A render into a file: written beside its place, checked, made durable, then renamed, so that nothing half-written ever has the final name.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::job::{Control, Job, Render, Report};
use crate::mux;

/// Renders a job into the file `path`, replacing one that is there. On any failure or cancel the old file stays and nothing new is left behind.
pub fn render_to_file(
    job: &Job,
    path: &Path,
    options: &Render,
    control: &Control,
) -> Result<Report> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let failed = |what: &str, e: std::io::Error| {
        Error::new(ErrorKind::Io, format!("{what} {}", path.display())).with_source(e)
    };
    if path.is_dir() {
        return Err(Error::new(
            ErrorKind::Io,
            format!("{} is a folder; name a file in it", path.display()),
        ));
    }
    let mut part = tempfile::Builder::new()
        .prefix(".kinora-")
        .suffix(".part")
        .tempfile_in(folder)
        .map_err(|e| failed("cannot write beside", e))?;
    let (buffered, report) = job.render(
        BufWriter::with_capacity(1 << 20, part.as_file_mut()),
        options,
        control,
    )?;
    buffered
        .into_inner()
        .map_err(|e| failed("cannot write", e.into_error()))?;
    part.rewind().map_err(|e| failed("cannot read back", e))?;
    let facts = mux::check(BufReader::new(part.as_file())).map_err(|e| {
        Error::new(
            ErrorKind::Internal,
            "the finished file failed its check; nothing was kept",
        )
        .with_source(e)
    })?;
    let video = facts.tracks.iter().find(|track| track.video.is_some());
    let n_frames = video.map_or(0, |track| track.n_samples);
    if n_frames != report.n_frames {
        let message = format!(
            "the finished file holds {n_frames} frames instead of {}; nothing was kept",
            report.n_frames
        );
        return Err(Error::new(ErrorKind::Internal, message));
    }
    control.check()?;
    share(part.as_file()).map_err(|e| failed("cannot set the permissions of", e))?;
    part.as_file()
        .sync_all()
        .map_err(|e| failed("cannot store", e))?;
    part.persist(path)
        .map_err(|e| failed("cannot rename the finished file to", e.error))?;
    // The name itself is durable once the folder is; some file systems cannot do that, and then it is as durable as it gets.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(report)
}

/// Temporary files are private; a finished one is as readable as any new file.
#[cfg(unix)]
fn share(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn share(_file: &File) -> std::io::Result<()> {
    Ok(())
}
