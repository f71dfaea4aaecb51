//! The shared library of SVT-AV1: found and loaded once per process, checked for a known version, never unloaded.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, OnceLock};

use libloading::Library;

use super::layout::{Config, Header, LAYOUTS, Layout};
use crate::foreign::{self, symbol};

/// Names under which the library is installed, the newest first.
const FILES: [&str; 4] = [
    "libSvtAv1Enc.so.4",
    "libSvtAv1Enc.so.3",
    "libSvtAv1Enc.so.2",
    "libSvtAv1Enc.so.1",
];

/// What to do when there is none.
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
    /// How its structures lie.
    pub(super) layout: Layout,
    /// As the library tells it, such as `v1.4.1`.
    pub(super) version: String,
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
    /// Opening and closing encoders touches globals of the library: one at a time.
    pub(super) door: Mutex<()>,
}

impl Svt {
    /// The library of this machine, or why there is none.
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
    let version = unsafe {
        let get: unsafe extern "C" fn() -> *const c_char = symbol(library, c"svt_av1_get_version")?;
        CStr::from_ptr(get()).to_string_lossy().into_owned()
    };
    let layout = layout_of(&version)?;
    // SAFETY: the signatures are those of the header of this version.
    unsafe {
        Ok(Svt {
            layout,
            version,
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

/// The layout of a version string such as `v1.4.1` or `v2.3.0-12-gabcdef`.
fn layout_of(version: &str) -> Result<Layout, String> {
    let mut numbers = version
        .trim_start_matches('v')
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|part| part.parse::<u32>().ok());
    let pair = (numbers.next(), numbers.next());
    LAYOUTS
        .into_iter()
        .find(|layout| pair == (Some(layout.version.0), Some(layout.version.1)))
        .ok_or_else(|| {
            let known = LAYOUTS.map(|l| format!("{}.{}", l.version.0, l.version.1));
            format!(
                "version {version} is not one whose memory layout was checked ({})",
                known.join(", ")
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_checked_versions_are_taken() {
        assert_eq!(layout_of("v1.4.1").unwrap().version, (1, 4));
        assert_eq!(layout_of("v2.3.0-12-gabc").unwrap().version, (2, 3));
        for unknown in ["v1.5.0", "v0.9.1", "9", "", "v1", "hello", "v99.1.0"] {
            assert!(layout_of(unknown).is_err(), "{unknown}");
        }
    }
}
