//! The target of `render`: the output's extension decides, and the options must agree.

use std::fs::File;
use std::path::Path;

use kinora::SoundFormat;
use kinora::mux::WavBits;

use crate::failure::{Done, Failure};
use crate::options::{AudioArg, EncoderArg, Options, WavBitsArg};
use crate::{console, output};

/// The output options of the command line.
#[derive(Clone, Copy)]
pub(crate) struct OutputArgs<'a> {
    /// The output's path.
    pub(crate) output: &'a Path,
    pub(crate) options: &'a Options,
    pub(crate) wav_bits: Option<WavBitsArg>,
}

/// The output of a render.
pub(crate) enum Target {
    /// A file.
    Mp4,
    /// A sound-only file.
    Sound(SoundFormat),
    /// Stdout.
    Pipe(File),
}

impl Target {
    /// Returns the target for the output's name, after checking that it can be written.
    pub(crate) fn of(args: OutputArgs<'_>) -> Result<Target, Failure> {
        let path = args.output;
        if output::is_pipe(path) {
            console::leave_stdout();
            let pipe = output::pipe("kinora render timeline.json -o - | mpv -")?;
            refuse_wav_bits(args)?;
            return Ok(Target::Pipe(pipe));
        }
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let format = match extension.to_ascii_lowercase().as_str() {
            "mp4" => {
                output::check(path, "mp4")?;
                refuse_wav_bits(args)?;
                return Ok(Target::Mp4);
            }
            "m4a" => SoundFormat::M4a,
            "opus" => SoundFormat::OggOpus,
            "wav" => SoundFormat::Wav(match args.wav_bits {
                None | Some(WavBitsArg::Sixteen) => WavBits::Sixteen,
                Some(WavBitsArg::TwentyFour) => WavBits::TwentyFour,
            }),
            other => return Err(unknown(path, other)),
        };
        output::check(path, format.extension())?;
        check_sound_options(args, format)?;
        Ok(Target::Sound(format))
    }
}

fn unknown(path: &Path, extension: &str) -> Failure {
    let name = path.display();
    if path.is_dir() {
        return output::folder(path, "video.mp4");
    }
    let hint = match extension {
        "gif" | "webp" => "; `kinora preview` makes animations".to_owned(),
        "png" | "jpg" | "jpeg" => "; `kinora still` makes pictures".to_owned(),
        _ => format!("; name it {}", path.with_extension("mp4").display()),
    };
    Failure::Usage(format!(
        "{name}: the output's extension sets its format: .mp4 (video), .m4a, .opus or .wav (sound only), or - for a stream on stdout{hint}"
    ))
}

fn refuse_wav_bits(args: OutputArgs<'_>) -> Done {
    match args.wav_bits {
        None => Ok(()),
        Some(_) => Err(Failure::Usage(format!(
            "--wav-bits: {} is not a .wav file; leave the option out",
            args.output.display()
        ))),
    }
}

/// Refuses options that contradict the output's extension.
fn check_sound_options(args: OutputArgs<'_>, format: SoundFormat) -> Done {
    let (name, options) = (args.output.display(), args.options);
    let refused = |what: String| Err(Failure::Usage(what));
    for (option, is_given) in [
        ("--codec", options.engine.codec.is_some()),
        ("--encoder", options.engine.encoder != EncoderArg::Auto),
    ] {
        if is_given {
            return refused(format!(
                "{option}: {name} contains only sound, no video; leave the option out, or name the output .mp4"
            ));
        }
    }
    let (holds, codec) = match format {
        SoundFormat::M4a => ("AAC", Some(AudioArg::Aac)),
        SoundFormat::OggOpus => ("Opus", Some(AudioArg::Opus)),
        SoundFormat::Wav(_) => ("PCM, without a codec", None),
    };
    if let Some(given) = options.audio_codec.filter(|given| Some(*given) != codec) {
        let (given, ending) = match given {
            AudioArg::Opus => ("opus", "opus"),
            AudioArg::Aac => ("aac", "m4a"),
        };
        let better = args.output.with_extension(ending);
        return refused(format!(
            "--audio-codec {given}: {name} contains {holds}; leave the option out, or name the output {}",
            better.display()
        ));
    }
    match format {
        SoundFormat::Wav(_) => Ok(()),
        _ => refuse_wav_bits(args),
    }
}
