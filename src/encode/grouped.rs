//! The only implementation of video encoders: frames go to a library's encoders in groups of pictures and come back as samples of a file.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::encode::groups::{Groups, Open, Unit};
use crate::encode::sequence::{Sequence, encoder_error};
use crate::encode::{VideoConfig, VideoEncoder, VideoSettings};
use crate::error::Result;
use crate::frame::{Frame, Packet};
use crate::scene::draw::DrawList;

/// A unit of a stream as stored in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) data: Vec<u8>,
    /// Whether decoding can start here.
    pub(super) is_sync: bool,
}

/// What differs between codecs: how a unit becomes a sample, and which parameters are stored once for the whole stream.
pub(super) trait Format: Send {
    /// Converts a unit to a sample; the stream's parameters are removed and kept. An error describes the unit, such as "a broken frame".
    fn sample(&mut self, unit: &[u8]) -> std::result::Result<Sample, &'static str>;

    /// Returns the parameters of the stream; `None` before the first unit.
    fn config(&self) -> Option<VideoConfig>;
}

/// A library and how its encoders are used.
pub(super) struct Library {
    /// Name for messages and threads.
    pub(super) library: &'static str,
    /// Description for people: name, version, settings.
    pub(super) name: String,
    pub(super) format: Box<dyn Format>,
    /// Number of frames by which decoding runs ahead of presentation.
    pub(super) lead: u32,
    /// Number of encoders that run in parallel.
    pub(super) n_threads: usize,
    /// Frames at which a new encoder starts, ascending, the first 0.
    pub(super) starts: Vec<u64>,
}

/// An encoder over groups of pictures.
pub(super) struct GroupedEncoder {
    library: &'static str,
    name: String,
    format: Box<dyn Format>,
    lead: u32,
    sequence: Sequence,
    groups: Groups,
}

impl GroupedEncoder {
    /// Creates the encoder; returns an error if the list of key frames does not start with 0 or is not ascending.
    pub(super) fn new(
        settings: &VideoSettings,
        library: Library,
        open: Arc<Open>,
    ) -> Result<GroupedEncoder> {
        let sequence = Sequence::new(settings)?;
        let (starts, n_threads) = (library.starts, library.n_threads);
        Ok(GroupedEncoder {
            groups: Groups::new(library.library, settings, n_threads, starts, open),
            library: library.library,
            name: library.name,
            format: library.format,
            lead: library.lead,
            sequence,
        })
    }

    fn add(&mut self, units: Vec<Unit>, out: &mut Vec<Packet>) -> Result<()> {
        let library = self.library;
        for Unit { data, shown } in units {
            let sample = self.format.sample(&data).map_err(|what| {
                encoder_error(format!("{library} returned {what} (frame {shown})"))
            })?;
            let place = (shown, self.lead);
            out.push(self.sequence.stamp(sample, place)?);
        }
        Ok(())
    }
}

impl VideoEncoder for GroupedEncoder {
    fn encode(&mut self, frame: &Frame, _known: &DrawList, out: &mut Vec<Packet>) -> Result<()> {
        let is_key = self.sequence.admit(frame)?;
        let mut units = Vec::new();
        self.groups.encode(frame, is_key, &mut units)?;
        self.add(units, out)
    }

    fn finish(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        self.sequence.check_not_empty()?;
        let mut units = Vec::new();
        self.groups.finish(&mut units)?;
        self.add(units, out)?;
        self.sequence.check_complete()
    }

    fn config(&self) -> Result<VideoConfig> {
        let missing = || encoder_error("the stream's parameters come with the first packet");
        self.format.config().ok_or_else(missing)
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn pulse(&self) -> Arc<AtomicU64> {
        self.groups.pulse()
    }
}
