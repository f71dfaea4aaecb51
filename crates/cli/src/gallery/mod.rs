//! `kinora gallery`: the built-in looks as a contact sheet and a film, rendered by the engine itself.

pub(crate) mod examples;
mod film;
mod scenes;
mod sheet;

use std::path::{Path, PathBuf};

use image::ImageFormat;
use kinora::error::{Error, ErrorKind};
use kinora::{CancelToken, Render};

use crate::console;
use crate::failure::{Done, Failure};
use crate::interrupt;
use crate::looks::Kind;
use crate::options::BackendArg;
use crate::output;

use self::examples::Examples;

/// Show the built-in looks as a contact sheet (PNG) and a film (MP4)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which looks
    #[arg(value_enum)]
    kind: Kind,

    /// The folder to write into, created if missing
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// A folder with photographs (*.jpg, *.png) to show them on [default: drawn landscapes]
    #[arg(long, value_name = "DIR")]
    media: Option<PathBuf>,

    /// Only the contact sheet
    #[arg(long)]
    sheet_only: bool,

    /// What composes the frames
    #[arg(long, value_enum, default_value_t = BackendArg::Auto)]
    backend: BackendArg,
}

pub(crate) fn run(args: &Args) -> Done {
    let (kind, looks) = (args.kind, args.kind.looks());
    let examples = Examples::new(args.media.as_deref(), sheet::still_size(kind))?;
    std::fs::create_dir_all(&args.output).map_err(|e| {
        Failure::Io(format!(
            "cannot create the folder {}: {e}",
            args.output.display()
        ))
    })?;
    let path = |extension: &str| args.output.join(format!("{}.{extension}", kind.name()));
    let (sheet_path, film_path) = (path("png"), path("mp4"));
    output::check(&sheet_path, "png")?;
    if !args.sheet_only {
        output::check(&film_path, "mp4")?;
    }
    let options = Render {
        backend: args.backend.to_backend(),
        ..Render::default()
    };
    let bar = console::Steps::new(looks.len());
    let cancel = CancelToken::default();
    interrupt::cancel_on_signal(cancel.clone())?;
    let progress = |what: &'static str| {
        let (bar, cancel) = (&bar, &cancel);
        move |i: usize| match cancel.is_cancelled() {
            true => Err(Error::new(ErrorKind::Cancelled, "cancelled")),
            false => {
                bar.show(what, i);
                Ok(())
            }
        }
    };
    let sheet = sheet::draw(
        kind,
        &looks,
        &examples,
        (&options, &progress("contact sheet")),
    )?;
    output::write(&sheet_path, |file| {
        sheet
            .write_to(&mut std::io::BufWriter::new(file), ImageFormat::Png)
            .map_err(|e| Error::from(std::io::Error::other(e)))
    })?;
    written(&sheet_path);
    if !args.sheet_only {
        let jobs = film::jobs(kind, &looks, &examples.named(film::SIZE))?;
        output::write(&film_path, |file| {
            film::write(&jobs, file, &options, &progress("film"))
        })?;
        written(&film_path);
    }
    bar.clear();
    Ok(())
}

fn written(path: &Path) {
    console::say(&path.display().to_string());
}
