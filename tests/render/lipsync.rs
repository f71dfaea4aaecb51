//! Lip-sync: flashes of a clip and the beeps under them, played as a shot and read back from the finished file, at every rate and speed.

use std::io::Cursor;
use std::process::Command;

use image::{ImageFormat, Rgb, RgbImage};
use kinora::encode::AudioCodec;
use kinora::media::MemoryAssets;
use kinora::media::clip::{ClipLimits, ClipReader};

use kinora::{Job, Render};
use serde_json::{Value, json};

use super::signals::{left, mixed, plan, rms, sine, track, wav};
use super::{job_with, quick, rendered};

/// Pitch of the beeps.
const BEEP_HZ: f64 = 1000.0;
/// Shorter silence than this is within a beep, in ms.
const GAP_MS: usize = 25;
/// The rates as written, and the seconds of a frame.
const RATES: [(&str, f64); 5] = [
    ("24", 1.0 / 24.0),
    ("25", 1.0 / 25.0),
    ("30000/1001", 1001.0 / 30_000.0),
    ("30", 1.0 / 30.0),
    ("60", 1.0 / 60.0),
];

/// White flashes in the dark: each ends a period.
struct Flashes {
    fps: &'static str,
    frame_secs: f64,
    /// Frames of a period: no whole number of seconds, so that the flashes lie anywhere on the grids of the sound.
    period: u32,
    /// White frames of it.
    lit: u32,
    n: u32,
}

/// When something begins and ends, in seconds.
type Span = [f64; 2];

/// What was seen and heard in a file.
struct Observed {
    flashes: Vec<Span>,
    beeps: Vec<Span>,
    /// Pitch of each beep in Hz.
    pitches: Vec<f64>,
}

