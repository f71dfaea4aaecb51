//! The fonts at hand: bundled faces, faces added by the embedder, and installed ones for what those lack.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use parley::fontique::{Blob, Collection, CollectionOptions, SourceCache};
use parley::{FontContext, FontData, FontStyle, FontWeight, FontWidth, LayoutContext};
use swash::text::Codepoint;

use super::cache::Generations;
use super::clean::is_invisible;
use super::face::{Face, FaceKey};
use super::glyph::{GlyphKey, GlyphMask};
use super::installed::Installed;
use super::raster::RunKey;
use super::{FontRequest, RunMask};
use crate::error::{Error, ErrorKind, Result};

/// The bundled files. Each is listed with its license in `assets/README.md`.
static BUNDLED: [&[u8]; 22] = [
    include_bytes!("../../assets/fonts/Montserrat-ExtraBold.ttf"),
    include_bytes!("../../assets/fonts/NotoSans-SemiBold.ttf"),
    include_bytes!("../../assets/fonts/Baloo2-ExtraBold.ttf"),
    include_bytes!("../../assets/fonts/Caveat-Bold.ttf"),
    include_bytes!("../../assets/fonts/Cinzel-Medium.ttf"),
    include_bytes!("../../assets/fonts/CourierPrime-Bold.ttf"),
    include_bytes!("../../assets/fonts/EBGaramond-Medium.ttf"),
    include_bytes!("../../assets/fonts/EBGaramond-MediumItalic.ttf"),
    include_bytes!("../../assets/fonts/Fredoka-SemiBold.ttf"),
    include_bytes!("../../assets/fonts/IMFellEnglish-Regular.ttf"),
    include_bytes!("../../assets/fonts/Inter-Medium.ttf"),
    include_bytes!("../../assets/fonts/Outfit-Black.ttf"),
    include_bytes!("../../assets/fonts/PlayfairDisplay-ExtraBoldItalic.ttf"),
    include_bytes!("../../assets/fonts/Poppins-ExtraBold.ttf"),
    include_bytes!("../../assets/fonts/PressStart2P-Regular.ttf"),
    include_bytes!("../../assets/fonts/Righteous-Regular.ttf"),
    include_bytes!("../../assets/fonts/Rubik-ExtraBold.ttf"),
    include_bytes!("../../assets/fonts/SpaceGrotesk-Medium.ttf"),
    include_bytes!("../../assets/fonts/SpaceGrotesk-Bold.ttf"),
    include_bytes!("../../assets/fonts/TikTokSans-ExtraBold.ttf"),
    include_bytes!("../../assets/fonts/TiltNeon-Regular.ttf"),
    include_bytes!("../../assets/fonts/TitanOne-Regular.ttf"),
];

/// How many of them, the first ones, stand in where another face lacks a character.
const N_STAND_INS: usize = 2;

/// The bundled family that stands in for any other: the one with the most characters.
const LAST_RESORT: &str = "Noto Sans";

/// Bounds of the two mask caches, each of which holds up to twice as much.
const GLYPH_CACHE_BYTES: usize = 8 << 20;
const RUN_CACHE_BYTES: usize = 16 << 20;

/// Bundled fonts, fonts added by the embedder, and installed system fonts as fallback. Cheap to clone; shared between threads.
#[derive(Clone)]
pub struct Fonts {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    added: Vec<Blob<u8>>,
    engine: Mutex<Engine>,
    faces: RwLock<Vec<Arc<Face>>>,
    pub(super) glyphs: Mutex<Generations<GlyphKey, GlyphMask>>,
    pub(super) runs: Mutex<Generations<RunKey, RunMask>>,
}

/// Takes a lock whose holder cannot have left it half-written: all of them only add.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for Fonts {
    fn default() -> Fonts {
        Fonts::new(Vec::new())
    }
}

impl fmt::Debug for Fonts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fonts")
            .field("added", &self.shared.added.len())
            .finish_non_exhaustive()
    }
}

