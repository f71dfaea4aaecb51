//! 16-bit WAV files with a checksum that shows whether they are complete.

use crate::score::chance::{Chance, fnv1a};
use crate::synth::SAMPLE_RATE;

/// Name of our chunk: it holds the hash of the data, so that a damaged file in a cache is detected.
const HASH_CHUNK: &[u8; 4] = b"knra";

/// Bytes before the samples: RIFF, `fmt `, our chunk, and the header of `data` (Microsoft RIFF, 1991).
const HEADER_BYTES: usize = 12 + 24 + 16 + 8;

/// Encodes a stereo WAV, rounded with triangular dither.
pub(crate) fn wav_from_samples(samples: &[[f32; 2]]) -> Vec<u8> {
    let mut chance = Chance::new(0, "dither");
    let mut data = Vec::with_capacity(samples.len() * 4);
    for side in samples.as_flattened() {
        let dither = 0.5 * (chance.signed() + chance.signed());
        let code = (f64::from(*side) * 32_767.0 + dither)
            .round()
            .clamp(-32_768.0, 32_767.0) as i16;
        data.extend_from_slice(&code.to_le_bytes());
    }
    let rate = SAMPLE_RATE as u32;
    let mut wav = Vec::with_capacity(HEADER_BYTES + data.len());
    wav.extend_from_slice(b"RIFF");
    wav.extend_from_slice(&((HEADER_BYTES - 8 + data.len()) as u32).to_le_bytes());
    wav.extend_from_slice(b"WAVEfmt ");
    wav.extend_from_slice(&16_u32.to_le_bytes());
    // PCM, two channels, rate, bytes per second, bytes per frame, bits per sample.
    wav.extend_from_slice(&[1, 0, 2, 0]);
    wav.extend_from_slice(&rate.to_le_bytes());
    wav.extend_from_slice(&(rate * 4).to_le_bytes());
    wav.extend_from_slice(&[4, 0, 16, 0]);
    wav.extend_from_slice(HASH_CHUNK);
    wav.extend_from_slice(&8_u32.to_le_bytes());
    wav.extend_from_slice(&fnv1a(&data).to_le_bytes());
    wav.extend_from_slice(b"data");
    wav.extend_from_slice(&(data.len() as u32).to_le_bytes());
    wav.extend_from_slice(&data);
    wav
}

/// Returns whether `bytes` are a complete, undamaged file of [`wav_from_samples`].
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    let Some((header, data)) = bytes.split_at_checked(HEADER_BYTES) else {
        return false;
    };
    let n_bytes = u32::try_from(data.len()).unwrap_or(0);
    header.starts_with(b"RIFF")
        && header[36..40] == *HASH_CHUNK
        && header[44..52] == fnv1a(data).to_le_bytes()
        && header[56..60] == n_bytes.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_noticed() {
        let samples: Vec<[f32; 2]> = (0..500).map(|i| [(i as f32 * 0.1).sin(), 0.25]).collect();
        let wav = wav_from_samples(&samples);
        assert_eq!(wav.len(), HEADER_BYTES + 2000);
        assert!(is_whole(&wav));
        assert!(!is_whole(&wav[..wav.len() - 4]) && !is_whole(&wav[..20]) && !is_whole(&[]));
        let mut harmed = wav.clone();
        harmed[900] ^= 1;
        assert!(!is_whole(&harmed));
    }
}
