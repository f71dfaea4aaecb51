//! H.264 by libx264 for kinora: frames come through shared memory, messages and packets through a socket (`wire.rs` describes the protocol).
//!
//! kinora starts it with a socket as standard input and the memory as standard output. `kinora-x264 --version` prints the version of the library.
//!
//! This program is licensed under the GPL, version 3 or later, because it uses libx264. kinora runs it as a separate process and does not link to it.

mod layout;
mod library;
mod serve;
mod wire;

use std::process::ExitCode;

use library::X264;

fn main() -> ExitCode {
    // Without kinora the packets have no reader.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => serve::run(),
        ["--version"] => say_version(),
        _ => Err("unknown arguments: use none (as kinora does) or --version".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("kinora-x264: {message}");
            ExitCode::FAILURE
        }
    }
}

fn say_version() -> Result<(), String> {
    let x264 = X264::load()?;
    println!(
        "kinora-x264 {}, libx264 build {}",
        env!("CARGO_PKG_VERSION"),
        x264.build
    );
    Ok(())
}
