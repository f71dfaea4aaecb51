//! Stands in for a built-in encoder that this build leaves out (a feature of the crate).

use super::VideoSettings;
use super::grouped::GroupedEncoder;
use super::sequence::encoder_error;
use crate::error::Result;

const MISSING: &str = "is not part of this build of kinora (a feature of the crate)";

/// Returns why there is none.
pub(super) fn version() -> std::result::Result<String, String> {
    Err(MISSING.to_owned())
}

/// Returns why there is none.
pub(super) fn open(_: &VideoSettings) -> Result<GroupedEncoder> {
    Err(encoder_error(format!("the encoder asked for {MISSING}")))
}