impl Flashes {
    /// For at least `secs`.
    fn new((fps, frame_secs): (&'static str, f64), secs: f64) -> Flashes {
        let nominal = (1.0 / frame_secs).round() as u32;
        let period = nominal + nominal / 10 + 1;
        Flashes {
            fps,
            frame_secs,
            period,
            lit: nominal / 6,
            n: (secs / (f64::from(period) * frame_secs)).ceil() as u32,
        }
    }

    fn output(&self) -> Value {
        let fps = self
            .fps
            .parse::<u32>()
            .map_or(json!(self.fps), |fps| json!(fps));
        json!({ "width": 64, "height": 36, "fps": fps })
    }

    /// Seconds at which flash `k` of the clip begins and ends.
    fn span(&self, k: u32) -> Span {
        let end = (k + 1) * self.period;
        [end - self.lit, end].map(|frame| f64::from(frame) * self.frame_secs)
    }

    /// The clip: H.264 and AAC by the engine.
    fn clip(&self) -> Vec<u8> {
        let secs = |n_frames: u32| f64::from(n_frames) * self.frame_secs;
        let lit = secs(self.lit);
        let shots = (0..self.n).flat_map(|_| {
            [
                json!({ "picture": "black.png", "duration": secs(self.period - self.lit) }),
                json!({ "picture": "white.png", "duration": lit }),
            ]
        });
        let beeps = (0..self.n).map(|k| json!({ "file": "beep.wav", "start": self.span(k)[0] }));
        let document = json!({
            "version": 1, "motion": "still", "transition": "none", "output": self.output(),
            "shots": shots.collect::<Vec<_>>(),
            "audio": { "sounds": beeps.collect::<Vec<_>>(), "loudness": null, "fade_out": 0 },
        });
        let mut assets = MemoryAssets::default();
        assets.insert("black.png", png(0));
        assets.insert("white.png", png(255));
        let beep = sine(48_000, BEEP_HZ, 0.4, (lit * 48_000.0).round() as usize);
        assets.insert("beep.wav", wav(48_000, 1, &beep));
        rendered(&job_with(&document, assets), &quick()).0
    }

    /// The clip as a shot at a speed, its own sound kept.
    fn shot(&self, clip: &[u8], speed: f64) -> Job {
        let document = json!({
            "version": 1, "output": self.output(), "audio": { "fade_out": 0 },
            "shots": [{ "clip": { "file": "clip.mp4", "gain_db": 0, "speed": speed } }],
        });
        let mut assets = MemoryAssets::default();
        assets.insert("clip.mp4", clip);
        job_with(&document, assets)
    }

    /// The worst of a file, in frames: how far flashes are from their times, and how far beeps begin and end from their flashes.
    fn check(&self, what: &str, speed: f64, seen: &Observed) -> [f64; 3] {
        let n = self.n as usize;
        assert_eq!((seen.flashes.len(), seen.beeps.len()), (n, n), "{what}");
        let mut worst = [0.0_f64; 3];
        for (k, (flash, beep)) in seen.flashes.iter().zip(&seen.beeps).enumerate() {
            let due = self.span(k as u32).map(|secs| secs / speed);
            let offs = [flash[0] - due[0], beep[0] - flash[0], beep[1] - flash[1]];
            for (worst, off) in worst
                .iter_mut()
                .zip(offs.map(|secs| secs / self.frame_secs))
            {
                if off.abs() > worst.abs() {
                    *worst = off;
                }
            }
        }
        let off_pitch = seen.pitches.iter().map(|hz| (hz - BEEP_HZ).abs());
        let off_hz = off_pitch.fold(0.0, f64::max);
        println!(
            "{what}: {n} flashes, off by {:.3} frames; beeps begin {:+.2}, end {:+.2} frames off; {off_hz:.2} Hz",
            worst[0], worst[1], worst[2]
        );
        // A faster clip shows every second frame.
        assert!(
            worst[0].abs() <= if speed > 1.0 { 0.51 } else { 0.01 },
            "{what}"
        );
        assert!(worst[1..].iter().all(|off| off.abs() <= 1.0), "{what}");
        assert!(off_hz < 3.0, "{what}: off by {off_hz} Hz");
        worst
    }
}

fn png(code: u8) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    RgbImage::from_pixel(64, 36, Rgb([code; 3]))
        .write_to(&mut bytes, ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

impl Observed {
    /// By the engine's own readers.
    fn by_engine(file: &[u8]) -> Observed {
        let mut assets = MemoryAssets::default();
        assets.insert("file.mp4", file);
        let mut clip = ClipReader::of_asset("file.mp4", &assets, &ClipLimits::default()).unwrap();
        let facts = clip.facts();
        let (starts, end) = (facts.starts.clone(), facts.duration);
        let lit = starts.iter().map(|start| {
            let picture = clip.frame_at(*start).unwrap().to_rgba();
            picture.get_pixel(32, 18)[1] > 128
        });
        let times = starts.iter().chain([&end]).map(|time| time.as_secs());
        let flashes = spans(&lit.collect::<Vec<_>>(), 0, &times.collect::<Vec<_>>());
        let n_samples = (end.as_secs() * 48_000.0) as u64;
        let sound = mixed(&plan(n_samples, [track("file.mp4")]), &assets).unwrap();
        Observed::new(flashes, &left(&sound))
    }

    /// By ffmpeg, as a player would; `None` where it is not.
    fn by_ffmpeg(file: &[u8], rate: &Flashes) -> Option<Observed> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.mp4");
        std::fs::write(&path, file).unwrap();
        let decoded = |options: &str| {
            let output = Command::new("ffmpeg")
                .args(["-v", "error", "-i"])
                .arg(&path)
                .args(options.split(' '))
                .arg("-")
                .output();
            match output {
                Ok(output) => {
                    assert!(output.status.success(), "{output:?}");
                    Some(output.stdout)
                }
                Err(e) => {
                    println!("skipped: ffmpeg cannot be run: {e}");
                    None
                }
            }
        };
        let fps = rate.fps;
        let gray = decoded(&format!(
            "-map 0:v -fps_mode cfr -r {fps} -vf scale=2:2 -pix_fmt gray -f rawvideo"
        ))?;
        let lit: Vec<bool> = gray.chunks_exact(4).map(|px| px[0] > 128).collect();
        let times: Vec<f64> = (0..=lit.len())
            .map(|i| i as f64 * rate.frame_secs)
            .collect();
        let sound = decoded("-map 0:a -af aresample=async=1:first_pts=0 -ar 48000 -ac 1 -f f32le")?;
        let samples = sound.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]]);
        let samples: Vec<f32> = samples.map(f32::from_le_bytes).collect();
        Some(Observed::new(spans(&lit, 0, &times), &samples))
    }

    /// Of flashes, and a sound with beeps: where it is louder than half of the loudest, by ms.
    fn new(flashes: Vec<Span>, sound: &[f32]) -> Observed {
        let levels: Vec<f64> = sound.chunks(48).map(rms).collect();
        let half = 0.5 * levels.iter().copied().fold(0.0, f64::max);
        let loud: Vec<bool> = levels.iter().map(|level| *level > half).collect();
        let times: Vec<f64> = (0..=loud.len()).map(|ms| ms as f64 / 1000.0).collect();
        let beeps = spans(&loud, GAP_MS, &times);
        let pitches = beeps.iter().map(|beep| {
            let third = (beep[1] - beep[0]) / 4.0;
            let [from, to] = [beep[0] + third, beep[1] - third].map(|t| (t * 48_000.0) as usize);
            pitch(&sound[from..to])
        });
        Observed {
            pitches: pitches.collect(),
            flashes,
            beeps,
        }
    }
}

