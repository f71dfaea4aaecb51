//! `kinora script`: checks canonical scripts, and converts prose and plays into them.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use kinora_studio::script::canonical;
use serde_json::json;

use super::{Place, read_text, refused, say_notes};
use crate::console;
use crate::failure::Done;
use crate::output;

/// Check canonical scripts, or convert prose and plays into them
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Show where a script is not canonical, and why
    Lint {
        /// The script, or - for stdin
        #[arg(value_name = "FILE")]
        file: PathBuf,

        /// Print the findings as one JSON line
        #[arg(long)]
        json: bool,
    },
    /// Convert prose or a play into a canonical script
    Rewrite {
        /// The text, or - for stdin
        #[arg(value_name = "FILE")]
        file: PathBuf,

        /// The file to write [default: stdout]
        #[arg(short, long, value_name = "OUT.md")]
        output: Option<PathBuf>,

        #[command(flatten)]
        place: Place,
    },
}

impl Args {
    pub(crate) fn json(&self) -> bool {
        matches!(self.what, What::Lint { json: true, .. })
    }
}

pub(crate) fn run(args: &Args) -> Done {
    match &args.what {
        What::Lint { file, json } => lint(file, *json),
        What::Rewrite {
            file,
            output,
            place,
        } => rewrite(file, output.as_deref(), place),
    }
}

fn lint(file: &Path, as_json: bool) -> Done {
    let text = read_text(file)?;
    let (problems, warnings) = match canonical::parse(&text) {
        Ok(read) => (Vec::new(), read.warnings),
        Err(problems) => (problems, Vec::new()),
    };
    if as_json {
        console::json_line(
            &json!({ "is_canonical": problems.is_empty(), "problems": problems, "warnings": warnings }),
        );
    } else {
        warnings
            .iter()
            .for_each(|warning| console::say(&format!("warning: {warning}")));
    }
    if problems.is_empty() {
        if !as_json {
            console::say(&format!("{}: canonical", file.display()));
        }
        return Ok(());
    }
    let what = format!(
        "{} is not canonical (needs_canonical_rewrite); `kinora script rewrite` makes it canonical",
        file.display()
    );
    Err(refused(what, &problems))
}

fn rewrite(file: &Path, out: Option<&Path>, place: &Place) -> Done {
    let text = read_text(file)?;
    let (canonical, notes) = place.studio()?.rewrite(&text)?;
    say_notes(&notes);
    match out {
        None => console::print(canonical.trim_end()),
        Some(path) => output::write_text(path, &canonical)?,
    }
    Ok(())
}
