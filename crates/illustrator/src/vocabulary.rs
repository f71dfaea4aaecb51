//! Times of day and weathers: what words, palettes and skies have in common.

/// The time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    Dawn,
    Day,
    Sunset,
    Night,
}

/// The weather of a picture, as a clip would animate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    /// A clear sky.
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
