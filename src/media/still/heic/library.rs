//! The shared library libheif: found and loaded once per process, never unloaded. Its functions and constants are those of `libheif/heif.h`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use libloading::Library;

use crate::foreign::{self, symbol};
use crate::media::PictureLimits;

/// How to install the library when it is missing.
const ADVICE: &str = "install it: apt-get install libheif1 libde265-0, on Debian 13 and Ubuntu 24.04 also libheif-plugin-libde265; or save the picture as JPEG";

/// Oldest version whose functions were checked: 1.12, from Ubuntu 22.04.
const OLDEST: u32 = 0x010c_0000;

/// `heif_colorspace_RGB`.
pub(super) const RGB: c_int = 1;
/// `heif_chroma_interleaved_RGB`.
pub(super) const INTERLEAVED_RGB: c_int = 10;
/// `heif_chroma_interleaved_RGBA`.
pub(super) const INTERLEAVED_RGBA: c_int = 11;
/// `heif_channel_interleaved`.
pub(super) const INTERLEAVED: c_int = 10;

/// `heif_context`.
#[repr(C)]
pub(super) struct Context([u8; 0]);
/// `heif_image_handle`.
#[repr(C)]
pub(super) struct Handle([u8; 0]);
/// `heif_image`.
#[repr(C)]
pub(super) struct Image([u8; 0]);

/// `heif_decoding_options` up to its version 2; allocated by the library.
#[repr(C)]
pub(super) struct Options {
    pub(super) version: u8,
    ignore_transformations: u8,
    callbacks: [*mut c_void; 4],
    pub(super) convert_to_8_bits: u8,
}

const _: () = assert!(std::mem::offset_of!(Options, convert_to_8_bits) == 40);

/// `heif_security_limits` up to its version 1 (libheif 1.19); part of the context.
#[repr(C)]
struct SecurityLimits {
    version: u8,
    n_pixels: u64,
    n_tiles: u64,
    bayer_pixels: u32,
    n_items: u32,
    profile_bytes: u32,
    block_bytes: u64,
}

const _: () = assert!(std::mem::offset_of!(SecurityLimits, block_bytes) == 40);

/// `heif_error`.
#[repr(C)]
pub(super) struct RawError {
    pub(super) code: c_int,
    subcode: c_int,
    message: *const c_char,
}

impl RawError {
    /// Returns the message.
    pub(super) fn text(&self) -> String {
        if self.message.is_null() {
            return format!("error {}.{}", self.code, self.subcode);
        }
        // SAFETY: the library's messages are NUL-terminated and live as long as the object they are about, which is open.
        unsafe { CStr::from_ptr(self.message) }
            .to_string_lossy()
            .into_owned()
    }
}

/// The functions of the loaded library.
pub(super) struct Libheif {
    /// Version such as `1.15.1`.
    pub(super) version: String,
    pub(super) context_alloc: unsafe extern "C" fn() -> *mut Context,
    pub(super) context_free: unsafe extern "C" fn(*mut Context),
    pub(super) read_from_memory:
        unsafe extern "C" fn(*mut Context, *const c_void, usize, *const c_void) -> RawError,
    pub(super) primary_handle: unsafe extern "C" fn(*mut Context, *mut *mut Handle) -> RawError,
    pub(super) handle_release: unsafe extern "C" fn(*const Handle),
    pub(super) handle_width: unsafe extern "C" fn(*const Handle) -> c_int,
    pub(super) handle_height: unsafe extern "C" fn(*const Handle) -> c_int,
    pub(super) handle_has_alpha: unsafe extern "C" fn(*const Handle) -> c_int,
    pub(super) handle_is_premultiplied: unsafe extern "C" fn(*const Handle) -> c_int,
    pub(super) profile_size: unsafe extern "C" fn(*const Handle) -> usize,
    pub(super) profile: unsafe extern "C" fn(*const Handle, *mut c_void) -> RawError,
    pub(super) options_alloc: unsafe extern "C" fn() -> *mut Options,
    pub(super) options_free: unsafe extern "C" fn(*mut Options),
    pub(super) decode: unsafe extern "C" fn(
        *const Handle,
        *mut *mut Image,
        c_int,
        c_int,
        *const Options,
    ) -> RawError,
    pub(super) image_release: unsafe extern "C" fn(*const Image),
    pub(super) image_width: unsafe extern "C" fn(*const Image, c_int) -> c_int,
    pub(super) image_height: unsafe extern "C" fn(*const Image, c_int) -> c_int,
    pub(super) plane: unsafe extern "C" fn(*const Image, c_int, *mut c_int) -> *const u8,
    max_side: unsafe extern "C" fn(*mut Context, c_int),
    /// Available from 1.19 on.
    security_limits: Option<unsafe extern "C" fn(*const Context) -> *mut SecurityLimits>,
}

