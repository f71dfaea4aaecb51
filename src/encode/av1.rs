//! What encoders of AV1 that work by groups of pictures share: temporal units, one sequence header.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::encode::groups::{Groups, Open, Unit};
use crate::encode::obu;
use crate::encode::sequence::{Sequence, encoder_error};
use crate::encode::{VideoConfig, VideoEncoder, VideoSettings};
use crate::error::Result;
use crate::frame::{Frame, Packet};
use crate::plan::draw::DrawList;

/// An encoder of AV1 over groups of pictures.
pub(super) struct Av1Encoder {
    library: &'static str,
    name: String,
    sequence: Sequence,
    groups: Groups,
    sequence_header: Option<Vec<u8>>,
}

impl Av1Encoder {
    /// `library` is for messages, `name` tells people name, version and settings. Fails when the list of key frames is not one.
    pub(super) fn new(
        settings: &VideoSettings,
        (library, name): (&'static str, String),
        open: Arc<Open>,
    ) -> Result<Av1Encoder> {
        let (n_threads, starts) = (settings.threads.max(1), settings.keyframes.clone());
        Ok(Av1Encoder {
            library,
            name,
            sequence: Sequence::new(settings)?,
            groups: Groups::new(library, settings, n_threads, starts, open),
            sequence_header: None,
        })
    }

    fn add(&mut self, units: Vec<Unit>, out: &mut Vec<Packet>) -> Result<()> {
        let library = self.library;
        for Unit { data, shown } in units {
            let broken = || encoder_error(format!("{library} gave a broken frame {shown}"));
            let unit = obu::temporal_unit(&data).ok_or_else(broken)?;
            if let Some(header) = unit.sequence_header {
                let first = self.sequence_header.get_or_insert_with(|| header.clone());
                if *first != header {
                    let message = format!("{library} gave two different sequence headers");
                    return Err(encoder_error(message));
                }
            }
            out.push(self.sequence.stamp(unit.data, unit.is_sync)?);
        }
        Ok(())
    }
}

impl VideoEncoder for Av1Encoder {
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
        self.sequence_header
            .clone()
            .map(|sequence_header| VideoConfig::Av1 { sequence_header })
            .ok_or_else(|| encoder_error("the sequence header comes with the first packet"))
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn pulse(&self) -> Arc<AtomicU64> {
        self.groups.pulse()
    }
}
