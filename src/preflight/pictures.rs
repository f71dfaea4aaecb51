//! Pictures and clips with too few pixels for the area they fill.

use crate::error::Warning;
use crate::plan::Plan;
use crate::scene::PictureUse;

/// A picture enlarged by more than this looks soft.
const MOST_UPSCALED: f64 = 1.5;

/// Returns one warning for each asset, at its most enlarged use.
pub(super) fn check(plan: &Plan) -> Vec<Warning> {
    let mut worst: Vec<&PictureUse> = Vec::new();
    // Blurred backdrops have no detail to lose.
    let clips = plan.clips.iter().map(|clip| &clip.look);
    let sharp = plan.pictures.iter().chain(clips);
    let sharp = sharp.filter(|used| used.blur_px == 0.0);
    for used in sharp.filter(|used| upscale(used) > MOST_UPSCALED) {
        match worst.iter_mut().find(|known| known.asset == used.asset) {
            Some(known) if upscale(known) < upscale(used) => *known = used,
            Some(_) => {}
            None => worst.push(used),
        }
    }
    worst.into_iter().map(told).collect()
}

fn upscale(used: &PictureUse) -> f64 {
    let side = |out: u32, source: f64| f64::from(out) / source.max(1e-9);
    side(used.width, used.crop[2]).max(side(used.height, used.crop[3]))
}

fn told(used: &PictureUse) -> Warning {
    let factor = upscale(used);
    let message = format!(
        "`{}` is shown at {factor:.1} times its size ({:.0}x{:.0} px fill {}x{} px) and looks soft: use a picture with at least {:.1} times as many pixels on each side",
        used.asset,
        used.crop[2],
        used.crop[3],
        used.width,
        used.height,
        factor / MOST_UPSCALED,
    );
    Warning::new("picture_too_small", used.path.clone(), message)
}
