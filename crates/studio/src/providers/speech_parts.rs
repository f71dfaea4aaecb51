//! Splits a long text into parts that a voice accepts, and joins the sounds of the parts.

use std::num::NonZeroUsize;

use unicode_segmentation::UnicodeSegmentation;

/// Splits a text into parts of at most `max_chars` characters: between sentences, else between words, else anywhere. Only space around parts is lost.
pub fn parts(text: &str, max_chars: NonZeroUsize) -> Vec<String> {
    let max = max_chars.get();
    let fits = |piece: &&str| piece.trim().chars().count() <= max;
    let sentences = text
        .split_sentence_bounds()
        .flat_map(|sentence| match fits(&sentence) {
            true => vec![sentence.to_owned()],
            false => pieces_of(sentence, max),
        });
    let mut parts: Vec<String> = Vec::new();
    for piece in sentences {
        match parts.last_mut() {
            Some(part) if part.chars().count() + piece.trim_end().chars().count() <= max => {
                *part += &piece
            }
            _ => parts.push(piece),
        }
    }
    let trimmed = parts.iter().map(|part| part.trim().to_owned());
    trimmed.filter(|part| !part.is_empty()).collect()
}

/// Returns words with the space after them; longer ones are cut.
fn pieces_of(sentence: &str, max: usize) -> Vec<String> {
    let words = sentence.split_inclusive(char::is_whitespace);
    let cut = words.flat_map(|word| {
        let chars: Vec<char> = word.chars().collect();
        let chunks: Vec<String> = chars
            .chunks(max)
            .map(|chunk| chunk.iter().collect())
            .collect();
        chunks
    });
    cut.collect()
}

/// The 16-bit PCM of a WAV.
struct Pcm<'a> {
    n_channels: u16,
    rate_hz: u32,
    samples: &'a [u8],
}

/// Reads a WAV of 16-bit PCM. Lengths in its header are not trusted: streams are sent before the length is known.
fn pcm(file: &[u8]) -> Option<Pcm<'_>> {
    let u16_at = |at: usize| Some(u16::from_le_bytes(file.get(at..at + 2)?.try_into().ok()?));
    let u32_at = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
    (file.get(..4)? == b"RIFF" && file.get(8..12)? == b"WAVE").then_some(())?;
    let (mut at, mut format) = (12, None);
    loop {
        let (id, len, body) = (file.get(at..at + 4)?, u32_at(at + 4)? as usize, at + 8);
        match id {
            b"fmt " => {
                // 1 is PCM; 0xfffe is the extensible format, which gives the actual format later, as for PCM with many channels.
                let is_pcm = matches!(u16_at(body)?, 1 | 0xfffe) && u16_at(body + 14)? == 16;
                is_pcm.then_some(())?;
                format = Some((u16_at(body + 2)?, u32_at(body + 4)?));
            }
            b"data" => {
                let (n_channels, rate_hz) = format?;
                let room = file.len() - body;
                let frame = 2 * usize::from(n_channels.max(1));
                let len = len.min(room) / frame * frame;
                return Some(Pcm {
                    n_channels,
                    rate_hz,
                    samples: &file[body..body + len],
                });
            }
            _ => {}
        }
        at = body.checked_add(len)?.checked_add(len % 2)?;
    }
}

/// Joins WAV files of the same format into one, with correct lengths in its header; `None` if they are not 16-bit PCM of one format.
pub fn joined(files: &[Vec<u8>]) -> Option<Vec<u8>> {
    let parts: Vec<Pcm<'_>> = files.iter().map(|file| pcm(file)).collect::<Option<_>>()?;
    let first = parts.first()?;
    let is_same =
        |part: &Pcm<'_>| (part.n_channels, part.rate_hz) == (first.n_channels, first.rate_hz);
    parts.iter().all(is_same).then_some(())?;
    let n_bytes = u32::try_from(parts.iter().map(|part| part.samples.len()).sum::<usize>()).ok()?;
    let frame = 2 * first.n_channels;
    let mut wav = Vec::with_capacity(n_bytes as usize + 44);
    wav.extend(b"RIFF");
    wav.extend(n_bytes.checked_add(36)?.to_le_bytes());
    wav.extend(b"WAVEfmt ");
    wav.extend(16u32.to_le_bytes());
    wav.extend(1u16.to_le_bytes());
    wav.extend(first.n_channels.to_le_bytes());
    wav.extend(first.rate_hz.to_le_bytes());
    wav.extend(first.rate_hz.checked_mul(u32::from(frame))?.to_le_bytes());
    wav.extend(frame.to_le_bytes());
    wav.extend(16u16.to_le_bytes());
    wav.extend(b"data");
    wav.extend(n_bytes.to_le_bytes());
    parts.iter().for_each(|part| wav.extend(part.samples));
    Some(wav)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, max: usize) -> Vec<String> {
        parts(text, NonZeroUsize::new(max).unwrap())
    }

    #[test]
    fn texts_are_cut_between_sentences_then_words_then_anywhere() {
        assert_eq!(cut("One. Two. Three.", 100), ["One. Two. Three."]);
        assert_eq!(cut("One. Two. Three.", 10), ["One. Two.", "Three."]);
        assert_eq!(cut("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(cut("abcdefgh", 3), ["abc", "def", "gh"]);
        assert!(cut(" \n ", 3).is_empty());
    }

    #[test]
    fn nothing_is_lost_and_no_part_is_too_long() {
        let text = "Er sagte: „Nein!“ Dann ging er… 你好，世界。我很好！ A_very_long_word_without_any_end and 3.14 is pi. ".repeat(20);
        let bare = |s: &str| s.split_whitespace().collect::<String>();
        for max in [1, 2, 7, 50, 333, 5000] {
            let parts = cut(&text, max);
            assert!(
                parts
                    .iter()
                    .all(|p| !p.is_empty() && p.chars().count() <= max),
                "{max}"
            );
            assert_eq!(bare(&parts.concat()), bare(&text), "{max}");
        }
    }

    fn wav(rate_hz: u32, samples: &[u8], said_len: u32) -> Vec<u8> {
        let mut wav = joined_header(rate_hz);
        wav.extend(said_len.to_le_bytes());
        wav.extend(samples);
        wav
    }

    fn joined_header(rate_hz: u32) -> Vec<u8> {
        let mut head =
            b"RIFF\xff\xff\xff\xffWAVELIST\x03\0\0\0abc\0fmt \x10\0\0\0\x01\0\x01\0".to_vec();
        head.extend(rate_hz.to_le_bytes());
        head.extend((rate_hz * 2).to_le_bytes());
        head.extend(b"\x02\0\x10\0data");
        head
    }

    #[test]
    fn sounds_are_joined_whatever_length_they_claim() {
        let (a, b) = (
            wav(24_000, &[1, 2, 3, 4, 5], u32::MAX),
            wav(24_000, &[6, 7], 2),
        );
        let one = joined(&[a.clone(), b]).unwrap();
        assert_eq!(&one[40..], [6, 0, 0, 0, 1, 2, 3, 4, 6, 7]);
        assert_eq!(&one[4..8], [42, 0, 0, 0]);
        assert!(joined(&[a.clone(), wav(44_100, &[6, 7], 2)]).is_none());
        for n in 0..a.len() - 5 {
            let _ = joined(&[a[..n].to_vec()]);
        }
        assert!(joined(&[b"ID3".to_vec()]).is_none());
        assert!(joined(&[]).is_none());
    }
}
