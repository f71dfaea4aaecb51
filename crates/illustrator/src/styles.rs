//! The styles: rows of names, descriptions and passes. A new style is a new row.

use crate::passes::Pass;
use crate::passes::Pass::{
    Bloom, Bokeh, Border, Brush, Engrave, Flash, Focus, Fringe, Grain, Halftone, Hatch, Local,
    Outline, Paper, Pencil, Pixels, Pool, Posterize, Ramp, Relief, Soften, Streak, Tone, Vignette,
    Wobble,
};

/// A finish for pictures.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The name used in requests; case does not matter.
    pub name: &'static str,
    /// What it looks like.
    pub description: &'static str,
    pub(crate) passes: &'static [Pass],
}

const NIGHTS: &[u32] = &[0x0b1a2a, 0x1e4a5f, 0x8f8f86, 0xf0b878, 0xfff0d4];
const NOIR: &[u32] = &[0x050507, 0x1c1c20, 0x6a6a6e, 0xd4d2cc, 0xfaf8f2];
const SEPIA: &[u32] = &[0x1d120c, 0x5a3d28, 0xa88258, 0xe3cb9e, 0xfbf1da];
const POSTER: &[u32] = &[0x1b2a41, 0x2f5d62, 0xd9653b, 0xf0b85a, 0xf8ecd0];
const POSTER_2: &[u32] = &[0x241a3a, 0x6a2d5c, 0xc8435a, 0xf5a05a, 0xfdf0c8];
const RETRO: &[u32] = &[0x2a2438, 0x35605a, 0xc9744a, 0xe9c46a, 0xf7edd6];
const POP: &[u32] = &[0x141432, 0x2a3fbf, 0xe8365f, 0xffd23f, 0xfffbe8];
const MOOD: &[u32] = &[0x0a1014, 0x1d3038, 0x44585c, 0x9a9c90, 0xd8d2bc];
const CRIME: &[u32] = &[0x0a0f10, 0x22382f, 0x6f7a48, 0xd0b060, 0xf4eec8];
const GHIBLI: &[u32] = &[0x1d3346, 0x3f7a6a, 0x8fbf7a, 0xf3e0a0, 0xfffbea];
const SYMBOL: &[u32] = &[0x0d0d14, 0x2a2a3a, 0xb0343a, 0xe8dcc0, 0xf8f2e2];
const CONCEPT: &[u32] = &[0x10161f, 0x2d4a5a, 0x7f8a86, 0xd9b48a, 0xfbe8cc];
const PASTEL: &[u32] = &[0x4a4a6a, 0x7f9fb5, 0xc4c9c0, 0xf5d6c0, 0xfff6ea];

/// The house style.
const HOUSE: Style = Style {
    name: "painterly",
    description: "The house style: gouache on fine paper, soft light, a little grain",
    passes: &[
        Tone(1.12, 1.18, 0.015, 0.004),
        Paper(0.045),
        Grain(0.028, 1.3),
        Vignette(0.14),
    ],
};

const fn row(name: &'static str, description: &'static str, passes: &'static [Pass]) -> Style {
    Style {
        name,
        description,
        passes,
    }
}

