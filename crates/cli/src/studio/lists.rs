//! `kinora voices`, `models`, `styles`: what a request may name, and whether it is available on this machine.

use kinora_studio::offers::{self, ModelOffer};
use kinora_studio::request::{ScriptStyle, WireName};
use serde_json::{Value, json};

use super::Place;
use crate::console;
use crate::failure::Done;

/// Which list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum List {
    Voices,
    Models,
    Styles,
}

/// List what a request may name
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,

    /// Print the list as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(list: List, args: &Args) -> Done {
    let rows = match list {
        List::Voices => voices(args)?,
        List::Models => models(args)?,
        List::Styles => styles(),
    };
    if args.json {
        console::json_line(&Value::from(rows));
        return Ok(());
    }
    for row in &rows {
        let cell = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        console::print(
            format!(
                "{:32} {:10} {}",
                cell("id"),
                cell("kind"),
                cell("description")
            )
            .trim_end(),
        );
    }
    Ok(())
}

fn voices(args: &Args) -> Result<Vec<Value>, crate::failure::Failure> {
    let offers = offers::voices(&args.place.setup()?)?;
    let offers = offers.iter().filter(|voice| voice.is_available);
    Ok(offers
        .map(|voice| json!({ "id": voice.id, "kind": voice.language, "description": format!("{} ({})", voice.name, voice.provider), "name": voice.name, "language": voice.language, "provider": voice.provider }))
        .collect())
}

/// Returns the models of pictures and clips with their providers here.
fn models(args: &Args) -> Result<Vec<Value>, crate::failure::Failure> {
    let offers = offers::models(&args.place.setup()?)?;
    Ok(offers.iter().map(row).collect())
}

/// Returns a model, its provider, and its substitutes.
fn row(model: &ModelOffer) -> Value {
    let told = match model.notes.as_slice() {
        _ if model.vendor.is_empty() => "nobody".into(),
        [] => format!("{} {}", model.vendor, model.endpoint),
        notes => format!("{} {} ({})", model.vendor, model.endpoint, notes.join("; ")),
    };
    json!({ "id": model.id, "kind": model.makes, "description": told, "is_substitute": !model.notes.is_empty() })
}

fn styles() -> Vec<Value> {
    let scripts = ScriptStyle::names().map(|name| json!({ "id": name, "kind": "script", "description": "how the script tells the story (--style)" }));
    let pictures = kinora_illustrator::styles().iter();
    let pictures = pictures.map(
        |style| json!({ "id": style.name, "kind": "picture", "description": style.description }),
    );
    scripts.chain(pictures).collect()
}
