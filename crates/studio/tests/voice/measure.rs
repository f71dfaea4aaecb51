//! Measurements of a sound: level, clipping, spectrum, and where its energy rises out of a pause.

use kinora_studio::providers::Speech;

/// Seconds that this thread has had a core for; 0 where the system does not tell. Other than a clock it does not see what else the machine does.
pub(crate) fn cpu_secs() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    nanos.unwrap_or(0.0) / 1e9
}

pub(crate) fn samples(speech: &Speech) -> (f64, Vec<f64>) {
    let reader = hound::WavReader::new(&speech.file[..]).unwrap();
    let rate = f64::from(reader.spec().sample_rate);
    let samples = reader.into_samples::<i16>();
    (
        rate,
        samples.map(|s| f64::from(s.unwrap()) / 32_768.0).collect(),
    )
}

/// RMS of the whole and peak, linear.
pub(crate) fn level(speech: &Speech) -> (f64, f64) {
    let (_, samples) = samples(speech);
    let power = samples.iter().map(|s| s * s).sum::<f64>() / samples.len() as f64;
    let peak = samples.iter().fold(0.0_f64, |peak, s| peak.max(s.abs()));
    (power.sqrt(), peak)
}

/// How bright it sounds, in Hz: the root of the second moment of the power spectrum.
pub(crate) fn brightness_hz(speech: &Speech) -> f64 {
    let (rate, samples) = samples(speech);
    let energy: f64 = samples.iter().map(|s| s * s).sum();
    let slope: f64 = samples.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
    // By Parseval from the sound and its slope.
    (slope / energy).sqrt() * rate / std::f64::consts::TAU
}

/// The fundamental in Hz: the median over voiced frames of the first strong maximum of the autocorrelation.
pub(crate) fn pitch_hz(speech: &Speech) -> f64 {
    let (rate, samples) = samples(speech);
    let n = (0.04 * rate) as usize;
    let (low, high) = ((rate / 350.0) as usize, (rate / 65.0) as usize);
    let mut found: Vec<f64> = Vec::new();
    for frame in samples.chunks_exact(n) {
        let energy: f64 = frame.iter().map(|s| s * s).sum();
        if (energy / n as f64).sqrt() < 0.04 {
            continue;
        }
        let at = |lag: usize| -> f64 { frame.iter().zip(&frame[lag..]).map(|(a, b)| a * b).sum() };
        let best = (low..high)
            .max_by(|a, b| at(*a).total_cmp(&at(*b)))
            .unwrap();
        if at(best) > 0.5 * energy {
            found.push(rate / best as f64);
        }
    }
    found.sort_by(f64::total_cmp);
    found[found.len() / 2]
}

/// Instants at which a sound begins after at least 60 ms of silence, in seconds.
pub(crate) fn onsets(speech: &Speech) -> Vec<f64> {
    let (rate, samples) = samples(speech);
    let n = (0.005 * rate) as usize;
    let rms = |frame: &[f64]| (frame.iter().map(|s| s * s).sum::<f64>() / n as f64).sqrt();
    let levels: Vec<f64> = samples.chunks_exact(n).map(rms).collect();
    let peak = levels.iter().fold(0.0_f64, |a, b| a.max(*b));
    let mut onsets = Vec::new();
    let mut n_silent = 12;
    for (i, level) in levels.iter().enumerate() {
        if *level > peak * 0.02 {
            if n_silent >= 12 {
                onsets.push((i * n) as f64 / rate);
            }
            n_silent = 0;
        } else {
            n_silent += 1;
        }
    }
    onsets
}

/// For each word after a mark, and the first, the distance to the nearest onset: the largest and the mean in seconds, and how many.
///
/// A word that got its neighbor's time lies a word's length away from any pause.
pub(crate) fn error(speech: &Speech) -> (f64, f64, usize) {
    let words = speech.words.as_ref().unwrap();
    let onsets = onsets(speech);
    let mut is_after_mark = true;
    let mut errors: Vec<f64> = Vec::new();
    for word in words {
        if word.end > word.start {
            if is_after_mark {
                let distances = onsets.iter().map(|onset| (word.start - onset).abs());
                errors.push(distances.fold(f64::INFINITY, f64::min));
            }
            is_after_mark = word
                .text
                .ends_with([',', '?', '!', ';', '।', '،', '؟', '。']);
        } else {
            is_after_mark |= word.text.starts_with(['-', '—']);
        }
    }
    let largest = errors.iter().fold(0.0_f64, |a, b| a.max(*b));
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    (largest, mean, errors.len())
}
