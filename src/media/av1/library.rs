//! The shared library of dav1d: found and loaded once per process, checked for a known version, never unloaded.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use libloading::Library;

use super::layout::{RawData, RawPicture, RawSettings};
use crate::foreign::{self, symbol};

/// File names of the library: checked versions first, then those that are only named in the error.
const FILES: [&str; 5] = [
    "libdav1d.so.7",
    "libdav1d.so.6",
    "libdav1d.so.5",
    "libdav1d.so.8",
    "libdav1d.so",
];

/// How to install the library when it is missing.
const ADVICE: &str = "install it: apt-get install libdav1d7, on Debian 12 libdav1d6";

/// `Dav1dContext`: an open decoder.
pub(super) type Handle = *mut c_void;

/// Meaning of the two thread settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// 0.9: for frames, for tiles.
    FramesTiles,
    /// From 1.0 on: total number, pictures in parallel.
    AllPictures,
}

/// The functions of the loaded library (`dav1d.h`, `data.h`, `picture.h`).
pub(super) struct Dav1d {
    /// As the library reports it, such as `1.0.0`.
    pub(super) version: String,
    pub(super) threads: Threads,
    pub(super) default_settings: unsafe extern "C" fn(*mut RawSettings),
    pub(super) open: unsafe extern "C" fn(*mut Handle, *const RawSettings) -> c_int,
    pub(super) close: unsafe extern "C" fn(*mut Handle),
    pub(super) send_data: unsafe extern "C" fn(Handle, *mut RawData) -> c_int,
    pub(super) get_picture: unsafe extern "C" fn(Handle, *mut RawPicture) -> c_int,
    pub(super) picture_unref: unsafe extern "C" fn(*mut RawPicture),
    pub(super) data_create: unsafe extern "C" fn(*mut RawData, usize) -> *mut u8,
    pub(super) data_unref: unsafe extern "C" fn(*mut RawData),
}

impl Dav1d {
    /// Returns this machine's library, or the reason why it is missing.
    pub(super) fn get() -> Result<&'static Dav1d, String> {
        static LOADED: OnceLock<Result<Dav1d, String>> = OnceLock::new();
        LOADED
            .get_or_init(|| foreign::load("dav1d", &FILES, ADVICE, functions))
            .as_ref()
            .map_err(String::clone)
    }
}

fn functions(library: &Library) -> Result<Dav1d, String> {
    // SAFETY: both have had these signatures since they were added (0.1 and 1.3); the string lives as long as the library.
    let (version, api) = unsafe {
        let get: unsafe extern "C" fn() -> *const c_char = symbol(library, c"dav1d_version")?;
        let api: Option<unsafe extern "C" fn() -> c_uint> =
            symbol(library, c"dav1d_version_api").ok();
        let version = CStr::from_ptr(get()).to_string_lossy().into_owned();
        (version, api.map(|api| api() >> 16))
    };
    let threads = threads_of(&version, api)?;
    // SAFETY: the signatures are those of the headers of this version.
    unsafe {
        Ok(Dav1d {
            version,
            threads,
            default_settings: symbol(library, c"dav1d_default_settings")?,
            open: symbol(library, c"dav1d_open")?,
            close: symbol(library, c"dav1d_close")?,
            send_data: symbol(library, c"dav1d_send_data")?,
            get_picture: symbol(library, c"dav1d_get_picture")?,
            picture_unref: symbol(library, c"dav1d_picture_unref")?,
            data_create: symbol(library, c"dav1d_data_create")?,
            data_unref: symbol(library, c"dav1d_data_unref")?,
        })
    }
}

/// Rejects versions whose memory layout was not checked. `api` is the major number of the interface, reported from 1.3 on.
fn threads_of(version: &str, api: Option<u32>) -> Result<Threads, String> {
    match (api, version) {
        (Some(7), _) => Ok(Threads::AllPictures),
        (None, v) if ["1.0", "1.1", "1.2"].iter().any(|known| is_of(v, known)) => {
            Ok(Threads::AllPictures)
        }
        (None, v) if is_of(v, "0.9") => Ok(Threads::FramesTiles),
        _ => Err(format!(
            "version {version} is not supported (0.9 to 1.5 are)"
        )),
    }
}

/// Returns whether `version`, such as `1.0.0-2-gabc`, belongs to `series`, such as `1.0`.
fn is_of(version: &str, series: &str) -> bool {
    let rest = version.strip_prefix(series);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_checked_versions_are_taken() {
        let all = Ok(Threads::AllPictures);
        assert_eq!(threads_of("0.9.2", None), Ok(Threads::FramesTiles));
        for (version, api) in [
            ("1.0.0", None),
            ("1.2.1-4-gabc", None),
            ("1.3.0", Some(7)),
            ("1.5.3", Some(7)),
            ("a build without a number", Some(7)),
        ] {
            assert_eq!(threads_of(version, api), all, "{version}");
        }
        for (version, api) in [
            ("0.8.2", None),
            ("0.90.0", None),
            ("1.10.0", None),
            ("2.0.0", Some(8)),
            ("", None),
        ] {
            assert!(threads_of(version, api).is_err(), "{version}");
        }
    }
}
