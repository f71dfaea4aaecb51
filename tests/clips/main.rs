//! Clips: every frame the right one, colors, and files that are not what they say.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod against_ffmpeg;
mod animations;
mod elsewhere;
mod exact;
mod hostile;
mod impostors;
mod lies;
mod looks;
mod lost;
mod numbers;
mod refused;
mod shots;

use kinora::media::FolderAssets;
use kinora::media::clip::{ClipLimits, ClipReader};

fn fixtures() -> FolderAssets {
    FolderAssets::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clips/fixtures"))
}

fn open(name: &str) -> ClipReader {
    ClipReader::of_asset(name, &fixtures(), &ClipLimits::default())
        .unwrap_or_else(|e| panic!("{e}"))
}
