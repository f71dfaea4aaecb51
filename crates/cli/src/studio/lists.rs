//! `kinora voices`, `models`, `styles`: what a request may name, and what of it is there on this machine.

use kinora_studio::request::{ImageModel, ScriptStyle, VideoModel, WireName};
use kinora_studio::{stages, voice};
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

    /// The list as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(list: List, args: &Args) -> Done {
    let rows = match list {
        List::Voices => voices(),
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

fn voices() -> Vec<Value> {
    let voices = voice::voices();
    let voices = voices.iter();
    voices
        .map(|voice| json!({ "id": voice.id, "kind": voice.language, "description": format!("{} ({})", voice.name, voice.provider), "name": voice.name, "language": voice.language, "provider": voice.provider }))
        .collect()
}

/// Models of pictures and clips with who makes them here.
fn models(args: &Args) -> Result<Vec<Value>, crate::failure::Failure> {
    let table = stages::table(&args.place.setup()?)?;
    let images = ImageModel::names().map(|name| {
        let live = table.live_picture(name);
        row(
            "picture",
            name,
            live.map(|(model, notes)| (model.vendor.as_str(), model.endpoint.as_str(), notes)),
        )
    });
    let clips = VideoModel::names().map(|name| {
        let live = table.live_clip(name);
        row(
            "clip",
            name,
            live.map(|(model, notes)| (model.vendor.as_str(), model.endpoint.as_str(), notes)),
        )
    });
    Ok(images.chain(clips).collect())
}

/// A model, who makes it, and what stands in for it.
fn row(kind: &str, name: &str, live: Option<(&str, &str, Vec<String>)>) -> Value {
    let told = match &live {
        Some((vendor, endpoint, notes)) if notes.is_empty() => format!("{vendor} {endpoint}"),
        Some((vendor, endpoint, notes)) => format!("{vendor} {endpoint} ({})", notes.join("; ")),
        None => "nobody".into(),
    };
    json!({ "id": name, "kind": kind, "description": told, "is_substitute": live.is_some_and(|(_, _, notes)| !notes.is_empty()) })
}

fn styles() -> Vec<Value> {
    let scripts = ScriptStyle::names().map(|name| json!({ "id": name, "kind": "script", "description": "how a prompt is told (--style)" }));
    let pictures = kinora_illustrator::styles().iter();
    let pictures = pictures.map(
        |style| json!({ "id": style.name, "kind": "picture", "description": style.description }),
    );
    scripts.chain(pictures).collect()
}
