//! The user's own pictures and clips: a folder whose files are matched to scenes by number, by words in their names, or in order.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{
    Answer, Call, ClipAsk, ClipFile, ClipProvider, Picture, PictureAsk, PictureProvider, checks,
};
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::CostClass;

/// Extensions of pictures and of clips; all other files are ignored.
const PICTURES: &[&str] = &[
    "png", "jpg", "jpeg", "webp", "heic", "heif", "avif", "jxl", "gif", "tif", "tiff", "bmp", "svg",
];
const CLIPS: &[&str] = &["mp4", "m4v", "webm"];
/// Most files of one folder.
const MAX_FILES: usize = 5000;
/// Largest clip, in bytes.
const MAX_CLIP_BYTES: u64 = 1 << 30;
/// Fewest letters of a significant word.
const MIN_WORD: usize = 3;
/// Words without visual meaning.
const EMPTY_WORDS: &[&str] = &[
    "the", "and", "with", "over", "from", "for", "its", "his", "her", "img", "dsc", "photo",
    "image", "picture", "scene", "shot", "clip",
];

/// Takes pictures or clips from a folder.
#[derive(Clone, Debug)]
pub struct Folder {
    name: String,
    /// A hash of its contents, so that other files give other results.
    identity: String,
    stage: Stage,
    files: Vec<Named>,
}

#[derive(Clone, Debug)]
struct Named {
    path: PathBuf,
    number: Option<usize>,
    words: BTreeSet<String>,
}

impl Folder {
    /// Opens a folder of pictures.
    ///
    /// # Errors
    /// `NotConfigured` if the folder is missing, unreadable or has no picture, or if a file is not a picture. All of this is checked before any work starts.
    pub fn of_pictures(name: &str, path: &Path) -> Result<Folder, Failure> {
        Folder::open(name, path, Stage::Pictures)
    }

    /// Opens a folder of clips.
    ///
    /// # Errors
    /// As [`Folder::of_pictures`].
    pub fn of_clips(name: &str, path: &Path) -> Result<Folder, Failure> {
        Folder::open(name, path, Stage::Clips)
    }

    /// Returns the number of usable files.
    pub fn n_files(&self) -> usize {
        self.files.len()
    }

    fn open(name: &str, path: &Path, stage: Stage) -> Result<Folder, Failure> {
        let wrong = |what: String| {
            Failure::new(
                stage,
                FailureKind::NotConfigured,
                format!("the folder {} {what}", path.display()),
            )
            .by(name, None)
        };
        let (extensions, noun) = match stage {
            Stage::Clips => (CLIPS, "clip (.mp4, .webm)"),
            _ => (PICTURES, "picture (.jpg, .png, .webp, .heic, .avif ...)"),
        };
        let entries = fs::read_dir(path).map_err(|e| wrong(format!("cannot be read: {e}")))?;
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry
                .map_err(|e| wrong(format!("cannot be read: {e}")))?
                .path();
            let extension = path
                .extension()
                .and_then(|e| e.to_str())
                .unwrap_or_default()
                .to_lowercase();
            let is_hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if extensions.contains(&extension.as_str()) && path.is_file() && !is_hidden {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            return Err(wrong(format!("contains no {noun}")));
        }
        if paths.len() > MAX_FILES {
            return Err(wrong(format!("contains more than {MAX_FILES} files")));
        }
        let mut files: Vec<Named> = paths.into_iter().map(named).collect();
        files.sort_by(|a, b| {
            (a.number.unwrap_or(usize::MAX), &a.path)
                .cmp(&(b.number.unwrap_or(usize::MAX), &b.path))
        });
        let mut hash = Sha256::new();
        for file in &files {
            let head = probe(&file.path, stage)
                .map_err(|what| wrong(format!("contains {}, which {what}", shown(&file.path))))?;
            hash.update(head);
        }
        let identity = hash
            .finalize()
            .iter()
            .take(8)
            .map(|b| format!("{b:02x}"))
            .collect();
        Ok(Folder {
            name: name.to_owned(),
            identity,
            stage,
            files,
        })
    }

    /// Returns the file for a scene with this brief.
    fn file_for(&self, scene: Option<usize>, brief: &str, seed: u64) -> &Named {
        let wanted = words_of(brief);
        let numbered = self
            .files
            .iter()
            .filter(|file| scene.is_some() && file.number == scene.map(|i| i + 1));
        let n_common = |file: &Named| file.words.intersection(&wanted).count();
        // The first of the best matches, in the folder's order.
        let best =
            |files: &mut dyn Iterator<Item = &'_ Named>| files.map(n_common).max().unwrap_or(0);
        let most_numbered = best(&mut numbered.clone());
        if let Some(file) = numbered
            .clone()
            .find(|file| n_common(file) == most_numbered)
        {
            return file;
        }
        let most = best(&mut self.files.iter());
        let by_words = self
            .files
            .iter()
            .find(|file| most > 0 && n_common(file) == most);
        let at = scene.unwrap_or(seed as usize % MAX_FILES) % self.files.len();
        by_words.unwrap_or(&self.files[at])
    }

