//! The available fonts: bundled faces, faces added by the embedder, and installed ones for characters those lack.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use parley::fontique::{Blob, Collection, CollectionOptions};
use parley::{FontData, FontStyle, FontWeight, FontWidth};

use super::cache::Generations;
use super::engine::Engine;
use super::face::{Face, FaceKey};
use super::glyph::{GlyphKey, GlyphMask};
use super::raster::RunKey;
use super::trust;
use super::{FontRequest, RunMask};
use crate::error::{Error, ErrorKind, Result};

/// The bundled files. Each is listed with its license in `assets/README.md`.
pub(crate) static BUNDLED: [&[u8]; 24] = [
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
    include_bytes!("../../assets/fonts/NotoSansThai-Bold.ttf"),
    include_bytes!("../../assets/fonts/NotoSansArabic-Bold.ttf"),
];

/// The bundled fallback families, the one with the most characters first.
/// Display faces are not fallbacks: they have few characters and too distinctive a style.
pub(super) const STAND_INS: [&str; 5] = [
    "Noto Sans",
    "Montserrat",
    "Noto Sans Arabic",
    "Rubik",
    "Noto Sans Thai",
];

/// Limits of the two mask caches; each holds up to twice as much.
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

/// Locks a mutex, ignoring poison: all holders only add, so a panic leaves no half-written state.
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
        let bundled = BUNDLED.map(|bytes| Blob::new(Arc::new(bytes)));
        for blob in &bundled {
            collection.register_fonts(blob.clone(), None);
        }
        let mut own = HashSet::new();
        for blob in &added {
            for (id, _) in collection.register_fonts(blob.clone(), None) {
                own.extend(collection.family_name(id).map(str::to_owned));
            }
        }
        let mut fallbacks: Vec<String> = own
            .into_iter()
            .filter(|family| !STAND_INS.contains(&family.as_str()))
            .collect();
        fallbacks.sort();
        let fallbacks = STAND_INS.map(str::to_owned).into_iter().chain(fallbacks);
        let fonts = Fonts {
            shared: Arc::new(Shared {
                added,
                engine: Mutex::new(Engine::new(collection, fallbacks.collect())),
                faces: RwLock::new(Vec::new()),
                glyphs: Mutex::new(Generations::new(GLYPH_CACHE_BYTES)),
                runs: Mutex::new(Generations::new(RUN_CACHE_BYTES)),
            }),
        };
        // Bundled faces have the first indices, so that a handwritten draw list can name them.
        for data in bundled {
            let key = FaceKey::plain(data.id(), 0);
            fonts.add_face(&mut fonts.engine(), key, &FontData { data, index: 0 }, true);
        }
        fonts
    }

    /// Adds the faces of another file (TrueType, OpenType or a collection). Styles name it by its family.
    ///
    /// Fails with [`ErrorKind::Media`] if the bytes hold no font, or one that needs more work than any real font.
    pub fn with_font(self, bytes: impl Into<Vec<u8>>) -> Result<Fonts> {
        let bytes: Vec<u8> = bytes.into();
        if let Err(why) = trust::check(&bytes) {
            return Err(Error::new(ErrorKind::Media, why));
        }
        let mut added = self.shared.added.clone();
        added.push(Blob::new(Arc::new(bytes)));
        Ok(Fonts::new(added))
    }

    /// Returns the weight that text in this font actually gets, or `None` if the family is neither bundled, added nor installed.
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

    /// Returns the available families: bundled, added and installed.
    pub(crate) fn families(&self) -> Vec<String> {
        self.engine().all_families()
    }

    pub(super) fn engine(&self) -> MutexGuard<'_, Engine> {
        lock(&self.shared.engine)
    }

    /// Returns the face of this index, or `None` for an index never assigned.
    pub(super) fn face(&self, font: u32) -> Option<Arc<Face>> {
        let faces = self
            .shared
            .faces
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        faces.get(font as usize).cloned()
    }

    /// Returns the index of a face, assigned at its first use.
    pub(super) fn face_id(
        &self,
        engine: &mut Engine,
        key: FaceKey,
        font: &FontData,
    ) -> Option<u32> {
        match engine.face_ids.get(&key) {
            Some(id) => Some(*id),
            None => self.add_face(engine, key, font, false),
        }
    }

    fn add_face(
        &self,
        engine: &mut Engine,
        key: FaceKey,
        font: &FontData,
        bundled: bool,
    ) -> Option<u32> {
        let face = Arc::new(Face::new(key.clone(), font.clone(), bundled)?);
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
    /// Returns the style in fontique's terms.
    pub(super) fn style(&self) -> FontStyle {
        if self.italic {
            FontStyle::Italic
        } else {
            FontStyle::Normal
        }
    }
}
