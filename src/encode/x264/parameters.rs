//! What x264 is told, as names and values of its command line.

use crate::encode::VideoSettings;

/// A row of settings.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Trades speed for size.
    pub(super) preset: &'static str,
    /// Constant rate factor, 0..=51, less is better.
    pub(super) crf: f32,
}

/// Low, medium, high.
pub(super) const ROWS: [Row; 3] = [
    Row {
        preset: "veryfast",
        crf: 27.5,
    },
    Row {
        preset: "veryfast",
        crf: 23.5,
    },
    Row {
        preset: "veryfast",
        crf: 18.5,
    },
];

/// Frames by which decoding runs ahead of showing: B-frames that others refer to need two.
pub(super) const LEAD: u32 = 2;

/// Everything that is set, by name; the preset comes first.
pub(super) fn parameters(settings: &VideoSettings, row: Row) -> Vec<(&'static str, String)> {
    let text = |text: &str| text.to_owned();
    vec![
        ("preset", text(row.preset)),
        ("crf", row.crf.to_string()),
        (
            "fps",
            format!("{}/{}", settings.rate.num(), settings.rate.den()),
        ),
        ("force-cfr", text("1")),
        // One thread: more of them would change the bytes with their number. Groups of pictures are encoded at once instead.
        ("threads", text("1")),
        // Key frames only where asked for, each with a closed group of pictures.
        ("keyint", text("infinite")),
        ("scenecut", text("0")),
        ("open-gop", text("0")),
        // The tree spends on key frames what later frames inherit, and with a key frame every 2 s these are too few: without it files are smaller at equal
        // SSIM. Then only B-frames would need a look-ahead; always three of them are no larger, and a third of the time is saved.
        ("mbtree", text("0")),
        ("rc-lookahead", text("0")),
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
