//! HEIC by this machine's libheif, which turns pictures upright, crops them and assembles tiles.

mod library;

use std::ffi::c_int;
use std::ptr;

use image::metadata::Orientation;

use super::{Header, Pixels, size};
use crate::media::PictureLimits;
use crate::media::refusal::Refusal;
use library::{Context, Handle, Image, Libheif, Options, RawError};

/// Bytes per pixel that decoding takes: four of output, twice, and three planes of two.
const BYTES_PER_PIXEL: u64 = 4 + 4 + 3 * 2;

/// Reads the container's facts.
pub(super) fn header(bytes: &[u8], limits: &PictureLimits) -> Result<Header, Refusal> {
    File::open(bytes, limits).map(|file| file.header)
}

/// Decodes the picture.
pub(super) fn pixels(bytes: &[u8], limits: &PictureLimits) -> Result<Pixels, Refusal> {
    let file = File::open(bytes, limits)?;
    let n_channels = if file.header.has_alpha { 4 } else { 3 };
    let bytes = file.decode(n_channels)?;
    Ok(Pixels {
        header: file.header,
        n_channels,
        bytes,
        is_premultiplied: file.is_premultiplied(),
        profile: file.profile(),
    })
}

/// Returns the version of this machine's library, or why it is missing and how to install it.
pub(crate) fn version() -> Result<String, String> {
    Libheif::get().map(|library| library.version.clone())
}

/// An open file and its first picture. The library reads the bytes in place.
struct File<'a> {
    library: &'static Libheif,
    context: *mut Context,
    handle: *mut Handle,
    header: Header,
    _bytes: &'a [u8],
}

impl<'a> File<'a> {
    fn open(bytes: &'a [u8], limits: &PictureLimits) -> Result<File<'a>, Refusal> {
        if !limits.libheif {
            let reason = "is a HEIC picture, which is not supported here";
            return Err(
                Refusal::new("unsupported_picture", reason).hint("save it as JPEG, PNG or AVIF")
            );
        }
        let library = Libheif::get().map_err(|why| {
            let reason =
                format!("is a HEIC picture, and the library that decodes it is missing: {why}");
            Refusal::new("missing_library", reason)
        })?;
        // SAFETY: no arguments.
        let context = unsafe { (library.context_alloc)() };
        if context.is_null() {
            return Err(Refusal::new(
                "too_large",
                "needs more memory than is available",
            ));
        }
        let mut file = File {
            library,
            context,
            handle: ptr::null_mut(),
            header: Header {
                width: 0,
                height: 0,
                orientation: Orientation::NoTransforms,
                has_alpha: false,
            },
            _bytes: bytes,
        };
        library.limit(context, limits);
        // SAFETY: the context is open, the bytes outlive it by this structure's lifetime, and no options are allowed.
        let read = unsafe {
            (library.read_from_memory)(context, bytes.as_ptr().cast(), bytes.len(), ptr::null())
        };
        check(&read)?;
        // SAFETY: the context is open and the handle's pointer is valid.
        let found = unsafe { (library.primary_handle)(context, &mut file.handle) };
        check(&found)?;
        if file.handle.is_null() {
            return Err(size::cut_short());
        }
        // SAFETY: the handle is open.
        let (width, height, alpha) = unsafe {
            (
                (library.handle_width)(file.handle),
                (library.handle_height)(file.handle),
                (library.handle_has_alpha)(file.handle),
            )
        };
        file.header.width = u32::try_from(width).unwrap_or(0);
        file.header.height = u32::try_from(height).unwrap_or(0);
        file.header.has_alpha = alpha != 0;
        let size = (file.header.width, file.header.height);
        let need = size::n_pixels(size).saturating_mul(BYTES_PER_PIXEL);
        size::check(size, need, limits)?;
        Ok(file)
    }

    fn is_premultiplied(&self) -> bool {
        // SAFETY: the handle is open.
        unsafe { (self.library.handle_is_premultiplied)(self.handle) != 0 }
    }

    /// Returns the ICC profile.
    fn profile(&self) -> Option<Vec<u8>> {
        // SAFETY: the handle is open.
        let n = unsafe { (self.library.profile_size)(self.handle) };
        if n == 0 || n > 8 << 20 {
            return None;
        }
        let mut profile = vec![0_u8; n];
        // SAFETY: the buffer is as large as the library's stated size of the profile.
        let got = unsafe { (self.library.profile)(self.handle, profile.as_mut_ptr().cast()) };
        (got.code == 0).then_some(profile)
    }

    fn decode(&self, n_channels: usize) -> Result<Vec<u8>, Refusal> {
        let library = self.library;
        let options = DecodingOptions::new(library)?;
        let mut image: *mut Image = ptr::null_mut();
        let chroma = match n_channels {
            4 => library::INTERLEAVED_RGBA,
            _ => library::INTERLEAVED_RGB,
        };
        // SAFETY: the handle is open, the options are the library's own, and the image's pointer is valid.
        let decoded =
            unsafe { (library.decode)(self.handle, &mut image, library::RGB, chroma, options.raw) };
        let image = Decoded { library, image };
        check(&decoded)?;
        image.bytes((self.header.width, self.header.height), n_channels)
    }
}

impl Drop for File<'_> {
    fn drop(&mut self) {
        // SAFETY: each is open or null, and closed once.
        unsafe {
            if !self.handle.is_null() {
                (self.library.handle_release)(self.handle);
            }
            (self.library.context_free)(self.context);
        }
    }
}

