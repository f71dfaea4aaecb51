//! A sound's samples, decoded by kinora itself, or by the machine's ffmpeg if kinora cannot and the assets allow it.

use std::io::{self, Seek, Write};

use super::decode::Decoder;
use crate::facts::SoundFacts;
use crate::media::{AssetRead, Assets, Ffmpeg, ForeignSound, INSTALL_FFMPEG, foreign_sound_facts};

/// An open sound.
#[derive(Debug)]
pub(crate) enum Source {
    Own(Box<Decoder>),
    Foreign(Box<ForeignSound>),
}

impl Source {
    /// Opens the sound with this name.
    pub(crate) fn open(name: &str, assets: &dyn Assets) -> io::Result<Source> {
        match Decoder::open(assets.open(name)?) {
            Ok(decoder) => Ok(Source::Own(Box::new(decoder))),
            Err(e) => {
                let open = |ffmpeg: &Ffmpeg| ForeignSound::open(name, assets, ffmpeg);
                elsewhere(e, assets, open).map(|sound| Source::Foreign(Box::new(sound)))
            }
        }
    }

    pub(crate) fn facts(&self) -> SoundFacts {
        match self {
            Source::Own(decoder) => decoder.facts(),
            Source::Foreign(sound) => sound.facts(),
        }
    }

    /// Returns the number of output channels: 1 when the file has one, else 2.
    pub(crate) fn n_out(&self) -> usize {
        match self {
            Source::Own(decoder) => decoder.n_out(),
            Source::Foreign(sound) => sound.n_out(),
        }
    }

    /// Appends the next samples (interleaved, [`Source::n_out`] channels) to `out`, possibly none; returns `false` at the end.
    pub(crate) fn read(&mut self, out: &mut Vec<f32>) -> io::Result<bool> {
        match self {
            Source::Own(decoder) => decoder.read(out),
            Source::Foreign(sound) => sound.read(out),
        }
    }
}

/// Returns the facts of a named sound and, if the machine's ffmpeg reads it, a note for the user that follows the name.
///
/// # Errors
/// Same as [`sound_facts`](super::sound_facts).
pub fn asset_facts(name: &str, assets: &dyn Assets) -> io::Result<(SoundFacts, Option<String>)> {
    match Decoder::open(assets.open(name)?) {
        Ok(decoder) => Ok((decoder.facts(), None)),
        Err(e) => {
            let ask = |ffmpeg: &Ffmpeg| foreign_sound_facts(name, assets, ffmpeg);
            elsewhere(e, assets, ask).map(|(facts, told)| (facts, Some(told)))
        }
    }
}

/// Returns the bytes of a named sound in a form that kinora reads. If only the machine's ffmpeg reads it, they are its samples as a WAV file, which is
/// deleted when it is closed. Bytes that neither can read are returned unchanged.
///
/// # Errors
/// Those of the asset, and those of a decoder that fails midway.
pub fn readable(name: &str, assets: &dyn Assets) -> io::Result<Box<dyn AssetRead>> {
    if assets.ffmpeg().is_some()
        && let Source::Foreign(mut sound) = match Source::open(name, assets) {
            Ok(source) => source,
            Err(_) => return assets.open(name),
        }
    {
        return Ok(Box::new(wav(&mut sound)?));
    }
    assets.open(name)
}

/// Writes all of a sound as 32-bit floating point.
fn wav(sound: &mut ForeignSound) -> io::Result<std::fs::File> {
    let mut file = io::BufWriter::new(tempfile::tempfile()?);
    let (n_channels, rate_hz) = (sound.n_out() as u32, sound.facts().rate_hz);
    // The sizes are filled in at the end.
    let mut head = Vec::from(*b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x03\0");
    head.extend((n_channels as u16).to_le_bytes());
    head.extend(rate_hz.to_le_bytes());
    head.extend((rate_hz * n_channels * 4).to_le_bytes());
    head.extend((n_channels as u16 * 4).to_le_bytes());
    head.extend(*b"\x20\0data\0\0\0\0");
    file.write_all(&head)?;
    let (mut samples, mut n_bytes) = (Vec::new(), 0u64);
    while sound.read(&mut samples)? {
        for sample in samples.drain(..) {
            file.write_all(&sample.to_le_bytes())?;
            n_bytes += 4;
        }
    }
    let n_bytes = u32::try_from(n_bytes + 36)
        .map_err(|_| io::Error::other("it is too long for a WAV file"))?;
    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    for (at, size) in [(4, n_bytes), (40, n_bytes - 36)] {
        file.seek(io::SeekFrom::Start(at))?;
        file.write_all(&size.to_le_bytes())?;
    }
    file.rewind()?;
    Ok(file)
}

/// Lets the machine's ffmpeg read a sound that kinora rejected, if it may and can; otherwise returns kinora's error, with advice.
fn elsewhere<T>(
    refusal: io::Error,
    assets: &dyn Assets,
    read: impl Fn(&Ffmpeg) -> io::Result<T>,
) -> io::Result<T> {
    let said = refusal.to_string();
    // Of the system's errors only the unexpected end is caused by the file.
    let is_of_file = matches!(
        refusal.kind(),
        io::ErrorKind::Unsupported | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    );
    let is_final = ["not a sound", "is empty", "is encrypted"];
    let is_final = is_final.iter().any(|words| said.contains(words));
    let may_be_read = is_of_file && !is_final;
    let Some(ffmpeg) = assets.ffmpeg().filter(|_| may_be_read) else {
        return Err(refusal);
    };
    let refused = |why: String| Err(io::Error::new(refusal.kind(), format!("{said} ({why})")));
    if ffmpeg.version().is_err() {
        return refused(format!("or {INSTALL_FFMPEG}"));
    }
    match read(ffmpeg) {
        Err(e) => refused(format!("this machine's ffmpeg cannot read it either: {e}")),
        read => read,
    }
}
