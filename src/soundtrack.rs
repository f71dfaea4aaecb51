//! Mixes, encodes and writes only the sound, without creating any frame.

use std::io::{Seek, Write};
use std::time::{Duration, Instant};

use crate::audio::Mixer;
use crate::caught::caught;
use crate::encode::{self, AudioCodec, AudioEncoder};
use crate::error::Result;
use crate::frame::Packet;
use crate::job::Job;
use crate::mux::{M4aWriter, OggOpusWriter, WavBits, WavWriter};
use crate::options::{Control, Render, Stage};

/// A file format for sound only, 48 kHz stereo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SoundFormat {
    /// AAC-LC in MP4.
    M4a,
    /// Opus in Ogg.
    OggOpus,
    /// PCM in WAV; RF64 beyond 4 GiB.
    Wav(WavBits),
}

impl SoundFormat {
    /// Returns the file name extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            SoundFormat::M4a => "m4a",
            SoundFormat::OggOpus => "opus",
            SoundFormat::Wav(_) => "wav",
        }
    }
}

/// Report of finished sound.
#[derive(Clone, Debug)]
pub struct SoundReport {
    /// Number of audible samples at 48 kHz.
    pub n_samples: u64,
    /// Encoder and bitrate, or the sample format.
    pub encoder: String,
    /// Wall time.
    pub elapsed: Duration,
}

impl Job {
    /// Mixes only the sound, from the output's current position, and returns the output. Of `options`, only the quality is used.
    /// Progress counts the frames whose sound is done.
    pub fn render_sound<W: Write + Seek>(
        &self,
        out: W,
        format: SoundFormat,
        options: &Render,
        control: &Control,
    ) -> Result<(W, SoundReport)> {
        caught(|| run(self, out, format, options, control))
    }
}

/// Mixes a job's sound into `out`. Of `options`, only the quality is used.
fn run<W: Write + Seek>(
    job: &Job,
    out: W,
    format: SoundFormat,
    options: &Render,
    control: &Control,
) -> Result<(W, SoundReport)> {
    let clock = Instant::now();
    let work = Work {
        job,
        control,
        clock,
    };
    work.report(Stage::Prepare, 0);
    let n_samples = job.plan().mix.n_samples;
    let (out, encoder) = match format {
        SoundFormat::M4a => {
            let mut encoder = encode::audio_encoder(AudioCodec::Aac, options.quality)?;
            let mut writer = M4aWriter::new(out, encoder.packet_samples(), n_samples)?;
            work.encode(&mut *encoder, |packet| writer.packet(packet))?;
            (writer.finish(&encoder.config())?, encoder.name())
        }
        SoundFormat::OggOpus => {
            let mut encoder = encode::audio_encoder(AudioCodec::Opus, options.quality)?;
            let mut writer = OggOpusWriter::new(out, &encoder.config(), n_samples)?;
            work.encode(&mut *encoder, |packet| writer.packet(packet))?;
            (writer.finish()?, encoder.name())
        }
        SoundFormat::Wav(bits) => (
            work.samples(WavWriter::new(out, bits, n_samples)?)?,
            bits.to_string(),
        ),
    };
    Ok((
        out,
        SoundReport {
            n_samples,
            encoder,
            elapsed: clock.elapsed(),
        },
    ))
}

/// A mix in progress.
struct Work<'a> {
    job: &'a Job,
    control: &'a Control,
    clock: Instant,
}

impl Work<'_> {
    /// Reports progress in frames whose sound is done.
    fn report(&self, stage: Stage, n_samples: u64) {
        let plan = self.job.plan();
        let time = crate::units::Time::from_samples(n_samples as i64);
        let frame = plan.rate.nearest_frame(time).min(plan.n_frames);
        self.control
            .report(stage, (frame, plan.n_frames), self.clock);
    }

    /// Creates the mixer for an encoder that may raise peaks by `overshoot_db`.
    fn mixer(&self, overshoot_db: f64) -> Result<Mixer<'_>> {
        let (mix, assets) = (&self.job.plan().mix, &**self.job.assets());
        Mixer::for_encoder(mix, assets, overshoot_db, &|| self.control.check())
    }

    fn encode(
        &self,
        encoder: &mut dyn AudioEncoder,
        mut write: impl FnMut(Packet) -> Result<()>,
    ) -> Result<()> {
        let (mut mixer, mut packets) = (self.mixer(encoder.overshoot_db())?, Vec::new());
        while let Some(block) = mixer.next_block()? {
            self.control.check()?;
            encoder.encode(&block, &mut packets)?;
            packets.drain(..).try_for_each(&mut write)?;
            self.report(Stage::Render, block.start);
        }
        encoder.finish(&mut packets)?;
        packets.into_iter().try_for_each(write)?;
        self.report(Stage::Finish, self.job.plan().mix.n_samples);
        Ok(())
    }

    fn samples<W: Write>(&self, mut writer: WavWriter<W>) -> Result<W> {
        let mut mixer = self.mixer(0.0)?;
        while let Some(block) = mixer.next_block()? {
            self.control.check()?;
            writer.block(&block)?;
            self.report(Stage::Render, block.start);
        }
        self.report(Stage::Finish, self.job.plan().mix.n_samples);
        writer.finish()
    }
}
