//! `kinora music`: lists the named tracks or writes them as files; also provides `music:SLUG` as a sound in timelines.

use std::fs::File;
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use kinora::error::Error as EngineError;
use kinora::media::{AssetRead, Assets, Ffmpeg, FolderAssets, PictureLimits};
use kinora_music::{Error, Library, Sound, TrackInfo};
use serde_json::json;

use crate::console::{self, Steps};
use crate::failure::{Done, Failure};
use crate::{folders, output};

/// The prefix of track names in a timeline: `music:cinematic_intro`.
const PREFIX: &str = "music:";

/// List the music tracks, or write them as files; timelines refer to a track as music:SLUG
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The track to write
    #[arg(value_name = "SLUG", requires = "output", conflicts_with = "all")]
    slug: Option<String>,

    /// Write every track, as SLUG.wav
    #[arg(long, requires = "output")]
    all: bool,

    /// The file to write (.wav, or the type of the operator's own track); with --all, the folder
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// A folder with manifest.json, {"tracks": {"SLUG": {"file": "real.ogg", "title": "..."}}}, whose tracks replace or extend the built-in ones;
    /// KINORA_MUSIC_LIBRARY sets it for all commands
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,

    /// Print the list as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Done {
    let library = open(args.library.clone())?;
    match (&args.output, &args.slug) {
        (None, _) => list(&library, args.json),
        (Some(folder), None) if args.all => write_all(&library, folder),
        (Some(_), None) => {
            let message = "name the track to write, or give --all; `kinora music` lists them";
            Err(Failure::Usage(message.into()))
        }
        (Some(path), Some(slug)) => write_one(&library, slug, path),
    }
}

/// Opens the library with the default cache, `$XDG_CACHE_HOME/kinora/music` or `~/.cache/kinora/music`.
pub(crate) fn open(folder: Option<PathBuf>) -> Result<Library, Failure> {
    let own = folder.or_else(Library::named_overrides);
    Library::new(kept(), own).map_err(failure)
}

/// Returns the folder for rendered tracks.
fn kept() -> Option<PathBuf> {
    Some(folders::cache()?.join("music"))
}

fn failure(e: Error) -> Failure {
    match e {
        Error::UnknownTrack { .. } | Error::Manifest { .. } => Failure::Usage(e.to_string()),
        Error::Io { .. } => Failure::Io(e.to_string()),
        _ => Failure::Internal(e.to_string()),
    }
}

fn list(library: &Library, json: bool) -> Done {
    if json {
        console::json_line(&json!({ "event": "result", "tracks": library.tracks() }));
        return Ok(());
    }
    let widest = library.tracks().iter().map(|track| track.slug.len()).max();
    for track in library.tracks() {
        console::print(line(track, widest.unwrap_or(0)).trim_end());
    }
    Ok(())
}

/// Formats slug, length, tempo, key, title and mood in aligned columns.
fn line(track: &TrackInfo, widest: usize) -> String {
    let secs = track
        .secs
        .map_or_else(String::new, |secs| format!("{secs:.0} s"));
    let tempo = track
        .tempo_bpm
        .map_or_else(String::new, |bpm| format!("{bpm:.0} bpm"));
    let key = track.key.as_deref().unwrap_or_default();
    let mood = match track.mood.is_empty() {
        true => String::new(),
        false => format!(" ({})", track.mood.join(", ")),
    };
    format!(
        "{:widest$}  {secs:>5}  {tempo:>7}  {key:20}  {}{mood}",
        track.slug, track.title
    )
}

fn write_one(library: &Library, slug: &str, path: &Path) -> Done {
    let track = library.tracks().iter().find(|track| track.slug == slug);
    let sound = sound(library, slug)?;
    output::check(path, extension(&sound))?;
    write(&sound, path)?;
    if let Some(track) = track {
        let secs = track
            .secs
            .map_or_else(String::new, |secs| format!(", {secs:.1} s"));
        console::say(&format!("{}: {}{secs}", path.display(), track.title));
    }
    Ok(())
}

