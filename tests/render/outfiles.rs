//! Renders into files: complete under their name or not there at all.

use std::fs;
use std::path::Path;

use kinora::{CancelToken, Control, ErrorKind, render_to_file};

use super::{job, quick, still_document};

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Cancels at a frame.
fn cancel_at(frame: u64) -> Control {
    let cancel = CancelToken::default();
    let token = cancel.clone();
    Control {
        cancel,
        progress: Some(Box::new(move |progress| {
            if progress.frame == frame {
                token.cancel();
            }
        })),
    }
}

#[test]
fn a_finished_file_stands_alone_and_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.mp4");
    let report = render_to_file(
        &job(&still_document(5)),
        &path,
        &quick(),
        &Control::default(),
    )
    .unwrap();
    assert_eq!(
        (report.n_frames, names_in(folder.path())),
        (5, vec!["out.mp4".to_owned()])
    );
    kinora::mux::check(fs::File::open(&path).unwrap()).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o644
        );
    }
}

#[test]
fn a_cancelled_render_keeps_the_old_file_and_leaves_nothing_new() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.mp4");
    let job = job(&still_document(60));
    // Midway, at the last frame, and while the file is finished.
    for frame in [10, 59, 60] {
        let error = render_to_file(&job, &path, &quick(), &cancel_at(frame)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
        assert!(names_in(folder.path()).is_empty());
    }
    fs::write(&path, "the old one").unwrap();
    render_to_file(&job, &path, &quick(), &cancel_at(10)).unwrap_err();
    assert_eq!(names_in(folder.path()), ["out.mp4"]);
    assert_eq!(fs::read(&path).unwrap(), b"the old one");
    render_to_file(&job, &path, &quick(), &Control::default()).unwrap();
    kinora::mux::check(fs::File::open(&path).unwrap()).unwrap();
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    fs::write(&file, "").unwrap();
    let job = job(&still_document(2));
    for path in [
        folder.path().join("missing/out.mp4"),
        file.join("out.mp4"),
        folder.path().to_owned(),
    ] {
        let error = render_to_file(&job, &path, &quick(), &Control::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(
            error.to_string().contains(&path.display().to_string()),
            "{error}"
        );
    }
    assert_eq!(names_in(folder.path()), ["a file"]);
}
