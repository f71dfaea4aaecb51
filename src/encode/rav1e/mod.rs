//! AV1 by rav1e, built in: closed groups of pictures, several at a time.

mod group;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use group::{Group, Row, encoder_config};
use rav1e::prelude as av1;

use crate::encode::groups::{Groups, Unit};
use crate::encode::obu;
use crate::encode::sequence::{Sequence, encoder_error};
use crate::encode::{VideoConfig, VideoEncoder, VideoSettings};
use crate::error::Result;
use crate::frame::{Frame, Packet};
use crate::plan::draw::DrawList;

/// Low, medium, high.
const ROWS: [Row; 3] = [
    Row {
        speed: 10,
        quantizer: 150,
    },
    Row {
        speed: 10,
        quantizer: 100,
    },
    Row {
        speed: 9,
        quantizer: 60,
    },
];

/// Version of the library.
pub(super) fn version() -> String {
    rav1e::version::short()
}

/// The encoder.
pub(super) struct Rav1e {
    row: Row,
    sequence: Sequence,
    groups: Groups,
    sequence_header: Option<Vec<u8>>,
}

impl Rav1e {
    /// Fails on settings that the library refuses.
    pub(super) fn new(settings: &VideoSettings) -> Result<Rav1e> {
        let sequence = Sequence::new(settings)?;
        let row = ROWS[settings.quality.row()];
        let config = av1::Config::new()
            .with_encoder_config(encoder_config(settings, row))
            .with_threads(1);
        config
            .validate()
            .map_err(|e| encoder_error("rav1e refused the settings").with_source(e))?;
        let open = Arc::new(move |first, is_cancelled: &Arc<_>| {
            let group = Group::open(&config, first, is_cancelled)?;
            Ok(Box::new(group) as Box<_>)
        });
        let (n_threads, starts) = (settings.threads.max(1), settings.keyframes.clone());
        Ok(Rav1e {
            row,
            sequence,
            groups: Groups::new("rav1e", settings, n_threads, starts, open),
            sequence_header: None,
        })
    }

    fn add(&mut self, units: Vec<Unit>, out: &mut Vec<Packet>) -> Result<()> {
        for Unit { data, .. } in units {
            let unit = obu::temporal_unit(&data)
                .ok_or_else(|| encoder_error("rav1e gave a broken temporal unit"))?;
            if let Some(header) = unit.sequence_header {
                let first = self.sequence_header.get_or_insert_with(|| header.clone());
                if *first != header {
                    return Err(encoder_error("rav1e gave two different sequence headers"));
                }
            }
            out.push(self.sequence.stamp(unit.data, unit.is_sync)?);
        }
        Ok(())
    }
}

impl VideoEncoder for Rav1e {
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
        format!(
            "rav1e {}, speed {}, quantizer {}",
            version(),
            self.row.speed,
            self.row.quantizer
        )
    }

    fn pulse(&self) -> Arc<AtomicU64> {
        self.groups.pulse()
    }
}
