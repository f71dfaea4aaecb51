//! How loud samples can be: louder output of a lossy decoder is damage, and floats far beyond it are integers that were never divided.

use symphonia::core::codecs::audio::AudioCodecId;
use symphonia::core::codecs::audio::well_known::{
    CODEC_ID_PCM_F32BE, CODEC_ID_PCM_F32LE, CODEC_ID_PCM_F64BE, CODEC_ID_PCM_F64LE,
};

/// Upper bound of samples of undamaged lossy sound: 18 dB above full scale.
pub(super) const LOUDEST: f32 = 8.0;
/// Upper bound of regular float samples: 36 dB above full scale.
const LOUDEST_FLOAT: f32 = 64.0;
/// Full scale of integers that are written as floats: 16, 24 and 32 bits.
const FULL_SCALES: [f32; 3] = [32_768.0, 8_388_608.0, 2_147_483_648.0];

/// Returns whether a codec stores samples as floats, without a limit.
pub(super) fn is_float(codec: AudioCodecId) -> bool {
    matches!(
        codec,
        CODEC_ID_PCM_F32LE | CODEC_ID_PCM_F32BE | CODEC_ID_PCM_F64LE | CODEC_ID_PCM_F64BE
    )
}

/// Returns the factor for samples with this peak; 1 if they are in the normal range.
pub(super) fn factor(peak: f32) -> f32 {
    let full_scale = FULL_SCALES.into_iter().find(|full| peak <= *full);
    match full_scale {
        _ if peak <= LOUDEST_FLOAT => 1.0,
        Some(full_scale) => 1.0 / full_scale,
        None => 1.0 / peak,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_far_too_loud_is_scaled() {
        for peak in [0.0, 1.0, 2.5, 60.0] {
            assert_eq!(factor(peak), 1.0);
        }
        assert_eq!(factor(20_000.0), 1.0 / 32_768.0);
        assert_eq!(factor(32_769.0), 1.0 / 8_388_608.0);
        assert_eq!(factor(2e9), 1.0 / 2_147_483_648.0);
        assert!((factor(1e30) * 1e30 - 1.0).abs() < 1e-6);
    }
}
