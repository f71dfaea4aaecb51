//! `kinora completions` and `kinora man`: what shells and `man` read.

use std::io::Write;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::Cli;
use crate::failure::{Done, Failure};

/// Print the completions of a shell: source <(kinora completions bash)
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    shell: Shell,
}

/// Print the manual page: kinora man | man -l -
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {}

pub(crate) fn completions(args: &CompletionsArgs) -> Done {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "kinora", &mut text);
    print(&text)
}

pub(crate) fn man() -> Done {
    let mut text = Vec::new();
    let written = page(Cli::command(), &mut text);
    written.map_err(|e| Failure::Io(format!("the manual page cannot be written: {e}")))?;
    print(&text)
}

/// Writes the page of the program and, behind it, the options of every command.
fn page(mut command: Command, text: &mut Vec<u8>) -> std::io::Result<()> {
    command.build();
    Man::new(command.clone()).render(text)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let man = Man::new(sub.clone());
        writeln!(text, ".SH \"KINORA {}\"", sub.get_name().to_uppercase())?;
        man.render_description_section(text)?;
        man.render_options_section(text)?;
    }
    Ok(())
}

/// Prints a whole text; a reader that has closed the pipe has seen enough.
fn print(text: &[u8]) -> Done {
    match std::io::stdout().write_all(text) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Io(format!("stdout cannot be written: {e}")))
        }
        _ => Ok(()),
    }
}
