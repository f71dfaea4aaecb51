//! Steps stored beyond this machine, each as one archive, so that another machine can continue with this one's results.

use std::fmt;
use std::io::{self, Cursor, Read};
use std::path::Path;

use super::store::StepFile;

/// A store of steps shared by machines, such as a bucket. An unavailable store counts as empty: the step is then made here. So an implementation reports
/// failures to its operator, not to the caller.
pub trait Remote: Send + Sync + fmt::Debug {
    /// Returns what is stored under `STAGE/HASH`.
    fn fetch(&self, name: &str) -> Option<Vec<u8>>;

    /// Stores an archive under that name, completely or not at all.
    fn keep(&self, name: &str, packed: Vec<u8>);
}

/// Names and bytes of files.
pub(super) type Files = Vec<(String, Vec<u8>)>;

/// Packs the files of a step as one archive (tar, without times and owners: the same files give the same bytes).
pub(super) fn packed(files: &[StepFile<'_>]) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, *bytes)?;
    }
    archive.into_inner()
}

/// Unpacks the files.
///
/// # Errors
/// An error if it is no such archive, is cut short, or contains anything but files with plain names.
pub(super) fn unpacked(packed: &[u8]) -> io::Result<Files> {
    let mut archive = tar::Archive::new(Cursor::new(packed));
    let mut files = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let name = path.to_str().filter(|name| is_plain(name));
        let (Some(name), true) = (name, entry.header().entry_type().is_file()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let size = entry.size();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        if bytes.len() as u64 != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        files.push((name.to_owned(), bytes));
    }
    Ok(files)
}

/// Returns whether a name stays in its folder.
fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|file| file == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_gives_back_its_files() {
        let files: [StepFile<'_>; 3] = [
            ("picture.png", &[7; 1000]),
            ("empty", b""),
            ("result.json", b"{}"),
        ];
        let archive = packed(&files).expect("memory is enough");
        let found = unpacked(&archive).expect("it is ours");
        let found: Vec<StepFile<'_>> = found.iter().map(|(n, b)| (n.as_str(), &b[..])).collect();
        assert_eq!(found, files);
        // Other programs can read the format, and so can older versions of ours.
        assert_eq!(&archive[257..262], b"ustar");
        for cut in [100, 600, 1100] {
            assert!(unpacked(&archive[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn nothing_leaves_its_folder() {
        for name in ["../result.json", "/etc/passwd", "a/b", "..", ""] {
            let mut header = tar::Header::new_ustar();
            // A name that the library itself would refuse to write.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(2);
            header.set_cksum();
            let mut archive = tar::Builder::new(Vec::new());
            archive
                .append(&header, &b"{}"[..])
                .expect("memory is enough");
            let archive = archive.into_inner().expect("memory is enough");
            assert!(unpacked(&archive).is_err(), "{name:?}");
        }
    }
}
