//! The voices that libespeak-ng lists, without its MBROLA voices and its variants.

use std::ffi::{CStr, c_char, c_int, c_void};

use serde::Serialize;

/// `espeak_VOICE`.
#[repr(C)]
pub(crate) struct RawVoice {
    name: *const c_char,
    /// Pairs of a priority byte and a NUL-terminated tag; a priority of 0 ends the list.
    languages: *const c_char,
    identifier: *const c_char,
    gender: u8,
    age: u8,
    variant: u8,
    xx1: u8,
    score: c_int,
    spare: *mut c_void,
}

/// A voice for a language.
#[derive(Serialize)]
pub(crate) struct Voice {
    /// Name in requests: the first language of the voice, such as `es-419`.
    pub(crate) voice: String,
    /// File of the voice: the only name by which the library finds every voice.
    #[serde(skip)]
    pub(crate) identifier: String,
    /// Display name, such as `Spanish (Latin America)`.
    name: String,
    /// Tags of the languages that it speaks, with their priorities: lower is better.
    languages: Vec<(String, u8)>,
}

/// The voices, by tag.
///
/// # Safety
/// `entry` is the library's list, ended by a null pointer.
pub(crate) unsafe fn list(mut entry: *const *const RawVoice) -> Vec<Voice> {
    let mut voices: Vec<Voice> = Vec::new();
    // SAFETY: the list is terminated by a null pointer; each entry before it is a voice that lives as long as the library.
    while let Some(raw) = unsafe { entry.as_ref() }.and_then(|voice| unsafe { voice.as_ref() }) {
        voices.extend(voice(raw).filter(|v| voices.iter().all(|known| known.voice != v.voice)));
        // SAFETY: this was not the end of the list.
        entry = unsafe { entry.add(1) };
    }
    voices.sort_by(|a, b| a.voice.cmp(&b.voice));
    voices
}

fn voice(raw: &RawVoice) -> Option<Voice> {
    let identifier = text(raw.identifier)?;
    if identifier.starts_with("mb/") || identifier.starts_with("!v/") {
        return None;
    }
    let languages = languages(raw.languages);
    let voice = languages.first()?.0.clone();
    let name = text(raw.name)?.replace('_', " ").trim().to_owned();
    (voice != "variant").then_some(Voice {
        voice,
        identifier,
        name,
        languages,
    })
}

fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: the library's strings are null or NUL-terminated.
    let text = unsafe { pointer.as_ref().map(|c| CStr::from_ptr(c)) };
    text.map(|t| t.to_string_lossy().into_owned())
}

fn languages(mut pointer: *const c_char) -> Vec<(String, u8)> {
    let mut languages = Vec::new();
    // SAFETY: each entry is a nonzero byte and a NUL-terminated string; a zero byte ends the list.
    unsafe {
        while let Some(priority) = pointer.as_ref().map(|p| *p as u8).filter(|p| *p != 0) {
            let tag = CStr::from_ptr(pointer.add(1));
            languages.push((tag.to_string_lossy().into_owned(), priority));
            pointer = pointer.add(tag.count_bytes() + 2);
        }
    }
    languages
}
