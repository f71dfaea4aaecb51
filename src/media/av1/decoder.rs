//! A decoder of libdav1d: temporal units in, pictures out.

use std::io;

use super::Av1Error;
use super::layout::{RawData, RawSettings, Zeroed};
use super::library::{Dav1d, Handle, Threads};
use super::picture::{NoPicture, Picture};
use crate::bitstream::av1::{
    OBU_FRAME, OBU_FRAME_HEADER, OBU_REDUNDANT_FRAME_HEADER, OBU_SEQUENCE_HEADER,
    OBU_TEMPORAL_DELIMITER, OBU_TILE_GROUP, split_obu,
};

/// Maximum number of pictures fetched per temporal unit; a valid unit has at most one per spatial layer.
const MAX_PICTURES: usize = 64;

/// Settings of a decoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Maximum pixels per picture.
    pub(crate) n_pixels: u32,
    /// Threads that work on one picture; with 1 everything runs on the caller's thread.
    pub(crate) n_threads: u8,
    /// Operating point, 0 to 31: selects the layers to decode. 0 is all of them, as in players.
    pub(crate) operating_point: u8,
}

/// A decoder at some position in its stream.
pub(crate) struct Decoder {
    library: &'static Dav1d,
    handle: Handle,
}

// SAFETY: any thread may use a decoder, one at a time, which `&mut` ensures.
unsafe impl Send for Decoder {}

impl Decoder {
    /// Opens a decoder that outputs what players show: with film grain, and only the highest layer.
    ///
    /// # Errors
    /// `Absent` when the library is unusable; `OutOfMemory`.
    pub(crate) fn open(settings: &Settings) -> Result<Decoder, Av1Error> {
        let library = Dav1d::get().map_err(Av1Error::Absent)?;
        let mut raw = RawSettings::zeroed();
        // SAFETY: the structure is as large as the library's.
        unsafe { (library.default_settings)(&mut raw) };
        let n_threads = i32::from(settings.n_threads.clamp(1, 64));
        // One picture at a time, so that each unit's picture comes back immediately.
        (raw.first_threads, raw.second_threads) = match library.threads {
            Threads::FramesTiles => (1, n_threads),
            Threads::AllPictures => (n_threads, 1),
        };
        raw.operating_point = i32::from(settings.operating_point.min(31));
        raw.all_layers = 0;
        raw.frame_size_limit = settings.n_pixels;
        raw.logger_callback = std::ptr::null_mut();
        let mut handle = std::ptr::null_mut();
        // SAFETY: both pointers are valid, and the settings are the library's own apart from the fields above.
        match unsafe { (library.open)(&mut handle, &raw) } {
            0 if !handle.is_null() => Ok(Decoder { library, handle }),
            code => Err(error_of(code)),
        }
    }

    /// Decodes one temporal unit and returns the last picture that it shows; `None` when it shows none.
    ///
    /// # Errors
    /// Any except `Absent`. The next unit may be good again.
    pub(crate) fn decode(&mut self, unit: &[u8]) -> Result<Option<Picture>, Av1Error> {
        let Some(mut data) = self.data_of(&needed(unit))? else {
            return Ok(None);
        };
        let mut shown = None;
        for _ in 0..MAX_PICTURES {
            let is_sent = data.send()?;
            match Picture::next(self.library, self.handle) {
                Ok(picture) => shown = Some(picture),
                Err(NoPicture::Code(code)) if is_again(code) => {
                    if is_sent {
                        return Ok(shown);
                    }
                }
                Err(reason) => return Err(reason.into()),
            }
        }
        Err(Av1Error::Damaged(
            "a unit contains an endless number of pictures",
        ))
    }

