//! The shared options of `render`, `still` and `bench`.

use std::time::Duration;

use clap::ValueEnum;
use kinora::compose::Backend;
use kinora::encode::{AudioCodec, Quality, VideoCodec, VideoEncoderName};
use kinora::{Render, SubtitleFormat};

use crate::failure::{Done, Failure};

/// The compositor and the video encoder.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Engine {
    /// What composes the frames: a real GPU if there is one, else the CPU (auto); any GPU, even a software one (gpu); or the CPU (cpu)
    #[arg(long, value_enum, default_value_t = BackendArg::Auto)]
    pub(crate) backend: BackendArg,

    /// Video codec: h264 plays everywhere, av1 is royalty-free and smaller [default: that of --encoder; else output.codec of the timeline, or av1; short and
    /// universe: h264, or [video] codec of kinora.toml]
    #[arg(long, value_enum)]
    pub(crate) codec: Option<CodecArg>,

    /// Video encoder; auto takes the fastest available one for the codec
    #[arg(long, value_enum, default_value_t = EncoderArg::Auto)]
    pub(crate) encoder: EncoderArg,
}

/// How a timeline is rendered.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) engine: Engine,

    /// Audio codec [default: opus with av1, aac with h264]
    #[arg(long, value_enum)]
    pub(crate) audio_codec: Option<AudioArg>,

    /// Quality and file size
    #[arg(long, value_enum, default_value_t = QualityArg::Medium)]
    pub(crate) quality: QualityArg,

    /// Worker threads, 0 for all cores; does not affect the output
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub(crate) threads: usize,

    /// Seconds that the video encoder may take without finishing a frame; after that another encoder takes over, or the render fails
    #[arg(long, value_name = "SECS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) encoder_timeout: u16,
}

/// `--backend`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum BackendArg {
    Auto,
    Gpu,
    Cpu,
}

impl BackendArg {
    /// Converts to the library's back end.
    pub(crate) fn to_backend(self) -> Backend {
        match self {
            BackendArg::Auto => Backend::Auto,
            BackendArg::Gpu => Backend::Gpu,
            BackendArg::Cpu => Backend::Cpu,
        }
    }
}

/// `--codec`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CodecArg {
    Av1,
    H264,
}

/// `--encoder`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EncoderArg {
    Auto,
    SvtAv1,
    Rav1e,
    #[value(name = "openh264")]
    OpenH264,
    X264,
}

/// `--audio-codec`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AudioArg {
    Opus,
    Aac,
}

/// `--quality`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum QualityArg {
    Low,
    Medium,
    High,
}

impl QualityArg {
    /// Converts to the library's quality.
    pub(crate) fn to_quality(self) -> Quality {
        match self {
            QualityArg::Low => Quality::Low,
            QualityArg::Medium => Quality::Medium,
            QualityArg::High => Quality::High,
        }
    }
}

/// `--wav-bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WavBitsArg {
    #[value(name = "16")]
    Sixteen,
    #[value(name = "24")]
    TwentyFour,
}

/// `--subtitles`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SubtitlesArg {
    Srt,
    Vtt,
    Json,
}

impl SubtitlesArg {
    /// Converts to the library's format.
    pub(crate) fn to_format(self) -> SubtitleFormat {
        match self {
            SubtitlesArg::Srt => SubtitleFormat::Srt,
            SubtitlesArg::Vtt => SubtitleFormat::Vtt,
            SubtitlesArg::Json => SubtitleFormat::Json,
        }
    }
}

/// Parses `--threads`: a whole number, 0 for all cores.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 0..=256) => Ok(n),
        _ => Err("must be a whole number from 0 (all cores) to 256".into()),
    }
}

impl Engine {
    /// Refuses an encoder of another codec, before any work.
    pub(crate) fn check(&self) -> Done {
        let render = self.to_render();
        match (render.codec, render.encoder.codec()) {
            (Some(codec), Some(made)) if codec != made => {
                let name = |codec| match codec {
                    VideoCodec::Av1 => "av1",
                    VideoCodec::H264 => "h264",
                };
                Err(Failure::Usage(format!(
                    "--encoder makes {}, but --codec says {}: leave one of them out",
                    name(made),
                    name(codec)
                )))
            }
            _ => Ok(()),
        }
    }

    /// Converts to the library's options, with defaults for the others.
    pub(crate) fn to_render(&self) -> Render {
        Render {
            backend: self.backend.to_backend(),
            codec: self.codec.map(|codec| match codec {
                CodecArg::Av1 => VideoCodec::Av1,
                CodecArg::H264 => VideoCodec::H264,
            }),
            encoder: match self.encoder {
                EncoderArg::Auto => VideoEncoderName::Auto,
                EncoderArg::SvtAv1 => VideoEncoderName::SvtAv1,
                EncoderArg::Rav1e => VideoEncoderName::Rav1e,
                EncoderArg::OpenH264 => VideoEncoderName::OpenH264,
                EncoderArg::X264 => VideoEncoderName::X264,
            },
            ..Render::default()
        }
    }
}

impl Options {
    /// Converts to the library's options.
    pub(crate) fn to_render(&self) -> Render {
        Render {
            audio_codec: self.audio_codec.map(|codec| match codec {
                AudioArg::Opus => AudioCodec::Opus,
                AudioArg::Aac => AudioCodec::Aac,
            }),
            quality: self.quality.to_quality(),
            threads: self.threads,
            encoder_timeout: Some(Duration::from_secs(self.encoder_timeout.into())),
            ..self.engine.to_render()
        }
    }

    /// Returns the number of worker threads for `--threads`.
    pub(crate) fn n_threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_bounded() {
        assert_eq!(threads("4"), Ok(4));
        for bad in ["-1", "257", "", "two"] {
            assert!(threads(bad).is_err(), "{bad}");
        }
    }
}
