//! Output: lines for people on stderr, lines for programs on stdout, and the progress bar.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kinora::error::Warning;
use kinora::{CancelToken, Control, Progress, Stage};
use serde_json::{Value, json};

/// Minimum time between two progress lines: four a second.
const LINE_INTERVAL: Duration = Duration::from_millis(250);

/// Writes a line for people. A closed stderr is ignored.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Writes a line to stdout. A closed pipe is ignored, as `| head` closes it on purpose.
pub(crate) fn print(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// Whether stdout carries the video, so that JSON lines go to stderr.
static STDOUT_IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Redirects JSON lines to stderr from now on, because stdout carries something else.
pub(crate) fn leave_stdout() {
    STDOUT_IS_TAKEN.store(true, Ordering::Relaxed);
}

/// Writes a JSON value as one line to stdout (to stderr after [`leave_stdout`]) and flushes it.
pub(crate) fn json_line(value: &Value) {
    if STDOUT_IS_TAKEN.load(Ordering::Relaxed) {
        return say(&value.to_string());
    }
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{value}").and_then(|()| out.flush());
}

/// Prints each warning on stderr.
pub(crate) fn say_warnings(warnings: &[Warning]) {
    for warning in warnings {
        say(&format!("warning: {warning}"));
    }
}

/// Returns a warning as in the result line.
pub(crate) fn warning_json(warning: &Warning) -> Value {
    let at = warning.at.map(kinora::units::Time::as_secs);
    json!({ "code": warning.code, "path": warning.path, "message": warning.message, "at": at })
}

/// Shows the progress of a render: a bar on a terminal, JSON lines for programs, else nothing.
pub(crate) enum Meter {
    /// A bar on stderr.
    Bar(ProgressBar),
    /// Lines on stdout; holds the time and stage of the last one.
    Lines(Mutex<Option<(Instant, Stage)>>),
    /// No output.
    Silent,
}

impl Meter {
    /// Chooses the meter for the output.
    fn new(json: bool) -> Meter {
        if json {
            return Meter::Lines(Mutex::new(None));
        }
        if !std::io::stderr().is_terminal() {
            return Meter::Silent;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        let look =
            ProgressStyle::with_template("{msg:9} {bar:32.cyan/dim} {pos}/{len} frames{prefix}");
        bar.set_style(
            look.unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("━╸─"),
        );
        Meter::Bar(bar)
    }

    /// Creates a meter, and a render control that reports to it.
    pub(crate) fn watching(json: bool, cancel: CancelToken) -> (Arc<Meter>, Control) {
        let meter = Arc::new(Meter::new(json));
        let shown = Arc::clone(&meter);
        let control = Control {
            cancel,
            progress: Some(Box::new(move |progress| shown.show(progress))),
        };
        (meter, control)
    }

    /// Shows the engine's next report; callable from any thread.
    pub(crate) fn show(&self, progress: &Progress) {
        match self {
            Meter::Silent => {}
            Meter::Bar(bar) => {
                bar.set_length(progress.n_frames);
                bar.set_position(progress.frame);
                bar.set_message(stage_name(progress.stage));
                bar.set_prefix(pace(progress));
            }
            Meter::Lines(last) => {
                let Ok(mut last) = last.lock() else { return };
                let now = Instant::now();
                let due = last
                    .is_none_or(|(at, stage)| stage != progress.stage || now - at >= LINE_INTERVAL);
                if due {
                    *last = Some((now, progress.stage));
                    json_line(&progress_json(progress));
                }
            }
        }
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        if let Meter::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// A bar over a known number of steps, on a terminal only.
pub(crate) struct Steps(Option<ProgressBar>);

impl Steps {
    /// Creates a bar for `n` steps.
    pub(crate) fn new(n: usize) -> Steps {
        Steps(std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(n as u64),
                ProgressDrawTarget::stderr_with_hz(10),
            );
            let look = ProgressStyle::with_template("{msg:13} {bar:32.cyan/dim} {pos}/{len}");
            bar.set_style(look.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        }))
    }

    /// Shows `done` finished steps of `what`.
    pub(crate) fn show(&self, what: &'static str, done: usize) {
        if let Some(bar) = &self.0 {
            bar.set_message(what);
            bar.set_position(done as u64);
        }
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Prepare => "preparing",
        Stage::Render => "rendering",
        Stage::Finish => "finishing",
    }
}

/// Returns `, 87 fps, 0:12 left`, as far as known.
fn pace(progress: &Progress) -> String {
    let mut text = String::new();
    if progress.fps > 0.0 {
        text += &format!(", {:.0} fps", progress.fps);
    }
    if let Some(left) = progress.remaining {
        let secs = left.as_secs();
        text += &format!(", {}:{:02} left", secs / 60, secs % 60);
    }
    text
}

fn progress_json(progress: &Progress) -> Value {
    json!({
        "event": "progress",
        "stage": stage_name(progress.stage),
        "frame": progress.frame,
        "n_frames": progress.n_frames,
        "fps": (progress.fps * 10.0).round() / 10.0,
        "elapsed_secs": progress.elapsed.as_secs_f64(),
        "remaining_secs": progress.remaining.map(|left| left.as_secs_f64()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_says_what_is_known() {
        let mut progress = Progress {
            stage: Stage::Render,
            frame: 10,
            n_frames: 100,
            fps: 87.4,
            elapsed: Duration::from_secs(1),
            remaining: Some(Duration::from_secs(72)),
        };
        assert_eq!(pace(&progress), ", 87 fps, 1:12 left");
        progress.remaining = None;
        progress.fps = 0.0;
        assert_eq!(pace(&progress), "");
    }
}
