//! AVIF: the container by `mp4-atom`, the AV1 inside by libdav1d.

mod items;
mod planes;

use image::metadata::Orientation;
use moxcms::ColorProfile;

use super::{Header, Pixels, size};
use crate::bitstream::ColorFacts;
use crate::media::PictureLimits;
use crate::media::refusal::Refusal;
use items::{Image, Items, Tiles};

/// Bytes per pixel that decoding takes: four of output and one of alpha; the decoder's three planes of two, and those at 8 bits.
const BYTES_PER_PIXEL: u64 = 4 + 1 + 3 * 2 + 3;

/// Reads the container's facts.
pub(super) fn header(bytes: &[u8], limits: &PictureLimits) -> Result<Header, Refusal> {
    // A missing library is reported before a render begins.
    crate::media::av1::version().map_err(|why| planes::refusal(&why))?;
    let items = Items::read(bytes)?;
    let (image, crop) = checked(&items, limits)?;
    Ok(header_of(&image, crop))
}

/// Decodes the picture and its alpha.
pub(super) fn pixels(bytes: &[u8], limits: &PictureLimits) -> Result<Pixels, Refusal> {
    let items = Items::read(bytes)?;
    let (image, crop) = checked(&items, limits)?;
    let (color, mut rgba) = compose(&items, &image, planes::Wanted::Color)?;
    if let Some(alpha) = image.alpha {
        let alpha = items.image(alpha)?;
        if alpha.size != image.size {
            return Err(Refusal::damaged("its alpha channel has a different size"));
        }
        let (_, values) = compose(&items, &alpha, planes::Wanted::Alpha)?;
        for (pixel, value) in rgba.as_chunks_mut::<4>().0.iter_mut().zip(&values) {
            pixel[3] = *value;
        }
    }
    let header = header_of(&image, crop);
    let rgba = cut(rgba, image.size.0, crop);
    let (bytes, n_channels) = if header.has_alpha {
        (rgba, 4)
    } else {
        (without_alpha(rgba), 3)
    };
    Ok(Pixels {
        header,
        n_channels,
        bytes,
        is_premultiplied: image.is_premultiplied,
        profile: profile(&image, color)?,
    })
}

/// `[left, top, width, height]`.
type Crop = [u32; 4];

fn checked(items: &Items<'_>, limits: &PictureLimits) -> Result<(Image, Crop), Refusal> {
    let image = items.image(items.primary)?;
    let need = size::n_pixels(image.size).saturating_mul(BYTES_PER_PIXEL);
    size::check(image.size, need, limits)?;
    let whole = [0, 0, image.size.0, image.size.1];
    let crop = image.crop.unwrap_or(whole);
    Ok((image, crop))
}

fn header_of(image: &Image, [_, _, width, height]: Crop) -> Header {
    Header {
        width,
        height,
        orientation: orientation(image.quarter_turns, image.mirror),
        has_alpha: image.alpha.is_some(),
    }
}

/// Returns the orientation: turned counter-clockwise first (`irot`), then mirrored (`imir`: 0 swaps top and bottom, 1 left and right;
/// ISO/IEC 23008-12:2022, 6.5.10 and 6.5.12).
fn orientation(quarter_turns: u8, mirror: Option<u8>) -> Orientation {
    use Orientation::{
        FlipHorizontal, FlipVertical, NoTransforms, Rotate90, Rotate90FlipH, Rotate180, Rotate270,
        Rotate270FlipH,
    };
    match (quarter_turns & 3, mirror.map(|axis| axis & 1)) {
        (0, None) => NoTransforms,
        (1, None) => Rotate270,
        (2, None) => Rotate180,
        (_, None) => Rotate90,
        (0, Some(1)) | (2, Some(0)) => FlipHorizontal,
        (0 | 2, Some(_)) => FlipVertical,
        (1, Some(1)) | (3, Some(0)) => Rotate270FlipH,
        (_, Some(_)) => Rotate90FlipH,
    }
}

