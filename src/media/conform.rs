//! Turns a decoded picture into what the plan requests: part, size, orientation, blur, brightness.
//!
//! Resampling works on premultiplied, non-linear sRGB at 8 bits, as the compositor blends (see `compose`) and as browsers and video editors
//! scale by default. Linear light would darken thin bright lines less, but costs four times as much and differs from what authors see elsewhere.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::{U8, U8x3, U8x4};
use fast_image_resize::{FilterType, ImageView, PixelTrait, ResizeAlg, ResizeOptions, Resizer};
use image::metadata::Orientation;
use image::{DynamicImage, RgbaImage};

use super::decode::Source;
use super::still::Header;
use super::{Picture, PictureLimits, blur};
use crate::error::{Error, ErrorKind, Result};
use crate::scene::PictureUse;
use crate::units::within;

/// How far a crop may extend outside the source, px: more is an error in the plan, less is rounding.
const CROP_SLACK: f64 = 0.01;

/// Makes the picture of `wanted` from its source, which stays available for other uses.
///
/// # Errors
/// `Internal` when the plan requests an impossible size or part.
pub(crate) fn conform(
    source: &Source,
    wanted: &PictureUse,
    limits: &PictureLimits,
) -> Result<Picture> {
    check(wanted, limits)?;
    let crop = stored_crop(source, wanted)?;
    let (width, height) = if source.header.is_sideways() {
        (wanted.height, wanted.width)
    } else {
        (wanted.width, wanted.height)
    };
    let resampled = resample(source, crop, width, height)
        .map_err(|e| internal(wanted, "cannot be resampled").with_source(e))?;
    let rgba = to_rgba(resampled, source.n_channels);
    let mut rgba = turn(rgba, (width, height), source.header.orientation)
        .ok_or_else(|| internal(wanted, "was resampled to the wrong size"))?;
    finish(&mut rgba, wanted);
    let opaque = source.n_channels != 4 || rgba.chunks_exact(4).all(|p| p[3] == 255);
    Ok(Picture {
        width: wanted.width,
        height: wanted.height,
        rgba,
        opaque,
    })
}

/// Makes the picture of `wanted` from a clip's frame that is `shown` with this many columns and rows of square px.
///
/// # Errors
/// `Internal` when the plan requests an impossible size or part.
pub(crate) fn conform_frame(
    frame: &RgbaImage,
    shown: (u32, u32),
    wanted: &PictureUse,
    limits: &PictureLimits,
) -> Result<Picture> {
    check(wanted, limits)?;
    let to_px = [shown.0, shown.1].map(f64::from);
    let scale = [
        f64::from(frame.width()) / to_px[0],
        f64::from(frame.height()) / to_px[1],
    ];
    let Some([x, y, width, height]) = inside(wanted.crop, (to_px[0], to_px[1])) else {
        return Err(internal(
            wanted,
            "the plan requests a part outside the clip",
        ));
    };
    let crop = [
        x * scale[0],
        y * scale[1],
        width * scale[0],
        height * scale[1],
    ];
    let size = (wanted.width, wanted.height);
    let is_whole = crop == [0.0, 0.0, f64::from(size.0), f64::from(size.1)];
    let mut rgba = if is_whole && frame.dimensions() == size {
        frame.as_raw().clone()
    } else {
        let (width, height) = frame.dimensions();
        TypedImageRef::<U8x4>::from_buffer(width, height, frame.as_raw())
            .map_err(Into::into)
            .and_then(|from| part(&from, crop, size))
            .map_err(|e| internal(wanted, "cannot be resampled").with_source(e))?
    };
    finish(&mut rgba, wanted);
    Ok(Picture {
        width: wanted.width,
        height: wanted.height,
        rgba,
        opaque: true,
    })
}

/// Applies blur and brightness.
fn finish(rgba: &mut [u8], wanted: &PictureUse) {
    if wanted.blur_px > 0.0 {
        blur::gaussian(rgba, wanted.width as usize, wanted.blur_px);
    }
    if wanted.brightness != 1.0 {
        brighten(rgba, wanted.brightness);
    }
}

fn internal(wanted: &PictureUse, what: &str) -> Error {
    Error::new(ErrorKind::Internal, what).at(format_args!("{} (`{}`)", wanted.path, wanted.asset))
}

fn check(wanted: &PictureUse, limits: &PictureLimits) -> Result<()> {
    let n_pixels = u64::from(wanted.width) * u64::from(wanted.height);
    let sides = 1..=limits.side_px;
    let is_good = sides.contains(&wanted.width)
        && sides.contains(&wanted.height)
        && n_pixels <= limits.n_pixels
        && wanted.blur_px.is_finite()
        && wanted.brightness.is_finite();
    if is_good {
        return Ok(());
    }
    let what = format!(
        "the plan requests {}x{} px, blur {} px, brightness {}, which is not possible",
        wanted.width, wanted.height, wanted.blur_px, wanted.brightness
    );
    Err(internal(wanted, &what))
}

