//! Settings for SVT-AV1, as names and values of its command line (`Docs/Parameters.md` of the library).

use super::layout::Version;
use crate::encode::VideoSettings;

/// A row of settings.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Speed, 13 is the fastest.
    pub(super) preset: u8,
    /// Constant rate factor, 0..=63, lower is better.
    pub(super) crf: u8,
}

/// Returns the rows for low, medium and high: an SSIM of about 0.976, 0.982 and 0.9875 on the reference job, like the other encoders. The effect of a preset
/// and of a rate factor changes with the version.
pub(super) fn rows(version: Version) -> [Row; 3] {
    let row = |(preset, crf)| Row { preset, crf };
    match version.major {
        0..=1 => [(13, 44), (12, 37), (10, 32)].map(row),
        2..=3 => [(13, 47), (12, 38), (10, 28)].map(row),
        _ => [(13, 45), (12, 36), (10, 28)].map(row),
    }
}

/// Returns all settings, by name.
pub(super) fn parameters(
    settings: &VideoSettings,
    row: Row,
    parallelism: u32,
) -> Vec<(&'static str, String)> {
    let number = |n: u32| n.to_string();
    vec![
        ("preset", number(row.preset.into())),
        ("crf", number(row.crf.into())),
        ("width", number(settings.size.width)),
        ("height", number(settings.size.height)),
        ("fps-num", number(settings.rate.num())),
        ("fps-denom", number(settings.rate.den())),
        ("input-depth", number(8)),
        ("lp", number(parallelism)),
        // Key frames only where requested, each with a closed group of pictures. Forced ones are ignored when there is no period at all (-1),
        // so the period is longer than any video.
        ("keyint", number(1 << 24)),
        ("irefresh-type", number(2)),
        ("enable-force-key-frames", number(1)),
        ("scd", number(0)),
        // BT.709, limited range (ISO/IEC 23091-2 code points).
        ("color-primaries", number(1)),
        ("transfer-characteristics", number(1)),
        ("matrix-coefficients", number(1)),
        ("color-range", number(0)),
        ("tune", number(1)),
        // Groups of 16 frames and no look-ahead beyond them: smaller and better than groups of 8 in the same time. Groups of 32 are better still, but take a
        // fifth more memory and, in version 4, a quarter more time.
        ("hierarchical-levels", number(4)),
        ("lookahead", number(0)),
    ]
}

/// Returns the parameter `lp`: a number of processors up to version 1. From version 2 on it is a level, here the library's own default for that many
/// processors; more would only cost memory.
pub(super) fn parallelism(n_threads: usize, is_level: bool) -> u32 {
    match n_threads {
        n if !is_level => n.clamp(1, 64) as u32,
        0..=1 => 1,
        2 => 2,
        3..=5 => 3,
        6..=11 => 4,
        12..=23 => 5,
        _ => 6,
    }
}
