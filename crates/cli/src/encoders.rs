//! The note about a fallback encoder on machines without the preferred one: its cost, and the remedy.

use kinora::Render;
use kinora::encode::{EncoderInfo, VideoCodec, VideoEncoderName};

use crate::packages::SVT_AV1;

/// Returns the note for a render with an automatically chosen encoder; `None` if the preferred one is available.
pub(crate) fn slower(codec: VideoCodec, options: &Render) -> Option<String> {
    match options.encoder {
        VideoEncoderName::Auto => line(codec, &kinora::encode::available()),
        _ => None,
    }
}

/// Returns the note if the preferred encoder of a codec cannot be used.
fn line(codec: VideoCodec, known: &[EncoderInfo]) -> Option<String> {
    let mut of_codec = known.iter().filter(|encoder| encoder.codec == codec);
    let best = of_codec.next()?;
    let why = best.version.as_ref().err()?;
    let other = of_codec.find(|encoder| encoder.version.is_ok())?;
    let (cost, remedy) = match codec {
        VideoCodec::Av1 => (
            ", which takes about 7 times as long",
            format!(
                "Install it: apt-get install {}; or use H.264: --codec h264",
                SVT_AV1.name()
            ),
        ),
        VideoCodec::H264 => (
            ", whose files are larger",
            "`kinora doctor` says what to install".to_owned(),
        ),
    };
    Some(format!(
        "encoder: {}{cost}, because {} cannot be used ({why}). {remedy}",
        other.name, best.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(svt: Result<String, String>) -> Vec<EncoderInfo> {
        let of = |name, codec, version| EncoderInfo {
            name,
            codec,
            version,
        };
        vec![
            of("SVT-AV1", VideoCodec::Av1, svt),
            of("rav1e", VideoCodec::Av1, Ok("0.8".into())),
            of("openh264", VideoCodec::H264, Ok("2.6".into())),
        ]
    }

    #[test]
    fn a_slower_encoder_is_said_with_its_cost_and_what_to_do() {
        let lacking = known(Err("none of libSvtAv1Enc.so.1 was found".into()));
        let said = line(VideoCodec::Av1, &lacking).unwrap();
        for part in [
            "rav1e",
            "7 times",
            "libSvtAv1Enc.so.1",
            "apt-get install libsvtav1enc",
            "--codec h264",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert_eq!(line(VideoCodec::Av1, &known(Ok("1.4.1".into()))), None);
        assert_eq!(line(VideoCodec::H264, &lacking), None);
    }
}
