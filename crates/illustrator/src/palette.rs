//! Limited palettes, chosen by mood, time of day and weather.

use crate::color::Color;
use crate::vocabulary::{Time, Weather};

/// The colors of a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    pub name: &'static str,
    /// From the zenith to the horizon.
    pub sky: [Color; 4],
    /// Sun or moon.
    pub sun: Color,
    /// Filters the colors of what is in the light.
    pub light: Color,
    /// Filters the colors of what is in the shade.
    pub shade: Color,
    /// The color into which distant things fade.
    pub haze: Color,
    /// The darkest color.
    pub dark: Color,
    /// The color of a small thing that should stand out.
    pub accent: Color,
}

const fn row(name: &'static str, sky: [u32; 4], rest: [u32; 6]) -> Palette {
    Palette {
        name,
        sky: [
            Color::hex(sky[0]),
            Color::hex(sky[1]),
            Color::hex(sky[2]),
            Color::hex(sky[3]),
        ],
        sun: Color::hex(rest[0]),
        light: Color::hex(rest[1]),
        shade: Color::hex(rest[2]),
        haze: Color::hex(rest[3]),
        dark: Color::hex(rest[4]),
        accent: Color::hex(rest[5]),
    }
}

/// Name, sky from zenith to horizon, then sun, light, shade, haze, dark, accent.
#[rustfmt::skip]
pub(crate) const PALETTES: [Palette; 23] = [
    row("day", [0x3b7fae, 0x6fb0cd, 0xb4dbdc, 0xf6ecd2], [0xfffbe6, 0xfff6dc, 0x8aa2b8, 0xcfe2e0, 0x1d3242, 0xe2703a]),
    row("mint", [0x4d9a9e, 0x86c4b7, 0xc9e3c3, 0xfaf1d3], [0xfffbe2, 0xfff8df, 0x84a3a4, 0xd5e6cf, 0x1c3a3d, 0xe8684a]),
    row("spring", [0x6aa9cf, 0xa3cfdc, 0xdfe6da, 0xfdeedd], [0xfffdf0, 0xfff8e8, 0x98a6c0, 0xe3e6de, 0x2d3a52, 0xe87f9a]),
    row("gold", [0x5d97ab, 0xa9bfa6, 0xefd08f, 0xfde6ae], [0xfffbe0, 0xffeabf, 0x9a8a92, 0xf3d8a2, 0x3a2a2e, 0xc8503a]),
    row("autumn", [0x6f93a3, 0xb1b7a4, 0xecc791, 0xfbe0b4], [0xfff6da, 0xffe6b8, 0x8f7f8b, 0xeecb9b, 0x38262c, 0xc9472f]),
    row("peach", [0x5f77a8, 0xb193b8, 0xf2b6a2, 0xfee0b6], [0xfff3d6, 0xffe2c4, 0x8a80a6, 0xf4c8b2, 0x33304f, 0xe45c5a]),
    row("morning", [0x6f9cc2, 0xb1c8cd, 0xf3dcc2, 0xfff3d8], [0xfffbe8, 0xfff0d6, 0x8f9dba, 0xe8ddcf, 0x2c3a52, 0xe8794a]),
    row("crimson", [0x33265a, 0x8d3b6c, 0xe7694f, 0xfdbf62], [0xfff0b8, 0xffc694, 0x6d5487, 0xe98b6b, 0x25163a, 0xffd061]),
    row("coral", [0x2c4a7c, 0x84608f, 0xee8c7a, 0xffd5a4], [0xfff1cc, 0xffd2aa, 0x6d6b98, 0xeea694, 0x232348, 0xffc25c]),
    row("rose", [0x6f66a6, 0xbe88b2, 0xf5b3b6, 0xffe2cb], [0xfff4e4, 0xffdfd2, 0x8a7bab, 0xf3c2c2, 0x392a55, 0xd9415e]),
    row("violet", [0x22244f, 0x4c4585, 0xa56f9f, 0xeaa9a2], [0xfff0d2, 0xe9b9c0, 0x565590, 0xa37fa8, 0x171736, 0xffb35a]),
    row("midnight", [0x0a1430, 0x15294f, 0x25476f, 0x5384a0], [0xf7f1da, 0xa3bbe0, 0x4b639a, 0x3a6086, 0x070d1f, 0xffc566]),
    row("teal", [0x06171f, 0x0e2f39, 0x1e5459, 0x58988f], [0xf2f4da, 0x9fcfca, 0x417480, 0x2f666a, 0x040f14, 0xffb95e]),
    row("plum", [0x120d2b, 0x291c4f, 0x4e3577, 0x97669b], [0xfdebdb, 0xb7a6de, 0x5a4d92, 0x594683, 0x0c081e, 0xffc06a]),
    row("slate", [0x2a3540, 0x485766, 0x74828b, 0xb3b3a8], [0xe9e4cf, 0xc6cbca, 0x66757f, 0x828f92, 0x151b22, 0xdaa23f]),
    row("rain", [0x4b6172, 0x71899a, 0x9fb3b9, 0xd5d8cd], [0xf2efdf, 0xd3dcdc, 0x72879a, 0xaabbbd, 0x1d2b38, 0xe0873c]),
    row("mist", [0x87a09f, 0xadbfb9, 0xd0d9cd, 0xeeebdb], [0xfdf8e6, 0xe6e8da, 0x869a9a, 0xd2dacf, 0x26373a, 0xc8663f]),
    row("ember", [0x231f25, 0x573630, 0xa8543a, 0xeba050], [0xffd894, 0xe8a878, 0x5c4650, 0xb06848, 0x160f14, 0xffb044]),
    row("snow", [0x7ea3c8, 0xaecadf, 0xdbe7ee, 0xfaf0e6], [0xfffaf0, 0xfff7ee, 0x93a9cf, 0xdce6ee, 0x2a3a56, 0xd9533f]),
    row("sand", [0x4f8ea2, 0xa3b4a6, 0xf0d29a, 0xfbe7b8], [0xfff9e0, 0xffeec6, 0xa08594, 0xf2d7a4, 0x3d2630, 0xb8432f]),
    row("ocean", [0x9fe0c8, 0x3fb3ab, 0x15808f, 0x0d5674], [0xeafff2, 0xb5efe2, 0x2f7f9a, 0x2f9fa4, 0x06273e, 0xff8a5c]),
    row("cosmos", [0x06061a, 0x120f33, 0x291a56, 0x5a3480], [0xfff0d0, 0xc9c0f4, 0x54489a, 0x33275f, 0x04040f, 0xffb45a]),
    row("lamplight", [0x2c2436, 0x4c3546, 0x84563f, 0xd79a55], [0xffe1a0, 0xffdfae, 0x775f7c, 0x8d6350, 0x1c1420, 0xe0603f]),
];