/// The library's options, with deep colors rounded to 8 bits.
struct DecodingOptions {
    library: &'static Libheif,
    raw: *mut Options,
}

impl DecodingOptions {
    fn new(library: &'static Libheif) -> Result<DecodingOptions, Refusal> {
        // SAFETY: no arguments.
        let raw = unsafe { (library.options_alloc)() };
        if raw.is_null() {
            return Err(Refusal::new(
                "too_large",
                "needs more memory than is available",
            ));
        }
        // SAFETY: the library made the structure, which has this field from its version 2 on (libheif 1.7).
        unsafe {
            if (*raw).version >= 2 {
                (*raw).convert_to_8_bits = 1;
            }
        }
        Ok(DecodingOptions { library, raw })
    }
}

impl Drop for DecodingOptions {
    fn drop(&mut self) {
        // SAFETY: made by the library, freed once.
        unsafe { (self.library.options_free)(self.raw) }
    }
}

/// A decoded picture, or null.
struct Decoded {
    library: &'static Libheif,
    image: *mut Image,
}

impl Decoded {
    /// Returns its rows without padding.
    fn bytes(&self, (width, height): (u32, u32), n_channels: usize) -> Result<Vec<u8>, Refusal> {
        if self.image.is_null() {
            return Err(size::cut_short());
        }
        let mut stride: c_int = 0;
        // SAFETY: the image is open; the stride's pointer is valid.
        let (columns, rows, start) = unsafe {
            (
                (self.library.image_width)(self.image, library::INTERLEAVED),
                (self.library.image_height)(self.image, library::INTERLEAVED),
                (self.library.plane)(self.image, library::INTERLEAVED, &mut stride),
            )
        };
        let is_as_told = u32::try_from(columns) == Ok(width) && u32::try_from(rows) == Ok(height);
        let n = width as usize * n_channels;
        let stride = usize::try_from(stride).unwrap_or(0);
        if !is_as_told || start.is_null() || stride < n {
            return Err(Refusal::damaged("it was decoded to the wrong size"));
        }
        let mut bytes = Vec::with_capacity(n * height as usize);
        for row in 0..height as usize {
            // SAFETY: the library provides `height` rows, each `stride` apart and at least `n` bytes long.
            let row = unsafe { std::slice::from_raw_parts(start.add(row * stride), n) };
            bytes.extend_from_slice(row);
        }
        Ok(bytes)
    }
}

impl Drop for Decoded {
    fn drop(&mut self) {
        if !self.image.is_null() {
            // SAFETY: made by the library, released once.
            unsafe { (self.library.image_release)(self.image) }
        }
    }
}

/// Converts the library's error (`heif_error_code`).
fn check(error: &RawError) -> Result<(), Refusal> {
    const UNSUPPORTED_FILE: c_int = 3;
    const UNSUPPORTED_FEATURE: c_int = 4;
    const NO_MEMORY: c_int = 6;
    let text = error.text();
    Err(match error.code {
        0 => return Ok(()),
        UNSUPPORTED_FILE | UNSUPPORTED_FEATURE => Refusal::new(
            "unsupported_picture",
            format!("is a HEIF picture of a kind that this machine's libheif cannot decode: {text}"),
        )
        .hint("save it as JPEG or PNG; for HEVC on Debian 13: apt-get install libheif-plugin-libde265"),
        NO_MEMORY => Refusal::new("too_large", format!("exceeds the limits: {text}")),
        _ => Refusal::damaged(text),
    })
}
