//! Opus by the machine's libopus, whose interface has not changed since 1.0 (2012): found and loaded once per process, never unloaded.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::sync::OnceLock;

use super::{Decode, Encode, Layout, MAX_FRAMES, RATE_HZ, Settings};
use crate::foreign::{self, symbol};

/// How to install the library when it is missing.
const ADVICE: &str = "on Debian and Ubuntu: apt-get install libopus0";

/// `OPUS_APPLICATION_AUDIO`.
const AUDIO: c_int = 2049;
/// Requests of `opus_encoder_ctl` (`opus_defines.h`).
const SET_BITRATE: c_int = 4002;
const SET_VBR: c_int = 4006;
const SET_COMPLEXITY: c_int = 4010;
const SET_VBR_CONSTRAINT: c_int = 4020;
const GET_LOOKAHEAD: c_int = 4027;

type CreateEncoder = unsafe extern "C" fn(i32, c_int, c_int, *mut c_int) -> *mut c_void;
type Control = unsafe extern "C" fn(*mut c_void, c_int, ...) -> c_int;
type EncodeFloat = unsafe extern "C" fn(*mut c_void, *const f32, c_int, *mut c_uchar, i32) -> i32;
type CreateDecoder =
    unsafe extern "C" fn(i32, c_int, c_int, c_int, *const c_uchar, *mut c_int) -> *mut c_void;
type DecodeFloat =
    unsafe extern "C" fn(*mut c_void, *const c_uchar, i32, *mut f32, c_int, c_int) -> c_int;
type Destroy = unsafe extern "C" fn(*mut c_void);

/// The functions of the loaded library (`opus.h`, `opus_multistream.h`).
#[derive(Debug)]
pub(crate) struct Library {
    /// As the library reports it, such as `libopus 1.3.1`.
    pub(super) version: String,
    create_encoder: CreateEncoder,
    control_encoder: Control,
    encode: EncodeFloat,
    destroy_encoder: Destroy,
    create_decoder: CreateDecoder,
    decode: DecodeFloat,
    destroy_decoder: Destroy,
}

impl Library {
    /// Returns this machine's library, or the reason why it is missing.
    pub(super) fn get() -> Result<&'static Library, String> {
        static LOADED: OnceLock<Result<Library, String>> = OnceLock::new();
        LOADED
            .get_or_init(|| foreign::load("libopus", &["libopus.so.0"], ADVICE, functions))
            .as_ref()
            .map_err(String::clone)
    }

    pub(super) fn encoder(&'static self, settings: Settings) -> Result<Encoder, String> {
        let mut code = 0;
        // SAFETY: the arguments are those of the header, and `code` is valid to write.
        let state = unsafe { (self.create_encoder)(RATE_HZ as i32, 2, AUDIO, &raw mut code) };
        if state.is_null() || code != 0 {
            return Err(format!("{} returned error {code}", self.version));
        }
        let mut encoder = Encoder {
            library: self,
            state,
            lookahead: 0,
        };
        for (request, value) in [
            (SET_BITRATE, settings.bitrate),
            (SET_VBR, 1),
            (SET_VBR_CONSTRAINT, 0),
            (SET_COMPLEXITY, settings.complexity),
        ] {
            // SAFETY: the encoder is open, and each of these requests takes one `opus_int32`.
            let code = unsafe { (self.control_encoder)(state, request, value) };
            if code != 0 {
                return Err(format!(
                    "{} returned error {code} for {request}",
                    self.version
                ));
            }
        }
        let mut lookahead: i32 = 0;
        // SAFETY: the encoder is open, and this request writes one `opus_int32`.
        let code = unsafe { (self.control_encoder)(state, GET_LOOKAHEAD, &raw mut lookahead) };
        encoder.lookahead = u16::try_from(lookahead)
            .ok()
            .filter(|_| code == 0)
            .ok_or_else(|| format!("{} does not report its delay", self.version))?;
        Ok(encoder)
    }

    pub(super) fn decoder(&'static self, layout: &Layout) -> Result<Decoder, String> {
        let mut code = 0;
        // SAFETY: the mapping has a byte for each channel, as the header wants, and `code` is valid to write.
        let state = unsafe {
            (self.create_decoder)(
                RATE_HZ as i32,
                layout.mapping.len() as c_int,
                layout.n_streams.into(),
                layout.n_coupled.into(),
                layout.mapping.as_ptr(),
                &raw mut code,
            )
        };
        if state.is_null() || code != 0 {
            return Err(format!("{} returned error {code}", self.version));
        }
        Ok(Decoder {
            library: self,
            state,
            n_channels: layout.mapping.len(),
        })
    }
}

