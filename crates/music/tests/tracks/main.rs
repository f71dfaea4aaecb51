//! Every track, rendered and measured: length, loudness, peaks, gaps, the seam, the balance of the spectrum, tempo, and that no two are alike.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod measure;

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kinora_music::{Library, Sound, TrackInfo};
use measure::{Report, distance};

/// Least distance between two tracks; 1 is a clear difference in one respect (see `measure::features`).
const UNLIKE: f64 = 1.0;

/// How finished music falls from 88 Hz to 5.7 kHz, in dB an octave.
const SLOPES: RangeInclusive<f64> = -6.0..=-3.3;

/// Most of the energy that lies below 100 Hz.
const MOST_LOWS: f64 = 0.34;

/// Tempos that a listener may tap instead of the written one.
const TAPPED: [f64; 9] = [0.25, 1.0 / 3.0, 0.5, 2.0 / 3.0, 1.0, 1.5, 2.0, 3.0, 4.0];

/// Renders all tracks on all cores and measures them; with the seconds that each took.
fn reports(library: &Library) -> Vec<(TrackInfo, Report, f64)> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let n_threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                while let Some(info) = library.tracks().get(next.fetch_add(1, Ordering::Relaxed)) {
                    let clock = Instant::now();
                    let Sound::File(path) = library.sound(&info.slug).unwrap().unwrap() else {
                        panic!("{} is not in the cache", info.slug);
                    };
                    let secs = clock.elapsed().as_secs_f64();
                    let report = measure::Sound::from_wav(&fs::read(path).unwrap()).report();
                    done.lock().unwrap().push((info.clone(), report, secs));
                }
            });
        }
    });
    let mut reports = done.into_inner().unwrap();
    reports.sort_by(|a, b| a.0.slug.cmp(&b.0.slug));
    reports
}

/// What is wrong with a track by itself.
fn faults(info: &TrackInfo, report: &Report) -> Vec<String> {
    let low: f64 = report.bands[..2].iter().sum();
    let middle: f64 = report.bands[2..5].iter().sum();
    let high: f64 = report.bands[5..].iter().sum();
    let tempo = info.tempo_bpm.unwrap();
    let is_tapped = TAPPED
        .iter()
        .any(|times| (report.tempo / (tempo * times) - 1.0).abs() < 0.03);
    let rules = [
        ((30.0..=90.0).contains(&report.secs), "length"),
        (
            (report.secs - info.secs.unwrap()).abs() < 0.001,
            "length as told",
        ),
        ((report.lufs + 18.0).abs() < 0.5, "loudness"),
        (report.peak_dbtp <= -1.5, "true peak"),
        (report.gap_secs <= 1.5, "gap"),
        (report.dc < 1e-3, "mean"),
        (report.seam <= 1.0, "seam"),
        ((0.02..=0.9).contains(&low), "low band"),
        ((0.08..=0.97).contains(&middle), "middle band"),
        ((0.0..=0.15).contains(&high), "high band"),
        (report.bands[6] < 0.05, "above 8 kHz"),
        (
            (0.015..0.25).contains(&report.bands[4]),
            "1.5 to 3.5 kHz, where a voice is understood",
        ),
        (SLOPES.contains(&report.slope), "slope of the spectrum"),
        (report.lows <= MOST_LOWS, "energy below 100 Hz"),
        (!info.has_pulse || is_tapped, "tempo"),
    ];
    let broken = rules.iter().filter(|(holds, _)| !holds);
    broken
        .map(|(_, rule)| format!("{}: {rule}", info.slug))
        .collect()
}

#[test]
fn every_track_is_sound_and_unlike_the_others() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("music");
    let _ = fs::remove_dir_all(&folder);
    let library = Library::new(Some(folder), None).unwrap();
    assert_eq!(library.tracks().len(), 39);
    let reports = reports(&library);
    let mut faults: Vec<String> = reports
        .iter()
        .flat_map(|(info, report, _)| faults(info, report))
        .collect();
    println!(
        "slug                                    secs   LUFS   dBTP   gap  seam  tempo written onsets  bands 30 120 300 700 1.5k 3.5k 8k  lows slope  made nearest"
    );
    for (info, report, secs) in &reports {
        let others = reports
            .iter()
            .filter(|(other, _, _)| other.slug != info.slug);
        let (nearest, other) = others
            .map(|(other, theirs, _)| (distance(&report.features, &theirs.features), &other.slug))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap();
        let bands: Vec<String> = report
            .bands
            .iter()
            .map(|share| format!("{:4.1}", share * 100.0))
            .collect();
        println!(
            "{:38} {:5.1} {:6.2} {:6.2} {:5.2} {:5.2} {:6.1} {:6.1} {:6.2}  {}  {:4.1} {:5.1}  {:.1} s  {nearest:.2} {other}",
            info.slug,
            report.secs,
            report.lufs,
            report.peak_dbtp,
            report.gap_secs,
            report.seam,
            report.tempo,
            info.tempo_bpm.unwrap(),
            report.onset_rate,
            bands.join(" "),
            report.lows * 100.0,
            report.slope,
            secs,
        );
        if nearest < UNLIKE {
            faults.push(format!("{}: {nearest:.2} from {other}", info.slug));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