    fn read(&self, file: &Named) -> Result<Vec<u8>, Failure> {
        fs::read(&file.path)
            .map_err(|e| self.failure(format!("{} cannot be read: {e}", file.path.display())))
    }

    fn failure(&self, message: String) -> Failure {
        Failure::new(self.stage, FailureKind::BadAnswer, message).by(&self.name, None)
    }
}

/// Checks a file and returns its hash.
fn probe(path: &Path, stage: Stage) -> Result<Vec<u8>, String> {
    let n_bytes = fs::metadata(path).map_err(|e| e.to_string())?.len();
    let max_bytes = match stage {
        Stage::Clips => MAX_CLIP_BYTES,
        _ => checks::MAX_PICTURE_BYTES as u64,
    };
    if n_bytes > max_bytes {
        return Err(format!("is larger than {} MB", max_bytes / 1_000_000));
    }
    let file = fs::read(path).map_err(|e| format!("cannot be read: {e}"))?;
    let identity = Sha256::digest(&file).to_vec();
    match stage {
        Stage::Clips => checks::clip(file).map(|_| identity).map_err(str::to_owned),
        _ => checks::own_picture(file).map(|_| identity),
    }
}

fn shown(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn named(path: PathBuf) -> Named {
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let stem_lower = stem.to_lowercase();
    // `01-harbor`, `scene 2 boat`, `shot3`.
    let unlabeled = ["scene", "shot", "picture", "image", "clip"]
        .iter()
        .find_map(|label| stem_lower.strip_prefix(label));
    let numbers = unlabeled
        .unwrap_or(&stem_lower)
        .trim_start_matches([' ', '-', '_']);
    let digits = numbers
        .chars()
        .take_while(char::is_ascii_digit)
        .collect::<String>();
    // Four digits or more are a year or a camera's counter.
    let number = digits.parse().ok().filter(|n| (1..1000).contains(n));
    Named {
        number,
        words: words_of(&stem),
        path,
    }
}

fn words_of(text: &str) -> BTreeSet<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase);
    words
        .filter(|word| word.chars().count() >= MIN_WORD && !EMPTY_WORDS.contains(&word.as_str()))
        .filter(|word| !word.chars().all(|c| c.is_ascii_digit()))
        .collect()
}

impl PictureProvider for Folder {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.identity
    }

    fn reads_sentences(&self) -> bool {
        false
    }

    fn paint(
        &self,
        ask: &PictureAsk,
        _: &[Vec<u8>],
        call: &Call,
    ) -> Result<Answer<Picture>, Failure> {
        let file = self.file_for(call.scene, ask.drawn(), ask.seed);
        let picture = checks::own_picture(self.read(file)?)
            .map_err(|what| self.failure(format!("{} {what}", file.path.display())))?;
        Ok(Answer::plain(picture).at(CostClass::Offline))
    }
}

impl ClipProvider for Folder {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.identity
    }

    fn reads_sentences(&self) -> bool {
        false
    }

    fn animate(
        &self,
        ask: &ClipAsk,
        _: &Picture,
        call: &Call,
    ) -> Result<Answer<ClipFile>, Failure> {
        let file = self.file_for(call.scene, ask.picture.drawn(), ask.picture.seed);
        let (clip, _) = checks::clip(self.read(file)?)
            .map_err(|what| self.failure(format!("{} {what}", file.path.display())))?;
        Ok(Answer::plain(clip).at(CostClass::Offline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> Folder {
        let mut files: Vec<Named> = names
            .iter()
            .map(|name| named(PathBuf::from(name)))
            .collect();
        files.sort_by(|a, b| {
            (a.number.unwrap_or(usize::MAX), &a.path)
                .cmp(&(b.number.unwrap_or(usize::MAX), &b.path))
        });
        Folder {
            name: "mine".into(),
            identity: String::new(),
            stage: Stage::Pictures,
            files,
        }
    }

    fn taken(folder: &Folder, scene: usize, brief: &str) -> String {
        shown(&folder.file_for(Some(scene), brief, 7).path)
    }

    #[test]
    fn numbers_come_first_then_words_then_the_order() {
        let f = folder(&[
            "02-boat.png",
            "1 harbor.jpg",
            "storm over sea.webp",
            "IMG_20240101.jpg",
        ]);
        assert_eq!(taken(&f, 0, "A storm"), "1 harbor.jpg");
        assert_eq!(taken(&f, 1, "A storm"), "02-boat.png");
        assert_eq!(taken(&f, 2, "The SEA, in a storm"), "storm over sea.webp");
        assert_eq!(taken(&f, 6, "Nothing alike"), "IMG_20240101.jpg");
    }

    #[test]
    fn several_of_a_number_differ_by_words_and_others_cycle() {
        let f = folder(&["scene1 cat.png", "scene1 dog.png"]);
        assert_eq!(taken(&f, 0, "a dog barks"), "scene1 dog.png");
        let f = folder(&["a.png", "b.png", "c.png"]);
        let order: Vec<String> = (0..5).map(|i| taken(&f, i, "")).collect();
        assert_eq!(order, ["a.png", "b.png", "c.png", "a.png", "b.png"]);
    }
}
