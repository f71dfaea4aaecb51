//! Bitmaps inside fonts (`sbix`, `CBDT`): limits on those a glyph may be drawn from.
//!
//! The decoder allocates the size a bitmap claims before reading it, and its search of a sorted index (format 4) may not terminate.

use skrifa::bitmap::{BitmapData, BitmapStrikes};
use skrifa::raw::TableProvider;
use skrifa::{FontRef, GlyphId, Tag};

/// Maximum number of bitmap sizes in a font.
const MAX_STRIKES: usize = 64;

/// Maximum number of glyph ranges per size.
const MAX_RANGES: u32 = 65_536;

/// Largest bitmap: px per side, and stored bytes. Unpacked data has at most 1032 times as many bytes (deflate).
const MAX_SIDE_PX: u32 = 1024;
const MAX_BYTES: usize = 256 << 10;

/// Maximum width and height of a bitmap, em.
const MAX_SIDE_EM: f32 = 2.0;

/// Returns whether the index of a face's bitmaps can be searched.
pub(super) fn can_be_searched(font: &FontRef<'_>) -> bool {
    if font.table_data(Tag::new(b"sbix")).is_some() {
        return font
            .sbix()
            .is_ok_and(|sbix| sbix.num_strikes() as usize <= MAX_STRIKES);
    }
    let Some(table) = font.table_data(Tag::new(b"CBLC")) else {
        return true;
    };
    let number = |at: usize| table.read_at::<u32>(at).ok();
    let Some(n_sizes) = number(4).filter(|n| *n as usize <= MAX_STRIKES) else {
        return false;
    };
    (0..n_sizes as usize).all(|size| {
        let record = 8 + 48 * size;
        let (Some(ranges), Some(n)) = (number(record), number(record + 8)) else {
            return false;
        };
        let ranges = ranges as usize;
        let format = |i: usize| {
            let offset = number(ranges + 8 * i + 4)?;
            table
                .read_at::<u16>(ranges.checked_add(offset as usize)?)
                .ok()
        };
        n <= MAX_RANGES && (0..n as usize).all(|i| matches!(format(i), Some(1..=3 | 5)))
    })
}

/// Returns whether all bitmaps of a glyph are small enough to draw; `false` if it has none.
pub(super) fn are_small(font: &FontRef<'_>, glyph: u16) -> bool {
    let id = GlyphId::from(glyph);
    // References to other glyphs, and formats other than PNG, are not drawn here.
    let is_png = |strike: usize| {
        let Ok(sbix) = font.sbix() else {
            return true;
        };
        let strike = sbix.strikes().get(strike);
        let data = strike.and_then(|strike| strike.glyph_data(id));
        data.is_ok_and(|data| data.is_none_or(|data| data.graphic_type() == Tag::new(b"png ")))
    };
    let strikes = BitmapStrikes::new(font);
    let n = strikes.len();
    if n > MAX_STRIKES || !(0..n).all(is_png) {
        return false;
    }
    let pictures: Vec<_> = strikes.iter().filter_map(|strike| strike.get(id)).collect();
    !pictures.is_empty()
        && pictures.iter().all(|picture| {
            let (bytes, side) = match picture.data {
                BitmapData::Png(bytes) => (bytes, png_side(bytes)),
                BitmapData::Bgra(bytes) => (bytes, Some(picture.width.max(picture.height))),
                BitmapData::Mask(_) => return true,
            };
            let ppem = picture.ppem_x.min(picture.ppem_y);
            bytes.len() <= MAX_BYTES
                && side.is_some_and(|side| {
                    (1..=MAX_SIDE_PX).contains(&side) && side as f32 <= MAX_SIDE_EM * ppem
                })
        })
}

/// Returns the longer side of a PNG file (PNG specification, `IHDR`).
fn png_side(bytes: &[u8]) -> Option<u32> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some(number(16)?.max(number(20)?))
}
