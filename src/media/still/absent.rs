//! Stands in for a decoder of pictures that this build leaves out (a feature of the crate).

use super::{Header, Pixels};
use crate::media::PictureLimits;
use crate::media::refusal::Refusal;

fn refusal() -> Refusal {
    let reason =
        "is a picture of a kind that this build of kinora does not read (a feature of the crate)";
    Refusal::new("unsupported_picture", reason).hint("save it as PNG or JPEG")
}

/// Returns why it cannot be read.
pub(super) fn header<B: ?Sized>(_: &B, _: &PictureLimits) -> Result<Header, Refusal> {
    Err(refusal())
}

/// Returns why it cannot be read.
pub(super) fn pixels<B: ?Sized>(_: &B, _: &PictureLimits) -> Result<Pixels, Refusal> {
    Err(refusal())
}
