//! Why a file was refused, before it is known whether that becomes a problem of the document or an error of a render.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::ImageError;

use super::Assets;
use crate::error::{Error, ErrorKind, Problem};

/// One file's refusal; the name and the place in the document are added on the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Stable identifier for programs.
    pub code: &'static str,
    /// What is wrong, to be read after the file's name.
    pub reason: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Refusal {
    /// A refusal without a hint.
    pub fn new(code: &'static str, reason: impl Into<String>) -> Refusal {
        Refusal {
            code,
            reason: reason.into(),
            hint: None,
        }
    }

    /// Adds what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Refusal {
        self.hint = Some(hint.into());
        self
    }

    /// A file that ends early or holds nonsense.
    pub fn damaged(what: impl std::fmt::Display) -> Refusal {
        Refusal::new(
            "damaged_picture",
            format!("is damaged or cut short: {what}"),
        )
        .hint("save or download it again")
    }

    /// Why `name` could not be opened.
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

    /// Why an opened file could not be read.
    pub fn of_read(e: &io::Error) -> Refusal {
        Refusal::new("unreadable", format!("cannot be read: {e}"))
    }

    /// What a picture decoder said.
    pub fn of_decoder(e: &ImageError) -> Refusal {
        match e {
            ImageError::Limits(e) => {
                Refusal::new("too_large", format!("is beyond the limits: {e}"))
            }
            ImageError::Unsupported(e) => Refusal::new(
                "unsupported_picture",
                format!("uses a feature that is not supported: {e}"),
            )
            .hint("save it again as PNG or baseline JPEG"),
            e => Refusal::damaged(e),
        }
    }

    /// As a problem of the document, found at `path`.
    pub fn problem(&self, name: &str, path: &str) -> Problem {
        Problem {
            code: self.code,
            path: path.to_owned(),
            message: format!("{} {}", quoted(name), self.reason),
            hint: self.hint.clone(),
        }
    }

    /// As the error of a render.
    pub fn error(&self, name: &str, path: &str) -> Error {
        let hint = match &self.hint {
            Some(hint) => format!(" ({hint})"),
            None => String::new(),
        };
        let message = format!("{} {}{hint}", quoted(name), self.reason);
        let kind = match self.code {
            // The system would not open or read a file that is there.
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

/// Most characters of a name that are shown.
const SHOWN_CHARS: usize = 120;

/// A name as it is shown to people: in backticks, control characters escaped. The middle of a long one is left out, as a path's end is the file's name.
pub(crate) fn quoted(name: &str) -> String {
    let shown: Vec<char> = name.escape_debug().collect();
    if shown.len() <= SHOWN_CHARS {
        return format!("`{}`", String::from_iter(shown));
    }
    let start = String::from_iter(&shown[..SHOWN_CHARS / 4]);
    let end = String::from_iter(&shown[shown.len() - SHOWN_CHARS * 3 / 4 + 1..]);
    format!("`{start}…{end}`")
}

/// Runs a decoder over a stranger's bytes; its panic becomes that file's refusal and takes nothing else down. The file may be good: it is not called damaged.
///
/// The closures passed here own or only read what they use, so nothing half-changed outlives an unwind.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let reason = "cannot be decoded: its decoder gave up at something that it does not know";
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
