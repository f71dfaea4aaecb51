//! Expresses a wanted size for a model that supports only some sizes.

use kinora::units::within;

use super::models::Sizing;

/// Sides are multiples of this many px, as all current diffusion models require.
const STEP_PX: u32 = 16;
/// Shortest side requested, px.
const MIN_SIDE_PX: u32 = 256;

/// A size in the form that a model takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Width and height, px.
    Pixels(u32, u32),
    /// A ratio such as `9:16`.
    Aspect(String),
    /// A size such as `1024x1536`.
    Named(String),
}

impl Sizing {
    /// Returns the size for this model if `width` x `height` px are wanted; `None` if it takes no size at all. The picture is cropped to the wanted ratio
    /// later.
    pub fn told(&self, width: u32, height: u32) -> Option<Told> {
        match self {
            Sizing::Pixels(max_side) => {
                let longest = width.max(height).max(1);
                let scale = (f64::from(*max_side) / f64::from(longest)).min(1.0);
                let side = |px: u32| {
                    let steps = (f64::from(px) * scale / f64::from(STEP_PX)).round() as u32;
                    within(steps * STEP_PX, MIN_SIDE_PX, *max_side)
                };
                Some(Told::Pixels(side(width), side(height)))
            }
            Sizing::Aspect(ratios) => nearest(ratios, ':', width, height).map(Told::Aspect),
            Sizing::Named(sizes) => nearest(sizes, 'x', width, height).map(Told::Named),
        }
    }
}

/// Returns the name with the nearest ratio; ratios are compared by their logarithms.
pub fn nearest(names: &[String], mark: char, width: u32, height: u32) -> Option<String> {
    let wanted = (f64::from(width.max(1)) / f64::from(height.max(1))).ln();
    let distance = |name: &String| {
        let (w, h) = name.split_once(mark)?;
        let ratio = w.parse::<f64>().ok()? / h.parse::<f64>().ok()?;
        (ratio.is_finite() && ratio > 0.0).then(|| (ratio.ln() - wanted).abs())
    };
    let measured = names
        .iter()
        .filter_map(|name| Some((distance(name)?, name)));
    measured
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn sizes_are_told_in_the_models_terms() {
        assert_eq!(
            Sizing::Pixels(1920).told(1080, 1920),
            Some(Told::Pixels(1088, 1920))
        );
        assert_eq!(
            Sizing::Pixels(1344).told(1080, 1920),
            Some(Told::Pixels(752, 1344))
        );
        assert_eq!(
            Sizing::Pixels(1920).told(100, 4000),
            Some(Told::Pixels(256, 1920))
        );
        let aspects = Sizing::Aspect(names(&["16:9", "9:16", "1:1"]));
        assert_eq!(aspects.told(1080, 1920), Some(Told::Aspect("9:16".into())));
        assert_eq!(aspects.told(1000, 1100), Some(Told::Aspect("1:1".into())));
        let sizes = Sizing::Named(names(&["1024x1024", "1536x1024", "1024x1536"]));
        assert_eq!(
            sizes.told(1080, 1920),
            Some(Told::Named("1024x1536".into()))
        );
        assert_eq!(Sizing::Named(names(&["large"])).told(1, 1), None);
    }
}