impl Libheif {
    /// Returns this machine's library, or the reason why it is missing.
    pub(super) fn get() -> Result<&'static Libheif, String> {
        static LOADED: OnceLock<Result<Libheif, String>> = OnceLock::new();
        LOADED
            .get_or_init(|| foreign::load("libheif", &["libheif.so.1"], ADVICE, functions))
            .as_ref()
            .map_err(String::clone)
    }

    /// Limits what a file may require: the library checks every picture and tile against it.
    pub(super) fn limit(&self, context: *mut Context, limits: &PictureLimits) {
        // A side whose square is the maximum number of pixels.
        let side = (limits.n_pixels as f64).sqrt() as c_int;
        // SAFETY: the context is open; the structure is part of it and is as long as its version says.
        unsafe {
            (self.max_side)(context, side);
            let security = self.security_limits.map(|get| get(context));
            if let Some(security) = security.and_then(|found| found.as_mut())
                && security.version >= 1
            {
                security.n_pixels = limits.n_pixels;
                security.n_tiles = security.n_tiles.min(16_384);
                security.block_bytes = limits.decoded_bytes;
            }
        }
    }
}

fn functions(library: &Library) -> Result<Libheif, String> {
    // SAFETY: these have had these signatures since 1.0.
    let (number, have_decoder) = unsafe {
        let number: unsafe extern "C" fn() -> u32 = symbol(library, c"heif_get_version_number")?;
        let have: unsafe extern "C" fn(c_int) -> c_int =
            symbol(library, c"heif_have_decoder_for_format")?;
        (number(), have)
    };
    let version = format!(
        "{}.{}.{}",
        number >> 24,
        number >> 16 & 255,
        number >> 8 & 255
    );
    if number < OLDEST {
        return Err(format!("version {version} is older than 1.12"));
    }
    // SAFETY: the signature is that of the header since 1.13; without parameters it loads the plugins.
    unsafe {
        let init: Result<unsafe extern "C" fn(*const c_void) -> RawError, String> =
            symbol(library, c"heif_init");
        if let Ok(init) = init {
            init(std::ptr::null());
        }
    }
    const HEVC: c_int = 1;
    // SAFETY: takes and returns a number.
    if unsafe { have_decoder(HEVC) } == 0 {
        return Err(format!("version {version} has no decoder for HEVC"));
    }
    // SAFETY: the signatures are those of the header, the same from 1.12 to 1.21.
    unsafe {
        Ok(Libheif {
            version,
            context_alloc: symbol(library, c"heif_context_alloc")?,
            context_free: symbol(library, c"heif_context_free")?,
            read_from_memory: symbol(library, c"heif_context_read_from_memory_without_copy")?,
            primary_handle: symbol(library, c"heif_context_get_primary_image_handle")?,
            handle_release: symbol(library, c"heif_image_handle_release")?,
            handle_width: symbol(library, c"heif_image_handle_get_width")?,
            handle_height: symbol(library, c"heif_image_handle_get_height")?,
            handle_has_alpha: symbol(library, c"heif_image_handle_has_alpha_channel")?,
            handle_is_premultiplied: symbol(library, c"heif_image_handle_is_premultiplied_alpha")?,
            profile_size: symbol(library, c"heif_image_handle_get_raw_color_profile_size")?,
            profile: symbol(library, c"heif_image_handle_get_raw_color_profile")?,
            options_alloc: symbol(library, c"heif_decoding_options_alloc")?,
            options_free: symbol(library, c"heif_decoding_options_free")?,
            decode: symbol(library, c"heif_decode_image")?,
            image_release: symbol(library, c"heif_image_release")?,
            image_width: symbol(library, c"heif_image_get_width")?,
            image_height: symbol(library, c"heif_image_get_height")?,
            plane: symbol(library, c"heif_image_get_plane_readonly")?,
            max_side: symbol(library, c"heif_context_set_maximum_image_size_limit")?,
            security_limits: symbol(library, c"heif_context_get_security_limits").ok(),
        })
    }
}