/// Every style by name.
#[rustfmt::skip]
const STYLES: [Style; 72] = [
    HOUSE,
    row("watercolor", "Thin washes on rough paper with a bare edge", &[Wobble(2.2), Brush(4.0), Pool(1.0), Tone(1.0, 1.2, 0.04, 0.0), Paper(0.2), Border(1.0)]),
    row("sketch", "Soft pencil on cream paper", &[Wobble(1.2), Pencil(0.0, 1.0), Paper(0.12)]),
    row("pixel-art", "Square pixels of few colors, dithered", &[Tone(1.15, 1.25, 0.0, 0.0), Pixels(7.0, 5.0)]),
    row("cinematic", "Teal shadows and warm lights, soft bloom, film grain", &[Ramp(NIGHTS, 0.42), Tone(1.2, 1.05, -0.02, 0.0), Bloom(0.45), Vignette(0.5), Grain(0.06, 1.5)]),
    row("oil", "Broad strokes of thick paint", &[Brush(7.0), Local(0.5), Relief(0.8, 3.0), Tone(1.15, 1.25, 0.0, 0.012), Vignette(0.2)]),
    row("ink", "Black pen: outlines and crossed strokes on white", &[Tone(1.25, 0.0, 0.12, 0.0), Ramp(&[0x16161c, 0x7a7870, 0xf4efe2, 0xfaf6ea], 0.9), Hatch(8.0, 0.85, 0x16161c), Outline(1.0, 2.6, 0x101014), Paper(0.1)]),
    row("anime", "Clean flat shades, thin lines, bright skies", &[Brush(4.0), Posterize(7.0, 0.45), Tone(1.08, 1.4, 0.05, 0.0), Outline(0.7, 2.0, 0x2a2238), Bloom(0.35)]),
    row("flat", "Flat vector shapes in few tones", &[Brush(6.0), Posterize(5.0, 0.05), Tone(1.05, 1.2, 0.02, 0.0)]),
    row("vector", "Flat shapes with crisp edges and strong color", &[Brush(5.0), Posterize(6.0, 0.02), Tone(1.12, 1.45, 0.03, 0.0), Outline(0.45, 2.0, 0x1d2336)]),
    row("photo", "Natural color with a shallow depth of field", &[Local(0.45), Focus(0.7), Tone(1.12, 0.9, 0.0, 0.01), Bloom(0.22), Grain(0.04, 1.2), Vignette(0.25)]),
    row("paper-cut", "Layers of cut paper that throw shadows", &[Brush(6.0), Posterize(6.0, 0.03), Relief(1.4, 7.0), Paper(0.3), Tone(1.0, 1.1, 0.04, 0.01)]),
    row("noir", "Hard black and white with deep shadow", &[Tone(1.65, 0.0, -0.07, 0.0), Ramp(NOIR, 1.0), Vignette(0.75), Grain(0.09, 1.6)]),
    row("retro", "A travel poster of the thirties: five inks", &[Brush(6.0), Ramp(RETRO, 0.75), Posterize(6.0, 0.06), Paper(0.22), Grain(0.06, 2.0)]),
    row("3d", "Smooth, round, plastic", &[Soften(2.5), Relief(1.1, 9.0), Bloom(0.4), Tone(1.1, 1.3, 0.03, 0.0)]),
    // recraftStyle
    row("realistic_image", "Clear and natural", &[Local(0.6), Tone(1.14, 0.95, 0.0, 0.0), Bloom(0.15), Vignette(0.15)]),
    row("digital_illustration", "A modern digital illustration: clean gradients, rich color", &[Brush(3.0), Tone(1.16, 1.4, 0.02, -0.006), Bloom(0.3), Grain(0.02, 1.2)]),
    row("realistic_image/b_and_w", "Black and white with full tones", &[Local(0.55), Tone(1.2, 0.0, 0.0, 0.0), Grain(0.05, 1.3)]),
    row("realistic_image/hard_flash", "A flash at the camera", &[Flash(1.0), Tone(1.3, 0.95, 0.02, -0.008), Grain(0.04, 1.2)]),
    row("realistic_image/hdr", "Detail in every light and shade", &[Local(1.5), Tone(1.05, 1.35, 0.0, 0.0)]),
    row("realistic_image/natural_light", "Soft daylight", &[Tone(0.94, 0.96, 0.055, 0.022), Bloom(0.35), Local(0.25)]),
    row("realistic_image/studio_portrait", "A studio's plain background and soft light", &[Focus(1.0), Tone(1.1, 0.85, 0.0, 0.014), Bloom(0.2), Vignette(0.7)]),
    row("realistic_image/enterprise", "Cool, clean, business-like", &[Tone(1.05, 0.7, 0.08, -0.03), Local(0.35)]),
    row("realistic_image/motion_blur", "Strong motion blur", &[Streak(70.0), Tone(1.12, 1.05, 0.0, 0.0), Grain(0.03, 1.2)]),
    row("digital_illustration/pixel_art", "Large square pixels", &[Tone(1.12, 1.3, 0.02, 0.0), Pixels(9.0, 6.0), Vignette(0.15)]),
    row("digital_illustration/hand_drawn", "Colored by hand over pencil lines", &[Wobble(1.6), Brush(4.0), Outline(0.8, 2.4, 0x3a2f38), Paper(0.16), Tone(1.0, 1.1, 0.05, 0.01)]),
    row("digital_illustration/grain", "Airbrushed shapes with coarse grain", &[Brush(5.0), Tone(1.1, 1.15, 0.0, 0.01), Grain(0.17, 2.2)]),
    row("digital_illustration/infantile_sketch", "A child's crayons", &[Wobble(5.0), Brush(6.0), Tone(1.0, 1.5, 0.08, 0.01), Pencil(0.95, 0.5), Outline(0.55, 4.0, 0x403040)]),
    row("digital_illustration/2d_art_poster", "A poster in teal and orange", &[Brush(6.0), Ramp(POSTER, 0.68), Posterize(5.0, 0.04), Grain(0.05, 1.8)]),
    row("digital_illustration/handmade_3d", "Figures of felt and clay", &[Brush(4.0), Relief(1.6, 5.0), Paper(0.4), Tone(1.02, 1.15, 0.04, 0.016), Focus(0.45)]),
    row("digital_illustration/hand_drawn_outline", "Strong outlines, light color", &[Wobble(1.4), Tone(0.85, 0.85, 0.16, 0.01), Outline(1.0, 3.4, 0x1d1a26), Paper(0.1)]),
    row("digital_illustration/engraving_color", "A colored copper plate", &[Tone(1.15, 1.1, 0.02, 0.02), Engrave(5.5, 0.9), Paper(0.12)]),
    row("digital_illustration/2d_art_poster_2", "A poster in plum and coral", &[Brush(6.0), Ramp(POSTER_2, 0.72), Posterize(6.0, 0.1), Halftone(6.0, 0.3)]),
    // loraSlug
    row("ghibsky-comic-book", "Wide painted skies and gentle greens with thin ink", &[Brush(4.0), Ramp(GHIBLI, 0.3), Tone(1.06, 1.35, 0.05, 0.01), Outline(0.5, 1.8, 0x27304a), Bloom(0.4)]),
    row("colour-sketches", "Colored pencils", &[Wobble(1.2), Pencil(1.0, 0.55), Paper(0.14)]),
    row("sketch-paint", "Pencil under thin paint", &[Wobble(1.6), Brush(4.0), Pool(0.6), Pencil(0.92, 0.85), Paper(0.14)]),
    row("90s-anime", "A cel from a tape of the nineties", &[Brush(4.0), Posterize(6.0, 0.35), Tone(0.95, 1.1, 0.02, 0.022), Outline(0.75, 2.2, 0x241c30), Fringe(2.0), Bloom(0.4), Grain(0.06, 1.8)]),
    row("2000s-crime-thrillers", "Green and amber, hard contrast, coarse film", &[Ramp(CRIME, 0.6), Tone(1.4, 0.85, -0.05, 0.0), Vignette(0.65), Grain(0.12, 1.7)]),
    row("xno-symbol-flux", "Bold symbols in black, red and bone", &[Brush(6.0), Ramp(SYMBOL, 0.92), Posterize(4.0, 0.03), Outline(0.8, 3.0, 0x0a0a10), Grain(0.05, 1.6)]),
    // leonardoStyle
    row("THREE_D_RENDER", "A smooth rendering with soft light", &[Soften(2.0), Relief(0.9, 7.0), Bloom(0.55), Tone(1.12, 1.2, 0.04, -0.006), Vignette(0.2)]),
    row("ACRYLIC", "Opaque strokes of bright paint", &[Brush(6.0), Relief(0.6, 2.2), Tone(1.2, 1.45, 0.02, 0.0), Paper(0.16)]),
    row("ANIME_GENERAL", "Clear lines and bright flat shades", &[Brush(4.0), Posterize(8.0, 0.3), Tone(1.12, 1.5, 0.07, -0.012), Outline(0.9, 2.4, 0x1d1a30)]),
    row("BOKEH", "Discs of light around a sharp center", &[Focus(1.0), Bokeh(1.0), Bloom(0.3), Tone(1.08, 1.15, 0.0, 0.012)]),
    row("CINEMATIC", "A frame of a feature film", &[Ramp(NIGHTS, 0.3), Tone(1.28, 1.0, -0.04, 0.01), Bloom(0.3), Vignette(0.65), Grain(0.045, 1.3)]),
    row("CINEMATIC_CONCEPT", "A film's concept painting", &[Brush(6.0), Ramp(CONCEPT, 0.5), Tone(1.2, 1.0, -0.02, 0.0), Bloom(0.5), Vignette(0.4)]),
    row("CREATIVE", "Colors turned toward the unexpected", &[Brush(4.0), Ramp(&[0x1a1040, 0x3f2f9a, 0xd0508f, 0xffb05a, 0xf4fbd0], 0.5), Tone(1.1, 1.3, 0.0, 0.0), Grain(0.04, 1.6)]),
    row("DYNAMIC", "Strong contrast and color", &[Local(0.8), Tone(1.35, 1.45, 0.0, 0.01), Vignette(0.3), Fringe(1.0)]),
    row("FASHION", "High key and cool", &[Tone(1.12, 0.62, 0.13, -0.012), Bloom(0.4), Grain(0.025, 1.2)]),
    row("GAME_CONCEPT", "Concept art of a game: painted, vivid, with depth", &[Brush(5.0), Local(0.8), Tone(1.18, 1.3, -0.02, -0.018), Bloom(0.5), Vignette(0.3)]),
    row("GRAPHIC_DESIGN_3D", "Smooth shapes with shadows in clear colors", &[Brush(5.0), Posterize(7.0, 0.2), Relief(1.3, 10.0), Tone(1.05, 1.4, 0.05, 0.0)]),
    row("GRAPHIC_DESIGN_POP_ART", "Four inks and dots", &[Brush(5.0), Ramp(POP, 0.62), Posterize(5.0, 0.05), Outline(0.9, 3.2, 0x101024), Halftone(9.0, 0.7)]),
    row("GRAPHIC_DESIGN_VECTOR", "Crisp shapes in few flat tones", &[Brush(6.0), Posterize(4.0, 0.02), Tone(1.0, 1.3, 0.06, 0.0)]),
    row("HDR", "Every light and shade at once", &[Local(1.9), Tone(1.12, 1.55, 0.0, 0.008), Bloom(0.2)]),
    row("ILLUSTRATION", "A book's illustration: gouache and a thin line", &[Brush(4.0), Tone(1.08, 1.2, 0.03, 0.012), Outline(0.4, 2.0, 0x35263a), Paper(0.18)]),
    row("MACRO", "A shallow plane of focus", &[Focus(1.0), Local(0.7), Tone(1.15, 1.25, 0.02, 0.0), Bokeh(0.4), Vignette(0.35)]),
    row("MINIMALIST", "Few pale tones and much empty space", &[Brush(8.0), Ramp(PASTEL, 0.6), Tone(0.95, 0.7, 0.1, 0.006), Posterize(6.0, 0.2)]),
    row("MOODY", "Dark, muted, heavy", &[Ramp(MOOD, 0.62), Tone(1.15, 0.7, -0.1, 0.0), Vignette(0.7), Grain(0.05, 1.5)]),
    row("PORTRAIT", "Soft light on a sharp center", &[Focus(0.7), Tone(1.05, 1.0, 0.03, 0.02), Bloom(0.3), Vignette(0.4)]),
    row("PORTRAIT_CINEMATIC", "A film's close shot", &[Focus(0.9), Ramp(NIGHTS, 0.38), Tone(1.25, 0.95, -0.03, 0.012), Vignette(0.6), Grain(0.05, 1.4)]),
    row("PRO_BW_PHOTOGRAPHY", "A master's print in black and white", &[Local(1.0), Tone(1.4, 0.0, -0.03, 0.0), Vignette(0.45), Grain(0.03, 1.1)]),
    row("PRO_COLOR_PHOTOGRAPHY", "Crisp, balanced color", &[Local(0.9), Tone(1.2, 1.12, 0.01, 0.0), Focus(0.35)]),
    row("PRO_FILM_PHOTOGRAPHY", "Color film: lifted blacks, warm lights, grain", &[Tone(0.88, 0.9, 0.045, 0.026), Ramp(SEPIA, 0.12), Bloom(0.25), Grain(0.1, 1.7)]),
    row("PORTRAIT_FASHION", "A magazine's portrait", &[Focus(0.6), Tone(1.2, 0.75, 0.1, 0.0), Bloom(0.45)]),
    row("RAY_TRACED", "Polished, with glints", &[Local(0.5), Relief(0.6, 3.0), Bloom(0.7), Tone(1.2, 1.25, 0.0, -0.014)]),
    row("SKETCH_BW", "Pencil without color", &[Wobble(1.0), Pencil(0.0, 1.25), Hatch(7.0, 0.35, 0x2a2a30)]),
    row("SKETCH_COLOR", "Pencil with light color", &[Wobble(1.2), Pencil(0.75, 1.0), Paper(0.1)]),
    row("STOCK_PHOTO", "Bright, even, friendly", &[Tone(0.98, 1.12, 0.09, 0.008), Local(0.3), Bloom(0.15)]),
    row("VIBRANT", "As much color as possible", &[Tone(1.15, 1.9, 0.02, 0.0), Bloom(0.2), Grain(0.02, 1.2)]),
    row("WATERCOLOR", "Washes on wet paper", &[Wobble(3.0), Brush(6.0), Pool(1.5), Tone(0.95, 1.3, 0.05, 0.0), Paper(0.28), Border(1.3)]),
    row("sepia", "An old photograph", &[Ramp(SEPIA, 0.95), Tone(1.05, 1.0, 0.0, 0.0), Vignette(0.55), Grain(0.08, 1.8), Soften(1.2)]),
    row("comic", "Ink lines, flat color, printed dots", &[Brush(4.0), Posterize(6.0, 0.05), Tone(1.15, 1.45, 0.03, 0.0), Outline(1.0, 3.0, 0x14141c), Halftone(6.0, 0.45)]),
    row("storybook", "Warm gouache with pencil lines on cream paper", &[Brush(4.0), Tone(0.98, 1.12, 0.05, 0.03), Outline(0.55, 2.2, 0x4a3040), Paper(0.24), Border(0.8)]),
];

/// Returns every style with its own treatment. The first is the house style, which any other name gives too.
pub fn styles() -> &'static [Style] {
    &STYLES
}

/// Returns the style of that name, ignoring case; for an unknown `a/b`, the style `a`.
pub(crate) fn style(name: &str) -> &'static Style {
    let find = |name: &str| STYLES.iter().find(|s| s.name.eq_ignore_ascii_case(name));
    let exact = STYLES.iter().find(|s| s.name == name.trim());
    exact
        .or_else(|| find(name.trim()))
        .or_else(|| find(name.split('/').next().unwrap_or_default().trim()))
        .unwrap_or(&STYLES[0])
}
