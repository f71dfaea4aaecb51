//! `kinora probe`: the contents of an MP4, as read by the engine's own strict box check.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use serde_json::json;

use crate::console;
use crate::failure::{Done, Failure};

/// Check an MP4 and show what it contains
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to check
    file: PathBuf,

    /// Print the facts as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Done {
    let name = args.file.display();
    let cannot = |e: std::io::Error| Failure::Io(format!("{name} cannot be read: {e}"));
    let file = File::open(&args.file).map_err(cannot)?;
    if !file.metadata().map_err(cannot)?.is_file() {
        return Err(Failure::Usage(format!("{name} is not a file")));
    }
    let facts = kinora::mux::check(BufReader::new(file)).map_err(|e| e.at(name))?;
    if args.json {
        console::json_line(&json!({ "event": "result", "file": args.file, "facts": facts }));
    } else {
        console::print(&facts.to_string());
    }
    Ok(())
}
