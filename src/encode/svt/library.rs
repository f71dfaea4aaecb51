//! The shared library of SVT-AV1: found and loaded once per process, checked for a known version, never unloaded.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, OnceLock};

use libloading::Library;

use super::layout::{Config, Header, Layout, Version};
use crate::foreign::{self, symbol};

/// File names of the library, the newest first.
const FILES: [&str; 4] = [
    "libSvtAv1Enc.so.4",
    "libSvtAv1Enc.so.3",
    "libSvtAv1Enc.so.2",
    "libSvtAv1Enc.so.1",
];

/// How to install the library when it is missing.
const ADVICE: &str = "on Debian 12: apt-get install libsvtav1enc1";

/// `EB_ErrorNone`.
pub(super) const OK: c_int = 0;
/// `EB_NoErrorEmptyQueue`: no packet is ready.
pub(super) const EMPTY_QUEUE: c_int = 0x8000_2033_u32 as c_int;

/// `EbComponentType`: an open encoder.
pub(super) type Handle = *mut c_void;

type InitHandle2 = unsafe extern "C" fn(*mut Handle, *mut Config) -> c_int;
type InitHandle3 = unsafe extern "C" fn(*mut Handle, *mut c_void, *mut Config) -> c_int;

enum InitHandle {
    Two(InitHandle2),
    Three(InitHandle3),
}

/// The functions of the loaded library (`EbSvtAv1Enc.h`).
pub(super) struct Svt {
    /// Memory layout of its structures.
    pub(super) layout: Layout,
    /// Version that the library reports.
    pub(super) version: Version,
    /// Version text of the library without the `v`: `1.4.1`.
    pub(super) version_text: String,
    init_handle: InitHandle,
    pub(super) parse_parameter:
        unsafe extern "C" fn(*mut Config, *const c_char, *const c_char) -> c_int,
    pub(super) set_parameter: unsafe extern "C" fn(Handle, *mut Config) -> c_int,
    pub(super) init: unsafe extern "C" fn(Handle) -> c_int,
    pub(super) send_picture: unsafe extern "C" fn(Handle, *mut Header) -> c_int,
    pub(super) get_packet: unsafe extern "C" fn(Handle, *mut *mut Header, u8) -> c_int,
    pub(super) release_out_buffer: unsafe extern "C" fn(*mut *mut Header),
    pub(super) deinit: unsafe extern "C" fn(Handle) -> c_int,
    pub(super) deinit_handle: unsafe extern "C" fn(Handle) -> c_int,
    /// Lock for opening and closing encoders, which touches globals of the library.
    pub(super) door: Mutex<()>,
}

impl Svt {
    /// Returns this machine's library, or the reason why it is missing.
    pub(super) fn get() -> Result<&'static Svt, String> {
        static LOADED: OnceLock<Result<Svt, String>> = OnceLock::new();
        LOADED
            .get_or_init(|| foreign::load("SVT-AV1", &FILES, ADVICE, functions))
            .as_ref()
            .map_err(String::clone)
    }

    /// Opens an encoder and fills `config` with the defaults of the library.
    ///
    /// # Safety
    /// `handle` and `config` must be valid to write; the door must be held.
    pub(super) unsafe fn open(&self, handle: &mut Handle, config: &mut Config) -> c_int {
        // SAFETY: both pointers come from references; the number of parameters is that of the version.
        unsafe {
            match self.init_handle {
                InitHandle::Two(f) => f(handle, config),
                InitHandle::Three(f) => f(handle, std::ptr::null_mut(), config),
            }
        }
    }
}

fn functions(library: &Library) -> Result<Svt, String> {
    // SAFETY: `svt_av1_get_version` has had this signature since 0.9 and returns a string that lives as long as the library.
    let text = unsafe {
        let get: unsafe extern "C" fn() -> *const c_char = symbol(library, c"svt_av1_get_version")?;
        CStr::from_ptr(get()).to_string_lossy().into_owned()
    };
    let (version, layout) = checked_version(&text)?;
    // SAFETY: the signatures are those of the header of this version.
    unsafe {
        Ok(Svt {
            layout,
            version,
            version_text: text.trim_start_matches('v').to_owned(),
            init_handle: if layout.init_takes_app_data {
                InitHandle::Three(symbol(library, c"svt_av1_enc_init_handle")?)
            } else {
                InitHandle::Two(symbol(library, c"svt_av1_enc_init_handle")?)
            },
            parse_parameter: symbol(library, c"svt_av1_enc_parse_parameter")?,
            set_parameter: symbol(library, c"svt_av1_enc_set_parameter")?,
            init: symbol(library, c"svt_av1_enc_init")?,
            send_picture: symbol(library, c"svt_av1_enc_send_picture")?,
            get_packet: symbol(library, c"svt_av1_enc_get_packet")?,
            release_out_buffer: symbol(library, c"svt_av1_enc_release_out_buffer")?,
            deinit: symbol(library, c"svt_av1_enc_deinit")?,
            deinit_handle: symbol(library, c"svt_av1_enc_deinit_handle")?,
            door: Mutex::new(()),
        })
    }
}

/// Parses a version string and finds its layout.
fn checked_version(text: &str) -> Result<(Version, Layout), String> {
    let version = Version::parse(text);
    version
        .and_then(|version| Some((version, Layout::of(version)?)))
        .ok_or_else(|| {
            format!(
                "version {text} is newer or older than the ones kinora was tested with (1.4 to 4.2)"
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_checked_versions_are_taken() {
        let known = [
            "v1.4.1",
            "v1.5.0",
            "v1.7.0",
            "v1.8.0",
            "v2.0.0",
            "v2.1.2",
            "v2.2.1",
            "v2.3.0-12-gabc",
            "v3.0.2",
            "v3.1.2",
            "v4.0.1",
            "v4.1.0",
            "v4.2.0",
        ];
        for text in known {
            assert!(checked_version(text).is_ok(), "{text}");
        }
        for unknown in [
            "v1.3.0", "v0.9.1", "9", "", "v1", "hello", "v2.4.0", "v4.3.0", "v99.1.0",
        ] {
            assert!(checked_version(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn versions_that_can_wait_for_ever_are_known() {
        let can = |text| Version::parse(text).unwrap().can_hang_in_parallel();
        assert!(["v3.1.0", "v3.1.2", "v4.0.0"].into_iter().all(can));
        assert!(
            !["v1.4.1", "v2.3.0", "v3.0.2", "v4.0.1", "v4.1.0"]
                .into_iter()
                .any(can)
        );
    }
}
