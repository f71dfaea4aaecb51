//! Whether a file reaches its own end, for the formats whose decoders fill up what is missing instead of saying so.

use image::ImageFormat;

use super::refusal::Refusal;

/// Refuses a JPEG without an end-of-image marker or with fewer bytes than its pixels need, and a WebP shorter than it says.
///
/// The JPEG decoder paints missing rows gray and reports success, so half a photo would pass in silence, and a few bytes could make it
/// fill gigabytes. The other formats' decoders report a missing end themselves.
pub(crate) fn check(bytes: &[u8], format: ImageFormat, n_pixels: u64) -> Result<(), Refusal> {
    let is_whole = match format {
        // A Huffman code has one bit at least, and every block of 64 px has one for its mean, in all modes that are read.
        ImageFormat::Jpeg => n_pixels / 64 / 8 <= bytes.len() as u64 && jpeg_has_end(bytes),
        ImageFormat::WebP => webp_has_end(bytes),
        _ => true,
    };
    if is_whole {
        Ok(())
    } else {
        Err(Refusal::damaged("the file ends before the picture does"))
    }
}

/// Follows the segments (ITU-T T.81, B.1.1) up to the end marker after the first scan.
///
/// Segments are skipped by their lengths, so the end marker of a thumbnail inside EXIF does not count.
fn jpeg_has_end(bytes: &[u8]) -> bool {
    let mut at = 2;
    let mut in_scan = false;
    loop {
        // Inside a scan anything but a marker is coded data; between segments decoders skip strays too.
        let Some(skip) = bytes
            .get(at..)
            .and_then(|rest| rest.iter().position(|&b| b == 0xff))
        else {
            return false;
        };
        at += skip + 1;
        match bytes.get(at) {
            None => return false,
            // A stuffed byte, a restart marker, padding, a start: no length follows.
            Some(0x00 | 0x01 | 0xd0..=0xd8) => at += 1,
            Some(0xff) => {}
            Some(0xd9) => {
                if in_scan {
                    return true;
                }
                at += 1;
            }
            Some(&marker) => {
                let Some(&[high, low]) = bytes.get(at + 1..at + 3) else {
                    return false;
                };
                in_scan |= marker == 0xda;
                at += 1 + usize::from(u16::from_be_bytes([high, low])).max(2);
            }
        }
    }
}

/// The length in the RIFF header (RFC 9649, section 2.4) against the real one.
fn webp_has_end(bytes: &[u8]) -> bool {
    match bytes.get(4..8) {
        Some(&[a, b, c, d]) => {
            let riff_bytes = u64::from(u32::from_le_bytes([a, b, c, d]));
            bytes.len() as u64 >= riff_bytes.saturating_add(8)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_thumbnail_is_not_the_end_of_the_picture() {
        let mut jpeg = vec![0xff, 0xd8, 0xff, 0xe1, 0, 6, 0xff, 0xda, 0xff, 0xd9];
        jpeg.extend([0xff, 0xda, 0, 2, 1, 2, 0xff, 0, 3, 0xff, 0xd0, 4]);
        assert!(check(&jpeg, ImageFormat::Jpeg, 1).is_err());
        jpeg.extend([0xff, 0xd9]);
        assert!(check(&jpeg, ImageFormat::Jpeg, 1).is_ok());
        assert!(check(&jpeg, ImageFormat::Jpeg, 1_000_000).is_err());
    }
}
