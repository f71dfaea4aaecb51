//! One font face as drawn: its file, its variation and synthesis, and its rasterizers.

use std::cell::RefCell;
use std::sync::OnceLock;

use parley::FontData;
use swash::scale::{ScaleContext, Scaler};
use swash::{CacheKey, FontRef, StringId};

use super::guard::{self, Guard};

/// Em size for which fontdue flattens curves. Its error bound is loose, and glyphs are drawn at up to four times the text size.
const FONTDUE_SCALE_PX: f32 = 2000.0;

thread_local! {
    static SCALERS: RefCell<ScaleContext> = RefCell::new(ScaleContext::with_max_entries(16));
}

/// Identifies a face; equal keys mean the same face.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FaceKey {
    /// The font file's identity in this process.
    pub(super) blob: u64,
    /// Index of the face in the file.
    pub(super) index: u32,
    /// Normalized variation coordinates, 2.14 fixed point.
    pub(super) coords: Vec<i16>,
    /// Widened because the family has no bold face.
    pub(super) embolden: bool,
    /// Slant in degrees because the family has no italic face.
    pub(super) skew_degrees: i8,
}

impl FaceKey {
    /// Returns the key of an unmodified face of a file.
    pub(super) fn plain(blob: u64, index: u32) -> FaceKey {
        FaceKey {
            blob,
            index,
            coords: Vec::new(),
            embolden: false,
            skew_degrees: 0,
        }
    }
}

/// A face in use.
pub(super) struct Face {
    key: FaceKey,
    font: FontData,
    bundled: bool,
    offset: u32,
    cache_key: CacheKey,
    fontdue: OnceLock<Option<fontdue::Font>>,
    guard: Guard,
}

/// Em size at which a glyph is drawn to measure its extent, px.
const TRIAL_SIZE_PX: f32 = 100.0;

impl Face {
    /// Loads a face; returns `None` if the file cannot be read as a font.
    pub(super) fn new(key: FaceKey, font: FontData, bundled: bool) -> Option<Face> {
        let reference = FontRef::from_index(font.data.as_ref(), font.index as usize)?;
        let (offset, cache_key) = (reference.offset, reference.key);
        Some(Face {
            key,
            offset,
            cache_key,
            font,
            bundled,
            fontdue: OnceLock::new(),
            guard: Guard::default(),
        })
    }

    fn font(&self) -> FontRef<'_> {
        FontRef {
            data: self.font.data.as_ref(),
            offset: self.offset,
            key: self.cache_key,
        }
    }

    /// Returns the slant of the outlines, as the `tan` of the angle.
    pub(super) fn skew(&self) -> f32 {
        f32::from(self.key.skew_degrees).to_radians().tan()
    }

    /// Returns the widening of the outlines in em.
    pub(super) fn embolden_em(&self) -> f32 {
        if self.key.embolden { 1.0 / 24.0 } else { 0.0 }
    }

    /// Runs `work` with a scaler of this face at `size_px`.
    pub(super) fn scale<T>(&self, size_px: f32, work: impl FnOnce(&mut Scaler<'_>) -> T) -> T {
        SCALERS.with_borrow_mut(|context| {
            let mut scaler = context
                .builder(self.font())
                .size(size_px)
                .normalized_coords(&self.key.coords)
                .build();
            work(&mut scaler)
        })
    }

    fn reader(&self) -> Option<skrifa::FontRef<'_>> {
        skrifa::FontRef::from_index(self.font.data.as_ref(), self.font.index).ok()
    }

    /// Returns whether a glyph may be drawn: in untrusted fonts, not if it needs more work or extends farther than any real glyph.
    pub(super) fn draws(&self, glyph: u16) -> bool {
        let reach = || {
            let outline = self.scale(TRIAL_SIZE_PX, |scaler| scaler.scale_outline(glyph));
            outline.map_or(0.0, |outline| guard::reach(&outline) / TRIAL_SIZE_PX)
        };
        let coords = &self.key.coords;
        self.bundled || self.guard.allows(self.reader(), glyph, coords, reach)
    }

    /// Returns whether a glyph has color bitmaps that may be drawn.
    pub(super) fn draws_pictures(&self, glyph: u16) -> bool {
        self.guard.allows_picture(self.reader(), glyph)
    }

    /// Returns the family's name.
    pub(super) fn family(&self) -> String {
        let names = self.font().localized_strings();
        let name = names.find_by_id(StringId::Family, None);
        name.map_or_else(String::new, |name| name.chars().take(100).collect())
    }

    /// Returns the fast rasterizer if it can draw this face and trusts it: it reads whole tables of any claimed size.
    pub(super) fn fontdue(&self) -> Option<&fontdue::Font> {
        self.fontdue
            .get_or_init(|| {
                let plain = self.key.coords.iter().all(|c| *c == 0)
                    && !self.key.embolden
                    && self.key.skew_degrees == 0;
                // The default outlines of a variable font are correct if no axis is moved.
                if !plain || !self.bundled {
                    return None;
                }
                let settings = fontdue::FontSettings {
                    collection_index: self.font.index,
                    scale: FONTDUE_SCALE_PX,
                    load_substitutions: true,
                };
                fontdue::Font::from_bytes(self.font.data.as_ref(), settings).ok()
            })
            .as_ref()
    }
}
