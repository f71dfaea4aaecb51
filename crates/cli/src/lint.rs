//! `kinora lint`: problems that an author should know of before rendering.

use kinora::Render;
use serde_json::json;

use crate::console;
use crate::failure::Done;
use crate::options::BackendArg;
use crate::source::Source;

/// Check a timeline without rendering it: captions, pictures, sound
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,

    /// What composes the few frames that are checked
    #[arg(long, value_enum, default_value_t = BackendArg::Auto)]
    backend: BackendArg,

    /// Print the warnings as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Done {
    let job = args.source.job()?;
    let warnings = job.lint(&Render {
        backend: args.backend.to_backend(),
        ..Render::default()
    })?;
    if args.json {
        let warnings: Vec<_> = warnings.iter().map(console::warning_json).collect();
        console::json_line(&json!({ "event": "result", "warnings": warnings }));
        return Ok(());
    }
    for warning in &warnings {
        console::print(&format!("warning: {warning}"));
    }
    console::print(&match warnings.len() {
        0 => "no warnings".to_owned(),
        1 => "1 warning".to_owned(),
        n => format!("{n} warnings"),
    });
    Ok(())
}
