//! `kinora bench looks`: the CPU cost per frame of each transition and caption style with the CPU back end.
//!
//! Composes the frames of a look's example, then the same frames without the look; the difference is the look's cost.

use std::path::Path;

use kinora::compose::{Backend, Compositor, Pictures};
use kinora::error::{Error, ErrorKind};
use kinora::frame::Frame;
use kinora::media;
use kinora::scene::draw::PictureId;
use kinora::units::{Size, Time};
use serde_json::{Value, json};

use super::measure::cost_of;
use crate::console;
use crate::doctor;
use crate::failure::{Done, Failure};
use crate::gallery::examples::{Example, Examples};
use crate::looks::Kind;

const SIZE: Size = Size {
    width: 1080,
    height: 1920,
};

/// The cost of a look.
struct Row {
    name: &'static str,
    n_frames: u64,
    /// CPU milliseconds per frame, all threads: with the look, and without it.
    with_ms: f64,
    without_ms: f64,
    /// CPU milliseconds of the most expensive frame with the look.
    worst_ms: f64,
}

/// The cost of a span of frames, in CPU milliseconds of all threads.
struct Spent {
    n_frames: u64,
    mean_ms: f64,
    worst_ms: f64,
}

/// Measures every look, or those in `only`, and prints the table.
pub(super) fn run(media: Option<&Path>, only: &[String], (n_threads, json): (usize, bool)) -> Done {
    let examples = Examples::new(media, SIZE)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .map_err(|e| Failure::Io(format!("cannot create a thread pool: {e}")))?;
    let mut tables = Vec::new();
    for kind in [Kind::Transitions, Kind::Captions] {
        let looks = kind.looks();
        let bar = console::Steps::new(looks.len());
        let mut rows = Vec::new();
        for (i, look) in looks.iter().enumerate() {
            if !only.is_empty() && !only.iter().any(|name| name == look.name) {
                continue;
            }
            bar.show(kind.name(), i);
            let measured = |example: Example| pool.install(|| cpu_ms(&example, &examples));
            let with = measured(examples.of(kind, look, i)?)?;
            let without = measured(examples.without(kind, look, i)?)?;
            rows.push(Row {
                name: look.name,
                n_frames: with.n_frames,
                with_ms: with.mean_ms,
                without_ms: without.mean_ms,
                worst_ms: with.worst_ms,
            });
        }
        bar.clear();
        tables.push((kind, rows));
    }
    if json {
        console::json_line(&to_json(&tables, n_threads));
    } else {
        console::print(text(&tables, n_threads).trim_end());
    }
    Ok(())
}

/// Measures the frames of the example's span. Runs on the current rayon pool.
fn cpu_ms(example: &Example, examples: &Examples) -> Result<Spent, Error> {
    let plan = example.job.plan();
    let mut compositor = Compositor::new(Backend::Cpu, plan.size, examples.fonts())?;
    let pictures = (0..)
        .map(PictureId)
        .zip(&plan.pictures)
        .map(|(id, wanted)| Ok((id, media::load(wanted, examples.assets())?)))
        .collect::<Result<Pictures, Error>>()?;
    let mut spare = Some(Frame::black(plan.size));
    let mut draw = |index: u64| {
        let into = spare.take().unwrap_or_else(|| Frame::black(plan.size));
        spare = compositor.submit(&plan.at(index), &pictures, into)?;
        match spare {
            Some(_) => Ok(()),
            None => Err(Error::new(
                ErrorKind::Internal,
                "the compositor lost a frame",
            )),
        }
    };
    // Excludes the one-time preparation of each picture from the look's cost.
    draw(0)?;
    draw(plan.n_frames - 1)?;
    let frame_at = |secs: f64| {
        let at = Time::from_secs(secs).unwrap_or(Time::ZERO);
        plan.rate.frame_at_or_after(at).min(plan.n_frames)
    };
    let [from, to] = example.span.map(frame_at);
    let to = to.max(from);
    let costs_ms = (from..to).map(|index| {
        let (done, cost) = cost_of(|| draw(index));
        done.map(|()| cost.cpu.as_secs_f64() * 1e3)
    });
    let costs_ms = costs_ms.collect::<Result<Vec<f64>, Error>>()?;
    Ok(Spent {
        n_frames: to - from,
        mean_ms: costs_ms.iter().sum::<f64>() / costs_ms.len().max(1) as f64,
        worst_ms: costs_ms.iter().copied().fold(0.0, f64::max),
    })
}

fn text(tables: &[(Kind, Vec<Row>)], n_threads: usize) -> String {
    let names = tables
        .iter()
        .flat_map(|(_, rows)| rows)
        .map(|row| row.name.len());
    let widest = names.max().unwrap_or(0).max("transitions".len());
    let mut text = format!(
        "{}, {n_threads} threads; composing {SIZE} on the CPU, CPU-ms per frame in all threads\n",
        doctor::cpu_model()
    );
    for (kind, rows) in tables {
        let head = kind.name();
        text += &format!(
            "\n{head:widest$} {:>8} {:>8} {:>8} {:>8} {:>8}\n",
            "frames", "with", "without", "costs", "worst"
        );
        for row in rows {
            let Row {
                name,
                n_frames,
                with_ms,
                without_ms,
                worst_ms,
            } = row;
            let costs = with_ms - without_ms;
            text += &format!(
                "{name:widest$} {n_frames:>8} {with_ms:>8.2} {without_ms:>8.2} {costs:>8.2} {worst_ms:>8.2}\n"
            );
        }
    }
    text
}

fn to_json(tables: &[(Kind, Vec<Row>)], n_threads: usize) -> Value {
    let row = |row: &Row| {
        json!({
            "name": row.name,
            "n_frames": row.n_frames,
            "cpu_ms_per_frame": row.with_ms,
            "cpu_ms_per_frame_without": row.without_ms,
            "cost_cpu_ms_per_frame": row.with_ms - row.without_ms,
            "worst_cpu_ms_per_frame": row.worst_ms,
        })
    };
    let mut result = json!({
        "event": "result",
        "cpu": doctor::cpu_model(),
        "n_threads": n_threads,
        "width": SIZE.width,
        "height": SIZE.height,
    });
    for (kind, rows) in tables {
        result[kind.name()] = rows.iter().map(row).collect();
    }
    result
}
