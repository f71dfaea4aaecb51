//! A decoded picture, owned by the library until it is dropped.

use super::Av1Error;
use super::layout::{RawPicture, Zeroed};
use super::library::{Dav1d, Handle};

/// Size of the chroma planes relative to the luma plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chroma {
    /// No chroma planes.
    Monochrome,
    /// Half as wide and half as high, rounded up.
    Yuv420,
    /// Half as wide, rounded up.
    Yuv422,
    /// Same size.
    Yuv444,
}

/// A decoded picture.
pub(crate) struct Picture {
    library: &'static Dav1d,
    raw: RawPicture,
    chroma: Chroma,
}

// SAFETY: nothing else writes to a picture that the library returned, and its reference count is atomic.
unsafe impl Send for Picture {}

impl Picture {
    /// Returns the next picture of a decoder, or the library's error.
    pub(super) fn next(library: &'static Dav1d, decoder: Handle) -> Result<Picture, NoPicture> {
        let mut raw = RawPicture::zeroed();
        // SAFETY: the decoder is open, and the structure has room for every version's picture.
        let code = unsafe { (library.get_picture)(decoder, &mut raw) };
        if code != 0 {
            return Err(NoPicture::Code(code));
        }
        let chroma = match raw.chroma {
            0 => Chroma::Monochrome,
            1 => Chroma::Yuv420,
            2 => Chroma::Yuv422,
            _ => Chroma::Yuv444,
        };
        let picture = Picture {
            library,
            raw,
            chroma,
        };
        let is_sound = picture.raw.width > 0
            && picture.raw.height > 0
            && matches!(picture.raw.bits, 8 | 10 | 12)
            && (0..picture.n_planes()).all(|plane| picture.is_sound(plane));
        is_sound.then_some(picture).ok_or(NoPicture::Unsound)
    }

    /// Returns the number of columns.
    pub(crate) fn width(&self) -> u32 {
        self.raw.width as u32
    }

    /// Returns the number of rows.
    pub(crate) fn height(&self) -> u32 {
        self.raw.height as u32
    }

    /// Returns the bits per sample: 8, 10 or 12.
    pub(crate) fn bits(&self) -> u32 {
        self.raw.bits as u32
    }

    /// Returns the layout of the chroma planes.
    pub(crate) fn chroma(&self) -> Chroma {
        self.chroma
    }

    fn n_planes(&self) -> usize {
        if self.chroma == Chroma::Monochrome {
            1
        } else {
            3
        }
    }

    /// Returns `(bytes per row, rows)` of a plane.
    fn shape(&self, plane: usize) -> (usize, usize) {
        let (width, height) = (self.width() as usize, self.height() as usize);
        let (width, height) = match self.chroma {
            _ if plane == 0 => (width, height),
            Chroma::Monochrome => (0, 0),
            Chroma::Yuv420 => (width.div_ceil(2), height.div_ceil(2)),
            Chroma::Yuv422 => (width.div_ceil(2), height),
            Chroma::Yuv444 => (width, height),
        };
        (width * if self.bits() > 8 { 2 } else { 1 }, height)
    }

    fn stride(&self, plane: usize) -> isize {
        self.raw.strides[plane.min(1)]
    }

    fn is_sound(&self, plane: usize) -> bool {
        let is_wide = usize::try_from(self.stride(plane)).is_ok_and(|n| n >= self.shape(plane).0);
        is_wide && !self.raw.planes[plane].is_null()
    }

    /// Returns the rows of Y (0), U (1) or V (2), and the bytes between rows; the last row ends with its last sample. Samples deeper than 8 bits take two
    /// bytes in native order. Empty for the planes that a monochrome picture lacks.
    pub(crate) fn plane(&self, plane: usize) -> (&[u8], usize) {
        if plane >= self.n_planes() {
            return (&[], 0);
        }
        let (n_bytes, n_rows) = self.shape(plane);
        let stride = self.stride(plane) as usize;
        let length = stride * (n_rows - 1) + n_bytes;
        // SAFETY: the library provides whole rows at this stride, which was checked to be positive and wide enough; the pointer was checked too.
        let rows = unsafe { std::slice::from_raw_parts(self.raw.planes[plane], length) };
        (rows, stride)
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        // SAFETY: the picture came from this library and is released once.
        unsafe { (self.library.picture_unref)(&mut self.raw) }
    }
}

/// Why the library returned no picture.
pub(super) enum NoPicture {
    /// The library's error code.
    Code(i32),
    /// The picture cannot be read.
    Unsound,
}

impl From<NoPicture> for Av1Error {
    fn from(reason: NoPicture) -> Av1Error {
        match reason {
            NoPicture::Code(code) => super::decoder::error_of(code),
            NoPicture::Unsound => Av1Error::Unsupported,
        }
    }
}