impl Fonts {
    fn new(added: Vec<Blob<u8>>) -> Fonts {
        let mut collection = Collection::new(CollectionOptions {
            shared: false,
            system_fonts: false,
        });
        let mut own = HashSet::new();
        let bundled = BUNDLED.map(|bytes| Blob::new(Arc::new(bytes)));
        for (i, blob) in bundled.iter().chain(&added).enumerate() {
            // Faces for display stand in for none: they have few characters and too much of their own.
            let stands_in = i < N_STAND_INS || i >= bundled.len();
            for (id, _) in collection.register_fonts(blob.clone(), None) {
                let family = collection.family_name(id).filter(|_| stands_in);
                own.extend(family.map(str::to_owned));
            }
        }
        let mut fallbacks: Vec<String> =
            own.iter().filter(|f| *f != LAST_RESORT).cloned().collect();
        fallbacks.sort();
        fallbacks.insert(0, LAST_RESORT.to_owned());
        let fonts = Fonts {
            shared: Arc::new(Shared {
                added,
                engine: Mutex::new(Engine {
                    context: FontContext {
                        collection,
                        source_cache: SourceCache::default(),
                    },
                    layouts: LayoutContext::new(),
                    fallbacks,
                    installed: None,
                    face_ids: HashMap::new(),
                    covered: HashMap::new(),
                }),
                faces: RwLock::new(Vec::new()),
                glyphs: Mutex::new(Generations::new(GLYPH_CACHE_BYTES)),
                runs: Mutex::new(Generations::new(RUN_CACHE_BYTES)),
            }),
        };
        // Bundled faces have the first indices, so that a draw list written by hand can name them.
        for data in bundled {
            let key = FaceKey::plain(data.id(), 0);
            fonts.face_id(&mut fonts.engine(), key, &FontData { data, index: 0 });
        }
        fonts
    }

    /// These fonts and the faces of another file (TrueType, OpenType or a collection). Styles name it by its family.
    ///
    /// Fails with [`ErrorKind::Media`] when the bytes hold no font.
    pub fn with_font(self, bytes: impl Into<Vec<u8>>) -> Result<Fonts> {
        let bytes: Vec<u8> = bytes.into();
        if swash::FontRef::from_index(&bytes, 0).is_none() {
            return Err(Error::new(
                ErrorKind::Media,
                format!(
                    "the {} bytes given as a font are no TrueType or OpenType file; WOFF and WOFF2 must be unpacked first",
                    bytes.len()
                ),
            ));
        }
        let mut added = self.shared.added.clone();
        added.push(Blob::new(Arc::new(bytes)));
        Ok(Fonts::new(added))
    }

    /// The weight that text in this font really gets; `None` when the family is neither bundled, added nor installed.
    pub(crate) fn weight_at_hand(&self, request: &FontRequest) -> Option<f32> {
        let mut engine = self.engine();
        if !engine.provide(&request.family) {
            return None;
        }
        let family = engine.context.collection.family_by_name(&request.family)?;
        let weight = FontWeight::new(f32::from(request.weight));
        let font = family.match_font(FontWidth::NORMAL, request.style(), weight, true)?;
        Some(if font.has_weight_axis() {
            f32::from(request.weight)
        } else {
            font.weight().value()
        })
    }

    pub(super) fn engine(&self) -> MutexGuard<'_, Engine> {
        lock(&self.shared.engine)
    }

    /// The face of this index, `None` for an index never given out.
    pub(super) fn face(&self, font: u32) -> Option<Arc<Face>> {
        let faces = self
            .shared
            .faces
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        faces.get(font as usize).cloned()
    }

    /// The index of a face, given out at its first use.
    pub(super) fn face_id(
        &self,
        engine: &mut Engine,
        key: FaceKey,
        font: &parley::FontData,
    ) -> Option<u32> {
        if let Some(id) = engine.face_ids.get(&key) {
            return Some(*id);
        }
        let face = Arc::new(Face::new(key.clone(), font.clone())?);
        let mut faces = self
            .shared
            .faces
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let id = u32::try_from(faces.len()).ok()?;
        faces.push(face);
        engine.face_ids.insert(key, id);
        Some(id)
    }
}

