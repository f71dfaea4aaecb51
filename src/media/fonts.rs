//! Reads font files as bytes; the text module interprets them.

use std::io::Read;

use super::Assets;
use super::refusal::Refusal;
use crate::error::Problem;

/// Maximum size of a font file in bytes: the largest collections of Chinese, Japanese and Korean faces have about 120 MB.
const MAX_BYTES: u64 = 128 << 20;

/// Reads the font file that a document names at `path`, and passes it to `open`, which returns an error if it is not a font.
pub(crate) fn font_file<T>(
    name: &str,
    path: &str,
    assets: &dyn Assets,
    open: impl FnOnce(Vec<u8>) -> Result<T, String>,
) -> Result<T, Problem> {
    let read = || {
        let stream = assets
            .open(name)
            .map_err(|e| Refusal::of_open(&e, name, assets))?;
        let mut bytes = Vec::new();
        stream
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| Refusal::of_read(&e))?;
        if bytes.len() as u64 > MAX_BYTES {
            let limit = format!("has more than {MAX_BYTES} bytes, the limit for a font");
            return Err(Refusal::new("too_large", limit));
        }
        open(bytes).map_err(|why| {
            Refusal::new("not_a_font", format!("cannot be used as a font: {why}"))
                .hint("use a TrueType or OpenType file (.ttf, .otf, .ttc)")
        })
    };
    read().map_err(|refusal| refusal.problem(name, path))
}
