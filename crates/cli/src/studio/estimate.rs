//! `kinora estimate`: how long a video becomes and what it costs, before anything is made.

use std::path::PathBuf;

use kinora_studio::estimate::{Estimate, Input, Rates, estimate};
use kinora_studio::request::{Parsed, UniverseRequest};
use serde_json::json;

use super::short::Wish;
use super::{IN_REQUEST, read_text, refused};
use crate::console;
use crate::failure::{Done, Failure};

/// Say how long a video becomes and how many credits it takes, without making it
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// A request (JSON), or - for stdin; options replace its fields
    #[arg(value_name = "REQUEST.json")]
    request: Option<PathBuf>,

    /// The request is one of the Universe interface
    #[arg(long, requires = "request")]
    universe: bool,

    /// Prices (TOML): secs_per_step, minimum, [presets], [images], [clips]
    #[arg(long, value_name = "FILE")]
    rates: Option<PathBuf>,

    #[command(flatten)]
    wish: Wish,

    /// The estimate as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Done {
    let rates = match &args.rates {
        None => Rates::default(),
        Some(path) => {
            let text = read_text(path)?;
            toml::from_str(&text).map_err(|e| Failure::Usage(format!("{}: {e}", path.display())))?
        }
    };
    let input = match &args.request {
        Some(path) if args.universe => {
            let text = read_text(path)?;
            let Parsed { request, .. } =
                UniverseRequest::parse(text).map_err(|problems| refused(IN_REQUEST, &problems))?;
            Input::of_universe(&request, None)
        }
        path => Input::of_short(&args.wish.request(path.as_deref())?),
    };
    let Estimate {
        duration_secs,
        credits,
    } = estimate(&input, &rates);
    if args.json {
        console::json_line(
            &json!({ "estimatedDuration": duration_secs, "estimatedCredits": credits }),
        );
    } else {
        console::print(&format!("{duration_secs:.1} s, {credits} credits"));
    }
    Ok(())
}
