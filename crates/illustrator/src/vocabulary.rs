//! Times of day and weathers: what words, palettes and skies have in common.

/// The time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    Dawn,
    Day,
    Sunset,
    Night,
}

/// The weather of a picture, such as a clip would set in motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    /// Nothing in the sky but light.
    Clear,
    /// Clouds.
    Clouds,
    /// Rain.
    Rain,
    /// Falling snow.
    Snow,
    /// Fog or mist.
    Fog,
    /// Rain, dark clouds and lightning.
    Storm,
    /// Wind.
    Wind,
}
