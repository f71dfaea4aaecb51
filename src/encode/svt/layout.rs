//! Memory layout of SVT-AV1's structures, by version (`EbSvtAv1.h` of each).
//!
//! The table lists only versions that were run with this encoder: reading a field at the wrong offset would be undefined behavior.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::units::Size;

/// `EB_BUFFERFLAG_EOS`: no more frames, or the last packet.
const FLAG_EOS: u32 = 1;
/// `EB_AV1_KEY_PICTURE`.
const KEY_PICTURE: u32 = 3;
/// `EB_AV1_INVALID_PICTURE`: the encoder decides.
const ANY_PICTURE: u32 = 0xff;
/// `EB_YUV420`.
const YUV420: u32 = 1;

/// Versions that share a layout, and where it differs from others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Major and minor numbers.
    versions: &'static [(u32, u32)],
    /// `sizeof(EbBufferHeaderType)`.
    header_bytes: u32,
    /// `EbBufferHeaderType::pic_type`, in 32-bit words after `pts`.
    pic_type: usize,
    /// `EbBufferHeaderType::flags`, in 32-bit words after `pts`.
    flags: usize,
    /// Whether `EbSvtIOFormat` has three more pointers after the first three (low bits of 10-bit samples).
    has_low_bits: bool,
    /// Whether the parameter `lp` is a level of parallelism, 1 to 6, and not a number of processors.
    pub(super) lp_is_level: bool,
    /// Whether `svt_av1_enc_init_handle` takes a pointer of the application as the second of three parameters.
    pub(super) init_takes_app_data: bool,
}

/// Layouts of the versions whose headers were compiled and whose offsets were printed, one by one: 1.4.0, 1.4.1, 1.5 to 1.8, 2.0, 2.1, 2.1.2, 2.2, 2.3,
/// 3.0, 3.0.2, 3.1, 3.1.2, 4.0, 4.1 and 4.2.
pub(super) const LAYOUTS: [Layout; 4] = [
    Layout {
        versions: &[(1, 4)],
        header_bytes: 136,
        pic_type: 1,
        flags: 8,
        has_low_bits: true,
        lp_is_level: false,
        init_takes_app_data: true,
    },
    Layout {
        versions: &[(1, 5), (1, 6), (1, 7), (1, 8), (2, 0), (2, 1), (2, 2)],
        header_bytes: 136,
        pic_type: 1,
        flags: 8,
        has_low_bits: false,
        lp_is_level: false,
        init_takes_app_data: true,
    },
    Layout {
        versions: &[(2, 3)],
        header_bytes: 136,
        pic_type: 1,
        flags: 8,
        has_low_bits: false,
        lp_is_level: true,
        init_takes_app_data: true,
    },
    Layout {
        versions: &[(3, 0), (3, 1), (4, 0), (4, 1), (4, 2)],
        header_bytes: 144,
        pic_type: 3,
        flags: 10,
        has_low_bits: false,
        lp_is_level: true,
        init_takes_app_data: false,
    },
];

impl Layout {
    /// Returns the layout of a version, if it was checked.
    pub(super) fn of(version: Version) -> Option<Layout> {
        let pair = (version.major, version.minor);
        LAYOUTS
            .into_iter()
            .find(|layout| layout.versions.contains(&pair))
    }
}

/// A version of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    pub(super) major: u32,
    pub(super) minor: u32,
    pub(super) patch: u32,
}

impl Version {
    /// Parses a version such as `v1.4.1` or `v2.3.0-12-gabcdef`.
    pub(super) fn parse(text: &str) -> Option<Version> {
        let mut numbers = text
            .trim_start_matches('v')
            .split(|c: char| !c.is_ascii_digit())
            .map_while(|part| part.parse::<u32>().ok());
        Some(Version {
            major: numbers.next()?,
            minor: numbers.next()?,
            patch: numbers.next().unwrap_or(0),
        })
    }

    /// Returns whether encoding several pictures in parallel can hang. From 3.1.0 to 4.0.0 the picture manager starts pictures out of order and never
    /// revisits those earlier in its list (fixed upstream in 4.0.1, "Fix list index update in pic manager to address a hang"). With one picture at a time
    /// (`lp` 1) the library takes another path, which cannot hang.
    pub(super) fn can_hang_in_parallel(self) -> bool {
        let at = (self.major, self.minor, self.patch);
        ((3, 1, 0)..(4, 0, 1)).contains(&at)
    }
}

/// `EbSvtAv1EncConfiguration` as a block of bytes whose fields are only set by name. It has 1720 bytes in 1.4 and at most 664 in later versions.
#[repr(C, align(64))]
pub(super) struct Config([u8; 16384]);

impl Config {
    pub(super) fn zeroed() -> Box<Config> {
        Box::new(Config([0; 16384]))
    }
}

/// `EbBufferHeaderType`: identical up to `pts` in all versions.
#[repr(C)]
pub(super) struct Header {
    size: u32,
    buffer: *mut c_void,
    n_filled_bytes: u32,
    n_alloc_bytes: u32,
    app_private: *mut c_void,
    wrapper: *mut c_void,
    n_tick_count: u32,
    dts: i64,
    pts: i64,
    /// Longer than in any version; only accessed at the offsets of the layout.
    tail: [u32; 32],
}

