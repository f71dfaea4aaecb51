//! The pages of a track as facts for subtitles and checks: text, times and positions.

use std::ops::Range;

use super::{CaptionTrack, Page};
use crate::units::{Rect, Time};

/// A page as it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownPage<'a>(&'a Page);

/// A page's text and position, kept beside what it draws.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    /// As shown, including its letter case.
    pub(super) text: String,
    /// The byte range of each word.
    pub(super) bytes: Vec<Range<usize>>,
    /// Each word's index in the document.
    pub(super) indexes: Vec<usize>,
    /// The area the letters touch, canvas px.
    pub(super) ink: Rect,
    /// From the top of the first line's capitals to the last baseline, canvas px.
    pub(super) body: Rect,
    /// Area in which the body should stay, canvas px.
    pub(super) room: Rect,
}

/// A word and when it is spoken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageWord<'a> {
    /// In a page's text, with its letter case.
    pub(crate) text: &'a str,
    /// First instant.
    pub(crate) start: Time,
    /// End (exclusive).
    pub(crate) end: Time,
}

impl CaptionTrack {
    /// Returns every page in order; pages never overlap.
    pub(crate) fn pages(&self) -> impl Iterator<Item = ShownPage<'_>> {
        self.pages.iter().map(ShownPage)
    }

    /// Returns the words as written, before the style changes them.
    pub(crate) fn said(&self) -> impl Iterator<Item = PageWord<'_>> {
        self.words.iter().map(|word| PageWord {
            text: &word.text,
            start: word.start,
            end: word.end,
        })
    }
}

impl<'a> ShownPage<'a> {
    /// Returns its text, on one line.
    pub(crate) fn text(self) -> &'a str {
        &self.0.text.text
    }

    /// Returns when it is visible; half-open.
    pub(crate) fn span(self) -> Range<Time> {
        self.0.start..self.0.end
    }

    /// Returns its words.
    pub(crate) fn words(self) -> impl Iterator<Item = PageWord<'a>> {
        let Page { words, text, .. } = self.0;
        words.iter().zip(&text.bytes).map(|(word, bytes)| PageWord {
            text: &text.text[bytes.clone()],
            start: word.start,
            end: word.end,
        })
    }

    /// Returns the document index of its first word.
    pub(crate) fn first_word(self) -> usize {
        self.0.text.indexes.first().copied().unwrap_or(0)
    }

    /// Returns the area its letters touch, canvas px.
    pub(crate) fn ink(self) -> Rect {
        self.0.text.ink
    }

    /// Returns the area from the top of its first line's capitals to its last baseline, canvas px.
    pub(crate) fn body(self) -> Rect {
        self.0.text.body
    }

    /// Returns the area in which its body should stay so that no app covers it, canvas px.
    pub(crate) fn room(self) -> Rect {
        self.0.text.room
    }
}
