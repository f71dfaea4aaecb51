//! Output paths, checked before any work so that errors show early, and files that appear only when complete.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;

use kinora::error::{Error, ErrorKind};

use crate::failure::{Done, Failure};

/// Checks that a file named `path` with the extension `extension` can be created or replaced.
pub(crate) fn check(path: &Path, extension: &str) -> Done {
    let name = path.display();
    if path.is_dir() {
        return Err(folder(path, &format!("video.{extension}")));
    }
    let given = path.extension().and_then(|e| e.to_str());
    if !given.is_some_and(|e| e.eq_ignore_ascii_case(extension)) {
        let better = path.with_extension(extension);
        return Err(Failure::Usage(format!(
            "{name}: the output is a .{extension} file; name it {}",
            better.display()
        )));
    }
    if path.exists() && !path.is_file() {
        return Err(Failure::Usage(format!(
            "{name} is not a regular file and will not be replaced"
        )));
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(Failure::Io(format!(
            "the folder {} does not exist: make it with mkdir -p",
            folder.display()
        )));
    }
    // Only creating a file gives a reliable answer: permission bits do not cover read-only mounts and quotas.
    tempfile::Builder::new()
        .prefix(".kinora-")
        .tempfile_in(folder)
        .map_err(|e| Failure::Io(format!("cannot write in {}: {e}", folder.display())))?;
    Ok(())
}

/// Returns the failure for an output that is a folder; suggests `example` as a file in it.
pub(crate) fn folder(path: &Path, example: &str) -> Failure {
    Failure::Usage(format!(
        "{} is a folder: name a file in it, such as {}",
        path.display(),
        path.join(example).display()
    ))
}

/// Whether `path` means stdout.
pub(crate) fn is_pipe(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns stdout for bytes, without its line buffering for text. Refuses a terminal, and suggests `example`.
pub(crate) fn pipe(example: &str) -> Result<File, Failure> {
    let stdout = std::io::stdout();
    if stdout.is_terminal() {
        return Err(Failure::Usage(format!(
            "-o -: stdout is a terminal, which cannot show pictures; redirect it: {example}"
        )));
    }
    let stdout = stdout.as_fd().try_clone_to_owned();
    let stdout = stdout.map_err(|e| Failure::Io(format!("cannot write to stdout: {e}")))?;
    Ok(File::from(stdout))
}

/// Returns the folder that contains `path`.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Writes a temporary file beside `path` and then renames it, so that no partial file ever has its name.
pub(crate) fn write(path: &Path, fill: impl FnOnce(&mut File) -> Result<(), Error>) -> Done {
    let cannot =
        |e: std::io::Error| Failure::Io(format!("{} cannot be written: {e}", path.display()));
    let mut temp = tempfile::Builder::new()
        .prefix(".kinora-")
        .permissions(permissions())
        .tempfile_in(folder_of(path))
        .map_err(cannot)?;
    fill(temp.as_file_mut()).map_err(|e| match e.kind() {
        ErrorKind::Io => e.at(path.display()),
        _ => e,
    })?;
    temp.as_file().sync_all().map_err(cannot)?;
    temp.persist(path).map_err(|e| cannot(e.error))?;
    Ok(())
}

/// Writes a text with [`write`].
pub(crate) fn write_text(path: &Path, text: &str) -> Done {
    write(path, |file| Ok(file.write_all(text.as_bytes())?))
}

/// Returns the permissions of ordinary new files (the umask applies); temporary files are private otherwise.
fn permissions() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    std::fs::Permissions::from_mode(0o666)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_paths_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(check(&at("out.mp4"), "mp4").is_ok());
        assert!(check(&at("OUT.MP4"), "mp4").is_ok());
        for (path, code, says) in [
            (folder.path().to_owned(), 2, "is a folder"),
            (at("out.mov"), 2, "out.mp4"),
            (at("out"), 2, "out.mp4"),
            (at("missing/out.mp4"), 1, "does not exist"),
        ] {
            let failure = check(&path, "mp4").unwrap_err();
            assert_eq!(failure.exit_code(), code, "{}", path.display());
            assert!(format!("{failure:?}").contains(says), "{failure:?}");
        }
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            0,
            "the trial file stays behind"
        );
    }
}
