//! The table `[video]` of `kinora.toml`.

use kinora::timeline::Codec;
use serde::Deserialize;

/// How videos are encoded; `kinora short` and `kinora universe` read the codec too.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Video {
    /// Default H.264: videos are played on unknown devices.
    pub codec: Codec,
    /// The text of the watermark. Default `made with kinora`.
    pub watermark: String,
    /// Divisor of width, height and frame rate, for tests. Default 1.
    pub scale_down: u32,
}

impl Default for Video {
    fn default() -> Video {
        Video {
            codec: Codec::H264,
            watermark: "made with kinora".into(),
            scale_down: 1,
        }
    }
}