/// Converts the wanted part of the upright picture to a part of the stored one, so that only the kept part is turned.
fn stored_crop(source: &Source, wanted: &PictureUse) -> Result<[f64; 4]> {
    use Orientation as O;
    let header = &source.header;
    let (w, h) = (f64::from(header.width), f64::from(header.height));
    let (upright_width, upright_height) = header.upright_size();
    let upright = (f64::from(upright_width), f64::from(upright_height));
    let [x, y, cw, ch] = inside(wanted.crop, upright).ok_or_else(|| {
        let what = format!(
            "the plan requests the part {:?} of {upright_width}x{upright_height} px",
            wanted.crop
        );
        internal(wanted, &what)
    })?;
    Ok(match header.orientation {
        O::NoTransforms => [x, y, cw, ch],
        O::FlipHorizontal => [w - x - cw, y, cw, ch],
        O::Rotate180 => [w - x - cw, h - y - ch, cw, ch],
        O::FlipVertical => [x, h - y - ch, cw, ch],
        O::Rotate90FlipH => [y, x, ch, cw],
        O::Rotate90 => [y, h - x - cw, ch, cw],
        O::Rotate270FlipH => [w - y - ch, h - x - cw, ch, cw],
        O::Rotate270 => [w - y - ch, x, ch, cw],
    })
}

/// Clips the crop to the picture; returns `None` when it is empty or extends outside by more than rounding.
fn inside([x, y, width, height]: [f64; 4], (w, h): (f64, f64)) -> Option<[f64; 4]> {
    let is_good = |from: f64, len: f64, side: f64| {
        len > 0.0 && from >= -CROP_SLACK && from + len <= side + CROP_SLACK
    };
    if !is_good(x, width, w) || !is_good(y, height, h) {
        return None;
    }
    let (left, top) = (within(x, 0.0, w), within(y, 0.0, h));
    let (right, bottom) = ((x + width).min(w), (y + height).min(h));
    (right > left && bottom > top).then_some([left, top, right - left, bottom - top])
}

type Resampled = std::result::Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>>;

fn resample(source: &Source, crop: [f64; 4], width: u32, height: u32) -> Resampled {
    let Header {
        width: from_width,
        height: from_height,
        ..
    } = source.header;
    let (pixels, size) = (&source.pixels, (width, height));
    match source.n_channels {
        1 => part::<U8>(
            &TypedImageRef::from_buffer(from_width, from_height, pixels)?,
            crop,
            size,
        ),
        3 => part::<U8x3>(
            &TypedImageRef::from_buffer(from_width, from_height, pixels)?,
            crop,
            size,
        ),
        _ => part::<U8x4>(
            &TypedImageRef::from_buffer(from_width, from_height, pixels)?,
            crop,
            size,
        ),
    }
}

/// Resamples a part of an image to `width` and `height`. The pixel type is chosen at compile time: `Resizer::resize` would compile all thirteen.
fn part<P: PixelTrait>(
    from: &TypedImageRef<P>,
    [x, y, w, h]: [f64; 4],
    (width, height): (u32, u32),
) -> Resampled {
    let mut pixels = vec![0; width as usize * height as usize * P::size()];
    let mut to = TypedImage::<P>::from_buffer(width, height, &mut pixels)?;
    // Flipped and scaled crops are differences and products of floats: they may cross the border by an ulp.
    let (left, top) = (x.max(0.0), y.max(0.0));
    let right = (left + w).min(f64::from(from.width()));
    let bottom = (top + h).min(f64::from(from.height()));
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3))
        .crop(left, top, right - left, bottom - top)
        .use_alpha(false);
    Resizer::new().resize_typed(from, &mut to, &options)?;
    Ok(pixels)
}

/// Converts to four channels. Overshoot of the filter can lift a color above its alpha, which is invalid for premultiplied colors.
fn to_rgba(pixels: Vec<u8>, n_channels: usize) -> Vec<u8> {
    match n_channels {
        1 => pixels.iter().flat_map(|&v| [v, v, v, 255]).collect(),
        3 => pixels
            .chunks_exact(3)
            .flat_map(|p| [p[0], p[1], p[2], 255])
            .collect(),
        _ => {
            let mut pixels = pixels;
            for p in pixels.chunks_exact_mut(4) {
                let alpha = p[3];
                p[..3].iter_mut().for_each(|v| *v = (*v).min(alpha));
            }
            pixels
        }
    }
}

fn turn(rgba: Vec<u8>, (width, height): (u32, u32), orientation: Orientation) -> Option<Vec<u8>> {
    let mut image = DynamicImage::ImageRgba8(RgbaImage::from_raw(width, height, rgba)?);
    image.apply_orientation(orientation);
    Some(image.into_rgba8().into_raw())
}

fn brighten(rgba: &mut [u8], brightness: f32) {
    let scaled: [u8; 256] = std::array::from_fn(|v| (v as f32 * brightness.max(0.0) + 0.5) as u8);
    for p in rgba.chunks_exact_mut(4) {
        let alpha = p[3];
        p[..3]
            .iter_mut()
            .for_each(|v| *v = scaled[usize::from(*v)].min(alpha));
    }
}
