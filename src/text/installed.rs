//! Fonts installed on the machine, for characters the bundled faces lack. Scanned once, in an order that depends only on names.

use std::path::{Path, PathBuf};

use parley::fontique::{Blob, Collection, CollectionOptions, SourceCache};

/// Maximum number of font files read.
const MAX_FILES: usize = 10_000;

/// Maximum depth of folders scanned.
const MAX_DEPTH: usize = 6;

/// The installed families.
pub(super) struct Installed {
    collection: Collection,
    sources: SourceCache,
    /// Family names, preferred fallbacks first.
    families: Vec<String>,
}

impl Installed {
    /// Scans the usual folders of a Linux system (no fontconfig).
    pub(super) fn scan() -> Installed {
        let mut folders = vec![
            PathBuf::from("/usr/share/fonts"),
            PathBuf::from("/usr/local/share/fonts"),
        ];
        if let Some(home) = std::env::var_os("HOME") {
            folders.push(Path::new(&home).join(".local/share/fonts"));
        }
        let mut files = Vec::new();
        for folder in &folders {
            gather(folder, 0, &mut files);
        }
        files.sort();
        files.truncate(MAX_FILES);
        let mut collection = Collection::new(CollectionOptions {
            shared: false,
            system_fonts: false,
        });
        collection.load_fonts_from_paths(&files);
        let mut families: Vec<String> = collection.family_names().map(str::to_owned).collect();
        families.sort_by_cached_key(|name| (rank(name), name.len(), name.clone()));
        families.dedup();
        Installed {
            collection,
            sources: SourceCache::default(),
            families,
        }
    }

    /// Returns the names of all families.
    pub(super) fn families(&self) -> impl Iterator<Item = &String> {
        self.families.iter()
    }

    /// Returns whether a family of this name is installed.
    pub(super) fn has(&mut self, family: &str) -> bool {
        self.collection.family_by_name(family).is_some()
    }

    /// Returns the best family that has `c`; emoji fonts first if `emoji`, and Han in the shapes of `region` (`SC`, `TC`, `JP`, `KR`).
    pub(super) fn family_for(&mut self, c: char, emoji: bool, region: &str) -> Option<String> {
        let mut order: Vec<&String> = self.families.iter().collect();
        order.sort_by_key(|name| {
            (
                emoji != name.contains("Emoji"),
                name.contains("CJK") && !name.ends_with(region),
            )
        });
        let order: Vec<String> = order.into_iter().cloned().collect();
        order.into_iter().find(|family| self.covers(family, c))
    }

    fn covers(&mut self, family: &str, c: char) -> bool {
        let Some(info) = self.collection.family_by_name(family) else {
            return false;
        };
        let Some(font) = info.default_font() else {
            return false;
        };
        font.load(Some(&mut self.sources)).is_some_and(|blob| {
            font.charmap_index()
                .charmap(blob.as_ref())
                .and_then(|map| map.map(c))
                .is_some_and(|glyph| glyph != 0)
        })
    }

    /// Returns the files of a family, to be registered with the layout engine.
    pub(super) fn files(&mut self, family: &str) -> Vec<Blob<u8>> {
        let Some(info) = self.collection.family_by_name(family) else {
            return Vec::new();
        };
        let mut blobs: Vec<Blob<u8>> = Vec::new();
        for font in info.fonts() {
            if let Some(blob) = font.load(Some(&mut self.sources))
                && blobs.iter().all(|known| known.id() != blob.id())
            {
                blobs.push(blob);
            }
        }
        blobs
    }
}

fn gather(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            if depth < MAX_DEPTH {
                gather(&path, depth + 1, files);
            }
        } else if path
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| ["ttf", "otf", "ttc", "otc"].contains(&&*e.to_ascii_lowercase()))
        {
            files.push(path);
        }
    }
}

/// Returns a family's fallback rank. Captions are set in sans serif, so sans-serif fallbacks match best.
fn rank(name: &str) -> u8 {
    let special = ["Mono", "Display", "UI", "Looped", "Condensed", "Light"];
    match name {
        _ if special.iter().any(|word| name.contains(word)) => 4,
        _ if name.starts_with("Noto Sans") => 0,
        _ if name.contains("Emoji") => 1,
        _ if name.contains("Sans") => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_sans_families_come_first() {
        let mut names = [
            "DejaVu Serif",
            "Noto Sans Mono",
            "DejaVu Sans",
            "Noto Sans Thai",
        ];
        names.sort_by_key(|name| rank(name));
        assert_eq!(
            names,
            [
                "Noto Sans Thai",
                "DejaVu Sans",
                "DejaVu Serif",
                "Noto Sans Mono"
            ]
        );
    }
}
