//! The functions of `libespeak-ng.so.1` (`speak_lib.h`, API revision 12): loaded, checked for a known version, used by one thread.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, PoisonError};

use libloading::Library;
use serde::Serialize;

use crate::request::{Problem, Request};
use crate::voices::{self, RawVoice, Voice};

/// Maximum seconds of sound. Digits take longer to speak than the length of the text suggests.
const MAX_SECS: usize = 4_500;

const AUDIO_OUTPUT_SYNCHRONOUS: c_int = 2;
const INITIALIZE_DONT_EXIT: c_int = 0x8000;
const CHARS_UTF8: c_uint = 1;
const END_PAUSE: c_uint = 0x1000;
const POS_CHARACTER: c_int = 1;
const PARAMETER_RATE: c_int = 1;
const PARAMETER_VOLUME: c_int = 2;
const PARAMETER_PITCH: c_int = 3;
const EVENT_END_OF_LIST: c_int = 0;
const EVENT_WORD: c_int = 1;
/// eSpeak's default of 100 clips loud vowels in some languages.
const VOLUME: c_int = 75;

/// `espeak_EVENT`.
#[repr(C)]
struct Event {
    kind: c_int,
    unique_identifier: c_uint,
    /// Characters, from 1.
    text_position: c_int,
    length: c_int,
    audio_position_ms: c_int,
    sample: c_int,
    user_data: *mut c_void,
    id: u64,
}

type Callback = extern "C" fn(*const i16, c_int, *const Event) -> c_int;

/// A spoken word.
#[derive(Debug, Serialize)]
pub(crate) struct Word {
    /// Byte offset in the text.
    at: usize,
    /// Length in bytes.
    len: usize,
    start_ms: u32,
}

/// A spoken text.
pub(crate) struct Spoken {
    pub(crate) rate_hz: u32,
    pub(crate) samples: Vec<i16>,
    pub(crate) words: Vec<Word>,
}

/// What the callback has received.
struct Received {
    samples: Vec<i16>,
    /// Position and length in characters, time in ms.
    words: Vec<(i32, i32, i32)>,
    max_samples: usize,
}

static RECEIVED: Mutex<Received> = Mutex::new(Received {
    samples: Vec::new(),
    words: Vec::new(),
    max_samples: 0,
});

type Synth = unsafe extern "C" fn(
    *const c_void,
    usize,
    c_uint,
    c_int,
    c_uint,
    c_uint,
    *mut c_uint,
    *mut c_void,
) -> c_int;

/// The loaded library, initialized.
pub(crate) struct Espeak {
    rate_hz: u32,
    info: unsafe extern "C" fn(*mut *const c_char) -> *const c_char,
    set_voice: unsafe extern "C" fn(*const c_char) -> c_int,
    set_parameter: unsafe extern "C" fn(c_int, c_int, c_int) -> c_int,
    list_voices: unsafe extern "C" fn(*const c_void) -> *const *const RawVoice,
    synth: Synth,
    synchronize: unsafe extern "C" fn() -> c_int,
}

impl Espeak {
    /// Loads and initializes the library.
    pub(crate) fn load() -> Result<Espeak, Problem> {
        // SAFETY: the library's initializers only set up its own globals.
        let library = unsafe { Library::new("libespeak-ng.so.1") }
            .map_err(|e| Problem::new("no_library", e.to_string()))?;
        let espeak = Espeak::functions(&library).map_err(|e| Problem::new("no_library", e))?;
        std::mem::forget(library);
        let version = espeak.version();
        if !version.starts_with("1.") {
            let message = format!("version {version} is not supported (1.x is)");
            return Err(Problem::new("no_library", message));
        }
        if espeak.rate_hz == 0 {
            let message = "the data of the voices is missing";
            return Err(Problem::new("no_data", message));
        }
        Ok(espeak)
    }

    fn functions(library: &Library) -> Result<Espeak, String> {
        // SAFETY: the signatures are those of `speak_lib.h`; the callback is a function of this file that lives as long as the process.
        unsafe {
            let initialize: unsafe extern "C" fn(c_int, c_int, *const c_char, c_int) -> c_int =
                symbol(library, c"espeak_Initialize")?;
            let set_callback: unsafe extern "C" fn(Callback) =
                symbol(library, c"espeak_SetSynthCallback")?;
            let espeak = Espeak {
                info: symbol(library, c"espeak_Info")?,
                set_voice: symbol(library, c"espeak_SetVoiceByName")?,
                set_parameter: symbol(library, c"espeak_SetParameter")?,
                list_voices: symbol(library, c"espeak_ListVoices")?,
                synth: symbol(library, c"espeak_Synth")?,
                synchronize: symbol(library, c"espeak_Synchronize")?,
                rate_hz: initialize(
                    AUDIO_OUTPUT_SYNCHRONOUS,
                    0,
                    std::ptr::null(),
                    INITIALIZE_DONT_EXIT,
                )
                .max(0)
                .unsigned_abs(),
            };
            set_callback(receive);
            Ok(espeak)
        }
    }