impl FontRequest {
    /// The style as fontique wants it.
    pub(super) fn style(&self) -> FontStyle {
        if self.italic {
            FontStyle::Italic
        } else {
            FontStyle::Normal
        }
    }
}

/// What lays text out; one at a time.
pub(super) struct Engine {
    pub(super) context: FontContext,
    pub(super) layouts: LayoutContext<()>,
    /// Bundled and added families in the order in which they stand in.
    fallbacks: Vec<String>,
    installed: Option<Installed>,
    face_ids: HashMap<FaceKey, u32>,
    covered: HashMap<(String, char), bool>,
}

/// Most answers kept about which family has which character.
const MAX_COVERED: usize = 50_000;

impl Engine {
    /// Makes a family usable; `false` when there is none of that name.
    pub(super) fn provide(&mut self, family: &str) -> bool {
        if self.context.collection.family_by_name(family).is_some() {
            return true;
        }
        let installed = self.installed.get_or_insert_with(Installed::scan);
        if !installed.has(family) {
            return false;
        }
        for blob in installed.files(family) {
            self.context.collection.register_fonts(blob, None);
        }
        self.context.collection.family_by_name(family).is_some()
    }

    /// Families to set `text` in, first choice first, and the characters that none of them has.
    pub(super) fn families(&mut self, family: &str, text: &str) -> (Vec<String>, Vec<char>) {
        let mut families = Vec::new();
        if self.provide(family) {
            families.push(family.to_owned());
        }
        families.extend(self.fallbacks.iter().filter(|f| *f != family).cloned());
        let mut missing = Vec::new();
        let mut seen = HashSet::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if is_invisible(c) || !seen.insert(c) {
                continue;
            }
            if families.iter().any(|family| self.covers(family, c)) {
                continue;
            }
            let emoji_wanted = chars.peek() == Some(&'\u{fe0f}')
                || ((c.is_emoji() || c.is_extended_pictographic()) && c >= '\u{2300}');
            let installed = self.installed.get_or_insert_with(Installed::scan);
            match installed.family_for(c, emoji_wanted, text) {
                Some(found) if self.provide(&found) => families.push(found),
                _ => missing.push(c),
            }
        }
        (families, missing)
    }

    /// Words that the first family cannot set alone, and the family that can: a word in two faces looks broken.
    pub(super) fn whole_words(
        &mut self,
        families: &[String],
        text: &str,
    ) -> Vec<(Range<usize>, usize)> {
        let mut out = Vec::new();
        let mut start = 0;
        for part in text.split_inclusive(char::is_whitespace) {
            let sets = |engine: &mut Engine, family: &str| {
                part.chars()
                    .all(|c| is_invisible(c) || engine.covers(family, c))
            };
            let found = families.iter().position(|family| sets(self, family));
            if let Some(i) = found.filter(|i| *i > 0) {
                out.push((start..start + part.trim_end().len(), i));
            }
            start += part.len();
        }
        out
    }

    fn covers(&mut self, family: &str, c: char) -> bool {
        let key = (family.to_owned(), c);
        if let Some(known) = self.covered.get(&key) {
            return *known;
        }
        let context = &mut self.context;
        let covers = context
            .collection
            .family_by_name(family)
            .is_some_and(|info| {
                info.fonts().iter().any(|font| {
                    font.load(Some(&mut context.source_cache))
                        .is_some_and(|blob| {
                            font.charmap_index()
                                .charmap(blob.as_ref())
                                .and_then(|map| map.map(c))
                                .is_some_and(|glyph| glyph != 0)
                        })
                })
            });
        if self.covered.len() >= MAX_COVERED {
            self.covered.clear();
        }
        self.covered.insert(key, covers);
        covers
    }
}
