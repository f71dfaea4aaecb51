//! `kinora estimate`: the length and cost of a video, without making it.

use std::path::{Path, PathBuf};

use kinora_studio::estimate::{Estimate, Input, Rates, estimate};
use kinora_studio::request::{Parsed, UniverseRequest};
use serde_json::json;

use super::about::About;
use super::short::Wish;
use super::{IN_REQUEST, refused};
use crate::console;
use crate::failure::{Done, Failure};
use crate::input;

/// Estimate the length of a video and its price in credits, without making it
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    about: About,

    /// Read the request as one of the Universe interface
    #[arg(long, requires = "about")]
    universe: bool,

    /// The configuration with prices in its table [credits]: secs_per_step, minimum, presets, images, clips [default: kinora.toml in the current folder, if it
    /// exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    wish: Wish,

    /// Print the estimate as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Done {
    let rates = rates(args.config.as_deref())?;
    let input = match &args.about.asked()? {
        Some(asked) if args.universe => {
            args.wish.seed_for_universe()?;
            let text = asked.text()?;
            let Parsed { request, .. } =
                UniverseRequest::parse(text).map_err(|problems| refused(IN_REQUEST, &problems))?;
            Input::of_universe(&request, None)
        }
        asked => Input::of_short(&args.wish.request(asked.as_ref())?),
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

/// Returns the prices of the configuration.
fn rates(config: Option<&Path>) -> Result<Rates, Failure> {
    #[derive(Default, serde::Deserialize)]
    struct Priced {
        #[serde(default)]
        credits: Rates,
    }
    Ok(input::tables::<Priced>(config)?.credits)
}
