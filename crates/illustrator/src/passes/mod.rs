//! Treatments: a style is a list of passes over the painted picture, each small and general.
//!
//! Takes a [`Film`] and passes, and changes the film. It never knows what the picture shows.

mod film;
mod lens;
mod line;
mod print;
mod tone;

pub(crate) use film::Film;

/// One step of a treatment. Lengths are in thousandths of the picture's mean side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pass {
    /// Factors of contrast and saturation (1: no change); brightness and warmth added (0: no change).
    Tone(f32, f32, f32, f32),
    /// Colors by lightness, from dark to light, mixed in.
    Ramp(&'static [u32], f32),
    /// Steps of lightness and how soft their edges are, 0 to 1.
    Posterize(f32, f32),
    /// Darker corners, 0 to 1.
    Vignette(f32),
    /// Film grain: amount and size of a grain.
    Grain(f32, f32),
    /// The grain of paper, 0 to 1.
    Paper(f32),
    /// A lamp at the camera: a bright middle, hard blacks.
    Flash(f32),
    /// Red and blue shifted apart.
    Fringe(f32),
    /// An uneven edge of bare paper.
    Border(f32),
    /// Lines where colors meet: strength, width, ink.
    Outline(f32, f32, u32),
    /// Crossing pen strokes in the shade: pitch, strength, ink.
    Hatch(f32, f32, u32),
    /// Lines that swell with the shade, as in a copperplate engraving: pitch, strength.
    Engrave(f32, f32),
    /// Pencil on paper: how much color stays, how dark the pencil.
    Pencil(f32, f32),
    /// Printed dots: pitch, strength.
    Halftone(f32, f32),
    /// Square pixels: side, levels of each channel; dithered.
    Pixels(f32, f32),
    /// Light spread around bright parts.
    Bloom(f32),
    /// Blur away from the middle.
    Focus(f32),
    /// Discs of light, out of focus.
    Bokeh(f32),
    /// Blur along a line: length.
    Streak(f32),
    /// Contrast against the surroundings.
    Local(f32),
    /// Distortion as by an unsteady hand: how far.
    Wobble(f32),
    /// Strokes of a broad brush: radius.
    Brush(f32),
    /// Light over the picture as a surface: strength, width.
    Relief(f32, f32),
    /// Blur: radius.
    Soften(f32),
    /// Pigment that gathers at the edges of washes.
    Pool(f32),
}

/// Applies a treatment.
pub(crate) fn treat(film: &mut Film, passes: &[Pass]) {
    for pass in passes {
        match *pass {
            Pass::Tone(contrast, saturation, bright, warm) => {
                tone::tone(film, [contrast, saturation, bright, warm]);
            }
            Pass::Ramp(colors, mix) => tone::ramp_map(film, colors, mix),
            Pass::Posterize(levels, soft) => tone::posterize(film, levels, soft),
            Pass::Vignette(k) => tone::vignette(film, k),
            Pass::Grain(k, size) => tone::film_grain(film, k, size),
            Pass::Paper(k) => tone::paper_grain(film, k),
            Pass::Flash(k) => tone::flash(film, k),
            Pass::Fringe(k) => lens::fringe(film, k),
            Pass::Border(k) => tone::border(film, k),
            Pass::Outline(k, width, ink) => line::outline(film, k, width, ink),
            Pass::Hatch(pitch, k, ink) => line::hatch(film, pitch, k, ink),
            Pass::Engrave(pitch, k) => line::engrave(film, pitch, k),
            Pass::Pencil(color, dark) => line::pencil(film, color, dark),
            Pass::Halftone(pitch, k) => print::halftone(film, pitch, k),
            Pass::Pixels(side, levels) => print::pixels(film, side, levels),
            Pass::Bloom(k) => lens::bloom(film, k),
            Pass::Focus(k) => lens::focus(film, k),
            Pass::Bokeh(k) => lens::bokeh(film, k),
            Pass::Streak(length) => lens::streak(film, length),
            Pass::Local(k) => lens::local(film, k),
            Pass::Wobble(k) => lens::wobble(film, k),
            Pass::Brush(radius) => print::brush(film, radius),
            Pass::Relief(k, width) => lens::relief(film, k, width),
            Pass::Soften(radius) => lens::soften(film, radius),
            Pass::Pool(k) => line::pool(film, k),
        }
    }
}
