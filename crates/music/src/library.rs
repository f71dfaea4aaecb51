//! The public entry point: tracks by slug, rendered once, replaced by an operator's own files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Error, TrackInfo, cache, catalog, manifest};

/// A track's sound.
#[derive(Clone, Debug)]
pub enum Sound {
    /// A file: a 16-bit WAV of the cache, or an operator's file as it is.
    File(PathBuf),
    /// A 16-bit stereo WAV at 48 kHz in memory, if there is no cache.
    Wav(Arc<[u8]>),
}

/// The named tracks.
#[derive(Debug)]
pub struct Library {
    cache: Option<PathBuf>,
    tracks: Vec<TrackInfo>,
    overrides: BTreeMap<String, PathBuf>,
    /// Sounds that were requested before, each behind a lock, so that no track is rendered twice at the same time.
    made: BTreeMap<String, Mutex<Option<Sound>>>,
}

/// How many slugs an error suggests.
const N_SUGGESTED: usize = 3;

/// The environment variable that names the default folder of the operator's tracks.
const OVERRIDES_VARIABLE: &str = "KINORA_MUSIC_LIBRARY";

impl Library {
    /// Returns the folder of the operator's own tracks that the environment names (`KINORA_MUSIC_LIBRARY`).
    pub fn named_overrides() -> Option<PathBuf> {
        let named = std::env::var_os(OVERRIDES_VARIABLE)?;
        (!named.is_empty()).then(|| named.into())
    }

    /// Opens a library. Rendered tracks are kept in the folder `cache` (created when needed; `None`: in memory). Tracks of the folder `overrides` replace
    /// built-in tracks of the same slug and add others; its `manifest.json` is `{"tracks": {"SLUG": {"file": "real.ogg", "title": "..."}}}`.
    ///
    /// # Errors
    /// Returns an error if the manifest is missing or invalid, or if it lists a file that is missing or outside the folder.
    pub fn new(cache: Option<PathBuf>, overrides: Option<PathBuf>) -> Result<Library, Error> {
        let mut tracks = catalog::tracks()?;
        let mut files = BTreeMap::new();
        let listed = overrides.as_deref().map(manifest::read).transpose()?;
        for (info, file) in listed.into_iter().flatten() {
            files.insert(info.slug.clone(), file);
            match tracks.iter_mut().find(|track| track.slug == info.slug) {
                Some(track) => *track = info,
                None => tracks.push(info),
            }
        }
        let made = tracks
            .iter()
            .map(|track| (track.slug.clone(), Mutex::new(None)))
            .collect();
        Ok(Library {
            cache,
            tracks,
            overrides: files,
            made,
        })
    }

    /// Returns all tracks: the built-in ones, then those that an operator added.
    pub fn tracks(&self) -> &[TrackInfo] {
        &self.tracks
    }

    /// Returns the sound of a track, rendered on first use; `None` for the empty slug, which means no music.
    ///
    /// # Errors
    /// Returns [`Error::UnknownTrack`], with the slugs of similar spelling. A cache that cannot be written is no error: the sound then stays in memory.
    pub fn sound(&self, slug: &str) -> Result<Option<Sound>, Error> {
        if slug.is_empty() {
            return Ok(None);
        }
        if let Some(file) = self.overrides.get(slug) {
            return Ok(Some(Sound::File(file.clone())));
        }
        let Some(made) = self.made.get(slug) else {
            let closest = self.closest(slug);
            return Err(Error::UnknownTrack {
                slug: slug.to_owned(),
                closest,
            });
        };
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        let sound = match made.take() {
            Some(Sound::File(path)) if !path.is_file() => self.make(slug)?,
            Some(sound) => sound,
            None => self.make(slug)?,
        };
        *made = Some(sound.clone());
        Ok(Some(sound))
    }

    fn make(&self, slug: &str) -> Result<Sound, Error> {
        let unknown = || Error::UnknownTrack {
            slug: slug.to_owned(),
            closest: self.closest(slug),
        };
        let fingerprint = catalog::fingerprint(slug).ok_or_else(unknown)?;
        let folder = self.cache.as_deref();
        if let Some(path) = folder.and_then(|folder| cache::find(folder, slug, fingerprint)) {
            return Ok(Sound::File(path));
        }
        let wav = catalog::render(slug).ok_or_else(unknown)??;
        let store = |folder: &Path| cache::store(folder, slug, fingerprint, &wav).ok();
        Ok(match folder.and_then(store) {
            Some(path) => Sound::File(path),
            None => Sound::Wav(wav.into()),
        })
    }

    /// Returns the slugs with a spelling similar to `slug`, the nearest first.
    pub fn closest(&self, slug: &str) -> Vec<String> {
        let mut near: Vec<(f64, &str)> = self
            .tracks
            .iter()
            .map(|track| (strsim::jaro_winkler(slug, &track.slug), track.slug.as_str()))
            .filter(|(likeness, _)| *likeness > 0.75)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.truncate(N_SUGGESTED);
        near.into_iter().map(|(_, slug)| slug.to_owned()).collect()
    }
}
