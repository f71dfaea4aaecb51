//! `kinora bench`: the 60 s reference job, measured by stage.
//!
//! The whole job runs first, in this fresh process, so that the measured peak memory is its own. Then the same frames are composed again into a raw file to
//! time the compositor alone. A second thread reads them back into the encoder, to time the encoder alone.

mod drawn;
mod looks;
mod material;
mod measure;
mod stages;
mod table;

use std::path::PathBuf;

use crate::console;
use crate::failure::Done;
use crate::options::Options;

/// Measure this machine with the reference job: 12 pictures, captions, voice and music, 1080x1920 at 30 fps
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A folder with 01.jpg to 12.jpg, voice.wav, music.ogg and words.json ([{"word", "start", "end"}]) [default: drawn and synthesized]
    #[arg(long, value_name = "DIR")]
    media: Option<PathBuf>,

    /// Length of the job in seconds; 600 shows that memory does not grow
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: u32,

    /// Keep whole.mp4 and its frames before encoding (frames.yuv, planar 4:2:0) in this folder, for example to measure SSIM
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,

    #[command(flatten)]
    options: Options,

    /// Print the figures as one JSON line
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    what: Option<What>,
}

/// Other measurements.
#[derive(Clone, Debug, clap::Subcommand)]
enum What {
    /// Measure the CPU time per frame of each transition and caption style instead
    Looks {
        /// Only these looks, by name
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        only: Vec<String>,
    },
}

pub(crate) fn run(args: &Args) -> Done {
    if let Some(What::Looks { only }) = &args.what {
        let n_threads = args.options.n_threads();
        return looks::run(args.media.as_deref(), only, (n_threads, args.json));
    }
    let drawn;
    let folder = match &args.media {
        Some(folder) => folder.as_path(),
        None => {
            drawn = drawn::folder()?;
            drawn.path()
        }
    };
    let material = material::Material::new(folder, args.seconds)?;
    let figures = stages::run(&material, args)?;
    if args.json {
        console::json_line(&table::json(&figures, args));
    } else {
        console::print(&table::text(&figures, args));
    }
    Ok(())
}
