//! `kinora init`: a folder with pictures, a timeline and a note, to start from.

use std::fs;
use std::path::{Path, PathBuf};

use image::codecs::jpeg::JpegEncoder;
use kinora_illustrator::{Ask, paint_flat};

use crate::console;
use crate::failure::{Done, Failure};

/// Make a folder with a timeline, three pictures and a note, to start from
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to make
    #[arg(value_name = "DIR", default_value = "my-film")]
    folder: PathBuf,
}

/// The files of the folder that are texts.
const TEXTS: [(&str, &str); 2] = [
    ("timeline.json", include_str!("../data/init/timeline.json")),
    ("README.md", include_str!("../data/init/README.md")),
];

/// The pictures: file name and what they show.
const PICTURES: [(&str, &str); 3] = [
    (
        "1-sea.jpg",
        "a sailing boat on a calm sea, clear, summer day",
    ),
    (
        "2-city.jpg",
        "a city street with tall houses at night, clear",
    ),
    ("3-dawn.jpg", "mountains and a lake at dawn, clear, birds"),
];

/// Quality of the JPEG files, 0 to 100.
const JPEG_QUALITY: u8 = 90;

pub(crate) fn run(args: &Args) -> Done {
    let folder = &args.folder;
    if folder.exists() {
        return Err(Failure::Usage(format!(
            "{} exists already; name a new folder: kinora init my-film-2",
            folder.display()
        )));
    }
    let failed = |e: std::io::Error| Failure::Io(format!("{}: {e}", folder.display()));
    let parent = match folder.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // The folder appears only when it is complete.
    let made = tempfile::Builder::new()
        .prefix(".kinora-")
        .tempdir_in(parent)
        .map_err(failed)?;
    for (name, text) in TEXTS {
        fs::write(made.path().join(name), text).map_err(failed)?;
    }
    for (name, words) in PICTURES {
        let picture = paint(words).map_err(Failure::Io)?;
        fs::write(made.path().join(name), picture).map_err(failed)?;
    }
    fs::set_permissions(made.path(), readable()).map_err(failed)?;
    fs::rename(made.path(), folder).map_err(failed)?;
    let shown = folder.display();
    console::say(&format!(
        "{shown}: a timeline, three pictures and a note\n  next: kinora render {shown}/timeline.json -o film.mp4"
    ));
    Ok(())
}

/// Paints a picture and returns it as JPEG.
fn paint(words: &str) -> Result<Vec<u8>, String> {
    let painting = paint_flat(&Ask {
        words,
        notes: "",
        figures: &[],
        style: "",
        width: 1080,
        height: 1920,
        seed: 7,
        place: "",
    });
    let mut file = Vec::new();
    JpegEncoder::new_with_quality(&mut file, JPEG_QUALITY)
        .encode_image(&painting)
        .map_err(|e| format!("a picture cannot be written as JPEG: {e}"))?;
    Ok(file)
}

/// Permissions of an ordinary folder; temporary ones are their owner's only.
fn readable() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(0o755)
}