fn write_all(library: &Library, folder: &Path) -> Done {
    if !folder.is_dir() {
        let name = folder.display();
        return Err(Failure::Io(format!(
            "the folder {name} does not exist: make it with mkdir -p"
        )));
    }
    let steps = Steps::new(library.tracks().len());
    for (done, track) in library.tracks().iter().enumerate() {
        steps.show("tracks", done);
        let sound = sound(library, &track.slug)?;
        let path = folder.join(format!("{}.{}", track.slug, extension(&sound)));
        output::check(&path, extension(&sound))?;
        write(&sound, &path)?;
    }
    steps.clear();
    console::say(&format!(
        "{}: {} tracks",
        folder.display(),
        library.tracks().len()
    ));
    Ok(())
}

fn sound(library: &Library, slug: &str) -> Result<Sound, Failure> {
    let empty = || Failure::Usage("an empty slug means silence: name a track".into());
    library.sound(slug).map_err(failure)?.ok_or_else(empty)
}

fn extension(sound: &Sound) -> &str {
    match sound {
        Sound::File(path) => path.extension().and_then(|e| e.to_str()).unwrap_or("wav"),
        Sound::Wav(_) => "wav",
    }
}

fn write(sound: &Sound, path: &Path) -> Done {
    output::write(path, |file| match sound {
        Sound::Wav(wav) => Ok(file.write_all(wav)?),
        Sound::File(source) => {
            let from = |e: io::Error| EngineError::from(e).at(source.display());
            io::copy(&mut File::open(source).map_err(from)?, file)?;
            Ok(())
        }
    })
}

/// A folder's assets, plus the library's tracks as `music:SLUG`. The library is opened when a timeline first names a track.
pub(crate) struct WithMusic {
    folder: FolderAssets,
    library: OnceLock<Result<Arc<Library>, String>>,
}

impl WithMusic {
    /// Adds the tracks to `folder`.
    pub(crate) fn new(folder: FolderAssets) -> WithMusic {
        WithMusic {
            folder,
            library: OnceLock::new(),
        }
    }

    fn library(&self) -> io::Result<&Library> {
        let opened = self.library.get_or_init(|| {
            let library = Library::new(kept(), Library::named_overrides());
            library.map(Arc::new).map_err(|e| e.to_string())
        });
        match opened {
            Ok(library) => Ok(library),
            Err(message) => Err(io::Error::other(message.clone())),
        }
    }
}

impl Assets for WithMusic {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        let Some(slug) = name.strip_prefix(PREFIX) else {
            return self.folder.open(name);
        };
        match self.library()?.sound(slug) {
            Ok(Some(Sound::File(path))) => Ok(Box::new(File::open(path)?)),
            Ok(Some(Sound::Wav(wav))) => Ok(Box::new(Cursor::new(wav))),
            Ok(None) => Err(io::Error::other(
                "`music:` needs a track's slug; `kinora music` lists them",
            )),
            Err(e @ Error::UnknownTrack { .. }) => {
                Err(io::Error::new(io::ErrorKind::NotFound, e.to_string()))
            }
            Err(e) => Err(io::Error::other(e.to_string())),
        }
    }

    fn closest(&self, name: &str) -> Option<String> {
        let Some(slug) = name.strip_prefix(PREFIX) else {
            return self.folder.closest(name);
        };
        let closest = self.library().ok()?.closest(slug);
        closest.first().map(|slug| format!("{PREFIX}{slug}"))
    }

    fn open_file(&self, name: &str) -> io::Result<Option<File>> {
        match name.strip_prefix(PREFIX) {
            None => self.folder.open_file(name),
            Some(_) => Ok(None),
        }
    }

    fn ffmpeg(&self) -> Option<&Ffmpeg> {
        self.folder.ffmpeg()
    }

    fn picture_limits(&self) -> PictureLimits {
        self.folder.picture_limits()
    }
}
