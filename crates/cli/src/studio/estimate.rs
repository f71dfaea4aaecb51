//! `kinora estimate`: how long a video becomes and what it costs, before anything is made.

use std::path::{Path, PathBuf};

use kinora_studio::estimate::{Estimate, Input, Rates, estimate};
use kinora_studio::request::{Parsed, UniverseRequest};
use serde_json::json;

use super::short::Wish;
use super::{IN_REQUEST, read_text, refused};
use crate::console;
use crate::failure::{Done, Failure};
use crate::input;

/// Say how long a video becomes and how many credits it takes, without making it
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// A request (JSON), or - for stdin; options replace its fields
    #[arg(value_name = "REQUEST.json")]
    request: Option<PathBuf>,

    /// The request is one of the Universe interface
    #[arg(long, requires = "request")]
    universe: bool,

    /// Prices are its table [credits]: secs_per_step, minimum, presets, images, clips [default: kinora.toml in the current folder, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    wish: Wish,

    /// The estimate as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Done {
    let rates = rates(args.config.as_deref())?;
    let input = match &args.request {
        Some(path) if args.universe => {
            args.wish.seed_for_universe()?;
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

/// The prices of the configuration; the rest of it is read, and its mistakes told, by those who use it.
fn rates(config: Option<&Path>) -> Result<Rates, Failure> {
    #[derive(Default, serde::Deserialize)]
    struct Priced {
        #[serde(default)]
        credits: Rates,
    }
    let Some((path, text)) = input::configuration(config)? else {
        return Ok(Rates::default());
    };
    let priced: Priced =
        toml::from_str(&text).map_err(|e| Failure::Usage(format!("{}: {e}", path.display())))?;
    Ok(priced.credits)
}
