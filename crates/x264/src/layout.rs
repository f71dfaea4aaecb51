//! Memory layout of libx264's structures (`x264.h`). A compiler printed the offsets used here for the headers of builds 156 to 165: they are the same in
//! all. Every other field is left to the library's functions, which set it by name.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// Builds whose headers were compared. Before 156 `X264_CSP_I420` had a different value.
pub(crate) const BUILDS: std::ops::RangeInclusive<u32> = 156..=165;

/// `X264_CSP_I420`.
const I420: c_int = 2;
/// `X264_TYPE_AUTO` and `X264_TYPE_IDR`.
const AUTO: c_int = 0;
const IDR: c_int = 1;

/// `x264_param_t`: 936 to 1024 bytes in these builds; only the picture's size and format are set here.
#[repr(C, align(64))]
pub(crate) struct Parameters {
    start: [c_int; 7],
    width: c_int,
    height: c_int,
    csp: c_int,
    bit_depth: c_int,
    rest: [c_int; 4096],
}

impl Parameters {
    pub(crate) fn zeroed() -> Box<Parameters> {
        Box::new(Parameters {
            start: [0; 7],
            width: 0,
            height: 0,
            csp: 0,
            bit_depth: 0,
            rest: [0; 4096],
        })
    }

    /// Sets the size and format; sides are at most 16,384.
    pub(crate) fn set_picture(&mut self, width: u32, height: u32) {
        (self.width, self.height) = (width as c_int, height as c_int);
        (self.csp, self.bit_depth) = (I420, 8);
    }
}

/// `x264_image_t`.
#[repr(C)]
struct Image {
    csp: c_int,
    n_planes: c_int,
    strides: [c_int; 4],
    planes: [*const u8; 4],
}

/// `x264_picture_t`: 240 bytes in these builds.
#[repr(C, align(64))]
pub(crate) struct Picture {
    kind: c_int,
    qp_plus_1: c_int,
    structure: c_int,
    is_key: c_int,
    pub(crate) pts: i64,
    dts: i64,
    parameters: *mut c_void,
    image: Image,
    rest: [u64; 128],
}

impl Picture {
    pub(crate) fn zeroed() -> Box<Picture> {
        Box::new(Picture {
            kind: 0,
            qp_plus_1: 0,
            structure: 0,
            is_key: 0,
            pts: 0,
            dts: 0,
            parameters: null_mut(),
            image: Image {
                csp: 0,
                n_planes: 0,
                strides: [0; 4],
                planes: [std::ptr::null(); 4],
            },
            rest: [0; 128],
        })
    }

    /// Points the picture at planes Y, U and V without padding. They must live until the picture is encoded; the library only reads them.
    pub(crate) fn show(&mut self, data: &[u8], (width, height): (u32, u32), is_key: bool) {
        let (width, area) = (width as c_int, width as usize * height as usize);
        let (y, chroma) = data.split_at(area);
        let (u, v) = chroma.split_at(area / 4);
        self.kind = if is_key { IDR } else { AUTO };
        self.image.csp = I420;
        self.image.n_planes = 3;
        self.image.strides = [width, width / 2, width / 2, 0];
        self.image.planes = [y.as_ptr(), u.as_ptr(), v.as_ptr(), std::ptr::null()];
    }
}

/// `x264_nal_t`.
#[repr(C)]
pub(crate) struct Nal {
    reference: c_int,
    kind: c_int,
    has_long_start: c_int,
    first_block: c_int,
    last_block: c_int,
    n_bytes: c_int,
    pub(crate) payload: *const u8,
    padding: c_int,
}

#[cfg(test)]
#[cfg(target_pointer_width = "64")]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn structures_lie_as_in_the_headers_of_the_library() {
        assert_eq!(offset_of!(Parameters, width), 28);
        assert_eq!(offset_of!(Parameters, height), 32);
        assert_eq!(offset_of!(Parameters, csp), 36);
        assert_eq!(offset_of!(Parameters, bit_depth), 40);
        assert_eq!(offset_of!(Picture, pts), 16);
        assert_eq!(offset_of!(Picture, image), 40);
        assert_eq!(offset_of!(Image, strides), 8);
        assert_eq!(offset_of!(Image, planes), 24);
        assert_eq!(offset_of!(Nal, n_bytes), 20);
        assert_eq!(offset_of!(Nal, payload), 24);
        assert_eq!(size_of::<Nal>(), 40);
        assert!(size_of::<Parameters>() > 4096 && size_of::<Picture>() > 1024);
    }
}
