//! Why a clip is rejected, in words that say what was found and what would be accepted.

use std::fmt::Display;

use super::ClipLimits;
use crate::media::refusal::{Refusal, guarded};

const SUPPORTED: &str = "clips may be MP4, MOV, WebM or Matroska files with H.264 (8 bits, 4:2:0, progressive), VP9 or AV1; \
     for example: ffmpeg -i INPUT -c:v libx264 -pix_fmt yuv420p OUTPUT.mp4";

/// Creates the error for a file that ends early or contains invalid data.
pub(super) fn damaged(what: impl Display) -> Refusal {
    Refusal::new("damaged_clip", format!("is damaged or cut short: {what}"))
        .hint("save or download it again")
}

/// Creates the error for a clip with too many undecodable frames in a row; `cause` is why the first of them cannot be decoded.
pub(super) fn too_many_lost(n: usize, cause: &Refusal) -> Refusal {
    let cause = cause.reason.trim_start_matches("is damaged or cut short: ");
    let reason = format!(
        "is damaged, or uses a part of its codec that is not supported: {n} frames in a row are lost ({cause})"
    );
    Refusal::new("damaged_clip", reason).hint(format!(
        "save or download it again, or convert it first; {SUPPORTED}"
    ))
}

/// Creates the error for a valid file that needs an unsupported feature; `what` follows the file's name.
pub(super) fn unsupported(what: impl Into<String>) -> Refusal {
    Refusal::new("unsupported_clip", what).hint(format!("convert it first; {SUPPORTED}"))
}

/// Creates the error for a file that is not a clip.
pub(super) fn not_a_clip(what: impl Display) -> Refusal {
    Refusal::new("not_a_clip", format!("is {what}, not a video clip")).hint(SUPPORTED)
}

/// Creates the error for a clip that exceeds [`ClipLimits`].
pub(super) fn too_large(what: impl Into<String>) -> Refusal {
    Refusal::new("too_large", what)
}

/// Creates the error for a clip protected by DRM.
pub(super) fn encrypted() -> Refusal {
    Refusal::new("encrypted_clip", "is encrypted (protected by DRM)")
        .hint("only clips without protection can be used")
}

/// Checks a coded picture's size before a decoder sees it.
pub(super) fn check_size(width: u32, height: u32, limits: &ClipLimits) -> Result<(), Refusal> {
    if width == 0 || height == 0 {
        return Err(damaged(format_args!("its header says {width}x{height}")));
    }
    let allowed = if width.max(height) > limits.side_px {
        format!("at most {} px per side are allowed", limits.side_px)
    } else if u64::from(width) * u64::from(height) > u64::from(limits.n_pixels) {
        format!("at most {} px in total are allowed", limits.n_pixels)
    } else {
        return Ok(());
    };
    Err(too_large(format!("is {width}x{height} px; {allowed}")))
}

/// Runs a decoder on untrusted bytes; a panic becomes the clip's error. The caller must then drop the decoder.
pub(super) fn guarded_clip<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    guarded(work).map_err(|refusal| match refusal.code {
        "damaged_picture" | "undecodable" => damaged("its decoder failed"),
        _ => refusal,
    })
}
