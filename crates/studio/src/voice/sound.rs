//! Mono PCM from the synthesizers: cut, padded, written as WAV.

use std::io::Cursor;

use super::spans::Span;

/// Silence left before the first and after the last word.
pub(super) const EDGE_SECS: f64 = 0.06;

/// Length of the fade at a cut, so that it does not click.
const FADE_SECS: f64 = 0.004;

/// Sound below this fraction of the peak counts as silence (−46 dB).
const SILENCE: f64 = 0.005;

/// One channel of 16-bit samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pcm {
    pub(super) rate_hz: u32,
    pub(super) samples: Vec<i16>,
}

impl Pcm {
    pub(super) fn secs(&self) -> f64 {
        self.samples.len() as f64 / f64::from(self.rate_hz.max(1))
    }

    /// Returns the index of the sample at a time, limited to the sound.
    pub(super) fn index(&self, secs: f64) -> usize {
        ((secs * f64::from(self.rate_hz)).round().max(0.0) as usize).min(self.samples.len())
    }

    /// Appends a part of another sound, with faded ends.
    pub(super) fn push(&mut self, part: &[i16]) {
        let n_fade = ((FADE_SECS * f64::from(self.rate_hz)) as usize).min(part.len() / 2);
        let fade = |i: usize, sample: i16| {
            let from_end = i.min(part.len() - 1 - i);
            if from_end >= n_fade {
                sample
            } else {
                (i64::from(sample) * from_end as i64 / n_fade as i64) as i16
            }
        };
        self.samples
            .extend(part.iter().enumerate().map(|(i, s)| fade(i, *s)));
    }

    /// Appends silence.
    pub(super) fn push_silence(&mut self, secs: f64) {
        let n = (secs.max(0.0) * f64::from(self.rate_hz)).round() as usize;
        self.samples.resize(self.samples.len() + n, 0);
    }

    /// Shrinks the spans by the silence at their ends; a span that is all silence stays as it is.
    pub(super) fn tighten(&self, spans: &mut [Span]) {
        let peak = self.samples.iter().map(|s| s.unsigned_abs()).max();
        let floor = (f64::from(peak.unwrap_or(0)) * SILENCE) as u16;
        for span in spans {
            let (from, to) = (self.index(span.start), self.index(span.end));
            let sounds = |s: &i16| s.unsigned_abs() > floor;
            let Some(part) = self.samples.get(from..to) else {
                continue;
            };
            let (Some(first), Some(last)) =
                (part.iter().position(sounds), part.iter().rposition(sounds))
            else {
                continue;
            };
            let rate = f64::from(self.rate_hz);
            span.end = (from + last + 1) as f64 / rate;
            span.start = (from + first) as f64 / rate;
        }
    }

    /// Cuts the sound before the first and after the last span to [`EDGE_SECS`], and shifts the spans.
    pub(super) fn trim(&mut self, spans: &mut [Span]) {
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
            return;
        };
        let from = self.index(first.start - EDGE_SECS);
        let to = self.index(last.end + EDGE_SECS).max(from);
        let mut trimmed = Pcm {
            rate_hz: self.rate_hz,
            samples: Vec::with_capacity(to - from),
        };
        trimmed.push(&self.samples[from..to]);
        let shift = from as f64 / f64::from(self.rate_hz.max(1));
        for span in spans {
            span.start -= shift;
            span.end -= shift;
        }
        *self = trimmed;
    }

    /// Encodes a WAV file.
    ///
    /// # Errors
    /// An error if the sound does not fit into one (4 GiB).
    pub(super) fn wav(&self) -> Result<Vec<u8>, hound::Error> {
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: self.rate_hz,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        let mut file = Cursor::new(Vec::with_capacity(self.samples.len() * 2 + 64));
        let mut writer = hound::WavWriter::new(&mut file, spec)?;
        for sample in &self.samples {
            writer.write_sample(*sample)?;
        }
        writer.finalize()?;
        Ok(file.into_inner())
    }

    /// Decodes a WAV file of one 16-bit channel.
    ///
    /// # Errors
    /// An error if it is anything else.
    pub(super) fn from_wav(file: &[u8]) -> Result<Pcm, String> {
        let reader = hound::WavReader::new(Cursor::new(file)).map_err(|e| e.to_string())?;
        let spec = reader.spec();
        if spec.channels != 1 || spec.bits_per_sample != 16 || spec.sample_rate < 8_000 {
            return Err("not 16-bit mono".to_owned());
        }
        let samples: Result<Vec<i16>, _> = reader.into_samples::<i16>().collect();
        Ok(Pcm {
            rate_hz: spec.sample_rate,
            samples: samples.map_err(|e| e.to_string())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_trimmed_and_times_shifted() {
        let mut samples = vec![0_i16; 8_000];
        samples.extend(vec![10_000; 4_000]);
        samples.extend(vec![0; 8_000]);
        let mut pcm = Pcm {
            rate_hz: 8_000,
            samples,
        };
        let mut spans = [Span {
            start: 0.2,
            end: 2.0,
        }];
        pcm.tighten(&mut spans);
        assert_eq!((spans[0].start, spans[0].end), (1.0, 1.5));
        pcm.trim(&mut spans);
        assert!((pcm.secs() - 0.62).abs() < 1e-9);
        assert!((spans[0].start - EDGE_SECS).abs() < 1e-9);
        let again = Pcm::from_wav(&pcm.wav().unwrap()).unwrap();
        assert_eq!(again, pcm);
    }
}
