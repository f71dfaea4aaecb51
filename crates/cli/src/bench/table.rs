//! The figures as a table for people and as JSON.

use serde_json::{Value, json};

use super::Args;
use super::measure::Cost;
use super::stages::Figures;
use crate::doctor;

/// One line of the table: a stage, its cost, and its number of frames (0: not per frame).
struct Row {
    name: &'static str,
    cost: Cost,
    n_frames: u64,
}

fn rows(figures: &Figures) -> [Row; 7] {
    let row = |name, cost, n_frames| Row {
        name,
        cost,
        n_frames,
    };
    [
        row("plan", figures.plan, 0),
        row("decode", figures.decode, 0),
        row("compose alone", figures.compose, figures.n_frames),
        row("encode alone", figures.encode, figures.n_frames),
        row("sound", figures.sound, 0),
        row("mux", figures.mux, 0),
        row("whole", figures.whole, figures.report.n_frames),
    ]
}

impl Row {
    fn fps(&self) -> Option<f64> {
        (self.n_frames > 0).then(|| self.n_frames as f64 / self.cost.wall.as_secs_f64().max(1e-9))
    }

    /// Returns the CPU milliseconds per frame.
    fn cpu_ms(&self) -> Option<f64> {
        (self.n_frames > 0).then(|| self.cost.cpu.as_secs_f64() * 1e3 / self.n_frames as f64)
    }
}

/// Returns the wall time per frame of the whole job, relative to encoding alone.
fn ratio(figures: &Figures) -> f64 {
    let per_frame = |cost: Cost, n: u64| cost.wall.as_secs_f64() / n.max(1) as f64;
    let alone = per_frame(figures.encode, figures.n_frames).max(1e-12);
    per_frame(figures.whole, figures.report.n_frames) / alone
}

fn material(args: &Args) -> String {
    args.media
        .as_ref()
        .map_or_else(|| "drawn".into(), |folder| folder.display().to_string())
}

/// Formats the table.
pub(super) fn text(figures: &Figures, args: &Args) -> String {
    let optional = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.1}"));
    let mut text = format!(
        "{}, {} threads; {} s of {} pictures\n{}; {}; {}\n\n{:15} {:>8} {:>8} {:>8} {:>8}\n",
        doctor::cpu_model(),
        args.options.n_threads(),
        args.seconds,
        material(args),
        figures.report.compositor,
        figures.report.video_encoder,
        figures.report.audio_encoder,
        "stage",
        "wall s",
        "CPU s",
        "fps",
        "CPU ms/f",
    );
    for row in rows(figures) {
        let (wall, cpu) = (row.cost.wall.as_secs_f64(), row.cost.cpu.as_secs_f64());
        let (fps, cpu_ms) = (optional(row.fps()), optional(row.cpu_ms()));
        text += &format!(
            "{:15} {wall:8.2} {cpu:8.2} {fps:>8} {cpu_ms:>8}\n",
            row.name
        );
    }
    text += &format!(
        "\nwhole : encode alone {:.2}, peak memory {:.0} MiB, file {:.1} MB, {:.1} x real time",
        ratio(figures),
        figures.peak_bytes as f64 / f64::from(1 << 20),
        figures.n_bytes as f64 / 1e6,
        f64::from(args.seconds) / figures.whole.wall.as_secs_f64().max(1e-9),
    );
    if figures.n_frames < figures.report.n_frames {
        text += &format!(
            "\ncompose and encode alone were measured on the first {} frames",
            figures.n_frames
        );
    }
    text
}

/// Returns the same figures as JSON.
pub(super) fn json(figures: &Figures, args: &Args) -> Value {
    let stages: serde_json::Map<_, _> = rows(figures)
        .iter()
        .map(|row| {
            let (wall, cpu) = (row.cost.wall.as_secs_f64(), row.cost.cpu.as_secs_f64());
            let value = json!({ "wall_secs": wall, "cpu_secs": cpu, "fps": row.fps(), "cpu_ms_per_frame": row.cpu_ms() });
            (row.name.replace(' ', "_"), value)
        })
        .collect();
    json!({
        "event": "result",
        "cpu": doctor::cpu_model(),
        "n_threads": args.options.n_threads(),
        "seconds": args.seconds,
        "material": material(args),
        "compositor": figures.report.compositor,
        "video_encoder": figures.report.video_encoder,
        "audio_encoder": figures.report.audio_encoder,
        "n_frames": figures.report.n_frames,
        "n_frames_alone": figures.n_frames,
        "stages": stages,
        "whole_to_encode": ratio(figures),
        "peak_memory_bytes": figures.peak_bytes,
        "n_bytes": figures.n_bytes,
    })
}