/// Decodes all tiles into one picture: four bytes per pixel of color, one of alpha. Also returns the color description of the first tile.
fn compose(
    items: &Items<'_>,
    image: &Image,
    wanted: planes::Wanted,
) -> Result<(ColorFacts, Vec<u8>), Refusal> {
    let n_bytes = wanted.n_bytes();
    let (width, height) = image.size;
    let (ids, columns, tile) = match &image.tiles {
        Tiles::One(id) => (std::slice::from_ref(id), 1, image.size),
        Tiles::Grid { ids, columns, tile } => (ids.as_slice(), *columns, *tile),
    };
    let mut color = None;
    let mut canvas = vec![0; width as usize * height as usize * n_bytes];
    for (at, id) in (0_u32..).zip(ids) {
        let (left, top) = (at % columns * tile.0, at / columns * tile.1);
        let decoded = planes::decode(&items.data(*id)?, tile, image.color, wanted)?;
        color.get_or_insert(decoded.color);
        let n = tile.0.min(width - left) as usize * n_bytes;
        let rows = decoded.bytes.chunks_exact(tile.0 as usize * n_bytes);
        for (y, row) in (top..height).zip(rows) {
            let start = (y as usize * width as usize + left as usize) * n_bytes;
            canvas[start..start + n].copy_from_slice(&row[..n]);
        }
    }
    let color = color.ok_or_else(size::cut_short)?;
    Ok((color, canvas))
}

/// Returns the visible part of RGBA pixels in rows of `width`.
fn cut(mut rgba: Vec<u8>, width: u32, [left, top, columns, rows]: Crop) -> Vec<u8> {
    if (left, top, columns) != (0, 0, width) {
        let n = columns as usize * 4;
        for row in 0..rows as usize {
            let from = ((top as usize + row) * width as usize + left as usize) * 4;
            rgba.copy_within(from..from + n, row * n);
        }
    }
    rgba.truncate(columns as usize * rows as usize * 4);
    rgba
}

fn without_alpha(mut rgba: Vec<u8>) -> Vec<u8> {
    let n = rgba.len() / 4;
    for i in 0..n {
        rgba.copy_within(i * 4..i * 4 + 3, i * 3);
    }
    rgba.truncate(n * 3);
    rgba
}

/// Returns the embedded profile, or one for the primaries given by code points (ITU-T H.273, tables 2 and 3); none for sRGB and BT.709.
fn profile(image: &Image, color: ColorFacts) -> Result<Option<Vec<u8>>, Refusal> {
    if image.profile.is_some() {
        return Ok(image.profile.clone());
    }
    let profile = match (color.primaries, color.transfer) {
        (_, 16 | 18) => {
            let reason = "is an AVIF picture in HDR (PQ or HLG), which is not supported";
            return Err(Refusal::new("unsupported_picture", reason)
                .hint("export it in standard range (SDR)"));
        }
        (11 | 12, _) => ColorProfile::new_display_p3(),
        (9, _) => ColorProfile::new_bt2020(),
        _ => return Ok(None),
    };
    Ok(profile.encode().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_cut_out_in_place() {
        let pixels: Vec<u8> = (0..12).flat_map(|i| [i, i, i, 255]).collect();
        // Four columns, three rows.
        let part = cut(pixels.clone(), 4, [1, 1, 2, 2]);
        let grays: Vec<u8> = part.iter().step_by(4).copied().collect();
        assert_eq!(grays, [5, 6, 9, 10]);
        assert_eq!(without_alpha(part)[..6], [5, 5, 5, 6, 6, 6]);
        assert_eq!(cut(pixels.clone(), 4, [0, 0, 4, 3]), pixels);
    }

    #[test]
    fn turns_come_before_mirrors() {
        assert_eq!(orientation(1, None), Orientation::Rotate270);
        assert_eq!(orientation(0, Some(0)), Orientation::FlipVertical);
        assert_eq!(orientation(2, Some(0)), Orientation::FlipHorizontal);
        assert_eq!(orientation(3, Some(1)), Orientation::Rotate90FlipH);
        assert_eq!(orientation(1, Some(0)), Orientation::Rotate90FlipH);
    }
}
