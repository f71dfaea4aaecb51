//! The names of objects: one of our folders, 128 bits in hex digits, a known extension. No other name reaches a store, so paths never come from clients.

use super::MediaError;
use crate::ids;

/// Folders of objects, by kind.
const FOLDERS: &[&str] = &["videos", "posters", "words", "characters", "audio", "steps"];

/// Extensions and their content types.
const TYPES: &[(&str, &str)] = &[
    ("mp4", "video/mp4"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("webp", "image/webp"),
    ("srt", "application/x-subrip"),
    ("vtt", "text/vtt; charset=utf-8"),
    ("json", "application/json"),
    ("wav", "audio/wav"),
    ("mp3", "audio/mpeg"),
    ("flac", "audio/flac"),
    ("ogg", "audio/ogg"),
    ("opus", "audio/ogg"),
    ("m4a", "audio/mp4"),
    ("aac", "audio/aac"),
    ("webm", "audio/webm"),
    ("tar", "application/x-tar"),
];

/// Returns the content type of an object; `None` if the name is invalid.
pub fn content_type(name: &str) -> Option<&'static str> {
    let (folder, file) = name.split_once('/')?;
    let (stem, extension) = file.split_once('.')?;
    let is_hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    let is_ours = FOLDERS.contains(&folder) && stem.len() == 32 && stem.bytes().all(is_hex);
    let mut types = TYPES.iter().filter(|_| is_ours);
    types
        .find(|(known, _)| *known == extension)
        .map(|(_, served)| *served)
}

/// Returns the name if it is valid.
pub(super) fn checked(name: &str) -> Result<&str, MediaError> {
    content_type(name).map(|_| name).ok_or(MediaError::NotFound)
}

/// Returns a new name.
pub(super) fn new(folder: &str, extension: &str) -> String {
    ids::prefixed(&format!("{folder}/")) + "." + extension
}
