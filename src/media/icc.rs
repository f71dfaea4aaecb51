//! Embedded color profiles: converts pixels of any RGB or gray profile to non-linear sRGB.
//!
//! A profile that is broken, or for another color model than the pixels (CMYK pictures arrive as RGB), is ignored, as in browsers:
//! the picture is then assumed to be sRGB.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use moxcms::{
    ColorProfile, DataColorSpace, Layout, RenderingIntent, Transform8BitExecutor, TransformOptions,
};

/// Maximum size of a profile in bytes; display profiles have a few kB, printers' up to 3 MB.
const PROFILE_BYTES: usize = 8 << 20;

/// Converts straight (not premultiplied) pixels of `n_channels` (1 gray, 3 RGB, 4 RGBA) in place.
pub(crate) fn to_srgb(pixels: &mut [u8], n_channels: usize, profile: &[u8]) {
    if profile.len() > PROFILE_BYTES {
        return;
    }
    let convert = || {
        let profile = ColorProfile::new_from_slice(profile).ok()?;
        if n_channels == 1 {
            let curve = gray_curve(&profile)?;
            pixels.iter_mut().for_each(|v| *v = curve[usize::from(*v)]);
            return Some(());
        }
        if is_srgb(&profile)? {
            return None;
        }
        let layout = if n_channels == 4 {
            Layout::Rgba
        } else {
            Layout::Rgb
        };
        convert_rgb(pixels, n_channels, &*transform(&profile, layout, layout)?)
    };
    // A profile is an untrusted program of curves and tables; if its reader panics, the pixels converted so far are still valid bytes.
    let _: Option<()> = catch_unwind(AssertUnwindSafe(convert)).ok().flatten();
}

fn transform(
    profile: &ColorProfile,
    from: Layout,
    to: Layout,
) -> Option<Arc<Transform8BitExecutor>> {
    let wanted = if from == Layout::Gray {
        DataColorSpace::Gray
    } else {
        DataColorSpace::Rgb
    };
    if profile.color_space != wanted {
        return None;
    }
    let options = TransformOptions {
        rendering_intent: RenderingIntent::Perceptual,
        ..TransformOptions::default()
    };
    profile
        .create_transform_8bit(from, &ColorProfile::new_srgb(), to, options)
        .ok()
}

/// Converts in strips, since the converter needs separate output and a second whole picture would take too much memory.
fn convert_rgb(
    pixels: &mut [u8],
    n_channels: usize,
    transform: &Transform8BitExecutor,
) -> Option<()> {
    const STRIP_PIXELS: usize = 16 * 1024;
    let mut before = Vec::with_capacity(STRIP_PIXELS * n_channels);
    for strip in pixels.chunks_mut(STRIP_PIXELS * n_channels) {
        before.clear();
        before.extend_from_slice(strip);
        transform.transform(&before, strip).ok()?;
    }
    Some(())
}

/// Returns whether the profile moves no color of a 6x6x6 grid by more than one code: then it is one of the many variants of sRGB.
fn is_srgb(profile: &ColorProfile) -> Option<bool> {
    let step = |i: usize| (i % 6 * 51) as u8;
    let grid: Vec<u8> = (0..216)
        .flat_map(|i| [step(i), step(i / 6), step(i / 36)])
        .collect();
    let mut converted = vec![0; grid.len()];
    transform(profile, Layout::Rgb, Layout::Rgb)?
        .transform(&grid, &mut converted)
        .ok()?;
    Some(
        grid.iter()
            .zip(&converted)
            .all(|(a, b)| a.abs_diff(*b) <= 1),
    )
}

/// Returns the sRGB gray for each gray of the profile. Gray pictures with an RGB profile use its grays.
fn gray_curve(profile: &ColorProfile) -> Option<[u8; 256]> {
    let is_gray = profile.color_space == DataColorSpace::Gray;
    let (from, n_from) = if is_gray {
        (Layout::Gray, 1)
    } else {
        (Layout::Rgb, 3)
    };
    let grays: Vec<u8> = (0..=255u8)
        .flat_map(|v| std::iter::repeat_n(v, n_from))
        .collect();
    let mut rgb = vec![0; 256 * 3];
    transform(profile, from, Layout::Rgb)?
        .transform(&grays, &mut rgb)
        .ok()?;
    Some(std::array::from_fn(|i| rgb[i * 3 + 1]))
}