    /// Returns the version, such as `1.51`.
    pub(crate) fn version(&self) -> String {
        let mut path = std::ptr::null();
        // SAFETY: the function returns a NUL-terminated string that lives as long as the library, and sets `path` to another.
        let version = unsafe {
            (self.info)(&raw mut path)
                .as_ref()
                .map(|c| CStr::from_ptr(c))
        };
        version.map_or_else(String::new, |v| v.to_string_lossy().into_owned())
    }

    /// Lists the voices, sorted by tag.
    pub(crate) fn voices(&self) -> Vec<Voice> {
        // SAFETY: null asks for all voices; the list that comes is ended by a null pointer.
        unsafe { voices::list((self.list_voices)(std::ptr::null())) }
    }

    /// Selects a voice from the list, with or without a variant.
    fn choose(&self, wanted: &str) -> Result<(), Problem> {
        let (voice, variant) = wanted.split_at(wanted.find('+').unwrap_or(wanted.len()));
        let known = self.voices().into_iter().find(|v| v.voice == voice);
        let name = known.and_then(|v| CString::new(v.identifier + variant).ok());
        // SAFETY: the name is NUL-terminated; the library copies it.
        if name.is_some_and(|name| unsafe { (self.set_voice)(name.as_ptr()) } == 0) {
            return Ok(());
        }
        let message = format!("there is no voice `{wanted}`; --voices lists them");
        Err(Problem::new("no_voice", message))
    }

    /// Speaks a checked request.
    pub(crate) fn speak(&self, request: &Request) -> Result<Spoken, Problem> {
        let text = CString::new(request.text.as_str())
            .map_err(|_| Problem::request("`text` contains a NUL"))?;
        self.choose(&request.voice)?;
        let max_samples = MAX_SECS * self.rate_hz as usize;
        received().max_samples = max_samples;
        let bytes = text.as_bytes_with_nul();
        // SAFETY: the text ends with a NUL and outlives the call, which is synchronous; the other pointers may be null.
        let code = unsafe {
            (self.set_parameter)(PARAMETER_RATE, request.rate_wpm, 0);
            (self.set_parameter)(PARAMETER_PITCH, request.pitch, 0);
            (self.set_parameter)(PARAMETER_VOLUME, VOLUME, 0);
            let code = (self.synth)(
                bytes.as_ptr().cast(),
                bytes.len(),
                0,
                POS_CHARACTER,
                0,
                CHARS_UTF8 | END_PAUSE,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
            (self.synchronize)();
            code
        };
        let mut received = received();
        if received.samples.len() > max_samples {
            let message = format!("the spoken text is longer than {} minutes", MAX_SECS / 60);
            return Err(Problem::new("too_long", message));
        }
        if code != 0 {
            return Err(Problem::failed(format!("espeak_Synth returned {code}")));
        }
        Ok(Spoken {
            rate_hz: self.rate_hz,
            samples: std::mem::take(&mut received.samples),
            words: words(&request.text, &received.words),
        })
    }
}

fn received() -> std::sync::MutexGuard<'static, Received> {
    RECEIVED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Receives a buffer of sound and its events; returns 1 to stop the synthesis.
extern "C" fn receive(samples: *const i16, n_samples: c_int, events: *const Event) -> c_int {
    let mut received = received();
    if !samples.is_null() && n_samples > 0 {
        // SAFETY: the library passes `n_samples` samples.
        let part = unsafe { std::slice::from_raw_parts(samples, n_samples as usize) };
        received.samples.extend_from_slice(part);
    }
    let mut event = events;
    // SAFETY: the list is terminated by an event of kind 0.
    while let Some(e) = unsafe { event.as_ref() }.filter(|e| e.kind != EVENT_END_OF_LIST) {
        if e.kind == EVENT_WORD && e.length > 0 {
            let word = (e.text_position, e.length, e.audio_position_ms);
            received.words.push(word);
        }
        // SAFETY: this was not the end of the list.
        event = unsafe { event.add(1) };
    }
    c_int::from(received.samples.len() > received.max_samples)
}

/// Converts events, with positions in characters counted from 1, to words with byte offsets.
fn words(text: &str, events: &[(i32, i32, i32)]) -> Vec<Word> {
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    starts.push(text.len());
    let place = |n_chars: i32| starts[(n_chars.max(0) as usize).min(starts.len() - 1)];
    let word = |&(position, length, ms): &(i32, i32, i32)| {
        let at = place(position - 1);
        Word {
            at,
            len: place(position - 1 + length) - at,
            start_ms: ms.max(0).unsigned_abs(),
        }
    };
    events.iter().map(word).collect()
}

/// Looks up the address of a function.
///
/// # Safety
/// `T` must be the type of a pointer to the function of that name.
unsafe fn symbol<T: Copy>(library: &Library, name: &CStr) -> Result<T, String> {
    // SAFETY: the caller promises the type.
    unsafe { library.get::<T>(name.to_bytes_with_nul()) }
        .map(|symbol| *symbol)
        .map_err(|error| error.to_string())
}
