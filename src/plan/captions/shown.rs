//! The pages of a track as facts for subtitles and checks: what they say, when, and where they stand.

use std::ops::Range;

use super::{CaptionTrack, Page};
use crate::units::{Rect, Time};

/// A page as it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownPage<'a>(&'a Page);

/// What a page says and where it stands; kept beside what it draws.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    /// As shown, its capitals included.
    pub(super) text: String,
    /// The bytes of each word.
    pub(super) bytes: Vec<Range<usize>>,
    /// Each word's index in the document.
    pub(super) indexes: Vec<usize>,
    /// All that the letters touch, canvas px.
    pub(super) ink: Rect,
    /// From the top of the first line's capitals to the last baseline, canvas px.
    pub(super) body: Rect,
    /// Where the body should stay, canvas px.
    pub(super) room: Rect,
}

/// A word and when it is spoken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageWord<'a> {
    /// Of a page with its capitals.
    pub(crate) text: &'a str,
    /// First instant.
    pub(crate) start: Time,
    /// Behind the last instant.
    pub(crate) end: Time,
}

impl CaptionTrack {
    /// Every page in order; none begins before the one before it has ended.
    pub(crate) fn pages(&self) -> impl Iterator<Item = ShownPage<'_>> {
        self.pages.iter().map(ShownPage)
    }

    /// The words as they are written, whatever the style makes of them.
    pub(crate) fn said(&self) -> impl Iterator<Item = PageWord<'_>> {
        self.words.iter().map(|word| PageWord {
            text: &word.text,
            start: word.start,
            end: word.end,
        })
    }
}

impl<'a> ShownPage<'a> {
    /// What it says, on one line.
    pub(crate) fn text(self) -> &'a str {
        &self.0.text.text
    }

    /// When it is seen, half-open.
    pub(crate) fn span(self) -> Range<Time> {
        self.0.start..self.0.end
    }

    /// Its words.
    pub(crate) fn words(self) -> impl Iterator<Item = PageWord<'a>> {
        let Page { words, text, .. } = self.0;
        words.iter().zip(&text.bytes).map(|(word, bytes)| PageWord {
            text: &text.text[bytes.clone()],
            start: word.start,
            end: word.end,
        })
    }

    /// The index of its first word in the document.
    pub(crate) fn first_word(self) -> usize {
        self.0.text.indexes.first().copied().unwrap_or(0)
    }

    /// All that its letters touch, canvas px.
    pub(crate) fn ink(self) -> Rect {
        self.0.text.ink
    }

    /// From the top of its first line's capitals to its last baseline, canvas px.
    pub(crate) fn body(self) -> Rect {
        self.0.text.body
    }

    /// Where its body should stay, so that no app covers it, canvas px.
    pub(crate) fn room(self) -> Rect {
        self.0.text.room
    }
}