/// Returns the palette of that name; the first one if there is none.
pub(crate) fn palette(name: &str) -> Palette {
    let found = PALETTES.iter().find(|p| p.name == name);
    *found.unwrap_or(&PALETTES[0])
}

/// What suits a mood, in order of preference. Its time and weather apply only if the words name none.
#[derive(Debug)]
pub(crate) struct Mood {
    pub name: &'static str,
    pub times: &'static [Time],
    pub weathers: &'static [Weather],
    /// Palettes by day; empty if the time alone decides.
    pub palettes: &'static [&'static str],
    /// Shapes that symbolize it.
    pub symbols: &'static [&'static str],
    /// Places that suit it.
    pub places: &'static [&'static str],
}

use Time::{Dawn, Day, Night, Sunset};
use Weather::{Clear, Clouds, Fog, Rain, Storm, Wind};

/// Every mood in the table of words.
#[rustfmt::skip]
pub(crate) const MOODS: [Mood; 18] = [
    Mood { name: "plain", times: &[Day, Day, Sunset, Dawn], weathers: &[Clear, Clouds], palettes: &[], symbols: &["bird"], places: &["hills", "lake", "mountains", "village", "sea", "forest"] },
    Mood { name: "hope", times: &[Dawn], weathers: &[Clear], palettes: &["peach", "morning"], symbols: &["bird", "lantern", "bulb"], places: &["hills", "sea", "road", "mountains"] },
    Mood { name: "fear", times: &[Night], weathers: &[Fog, Storm], palettes: &["teal", "plum"], symbols: &["owl", "door", "skull"], places: &["forest", "graveyard", "cave", "street"] },
    Mood { name: "war", times: &[Sunset], weathers: &[Fog, Wind], palettes: &["ember"], symbols: &["sword", "shield", "flag"], places: &["battlefield", "desert"] },
    Mood { name: "love", times: &[Sunset, Dawn], weathers: &[Clear], palettes: &["rose", "coral"], symbols: &["heart", "rose"], places: &["beach", "garden", "lake", "hills"] },
    Mood { name: "sadness", times: &[Day, Sunset], weathers: &[Rain, Fog], palettes: &["rain", "mist", "violet"], symbols: &["umbrella", "letter", "bench"], places: &["lake", "street", "road", "beach"] },
    Mood { name: "memory", times: &[Sunset, Day], weathers: &[Clear, Fog], palettes: &["gold", "autumn"], symbols: &["letter", "book", "clock"], places: &["village", "hills", "library", "road"] },
    Mood { name: "time", times: &[Sunset, Night], weathers: &[Clear], palettes: &["gold", "coral"], symbols: &["clock", "hourglass"], places: &["desert", "hills", "sea"] },
    Mood { name: "success", times: &[Dawn, Day], weathers: &[Clear], palettes: &["gold", "peach"], symbols: &["trophy", "flag"], places: &["mountains", "city", "hills"] },
    Mood { name: "freedom", times: &[Day, Dawn], weathers: &[Clouds], palettes: &["day", "mint", "morning"], symbols: &["bird", "airballoon", "eagle"], places: &["sea", "mountains", "hills", "road"] },
    Mood { name: "mystery", times: &[Night], weathers: &[Fog], palettes: &["teal", "violet"], symbols: &["key", "door", "lantern"], places: &["forest", "lake", "street", "cave"] },
    Mood { name: "joy", times: &[Day], weathers: &[Clear], palettes: &["mint", "spring", "day"], symbols: &["balloon", "airballoon", "cake"], places: &["garden", "hills", "beach", "village"] },
    Mood { name: "anger", times: &[Sunset], weathers: &[Storm], palettes: &["ember", "crimson"], symbols: &["fire", "sword"], places: &["volcano", "sea", "desert"] },
    Mood { name: "peace", times: &[Dawn, Sunset], weathers: &[Clear], palettes: &["morning", "mint", "rose"], symbols: &["bird", "swan", "flower"], places: &["lake", "garden", "hills", "beach"] },
    Mood { name: "power", times: &[Sunset], weathers: &[Clouds], palettes: &["crimson", "gold"], symbols: &["crown", "sword", "lion"], places: &["mountains", "throne", "desert"] },
    Mood { name: "wisdom", times: &[Sunset, Day], weathers: &[Clear], palettes: &["gold", "morning"], symbols: &["book", "owl", "bulb"], places: &["library", "hills", "mountains"] },
    Mood { name: "science", times: &[Night, Day], weathers: &[Clear], palettes: &["midnight", "day"], symbols: &["atom", "computer", "gear"], places: &["laboratory", "city", "office"] },
    Mood { name: "money", times: &[Day, Sunset], weathers: &[Clear], palettes: &["mint", "gold"], symbols: &["coins", "chart", "bag"], places: &["city", "office", "street"] },
];

/// Moods that share the row of another.
const SAME_AS: [(&str, &str); 2] = [("magic", "mystery"), ("dream", "peace")];

/// Returns the mood of that name.
pub(crate) fn mood(name: &str) -> &'static Mood {
    let name = SAME_AS.iter().find(|s| s.0 == name).map_or(name, |s| s.1);
    MOODS.iter().find(|m| m.name == name).unwrap_or(&MOODS[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::rows;

    #[test]
    fn every_name_is_known() {
        for mood in &MOODS {
            for name in mood.palettes {
                assert_eq!(palette(name).name, *name);
            }
            for symbol in mood.symbols {
                assert!(crate::shape::shape(symbol).is_some(), "{symbol}");
            }
            for place in mood.places {
                assert!(
                    rows().any(|r| r.0.kind == "place" && r.0.value == *place),
                    "{place}"
                );
            }
        }
        for (meaning, _) in rows().filter(|r| r.0.kind == "mood") {
            let name = SAME_AS
                .iter()
                .find(|s| s.0 == meaning.value)
                .map_or(meaning.value, |s| s.1);
            assert_eq!(mood(meaning.value).name, name);
        }
    }
}
