//! Which codec a render makes: the options', else the document's, else AV1.

use std::sync::Arc;

use kinora::encode::{AudioCodec, VideoCodec, VideoEncoderName};
use kinora::text::Fonts;
use kinora::{Job, Render};
use serde_json::json;

use super::{assets, document, quick, rendered};

fn job(codec: Option<&str>) -> Job {
    let mut document = document();
    if let Some(codec) = codec {
        document["output"]["codec"] = json!(codec);
    }
    super::job(&document)
}

#[test]
fn options_overrule_the_document_which_overrules_the_default() {
    use VideoEncoderName::{Auto, OpenH264, Rav1e};
    use {AudioCodec::Aac, AudioCodec::Opus, VideoCodec::Av1, VideoCodec::H264};
    for (document, codec, encoder, due) in [
        (None, None, Auto, (Av1, Opus)),
        (Some("h264"), None, Auto, (H264, Aac)),
        (Some("av1"), None, Auto, (Av1, Opus)),
        (Some("h264"), Some(Av1), Auto, (Av1, Opus)),
        (Some("av1"), Some(H264), Auto, (H264, Aac)),
        (Some("h264"), None, Rav1e, (Av1, Opus)),
        (None, None, OpenH264, (H264, Aac)),
    ] {
        let options = Render {
            codec,
            encoder,
            ..Render::default()
        };
        assert_eq!(
            job(document).codecs(&options),
            due,
            "{document:?} {codec:?} {encoder:?}"
        );
    }
}

#[test]
fn the_file_has_the_documents_codec() {
    let options = Render {
        codec: None,
        ..quick()
    };
    let (_, facts, _) = rendered(&job(Some("h264")), &options);
    let codecs: Vec<&str> = facts
        .tracks
        .iter()
        .map(|track| track.codec.as_str())
        .collect();
    assert!(
        codecs[0].starts_with("avc1") && codecs[1].starts_with("mp4a"),
        "{codecs:?}"
    );
}

#[test]
fn a_codec_that_is_not_made_is_refused_with_the_nearest() {
    let mut document = document();
    document["output"]["codec"] = json!("H265");
    let refused =
        Job::from_json(&document.to_string(), Arc::new(assets()), Fonts::default()).unwrap_err();
    let problem = &refused.problems()[0];
    assert_eq!(problem.path, "output.codec");
    assert!(problem.message.contains("h264, av1"), "{problem:?}");
    assert_eq!(problem.hint.as_deref(), Some("did you mean `h264`?"));
}
