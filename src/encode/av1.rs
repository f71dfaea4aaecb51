//! AV1 as stored in a file: temporal units without delimiters, one sequence header.

use crate::bitstream::temporal_unit::temporal_unit;
use crate::encode::VideoConfig;
use crate::encode::grouped::{Format, Sample};

/// The sequence header, known from the first unit on.
#[derive(Debug, Default)]
pub(super) struct Av1 {
    sequence_header: Option<Vec<u8>>,
}

impl Format for Av1 {
    fn sample(&mut self, unit: &[u8]) -> std::result::Result<Sample, &'static str> {
        let unit = temporal_unit(unit).ok_or("a broken frame")?;
        if let Some(header) = unit.sequence_header {
            let first = self.sequence_header.get_or_insert_with(|| header.clone());
            if *first != header {
                return Err("a second, different sequence header");
            }
        }
        Ok(Sample {
            data: unit.data,
            is_sync: unit.is_sync,
        })
    }

    fn config(&self) -> Option<VideoConfig> {
        let sequence_header = self.sequence_header.clone()?;
        Some(VideoConfig::Av1 { sequence_header })
    }
}
