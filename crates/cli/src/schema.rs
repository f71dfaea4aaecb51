//! `kinora schema`: the JSON Schema of the timeline document.

use crate::console;
use crate::failure::Done;

/// Print the JSON Schema of the timeline document
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run() -> Done {
    console::print(&format!("{:#}", kinora::timeline::schema()));
    Ok(())
}
