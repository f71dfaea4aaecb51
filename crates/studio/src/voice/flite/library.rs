//! The shared libraries of Flite 2.2: loaded once per process, checked by speaking two words, never unloaded; one utterance at a time.
//!
//! Structures and signatures are those of `cst_wave.h`, `cst_voice.h`, `cst_utterance.h`, `cst_item.h` and `flite.h` of Flite 2.2.

use crate::voice::pick::Sex;
use std::ffi::{CStr, CString, c_char, c_float, c_int, c_uint, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

use libloading::Library;

use crate::voice::sound::Pcm;
use crate::voice::spans::Span;

/// What to do if it is missing.
const ADVICE: &str = "on Debian 12: apt-get install libflite1";

/// The version whose memory layout was checked.
const VERSION: &str = "2.2";

/// A voice in Flite's package.
pub(super) struct VoiceRow {
    /// As in the library's file name.
    pub(super) short: &'static str,
    /// The display name.
    pub(super) name: &'static str,
    /// How much slower than the voice's own pace, which is rather fast.
    stretch: f32,
    /// Whether it sounds like a woman or a man.
    pub(super) sex: Sex,
    /// Whether its pitch can be shifted.
    pub(super) has_pitch: bool,
}

/// The voices, the default first. The package's `kal` and `kal16` are left out: their segments do not end where their sound does, and they print warnings about
/// missing sounds to standard error.
pub(super) const VOICES: [VoiceRow; 3] = [
    VoiceRow {
        short: "slt",
        name: "Sue (US English, female)",
        sex: Sex::Woman,
        stretch: 1.08,
        has_pitch: true,
    },
    VoiceRow {
        short: "rms",
        name: "Ron (US English, male)",
        sex: Sex::Man,
        stretch: 1.0,
        has_pitch: false,
    },
    VoiceRow {
        short: "awb",
        name: "Alan (Scottish English, male)",
        sex: Sex::Man,
        stretch: 1.05,
        has_pitch: true,
    },
];

unsafe extern "C" {
    /// From the C library; Flite uses its random numbers for the noise of unvoiced sounds.
    fn srand(seed: c_uint);
}

type Utterance = *mut c_void;
type Item = *mut c_void;

/// `cst_wave`.
#[repr(C)]
struct Wave {
    kind: *const c_char,
    rate_hz: c_int,
    n_samples: c_int,
    n_channels: c_int,
    samples: *const i16,
}

/// `cst_voice`.
#[repr(C)]
struct Voice {
    name: *const c_char,
    features: *mut c_void,
    functions: *mut c_void,
    init: *const c_void,
}

/// A voice of a loaded library; used only while the lock `door` is held.
struct LoadedVoice {
    row: &'static VoiceRow,
    voice: *mut Voice,
}

// SAFETY: the voice lives as long as the process and is used under `Flite::door` only; Flite keeps no thread-local state.
unsafe impl Send for LoadedVoice {}

/// The functions of the loaded library.
pub(super) struct Loaded {
    synth_text: unsafe extern "C" fn(*const c_char, *mut Voice) -> Utterance,
    relation_present: unsafe extern "C" fn(Utterance, *const c_char) -> c_int,
    relation: unsafe extern "C" fn(Utterance, *const c_char) -> *mut c_void,
    relation_head: unsafe extern "C" fn(*mut c_void) -> Item,
    next: unsafe extern "C" fn(Item) -> Item,
    daughter: unsafe extern "C" fn(Item) -> Item,
    feature_string: unsafe extern "C" fn(Item, *const c_char) -> *const c_char,
    path_float: unsafe extern "C" fn(Item, *const c_char) -> c_float,
    set_float: unsafe extern "C" fn(*mut c_void, *const c_char, c_float),
    wave: unsafe extern "C" fn(Utterance) -> *const Wave,
    delete: unsafe extern "C" fn(Utterance),
    /// Flite counts references in its voices without locks: one utterance at a time.
    door: Mutex<Vec<LoadedVoice>>,
    /// Installed rows of [`VOICES`].
    pub(super) voices: Vec<usize>,
}

/// The result of speech.
pub(super) struct Said {
    pub(super) pcm: Pcm,
    /// When each word of the text sounds; `None` for a silent one.
    pub(super) words: Vec<Option<Span>>,
}

impl Loaded {
    /// Returns the library of this machine, or why it cannot be used.
    pub(super) fn get() -> Result<&'static Loaded, String> {
        static LOADED: OnceLock<Result<Loaded, String>> = OnceLock::new();
        LOADED.get_or_init(load).as_ref().map_err(String::clone)
    }

    /// Speaks words separated by single spaces, with an installed row of [`VOICES`].
    pub(super) fn say(&self, text: &CStr, row: usize, pitch: f32) -> Result<Said, String> {
        let door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = door.iter().find(|v| std::ptr::eq(v.row, &VOICES[row]));
        let loaded = loaded.ok_or("the voice is not installed")?;
        // SAFETY: `door` is locked; the voice and its features live as long as the process; `text` ends with a NUL.
        let utterance = unsafe {
            let features = (*loaded.voice).features;
            (self.set_float)(features, c"duration_stretch".as_ptr(), loaded.row.stretch);
            (self.set_float)(features, c"f0_shift".as_ptr(), pitch);
            // The same text must give the same sound.
            srand(1);
            (self.synth_text)(text.as_ptr(), loaded.voice)
        };
        if utterance.is_null() {
            return Err("no utterance was made".to_owned());
        }
        // SAFETY: the utterance is valid until it is deleted, just below; `door` is locked.
        let said = unsafe {
            self.pcm(utterance)
                .and_then(|pcm| Ok((pcm, self.words(utterance)?)))
        };
        // SAFETY: it was made above and nothing of it is kept.
        unsafe { (self.delete)(utterance) };
        let (pcm, words) = said?;
        Ok(Said { pcm, words })
    }

    /// Copies the sound of an utterance.
    ///
    /// # Safety
    /// The utterance must be valid and `door` locked.
    unsafe fn pcm(&self, utterance: Utterance) -> Result<Pcm, String> {
        // SAFETY: the caller promises a valid utterance, whose wave is null or a `cst_wave`.
        let wave = unsafe { (self.wave)(utterance).as_ref() }.ok_or("there is no sound")?;
        let is_sane = wave.n_channels == 1
            && (8_000..=48_000).contains(&wave.rate_hz)
            && (0..=1 << 28).contains(&wave.n_samples)
            && !wave.samples.is_null();
        if !is_sane {
            return Err(format!(
                "its audio has {} channels of {} samples at {} Hz",
                wave.n_channels, wave.n_samples, wave.rate_hz
            ));
        }
        // SAFETY: `cst_wave` holds `num_samples * num_channels` samples.
        let samples = unsafe { std::slice::from_raw_parts(wave.samples, wave.n_samples as usize) };
        Ok(Pcm {
            rate_hz: wave.rate_hz as u32,
            samples: samples.to_vec(),
        })
    }

    /// Returns the spans of the input words. A token of Flite without white space before it joins the word before.
    ///
    /// # Safety
    /// The utterance must be valid and `door` locked.
    unsafe fn words(&self, utterance: Utterance) -> Result<Vec<Option<Span>>, String> {
        let mut words: Vec<Option<Span>> = Vec::new();
        // SAFETY: the relation is present; items of a relation are valid as long as the utterance; names are NUL-terminated strings; a missing feature reads as
        // "" or 0.
        unsafe {
            if (self.relation_present)(utterance, c"Token".as_ptr()) == 0 {
                return Err("there is no relation `Token`".to_owned());
            }
            let mut token = (self.relation_head)((self.relation)(utterance, c"Token".as_ptr()));
            while !token.is_null() {
                let space = (self.feature_string)(token, c"whitespace".as_ptr());
                let is_joined = space.is_null() || *space == 0;
                if words.is_empty() || !is_joined {
                    words.push(None);
                }
                let span = self.token_span(token);
                if let (Some(slot), Some(span)) = (words.last_mut(), span) {
                    let start = slot.map_or(span.start, |so_far: Span| so_far.start);
                    *slot = Some(Span {
                        start,
                        end: span.end,
                    });
                }
                token = (self.next)(token);
            }
        }
        Ok(words)
    }

    /// Returns the span from the first to the last segment of a token's words.
    ///
    /// # Safety
    /// The token must be an item of a valid utterance and `door` locked.
    unsafe fn token_span(&self, token: Item) -> Option<Span> {
        let mut span: Option<Span> = None;
        // SAFETY: the caller promises a valid item; daughters and their neighbors are null or valid.
        unsafe {
            let mut word = (self.daughter)(token);
            while !word.is_null() {
                let first = c"R:SylStructure.daughter1.daughter1.R:Segment.p.end";
                let last = c"R:SylStructure.daughtern.daughtern.R:Segment.end";
                let start = f64::from((self.path_float)(word, first.as_ptr()));
                let end = f64::from((self.path_float)(word, last.as_ptr()));
                if end > start {
                    let start = span.map_or(start, |so_far| so_far.start);
                    span = Some(Span { start, end });
                }
                word = (self.next)(word);
            }
        }
        span
    }
}

