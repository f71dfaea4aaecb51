//! `kinora character`: describes the person in a picture, as a character for requests.

use std::path::PathBuf;

use kinora::CancelToken;
use kinora_studio::stages::Watch;
use serde_json::json;

use super::{Place, say_notes};
use crate::failure::{Done, Failure};
use crate::{console, interrupt};

/// Describe the person in a picture, as a character for requests
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// A PNG, JPEG or WebP file
    #[arg(value_name = "PICTURE")]
    picture: PathBuf,

    /// The character's name, if the picture does not show it [default: the file's name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    place: Place,

    /// Print the characters as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Maximum size of a picture, in bytes.
const MAX_BYTES: u64 = 30 << 20;

pub(crate) fn run(args: &Args) -> Done {
    let path = args.picture.display();
    let cannot = |e: std::io::Error| Failure::Usage(format!("{path} cannot be read: {e}"));
    if std::fs::metadata(&args.picture).map_err(cannot)?.len() > MAX_BYTES {
        return Err(Failure::Usage(format!(
            "{path} is larger than {} MiB",
            MAX_BYTES >> 20
        )));
    }
    let file = std::fs::read(&args.picture).map_err(cannot)?;
    let stem = args
        .picture
        .file_stem()
        .map_or_else(|| "Character".into(), |stem| stem.to_string_lossy());
    let name = args.name.as_deref().unwrap_or(&stem);
    let watch = Watch {
        cancel: CancelToken::default(),
        progress: None,
    };
    interrupt::cancel_on_signal(watch.cancel.clone())?;
    let answer = args.place.studio()?.characters_in(file, name, &watch)?;
    if args.json {
        console::json_line(&json!({ "characters": answer.value, "notes": answer.notes }));
        return Ok(());
    }
    say_notes(&answer.notes);
    for sheet in &answer.value {
        console::print(&format!(
            "{}\n  description  {}\n  appearance   {}\n  clothing     {}",
            sheet.name, sheet.description, sheet.appearance, sheet.clothing
        ));
    }
    Ok(())
}