    /// Copies bytes into the library's buffer; returns `None` when there are none.
    fn data_of(&self, bytes: &[u8]) -> Result<Option<Data>, Av1Error> {
        if bytes.is_empty() {
            return Ok(None);
        }
        let mut data = Data {
            library: self.library,
            decoder: self.handle,
            raw: RawData::zeroed(),
        };
        // SAFETY: the structure is as large as the library's.
        let room = unsafe { (self.library.data_create)(&mut data.raw, bytes.len()) };
        if room.is_null() {
            return Err(Av1Error::OutOfMemory);
        }
        // SAFETY: the library allocated that many bytes, and nothing else refers to them yet.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), room, bytes.len()) };
        Ok(Some(data))
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the handle is open and closed once; pictures hold their own references.
        unsafe { (self.library.close)(&mut self.handle) }
    }
}

/// Bytes for a decoder, which must outlive them.
struct Data {
    library: &'static Dav1d,
    decoder: Handle,
    raw: RawData,
}

impl Data {
    /// Offers the rest to the decoder; returns whether all of it was accepted.
    fn send(&mut self) -> Result<bool, Av1Error> {
        if self.raw.n_bytes == 0 {
            return Ok(true);
        }
        // SAFETY: the decoder is open; the data is the library's own, and empty once it is accepted.
        match unsafe { (self.library.send_data)(self.decoder, &mut self.raw) } {
            0 => Ok(self.raw.n_bytes == 0),
            code if is_again(code) => Ok(false),
            code => Err(error_of(code)),
        }
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        // SAFETY: empty or the library's own; released once.
        unsafe { (self.library.data_unref)(&mut self.raw) }
    }
}

/// Keeps the parts of a unit that pictures are made of. Metadata, padding, tile lists and unknown parts have only ever caused faults in decoders.
fn needed(mut unit: &[u8]) -> Vec<u8> {
    const KINDS: [u8; 6] = [
        OBU_SEQUENCE_HEADER,
        OBU_TEMPORAL_DELIMITER,
        OBU_FRAME_HEADER,
        OBU_TILE_GROUP,
        OBU_FRAME,
        OBU_REDUNDANT_FRAME_HEADER,
    ];
    let mut kept = Vec::with_capacity(unit.len());
    while let Some((obu, rest)) = split_obu(unit) {
        if KINDS.contains(&obu.kind) {
            kept.extend_from_slice(&unit[..unit.len() - rest.len()]);
        }
        unit = rest;
    }
    // A rest that cannot be split is left to the decoder.
    kept.extend_from_slice(unit);
    kept
}

/// Returns whether the library requires the other call first (`EAGAIN`).
fn is_again(code: i32) -> bool {
    system_error(code).kind() == io::ErrorKind::WouldBlock
}

/// Converts a code of the library, which is a negated system error number.
fn system_error(code: i32) -> io::Error {
    io::Error::from_raw_os_error(code.saturating_abs())
}

pub(super) fn error_of(code: i32) -> Av1Error {
    const RANGE: i32 = 34;
    let error = system_error(code);
    match error.kind() {
        io::ErrorKind::OutOfMemory => Av1Error::OutOfMemory,
        // `ENOPROTOOPT`: the library was built without this bit depth.
        _ if error.raw_os_error() == Some(NO_OPTION) => Av1Error::Unsupported,
        _ if error.raw_os_error() == Some(RANGE) => Av1Error::TooLarge,
        _ => Av1Error::Damaged("its AV1 data is invalid"),
    }
}

/// `ENOPROTOOPT`.
const NO_OPTION: i32 = if cfg!(target_os = "linux") { 92 } else { 42 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_pictures_are_made_of_is_handed_on() {
        let (delimiter, header, metadata) = ([0x12, 0], [0x0a, 1, 7], [0x2a, 2, 4, 0x80]);
        let frame_without_size = [0x30, 9, 9];
        let unit = [&delimiter[..], &metadata, &header, &frame_without_size].concat();
        let kept = [&delimiter[..], &header, &frame_without_size].concat();
        assert_eq!(needed(&unit), kept);
        assert!(needed(&metadata).is_empty());
        // Longer than the data: left to the decoder.
        assert_eq!(needed(&[0x32, 9, 1]), [0x32, 9, 1]);
    }
}