fn load() -> Result<Loaded, String> {
    // SAFETY: the library's initializers only set up its own globals.
    let main = unsafe { Library::new("libflite.so.1") }
        .map_err(|error| format!("Flite is not usable on this machine: {error} ({ADVICE})"))?;
    let unusable = |reason: String| format!("Flite is not usable on this machine: {reason}");
    check_version().map_err(unusable)?;
    let mut flite = functions(&main).map_err(unusable)?;
    let mut loaded = Vec::new();
    let mut voices = Vec::new();
    for (i, row) in VOICES.iter().enumerate() {
        let Some(voice) = register(row) else { continue };
        loaded.push(LoadedVoice { row, voice });
        voices.push(i);
    }
    std::mem::forget(main);
    let first = *voices
        .first()
        .ok_or_else(|| unusable(format!("it has no voice ({ADVICE})")))?;
    flite.door = Mutex::new(loaded);
    flite.voices = voices;
    self_test(&flite, first).map_err(unusable)?;
    Ok(flite)
}

/// Registers the voice of a row, if its library is installed and has the right name.
fn register(row: &VoiceRow) -> Option<*mut Voice> {
    let file = format!("libflite_cmu_us_{}.so.1", row.short);
    // SAFETY: the library's initializers only set up its own globals.
    let library = unsafe { Library::new(file) }.ok()?;
    let name = CString::new(format!("register_cmu_us_{}", row.short)).ok()?;
    // SAFETY: the function takes the folder of the voice's data, which is compiled in, and gives a voice that is never freed; its first field is its name.
    let voice = unsafe {
        let register: unsafe extern "C" fn(*const c_char) -> *mut Voice =
            symbol(&library, &name).ok()?;
        let voice = register(std::ptr::null());
        let is_it = !voice.is_null()
            && !(*voice).name.is_null()
            && !(*voice).features.is_null()
            && CStr::from_ptr((*voice).name).to_bytes() == row.short.as_bytes();
        is_it.then_some(voice)?
    };
    std::mem::forget(library);
    Some(voice)
}

