//! Why a file was rejected, before it is known whether this becomes a problem in the document or an error of a render.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::ImageError;

use super::Assets;
use crate::error::{Error, ErrorKind, Problem};

/// Why one file was rejected; its name and its path in the document are added later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Stable identifier for programs.
    pub code: &'static str,
    /// What is wrong; the text follows the file's name.
    pub reason: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Refusal {
    /// Creates a refusal without a hint.
    pub fn new(code: &'static str, reason: impl Into<String>) -> Refusal {
        Refusal {
            code,
            reason: reason.into(),
            hint: None,
        }
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Refusal {
        self.hint = Some(hint.into());
        self
    }

    /// Creates the refusal of a file that ends early or contains invalid data.
    pub fn damaged(what: impl std::fmt::Display) -> Refusal {
        Refusal::new(
            "damaged_picture",
            format!("is damaged or cut short: {what}"),
        )
        .hint("save or download it again")
    }

    /// Explains why `name` could not be opened.
    pub fn of_open(e: &io::Error, name: &str, assets: &dyn Assets) -> Refusal {
        if e.kind() != io::ErrorKind::NotFound {
            return Refusal::new("unreadable", format!("cannot be opened: {e}"));
        }
        let refusal = Refusal::new("missing_file", format!("cannot be found: {e}"));
        match assets.closest(name) {
            Some(near) => refusal.hint(format!("did you mean {}?", quoted(&near))),
            None => refusal,
        }
    }

    /// Explains why an opened file could not be read.
    pub fn of_read(e: &io::Error) -> Refusal {
        Refusal::new("unreadable", format!("cannot be read: {e}"))
    }

    /// Converts the error of a picture decoder.
    pub fn of_decoder(e: &ImageError) -> Refusal {
        match e {
            ImageError::Limits(e) => Refusal::new("too_large", format!("exceeds the limits: {e}")),
            ImageError::Unsupported(e) => Refusal::new(
                "unsupported_picture",
                format!("uses a feature that is not supported: {e}"),
            )
            .hint("save it again as PNG or baseline JPEG"),
            e => Refusal::damaged(e),
        }
    }

    /// Converts to a problem in the document, found at `path`.
    pub fn problem(&self, name: &str, path: &str) -> Problem {
        Problem {
            code: self.code,
            path: path.to_owned(),
            message: format!("{} {}", quoted(name), self.reason),
            hint: self.hint.clone(),
        }
    }

    /// Converts to the error of a render.
    pub fn error(&self, name: &str, path: &str) -> Error {
        let hint = match &self.hint {
            Some(hint) => format!(" ({hint})"),
            None => String::new(),
        };
        let message = format!("{} {}{hint}", quoted(name), self.reason);
        let kind = match self.code {
            // The file exists, but the system could not open or read it.
            "unreadable" => ErrorKind::Io,
            _ => ErrorKind::Media,
        };
        let error = Error::new(kind, message);
        if path.is_empty() {
            error
        } else {
            error.at(path)
        }
    }
}

/// Maximum number of characters shown of a name.
const SHOWN_CHARS: usize = 120;

/// Formats a name for people: in backticks, with control characters escaped. A long one loses its middle, because a path ends with the file's name.
pub(crate) fn quoted(name: &str) -> String {
    let shown: Vec<char> = name.escape_debug().collect();
    if shown.len() <= SHOWN_CHARS {
        return format!("`{}`", String::from_iter(shown));
    }
    let start = String::from_iter(&shown[..SHOWN_CHARS / 4]);
    let end = String::from_iter(&shown[shown.len() - SHOWN_CHARS * 3 / 4 + 1..]);
    format!("`{start}…{end}`")
}

/// Runs a decoder on untrusted bytes; a panic only affects that file's result. The file may be valid, so it is not called damaged.
///
/// The closures passed here own or only read their data, so no partial changes survive an unwind.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let reason = "cannot be decoded: its decoder failed on something that it does not know";
        Err(Refusal::new("undecodable", reason).hint("save it again with another program"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_ends() {
        let name = format!("{}/photographs/IMG_2041.jpg", "folder".repeat(40));
        let shown = quoted(&name);
        assert!(shown.starts_with("`folder") && shown.ends_with("/photographs/IMG_2041.jpg`"));
        assert_eq!(shown.chars().count(), 122);
        let exact = "a".repeat(120);
        assert_eq!(quoted(&exact), format!("`{exact}`"));
    }

    #[test]
    fn a_panic_is_not_called_damage() {
        let refusal = guarded::<()>(|| unreachable!("a decoder's assertion")).unwrap_err();
        assert_eq!(refusal.code, "undecodable");
        assert!(!refusal.reason.contains("damaged"), "{}", refusal.reason);
    }
}