impl Header {
    fn empty(layout: &Layout) -> Header {
        Header {
            size: layout.header_bytes,
            buffer: null_mut(),
            n_filled_bytes: 0,
            n_alloc_bytes: 0,
            app_private: null_mut(),
            wrapper: null_mut(),
            n_tick_count: 0,
            dts: 0,
            pts: 0,
            tail: [0; 32],
        }
    }

    /// Creates the header that announces the end of the stream.
    pub(super) fn end(layout: &Layout) -> Header {
        let mut header = Header::empty(layout);
        header.tail[layout.flags] = FLAG_EOS;
        header
    }

    /// Creates the header of a frame to encode; `picture` must live until it is sent.
    pub(super) fn frame(layout: &Layout, picture: &mut Picture, pts: i64, is_key: bool) -> Header {
        let mut header = Header::empty(layout);
        header.buffer = picture.as_raw();
        // Newer versions compare this with the size of the planes.
        header.n_filled_bytes = picture.n_bytes;
        header.n_alloc_bytes = picture.n_bytes;
        header.pts = pts;
        header.tail[layout.pic_type] = if is_key { KEY_PICTURE } else { ANY_PICTURE };
        header
    }
}

/// A packet, copied out of the library.
pub(super) struct Received {
    /// One temporal unit; may be empty at the end of the stream.
    pub(super) data: Vec<u8>,
    /// Index of the frame.
    pub(super) pts: i64,
    /// Whether this is the last packet.
    pub(super) is_last: bool,
}

impl Received {
    /// Copies a packet.
    ///
    /// # Safety
    /// `header` must be one that the library of this layout returned and that was not released yet.
    pub(super) unsafe fn copy(layout: &Layout, header: *const Header) -> Received {
        // SAFETY: the caller promises a live header, whose fields have the offsets of this layout (the library's own is shorter than `Header`, so only
        // fields are read, never the whole); its buffer holds as many bytes as the header says.
        unsafe {
            let buffer = (&raw const (*header).buffer).read().cast::<u8>();
            let n_bytes = (&raw const (*header).n_filled_bytes).read() as usize;
            let flags = (&raw const (*header).tail)
                .cast::<u32>()
                .add(layout.flags)
                .read();
            let data = if buffer.is_null() || n_bytes == 0 {
                Vec::new()
            } else {
                std::slice::from_raw_parts(buffer, n_bytes).to_vec()
            };
            Received {
                data,
                pts: (&raw const (*header).pts).read(),
                is_last: flags & FLAG_EOS != 0,
            }
        }
    }
}

/// `EbSvtIOFormat`. Fields that newer versions dropped are at its end.
#[repr(C)]
struct Planes<const N: usize> {
    planes: [*const u8; N],
    y_stride: u32,
    cr_stride: u32,
    cb_stride: u32,
    width: u32,
    height: u32,
    origin: [u32; 2],
    color_format: u32,
    bit_depth: u32,
}

impl<const N: usize> Planes<N> {
    fn new(planes: [&[u8]; 3], size: Size) -> Planes<N> {
        let mut pointers = [null(); N];
        for (pointer, plane) in pointers.iter_mut().zip(planes) {
            *pointer = plane.as_ptr();
        }
        Planes {
            planes: pointers,
            y_stride: size.width,
            cr_stride: size.width / 2,
            cb_stride: size.width / 2,
            width: size.width,
            height: size.height,
            origin: [0; 2],
            color_format: YUV420,
            bit_depth: 8,
        }
    }
}

/// The planes of a frame in the form that the library expects.
pub(super) struct Picture {
    planes: AnyPlanes,
    n_bytes: u32,
}

enum AnyPlanes {
    WithLowBits(Planes<6>),
    Plain(Planes<3>),
}

impl Picture {
    /// Wraps planes Y, U and V of `size` without row padding (the library copies whole strides). They must live until the frame is sent.
    pub(super) fn new(layout: &Layout, planes: [&[u8]; 3], size: Size) -> Picture {
        let n_bytes = planes.iter().map(|plane| plane.len()).sum::<usize>() as u32;
        let planes = if layout.has_low_bits {
            AnyPlanes::WithLowBits(Planes::new(planes, size))
        } else {
            AnyPlanes::Plain(Planes::new(planes, size))
        };
        Picture { planes, n_bytes }
    }

    fn as_raw(&mut self) -> *mut c_void {
        match &mut self.planes {
            AnyPlanes::WithLowBits(planes) => (&raw mut *planes).cast(),
            AnyPlanes::Plain(planes) => (&raw mut *planes).cast(),
        }
    }
}

#[cfg(test)]
#[cfg(target_pointer_width = "64")]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn structures_lie_as_in_the_headers_of_the_library() {
        assert_eq!(offset_of!(Header, pts), 56);
        assert_eq!(offset_of!(Header, tail), 64);
        assert_eq!(offset_of!(Planes<6>, y_stride), 48);
        assert_eq!(size_of::<Planes<6>>(), 88);
        assert_eq!(offset_of!(Planes<3>, y_stride), 24);
        assert_eq!(size_of::<Planes<3>>(), 64);
        for layout in LAYOUTS {
            assert!(layout.header_bytes as usize <= size_of::<Header>());
            assert!(64 + 4 * layout.flags < layout.header_bytes as usize);
        }
    }
}
