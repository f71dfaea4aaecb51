//! AV1 by rav1e, built in: closed groups of pictures, several in parallel.

mod group;

use std::sync::Arc;

use group::{Group, Row, encoder_config};
use rav1e::prelude as av1;

use crate::encode::VideoSettings;
use crate::encode::av1::Av1;
use crate::encode::grouped::{GroupedEncoder, Library};
use crate::encode::sequence::encoder_error;
use crate::error::Result;

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

/// Returns the version of the library; an error only where a build leaves it out.
pub(super) fn version() -> std::result::Result<String, String> {
    Ok(rav1e::version::short())
}

/// Opens an encoder; returns an error if the library rejects the settings.
pub(super) fn open(settings: &VideoSettings) -> Result<GroupedEncoder> {
    let row = ROWS[settings.quality.row()];
    let config = av1::Config::new()
        .with_encoder_config(encoder_config(settings, row))
        .with_threads(1);
    config
        .validate()
        .map_err(|e| encoder_error("rav1e refused the settings").with_source(e))?;
    let name = format!(
        "rav1e {}, speed {}, quantizer {}",
        rav1e::version::short(),
        row.speed,
        row.quantizer
    );
    let open = Arc::new(move |first, is_cancelled: &Arc<_>| {
        let group = Group::open(&config, first, is_cancelled)?;
        Ok(Box::new(group) as Box<_>)
    });
    let library = Library {
        library: "rav1e",
        name,
        format: Box::new(Av1::default()),
        lead: 0,
        n_threads: settings.threads.max(1),
        starts: settings.keyframes.clone(),
    };
    GroupedEncoder::new(settings, library, open)
}
