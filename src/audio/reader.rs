//! Plays a recording from any frame: from memory, or decoded again if it was too long to keep.

use std::sync::Arc;

use super::library::{CHUNK, Recording};
use super::sound::{Sound, failed};
use crate::error::Result;
use crate::media::Assets;
use crate::scene::mix::Track;

/// Reads frames in order, with seeking to any position.
pub(crate) struct Reader<'a> {
    recording: Arc<Recording>,
    track: &'a Track,
    assets: &'a dyn Assets,
    /// The next frame.
    at: u64,
    stream: Option<Stream>,
}

/// A file that is being decoded.
struct Stream {
    sound: Box<Sound>,
    /// Frames decoded but not yet read; the first one is frame `at`.
    ready: Vec<f32>,
    at: u64,
    goes_on: bool,
}

impl<'a> Reader<'a> {
    /// Creates a reader for the recording of `track`, at its first frame.
    pub(crate) fn new(
        recording: Arc<Recording>,
        track: &'a Track,
        assets: &'a dyn Assets,
    ) -> Reader<'a> {
        Reader {
            recording,
            track,
            assets,
            at: 0,
            stream: None,
        }
    }

    /// Returns whether reading keeps a file open.
    pub(crate) fn is_streaming(&self) -> bool {
        self.recording.chunks.is_none()
    }

    /// Returns the next frame to be read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Moves to frame `at`.
    pub(crate) fn seek(&mut self, at: u64) {
        self.at = at;
    }

    /// Appends the next `n` frames as interleaved stereo; silence after the end of the recording.
    pub(crate) fn read(&mut self, n: usize, out: &mut Vec<f32>) -> Result<()> {
        let whole = out.len() + 2 * n;
        match &self.recording.chunks {
            Some(chunks) => {
                let mut at = self.at;
                while out.len() < whole {
                    let Some(chunk) = chunks.get((at / CHUNK as u64) as usize) else {
                        break;
                    };
                    let (from, before) = ((at % CHUNK as u64) as usize, out.len());
                    chunk.copy(from, (whole - before) / 2, out);
                    if out.len() == before {
                        break;
                    }
                    at += (out.len() - before) as u64 / 2;
                }
            }
            None => self.read_stream(n, out)?,
        }
        out.resize(whole, 0.0);
        self.at += n as u64;
        Ok(())
    }

    fn read_stream(&mut self, n: usize, out: &mut Vec<f32>) -> Result<()> {
        let mut stream = match self.stream.take().filter(|stream| stream.at <= self.at) {
            Some(stream) => stream,
            None => Stream {
                sound: Box::new(Sound::open(self.track, self.assets)?),
                ready: Vec::new(),
                at: 0,
                goes_on: true,
            },
        };
        loop {
            let skipped = (self.at - stream.at).min(stream.ready.len() as u64 / 2);
            stream.ready.drain(..2 * skipped as usize);
            stream.at += skipped;
            let is_enough = stream.at == self.at && stream.ready.len() >= 2 * n;
            if is_enough || !stream.goes_on {
                break;
            }
            stream.goes_on = stream
                .sound
                .read(&mut stream.ready)
                .map_err(|e| failed(self.track, &e))?;
        }
        if stream.at == self.at {
            let n = stream.ready.len().min(2 * n);
            out.extend(stream.ready.drain(..n));
            stream.at += n as u64 / 2;
        }
        self.stream = Some(stream);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::library::Library;
    use crate::audio::tests::wav_of;
    use crate::media::MemoryAssets;
    use crate::scene::mix::MixPlan;

    /// Uses a 16-bit WAV file of a ramp in which no value repeats.
    #[test]
    fn a_stream_reads_what_memory_holds_from_anywhere() {
        let mut assets = MemoryAssets::default();
        assets.insert("a", wav_of(1, (0..60_000).map(|i| i as i16)));
        let track = Track::new("a", "audio.voice.file");
        let plan = MixPlan {
            tracks: vec![track.clone()],
            ..MixPlan::silent(96_000)
        };
        let library = Library::listen(&plan, &assets, &|| Ok(())).expect("a good file");
        let kept = library.get(&track).expect("it is heard");
        assert_eq!(kept.n_frames(), 60_000);
        let forgotten = Arc::new(Recording {
            profile: kept.profile.clone(),
            chunks: None,
        });
        let mut memory = Reader::new(Arc::clone(kept), &track, &assets);
        let mut stream = Reader::new(forgotten, &track, &assets);
        for (at, n) in [
            (0, 100),
            (100, 5000),
            (47_990, 20),
            (48_000, 1),
            (10, 3),
            (59_990, 20),
            (70_000, 5),
            (30_000, 0),
        ] {
            let mut read = [Vec::new(), Vec::new()];
            for (reader, out) in [&mut memory, &mut stream].into_iter().zip(&mut read) {
                if reader.at() != at {
                    reader.seek(at);
                }
                reader.read(n, out).expect("a good file");
                assert_eq!(out.len(), 2 * n);
                assert_eq!(reader.at(), at + n as u64);
            }
            assert_eq!(read[0], read[1], "{n} frames from {at}");
            assert!(at >= 60_000 || n == 0 || read[0].iter().any(|s| *s != 0.0));
        }
    }
}
