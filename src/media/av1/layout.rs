//! Memory layout of the libdav1d structures that kinora reads and writes.
//!
//! Compared by a C compiler with the headers of 0.9.0 to 0.9.2 (`libdav1d.so.5`), 1.0.0 to 1.2.1 (`.6`) and 1.3.0 to 1.5.3 (`.7`): the named fields have
//! the same offset in all of them. The fields after them differ and are left to the library: it fills settings with defaults and pictures as a whole.

use std::ffi::{c_int, c_uint, c_void};
use std::mem::{offset_of, size_of};

/// `Dav1dSettings`, 96 bytes in every version.
#[repr(C)]
pub(super) struct RawSettings {
    /// Up to `.so.5`: threads for frames. From `.so.6` on: total number of threads.
    pub(super) first_threads: c_int,
    /// Up to `.so.5`: threads for tiles. From `.so.6` on: pictures decoded in parallel.
    pub(super) second_threads: c_int,
    apply_grain: c_int,
    pub(super) operating_point: c_int,
    /// 0 outputs only the highest spatial layer.
    pub(super) all_layers: c_int,
    /// Maximum number of pixels.
    pub(super) frame_size_limit: c_uint,
    allocator: [*mut c_void; 3],
    logger_cookie: *mut c_void,
    /// Null prints nothing.
    pub(super) logger_callback: *mut c_void,
    rest: [u64; 4],
}

const _: () = assert!(size_of::<RawSettings>() == 96);
const _: () = assert!(offset_of!(RawSettings, operating_point) == 12);
const _: () = assert!(offset_of!(RawSettings, frame_size_limit) == 20);
const _: () = assert!(offset_of!(RawSettings, allocator) == 24);
const _: () = assert!(offset_of!(RawSettings, logger_cookie) == 48);

/// `Dav1dData`, 72 bytes in every version.
#[repr(C)]
pub(super) struct RawData {
    pub(super) data: *const u8,
    pub(super) n_bytes: usize,
    rest: [u64; 7],
}

const _: () = assert!(size_of::<RawData>() == 72);

/// `Dav1dPicture`: 264 bytes, 272 from 1.3 on. This structure is larger.
#[repr(C)]
pub(super) struct RawPicture {
    headers: [*const c_void; 2],
    /// Y, U, V; the latter two null for monochrome pictures.
    pub(super) planes: [*const u8; 3],
    /// Bytes between rows, of Y and of U and V.
    pub(super) strides: [isize; 2],
    pub(super) width: c_int,
    pub(super) height: c_int,
    /// `Dav1dPixelLayout`.
    pub(super) chroma: c_uint,
    pub(super) bits: c_int,
    rest: [u64; 55],
}

const _: () = assert!(size_of::<RawPicture>() == 512);
const _: () = assert!(offset_of!(RawPicture, planes) == 16);
const _: () = assert!(offset_of!(RawPicture, strides) == 40);
const _: () = assert!(offset_of!(RawPicture, width) == 56);
const _: () = assert!(offset_of!(RawPicture, bits) == 68);

/// A structure of zero bytes, the library's empty state.
pub(super) trait Zeroed: Sized {
    fn zeroed() -> Self {
        // SAFETY: implemented only by the structures above, whose fields are integers and pointers that may be null.
        unsafe { std::mem::zeroed() }
    }
}

impl Zeroed for RawSettings {}
impl Zeroed for RawData {}
impl Zeroed for RawPicture {}
