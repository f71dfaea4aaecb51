//! Settings for x264, as names and values of its command line.

use crate::encode::VideoSettings;

/// Trades speed for size.
pub(super) const PRESET: &str = "veryfast";

/// Constant rate factor of low, medium and high, 0..=51, lower is better: the same SSIM as SVT-AV1's rows.
pub(super) const RATE_FACTORS: [f32; 3] = [27.0, 23.8, 20.0];

/// Number of frames by which decoding runs ahead of presentation: two, because B-frames are used as references.
pub(super) const LEAD: u32 = 2;

/// Returns all settings, by name; the preset comes first.
pub(super) fn parameters(settings: &VideoSettings, crf: f32) -> Vec<(&'static str, String)> {
    let text = |text: &str| text.to_owned();
    vec![
        ("preset", text(PRESET)),
        ("crf", crf.to_string()),
        (
            "fps",
            format!("{}/{}", settings.rate.num(), settings.rate.den()),
        ),
        ("force-cfr", text("1")),
        // One thread: with more, the bytes would depend on their number. Groups of pictures are encoded in parallel instead.
        ("threads", text("1")),
        // Key frames only where requested, each with a closed group of pictures.
        ("keyint", text("infinite")),
        ("scenecut", text("0")),
        ("open-gop", text("0")),
        // On the reference job, at equal SSIM: the macroblock tree saves a fifth of the bytes in the same time, as long as nothing else needs the look-ahead;
        // deciding where B-frames go saves 1 % more and takes a fifth more time.
        ("mbtree", text("1")),
        ("rc-lookahead", text("20")),
        ("b-adapt", text("0")),
        ("bframes", text("3")),
        ("b-pyramid", text("normal")),
        // Lengths instead of start codes; parameter sets with the first frame, the same for every group.
        ("annexb", text("0")),
        ("repeat-headers", text("1")),
        ("stitchable", text("1")),
        // BT.709, limited range.
        ("fullrange", text("off")),
        ("colorprim", text("bt709")),
        ("transfer", text("bt709")),
        ("colormatrix", text("bt709")),
        ("log", text("-1")),
    ]
}