fn functions(library: &libloading::Library) -> Result<Library, String> {
    // SAFETY: the signatures are those of `opus.h` and `opus_multistream.h`; the version is a string that lives as long as the library.
    unsafe {
        let version: unsafe extern "C" fn() -> *const c_char =
            symbol(library, c"opus_get_version_string")?;
        Ok(Library {
            version: CStr::from_ptr(version()).to_string_lossy().into_owned(),
            create_encoder: symbol(library, c"opus_encoder_create")?,
            control_encoder: symbol(library, c"opus_encoder_ctl")?,
            encode: symbol(library, c"opus_encode_float")?,
            destroy_encoder: symbol(library, c"opus_encoder_destroy")?,
            create_decoder: symbol(library, c"opus_multistream_decoder_create")?,
            decode: symbol(library, c"opus_multistream_decode_float")?,
            destroy_decoder: symbol(library, c"opus_multistream_decoder_destroy")?,
        })
    }
}

/// An open encoder.
pub(super) struct Encoder {
    library: &'static Library,
    state: *mut c_void,
    lookahead: u16,
}

// SAFETY: the library ties an encoder to no thread, and `&mut self` keeps calls apart.
unsafe impl Send for Encoder {}

impl Encode for Encoder {
    fn encode(&mut self, frame: &[f32], out: &mut [u8]) -> Result<usize, String> {
        let (n_frames, room) = (frame.len() as c_int / 2, out.len() as i32);
        // SAFETY: the encoder is open; it reads `n_frames` stereo frames and writes at most `room` bytes.
        let n = unsafe {
            (self.library.encode)(self.state, frame.as_ptr(), n_frames, out.as_mut_ptr(), room)
        };
        usize::try_from(n).map_err(|_| format!("{} returned error {n}", self.library.version))
    }

    fn lookahead(&self) -> u16 {
        self.lookahead
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: the encoder is open and not used again.
        unsafe { (self.library.destroy_encoder)(self.state) }
    }
}

/// An open decoder.
pub(super) struct Decoder {
    library: &'static Library,
    state: *mut c_void,
    n_channels: usize,
}

// SAFETY: the library ties a decoder to no thread, and `&mut self` keeps calls apart.
unsafe impl Send for Decoder {}

impl Decode for Decoder {
    fn decode(&mut self, packet: &[u8], out: &mut [f32]) -> Result<usize, &'static str> {
        let room = (out.len() / self.n_channels).min(MAX_FRAMES);
        let n_bytes = i32::try_from(packet.len()).map_err(|_| "an Opus packet is too long")?;
        // SAFETY: the decoder is open; it reads the packet's bytes and writes at most `room` frames of its channels.
        let n = unsafe {
            (self.library.decode)(
                self.state,
                packet.as_ptr(),
                n_bytes,
                out.as_mut_ptr(),
                room as c_int,
                0,
            )
        };
        let n = usize::try_from(n).map_err(|_| "an Opus packet is damaged")?;
        Ok(n.min(room))
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the decoder is open and not used again.
        unsafe { (self.library.destroy_decoder)(self.state) }
    }
}
