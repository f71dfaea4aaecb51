//! The writer for uncompressed sound only: PCM in WAV (RIFF), in RF64 beyond 4 GiB (EBU Tech 3306).

use std::io::Write;

use crate::error::Result;
use crate::frame::AudioBlock;
use crate::units::MIX_RATE_HZ;

const N_CHANNELS: u64 = 2;

/// Bits per sample of a WAV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WavBits {
    /// 16 bits, dithered: readable by every program.
    #[default]
    Sixteen,
    /// 24 bits: for further processing.
    TwentyFour,
}

impl WavBits {
    fn n_bytes(self) -> u64 {
        match self {
            WavBits::Sixteen => 2,
            WavBits::TwentyFour => 3,
        }
    }
}

impl std::fmt::Display for WavBits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PCM, {} bit", 8 * self.n_bytes())
    }
}

/// Writes one WAV, 48 kHz stereo.
#[derive(Debug)]
pub(crate) struct WavWriter<W: Write> {
    out: W,
    bits: WavBits,
    dither: Dither,
    bytes: Vec<u8>,
}

impl<W: Write> WavWriter<W> {
    /// Writes the head of a file of exactly `n_samples`.
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn new(mut out: W, bits: WavBits, n_samples: u64) -> Result<Self> {
        out.write_all(&head(bits, n_samples))?;
        Ok(WavWriter {
            out,
            bits,
            dither: Dither(1),
            bytes: Vec::new(),
        })
    }

    /// Writes the next samples.
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn block(&mut self, block: &AudioBlock) -> Result<()> {
        self.bytes.clear();
        for sample in &block.samples {
            match self.bits {
                WavBits::Sixteen => {
                    // Digital silence stays free of noise.
                    let noise = if *sample == 0.0 {
                        0.0
                    } else {
                        self.dither.next()
                    };
                    let value = (f64::from(*sample) * 32_768.0 + noise).round();
                    let value = value.clamp(-32_768.0, 32_767.0) as i16;
                    self.bytes.extend_from_slice(&value.to_le_bytes());
                }
                WavBits::TwentyFour => {
                    let value = (f64::from(*sample) * 8_388_608.0).round();
                    let value = value.clamp(-8_388_608.0, 8_388_607.0) as i32;
                    self.bytes.extend_from_slice(&value.to_le_bytes()[..3]);
                }
            }
        }
        self.out.write_all(&self.bytes)?;
        Ok(())
    }

    /// Returns the output, flushed.
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn finish(mut self) -> Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Triangular noise two steps wide: turns rounding errors into noise that does not depend on the sound. The same on every machine.
#[derive(Debug)]
struct Dither(u32);

impl Dither {
    fn next(&mut self) -> f64 {
        self.uniform() + self.uniform()
    }

    /// Returns a number in -0.5..0.5 from a linear congruential generator (Numerical Recipes, 7.1), whose upper bits count.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0) / 4_294_967_296.0 - 0.5
    }
}

/// Builds everything before the samples. All sizes are known at the start.
fn head(bits: WavBits, n_samples: u64) -> Vec<u8> {
    let n_bytes = bits.n_bytes();
    let format = format(bits);
    let n_data = n_samples * N_CHANNELS * n_bytes;
    let n_riff = 4 + 8 + format.len() as u64 + 8 + n_data;
    let mut head = Vec::new();
    match (u32::try_from(n_riff), u32::try_from(n_data)) {
        (Ok(n_riff), Ok(_)) => {
            head.extend_from_slice(b"RIFF");
            head.extend_from_slice(&n_riff.to_le_bytes());
            head.extend_from_slice(b"WAVE");
        }
        _ => {
            const DS64_BYTES: u32 = 28;
            let n_riff = n_riff + 8 + u64::from(DS64_BYTES);
            head.extend_from_slice(b"RF64\xff\xff\xff\xffWAVEds64");
            head.extend_from_slice(&DS64_BYTES.to_le_bytes());
            for n in [n_riff, n_data, n_samples] {
                head.extend_from_slice(&n.to_le_bytes());
            }
            head.extend_from_slice(&[0; 4]);
        }
    }
    let n_data = if head.starts_with(b"RIFF") {
        n_data as u32
    } else {
        u32::MAX
    };
    head.extend_from_slice(b"fmt ");
    head.extend_from_slice(&(format.len() as u32).to_le_bytes());
    head.extend_from_slice(&format);
    head.extend_from_slice(b"data");
    head.extend_from_slice(&n_data.to_le_bytes());
    head
}

