//! An operator's own music: a folder with `manifest.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use crate::{Error, TrackInfo};

/// The file that lists the folder's tracks.
const NAME: &str = "manifest.json";

/// Largest manifest that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    tracks: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Relative to the folder.
    file: PathBuf,
    title: Option<String>,
    #[serde(default)]
    mood: Vec<String>,
    tempo_bpm: Option<f64>,
    key: Option<String>,
    secs: Option<f64>,
}

/// Reads the folder's manifest: the facts and the file of each track.
pub(crate) fn read(folder: &Path) -> Result<Vec<(TrackInfo, PathBuf)>, Error> {
    let path = folder.join(NAME);
    let text = text(&path)?;
    let wrong = |message: String| Error::Manifest {
        path: path.clone(),
        message,
    };
    let manifest: Manifest = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
    manifest
        .tracks
        .into_iter()
        .map(|(slug, entry)| {
            check_slug(&slug).map_err(&wrong)?;
            let file = file_in(folder, &entry.file)
                .map_err(|e| wrong(format!("tracks.{slug}.file: {e}")))?;
            Ok((info(slug, entry), file))
        })
        .collect()
}

fn text(path: &Path) -> Result<String, Error> {
    let cannot = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    let file = fs::File::open(path).map_err(cannot)?;
    let mut text = String::new();
    file.take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(cannot)?;
    if text.len() as u64 > MAX_BYTES {
        let message = format!("it is larger than {} MiB", MAX_BYTES >> 20);
        return Err(Error::Manifest {
            path: path.to_owned(),
            message,
        });
    }
    Ok(text)
}

fn check_slug(slug: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match (1..=64).contains(&slug.len()) && slug.chars().all(is_plain) {
        true => Ok(()),
        false => Err(format!(
            "tracks: `{slug}` is not a slug: write 1 to 64 of a-z, 0-9 and _"
        )),
    }
}

/// Returns the path of the file, if it lies in the folder even after links are followed.
fn file_in(folder: &Path, file: &Path) -> Result<PathBuf, String> {
    let name = file.display();
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if file.as_os_str().is_empty() || !file.components().all(is_plain) {
        return Err(format!(
            "`{name}` must be a path below the manifest's folder, without `..`"
        ));
    }
    let missing = |e: std::io::Error| format!("`{name}` cannot be opened: {e}");
    let root = folder.canonicalize().map_err(missing)?;
    let real = root.join(file).canonicalize().map_err(missing)?;
    match (real.starts_with(&root), real.is_file()) {
        (false, _) => Err(format!(
            "`{name}` is a link that leads out of the manifest's folder"
        )),
        (true, false) => Err(format!("`{name}` is not a file")),
        (true, true) => Ok(real),
    }
}

fn info(slug: String, entry: Entry) -> TrackInfo {
    TrackInfo {
        title: entry.title.unwrap_or_else(|| slug.replace('_', " ")),
        slug,
        mood: entry.mood,
        has_pulse: entry.tempo_bpm.is_some(),
        tempo_bpm: entry.tempo_bpm,
        key: entry.key,
        secs: entry.secs,
        is_override: true,
    }
}