/// The runs of `true`, those with at most `gap` between them as one; `times[i]` is where item `i` begins.
fn spans(items: &[bool], gap: usize, times: &[f64]) -> Vec<Span> {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for (i, _) in items.iter().enumerate().filter(|(_, is)| **is) {
        match runs.last_mut() {
            Some(run) if i <= run[1] + gap => run[1] = i + 1,
            _ => runs.push([i, i + 1]),
        }
    }
    runs.iter().map(|run| run.map(|i| times[i])).collect()
}

/// From the first to the last rising zero crossing, each between two samples.
fn pitch(samples: &[f32]) -> f64 {
    let rising = samples.windows(2).enumerate().filter_map(|(i, pair)| {
        let share = f64::from(-pair[0]) / f64::from(pair[1] - pair[0]);
        (pair[0] < 0.0 && pair[1] >= 0.0).then_some(i as f64 + share)
    });
    let at: Vec<f64> = rising.collect();
    (at.len() - 1) as f64 * 48_000.0 / (at[at.len() - 1] - at[0])
}

/// Renders clips of `secs` as shots and checks what comes out of the files.
fn stays_in_sync(secs: f64, rates: &[(&'static str, f64)], speeds: &[f64]) {
    for (i, rate) in rates.iter().enumerate() {
        let flashes = Flashes::new(*rate, secs);
        let clip = flashes.clip();
        if let Some(seen) = Observed::by_ffmpeg(&clip, &flashes) {
            flashes.check(&format!("{} fps, the clip by ffmpeg", rate.0), 1.0, &seen);
        }
        for speed in speeds {
            let codec = [AudioCodec::Aac, AudioCodec::Opus][i % 2];
            let options = Render {
                audio_codec: Some(codec),
                ..quick()
            };
            let (file, _, _) = rendered(&flashes.shot(&clip, *speed), &options);
            let what = format!("{} fps, {codec:?}, speed {speed}", rate.0);
            flashes.check(&what, *speed, &Observed::by_engine(&file));
            if let Some(seen) = Observed::by_ffmpeg(&file, &flashes) {
                flashes.check(&format!("{what}, by ffmpeg"), *speed, &seen);
            }
        }
    }
}

#[test]
fn a_clip_keeps_its_sound_under_its_picture() {
    stays_in_sync(12.0, &RATES, &[1.0]);
}

#[test]
fn a_slower_or_faster_clip_keeps_its_sound_under_its_picture() {
    stays_in_sync(8.0, &[RATES[2], RATES[4]], &[0.5, 2.0]);
}

/// Takes minutes.
#[test]
#[ignore = "ten minutes of video at five rates and three speeds"]
fn ten_minutes_stay_in_sync() {
    stays_in_sync(600.0, &RATES, &[1.0, 0.5, 2.0]);
}