/// Builds the chunk `fmt `; more than 16 bits require the extensible form (Microsoft, "Multiple channel audio data and WAVE files").
fn format(bits: WavBits) -> Vec<u8> {
    const PCM: u16 = 1;
    const EXTENSIBLE: u16 = 0xfffe;
    const FRONT_LEFT_AND_RIGHT: u32 = 3;
    const GUID_TAIL: [u8; 14] = [
        0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71,
    ];
    let frame = N_CHANNELS * bits.n_bytes();
    let n_bits = 8 * bits.n_bytes() as u16;
    let kind = match bits {
        WavBits::Sixteen => PCM,
        WavBits::TwentyFour => EXTENSIBLE,
    };
    let mut format = kind.to_le_bytes().to_vec();
    format.extend_from_slice(&(N_CHANNELS as u16).to_le_bytes());
    format.extend_from_slice(&MIX_RATE_HZ.to_le_bytes());
    format.extend_from_slice(&(MIX_RATE_HZ * frame as u32).to_le_bytes());
    format.extend_from_slice(&(frame as u16).to_le_bytes());
    format.extend_from_slice(&n_bits.to_le_bytes());
    if kind == EXTENSIBLE {
        format.extend_from_slice(&22u16.to_le_bytes());
        format.extend_from_slice(&n_bits.to_le_bytes());
        format.extend_from_slice(&FRONT_LEFT_AND_RIGHT.to_le_bytes());
        format.extend_from_slice(&PCM.to_le_bytes());
        format.extend_from_slice(&GUID_TAIL);
    }
    format
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bits: WavBits, samples: &[f32]) -> Vec<u8> {
        let n_samples = samples.len() as u64 / 2;
        let mut writer = WavWriter::new(Vec::new(), bits, n_samples).unwrap();
        let block = AudioBlock {
            start: 0,
            samples: samples.to_vec(),
        };
        writer.block(&block).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn sizes_add_up() {
        for (bits, n_head, n_data) in [(WavBits::Sixteen, 44, 12), (WavBits::TwentyFour, 68, 18)] {
            let file = file(bits, &[0.5; 6]);
            assert_eq!(file.len(), n_head + n_data);
            let at = |i: usize| u32::from_le_bytes(file[i..i + 4].try_into().unwrap()) as usize;
            assert_eq!((at(4), at(n_head - 4)), (file.len() - 8, n_data));
            assert_eq!(&file[n_head - 8..n_head - 4], b"data");
        }
    }

    #[test]
    fn values_are_rounded_and_full_scale_does_not_wrap() {
        let samples = [1.5f32, -1.5, 0.25, -0.25];
        let whole = file(WavBits::TwentyFour, &samples);
        let values: Vec<i32> = whole[68..]
            .chunks(3)
            .map(|b| i32::from_le_bytes([0, b[0], b[1], b[2]]) >> 8)
            .collect();
        assert_eq!(values, [8_388_607, -8_388_608, 2_097_152, -2_097_152]);
        let short = file(WavBits::Sixteen, &samples);
        let values: Vec<i16> = short[44..]
            .chunks(2)
            .map(|b| i16::from_le_bytes([b[0], b[1]]))
            .collect();
        assert_eq!(values[..2], [i16::MAX, i16::MIN]);
        assert!(values[2].abs_diff(8192) <= 1 && values[3].abs_diff(-8192) <= 1);
    }

    #[test]
    fn what_is_below_a_step_of_16_bits_is_kept_by_the_dither() {
        let quiet = 0.3f32 / 32_768.0;
        let file = file(WavBits::Sixteen, &vec![quiet; 20_000]);
        let values = file[44..]
            .chunks(2)
            .map(|b| i16::from_le_bytes([b[0], b[1]]));
        let mean = values.map(f64::from).sum::<f64>() / 20_000.0;
        assert!((mean - 0.3).abs() < 0.02, "{mean}");
    }

    #[test]
    fn beyond_4_gib_it_is_rf64() {
        let n_samples = 1 << 31;
        let head = head(WavBits::Sixteen, n_samples);
        assert_eq!(&head[..20], b"RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0");
        let at = |i: usize| u64::from_le_bytes(head[i..i + 8].try_into().unwrap());
        let n_data = 4 * n_samples;
        assert_eq!(
            (at(20), at(28), at(36)),
            (head.len() as u64 - 8 + n_data, n_data, n_samples)
        );
        assert_eq!(&head[head.len() - 4..], [0xff; 4]);
        assert!(super::head(WavBits::Sixteen, (1 << 30) - 100).starts_with(b"RIFF"));
    }
}
