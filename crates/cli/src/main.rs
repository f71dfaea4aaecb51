//! The `kinora` program: parses the command line, calls the library, prints, and returns an exit code.
//!
//! Exit codes: 0 done, 1 failed, 2 bad usage or a document with problems.

mod align;
mod bench;
mod console;
mod doctor;
mod encoders;
mod failure;
mod folders;
mod gallery;
mod init;
mod input;
mod interrupt;
mod lint;
mod looks;
mod music;
mod noise;
mod options;
mod output;
mod packages;
mod preview;
mod probe;
mod render;
mod schema;
#[cfg(feature = "service")]
mod service;
#[cfg(not(feature = "service"))]
#[path = "no_service.rs"]
mod service;
mod shell;
mod source;
mod still;
mod studio;
mod target;
mod webp;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::error::ErrorKind as UsageKind;
use clap::{Parser, Subcommand};

use crate::failure::{Done, Failure};
use crate::looks::Kind;
use crate::studio::lists::List;

/// Makes finished videos: from a prompt, a script or a voice, or from a timeline of shots, transitions, motion and captions.
#[derive(Debug, Parser)]
#[command(
    name = "kinora",
    version,
    propagate_version = true,
    subcommand_required = true
)]
#[command(
    after_help = "Start with:  kinora short --script-file examples/story/story.txt --captions tiktok -o story.mp4\n\
                  Exit codes:  0 done, 1 failed, 2 bad usage or a document with problems"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Args),
    Short(studio::short::Args),
    Universe(studio::universe::Args),
    Storyboard(studio::storyboard::Args),
    Character(studio::character::Args),
    Estimate(studio::estimate::Args),
    Script(studio::script::Args),
    /// List the voices that need no network
    Voices(studio::lists::Args),
    /// List the models of pictures and clips that a request may name
    Models(studio::lists::Args),
    /// List the styles of scripts and pictures
    Styles(studio::lists::Args),
    Render(render::Args),
    Still(still::Args),
    Preview(preview::Args),
    Lint(lint::Args),
    Align(align::Args),
    Probe(probe::Args),
    Doctor(doctor::Args),
    Schema(schema::Args),
    /// List the built-in transitions
    Transitions(looks::Args),
    /// List the built-in caption styles
    Captions(looks::Args),
    /// List the built-in motions
    Motions(looks::Args),
    Music(music::Args),
    Gallery(gallery::Args),
    Bench(bench::Args),
    Serve(service::serve::Args),
    Worker(service::serve::WorkerArgs),
    Admin(service::admin::Args),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Command {
    fn json(&self) -> bool {
        match self {
            Command::Short(args) => args.json,
            Command::Universe(args) => args.json,
            Command::Storyboard(args) => args.json,
            Command::Character(args) => args.json,
            Command::Estimate(args) => args.json,
            Command::Script(args) => args.json(),
            Command::Voices(args) | Command::Models(args) | Command::Styles(args) => args.json,
            Command::Render(args) => args.json,
            Command::Probe(args) => args.json,
            Command::Lint(args) => args.json,
            Command::Doctor(args) => args.json,
            Command::Transitions(args) | Command::Captions(args) | Command::Motions(args) => {
                args.json
            }
            Command::Music(args) => args.json,
            Command::Bench(args) => args.json,
            Command::Serve(args) => args.json,
            Command::Worker(args) => args.json,
            Command::Admin(args) => args.json,
            Command::Init(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Still(_)
            | Command::Preview(_)
            | Command::Align(_)
            | Command::Schema(_)
            | Command::Gallery(_) => false,
        }
    }

    fn run(self) -> Done {
        match self {
            Command::Init(args) => init::run(&args),
            Command::Short(args) => studio::short::run(&args),
            Command::Universe(args) => studio::universe::run(&args),
            Command::Storyboard(args) => studio::storyboard::run(&args),
            Command::Character(args) => studio::character::run(&args),
            Command::Estimate(args) => studio::estimate::run(&args),
            Command::Script(args) => studio::script::run(&args),
            Command::Voices(args) => studio::lists::run(List::Voices, &args),
            Command::Models(args) => studio::lists::run(List::Models, &args),
            Command::Styles(args) => studio::lists::run(List::Styles, &args),
            Command::Render(args) => render::run(args),
            Command::Still(args) => still::run(&args),
            Command::Preview(args) => preview::run(&args),
            Command::Probe(args) => probe::run(&args),
            Command::Lint(args) => lint::run(&args),
            Command::Align(args) => align::run(&args),
            Command::Doctor(args) => doctor::run(&args),
            Command::Schema(_) => schema::run(),
            Command::Transitions(args) => looks::run(Kind::Transitions, &args),
            Command::Captions(args) => looks::run(Kind::Captions, &args),
            Command::Motions(args) => looks::run(Kind::Motions, &args),
            Command::Music(args) => music::run(&args),
            Command::Gallery(args) => gallery::run(&args),
            Command::Bench(args) => bench::run(&args),
            Command::Serve(args) => service::serve::run(&args),
            Command::Worker(args) => service::serve::work(&args),
            Command::Admin(args) => service::admin::run(&args),
            Command::Completions(args) => shell::completions(&args),
            Command::Man(_) => shell::man(),
        }
    }
}

/// The message and location of the first panic; reported as an internal error instead of a backtrace.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Keeps Mesa's device selection layer from looking for a Wayland display: without one it writes to stderr, and no window is opened here.
fn quiet_graphics() {
    if std::env::var_os("WAYLAND_DISPLAY").is_none() {
        // SAFETY: called first in `main`, while this is the only thread.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

/// What a first run without arguments shows.
const START: &str = "kinora makes finished short videos. Three things to do:

  kinora short \"Why cats purr\" -o cats.mp4     a film from a prompt: script, voice, pictures, captions
  kinora init my-film                           a folder with a timeline and pictures to change
  kinora serve                                  the same as a service, with a dashboard

kinora --help lists all commands, kinora doctor says what this machine offers.
";

fn main() -> ExitCode {
    quiet_graphics();
    if std::env::args_os().len() == 1 {
        // If the pipe is closed, the text cannot be shown.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), START.as_bytes());
        return ExitCode::from(2);
    }
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut last) = PANIC.lock() {
            last.get_or_insert_with(|| info.to_string());
        }
    }));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return usage(&e),
    };
    let json = cli.command.json();
    let done = catch_unwind(AssertUnwindSafe(|| cli.command.run())).unwrap_or_else(|_| {
        let what = PANIC.lock().ok().and_then(|mut last| last.take());
        Err(Failure::Internal(what.unwrap_or_default()))
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print(json);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Prints clap's message (help and version are not failures), as a JSON line if `--json` was given.
fn usage(e: &clap::Error) -> ExitCode {
    let asked_json = std::env::args_os().any(|arg| arg == "--json");
    if e.use_stderr()
        && asked_json
        && e.kind() != UsageKind::DisplayHelpOnMissingArgumentOrSubcommand
    {
        Failure::Usage(e.to_string().trim().to_owned()).print(true);
    } else {
        // If the pipe is closed, the message cannot be shown.
        let _ = e.print();
    }
    ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2))
}