fn functions(library: &Library) -> Result<Loaded, String> {
    // SAFETY: the signatures are those of the headers of Flite 2.2; `flite_init` only compiles regular expressions.
    unsafe {
        let init: unsafe extern "C" fn() -> c_int = symbol(library, c"flite_init")?;
        init();
        Ok(Loaded {
            synth_text: symbol(library, c"flite_synth_text")?,
            relation_present: symbol(library, c"utt_relation_present")?,
            relation: symbol(library, c"utt_relation")?,
            relation_head: symbol(library, c"relation_head")?,
            next: symbol(library, c"item_next")?,
            daughter: symbol(library, c"item_daughter")?,
            feature_string: symbol(library, c"item_feat_string")?,
            path_float: symbol(library, c"flite_ffeature_float")?,
            set_float: symbol(library, c"feat_set_float")?,
            wave: symbol(library, c"utt_wave")?,
            delete: symbol(library, c"delete_utterance")?,
            door: Mutex::new(Vec::new()),
            voices: Vec::new(),
        })
    }
}

/// Returns the address of a function.
///
/// # Safety
/// `T` must be the type of a pointer to the function of that name.
unsafe fn symbol<T: Copy>(library: &Library, name: &CStr) -> Result<T, String> {
    // SAFETY: the caller promises the type.
    unsafe { library.get::<T>(name.to_bytes_with_nul()) }
        .map(|symbol| *symbol)
        .map_err(|error| error.to_string())
}

/// Checks Flite's version. No function returns it, but its file name does (`libflite.so.2.2`), if the system shows which files are mapped.
fn check_version() -> Result<(), String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let marker = "/libflite.so.";
    let Some(version) = maps
        .lines()
        .find_map(|line| line.split_once(marker).map(|(_, rest)| rest.trim()))
    else {
        return Ok(());
    };
    // A file without the version in its name is judged by the self-test alone.
    if version.starts_with(VERSION) || !version.contains('.') {
        return Ok(());
    }
    Err(format!(
        "version {version} has an unverified memory layout; only {VERSION} was checked"
    ))
}

/// Speaks two words, which must come back as two words inside a sound; else the memory layout differs.
fn self_test(flite: &Loaded, row: usize) -> Result<(), String> {
    let said = flite.say(c"one two", row, 1.0)?;
    let secs = said.pcm.secs();
    match said.words[..] {
        [Some(one), Some(two)]
            if one.start > 0.0 && one.end <= two.start + 1e-6 && two.end <= secs + 0.02 =>
        {
            Ok(())
        }
        _ => Err(format!(
            "it does not behave like version {VERSION}: two words came back as {:?} in {secs} s",
            said.words
        )),
    }
}
