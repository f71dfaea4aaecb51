//! Outdoor places as rows of bands from far to near.

use crate::terrain::Form;

/// One element of a place; heights are fractions of the frame's height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// A band of land: form, mean height, rise, color, snow.
    Band(Form, f32, f32, Tint, f32),
    /// Trees along the last band: kind, height, density 0 to 1.
    Trees(&'static str, f32, f32),
    /// Towers on the horizon: ground, height.
    Skyline(f32, f32),
    /// Houses on the last band: height.
    Village(f32),
    /// Water: height of its far edge, roughness.
    Water(f32, f32),
    /// Ground from a height to the bottom: color, patches, furrows.
    Ground(f32, Tint, Tint, f32),
    /// A street between houses.
    Street(f32),
    /// A winding path over the ground.
    Path,
    /// Grass and flowers in front: flowers 0 to 1.
    Meadow(f32),
    /// Stones in front.
    Stones,
    /// A shape that suits the place: name, height as a fraction of the frame's.
    Landmark(&'static str, f32),
}

/// Colors of land; some change with the season.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tint {
    Grass,
    Wood,
    Rock,
    RedRock,
    Sand,
    Snow,
    Ash,
    Soil,
    Wheat,
    Pave,
}

/// A place.
pub(crate) struct Place {
    pub name: &'static str,
    pub steps: &'static [Step],
    /// Where people stand, as a fraction of the height.
    pub floor: f32,
}

use Form::{Dunes, Flat, Hills, Mesas, Peaks, Volcano};
use Step::{Band, Ground, Landmark, Meadow, Path, Skyline, Stones, Street, Trees, Village, Water};

/// Every outdoor place that is built of bands.
#[rustfmt::skip]
pub(crate) const PLACES: [Place; 17] = [
    Place { name: "mountains", floor: 0.71, steps: &[
        Band(Peaks, 0.36, 0.24, Tint::Rock, 0.62), Band(Peaks, 0.44, 0.22, Tint::Rock, 0.36), Band(Hills, 0.53, 0.1, Tint::Wood, 0.0),
        Trees("pine", 0.05, 0.8), Band(Hills, 0.6, 0.07, Tint::Grass, 0.0), Trees("pine", 0.1, 0.3), Ground(0.655, Tint::Grass, Tint::Wood, 0.0), Path, Meadow(0.3)] },
    Place { name: "hills", floor: 0.7, steps: &[
        Band(Hills, 0.43, 0.1, Tint::Wood, 0.0), Band(Hills, 0.5, 0.11, Tint::Grass, 0.0), Trees("tree", 0.035, 0.35), Band(Hills, 0.56, 0.09, Tint::Wheat, 0.0),
        Trees("tree", 0.06, 0.22), Ground(0.63, Tint::Grass, Tint::Wheat, 0.0), Path, Meadow(0.8)] },
    Place { name: "forest", floor: 0.72, steps: &[
        Band(Hills, 0.45, 0.12, Tint::Wood, 0.0), Trees("pine", 0.13, 1.6), Band(Hills, 0.53, 0.08, Tint::Wood, 0.0), Trees("pine", 0.24, 1.5),
        Band(Hills, 0.6, 0.05, Tint::Wood, 0.0), Trees("mixed", 0.4, 1.0), Ground(0.655, Tint::Grass, Tint::Soil, 0.0), Path, Meadow(0.25)] },
    Place { name: "lake", floor: 0.76, steps: &[
        Band(Peaks, 0.36, 0.18, Tint::Rock, 0.45), Band(Hills, 0.45, 0.1, Tint::Wood, 0.0), Trees("pine", 0.06, 0.9), Water(0.5, 0.15),
        Ground(0.73, Tint::Grass, Tint::Soil, 0.0), Stones, Meadow(0.4)] },
    Place { name: "river", floor: 0.75, steps: &[
        Band(Peaks, 0.37, 0.2, Tint::Rock, 0.4), Band(Hills, 0.46, 0.1, Tint::Grass, 0.0), Trees("tree", 0.06, 0.7), Water(0.52, 0.4),
        Ground(0.72, Tint::Grass, Tint::Sand, 0.0), Stones, Meadow(0.5)] },
    Place { name: "sea", floor: 0.79, steps: &[Band(Hills, 0.475, 0.04, Tint::Rock, 0.0), Water(0.49, 0.9), Ground(0.765, Tint::Rock, Tint::Grass, 0.0), Stones, Meadow(0.1)] },
    Place { name: "beach", floor: 0.73, steps: &[
        Band(Hills, 0.44, 0.08, Tint::Wood, 0.0), Water(0.47, 0.6), Ground(0.67, Tint::Sand, Tint::Wheat, 0.0), Landmark("palm", 0.34), Landmark("palm", 0.27)] },
    Place { name: "desert", floor: 0.72, steps: &[
        Band(Mesas, 0.45, 0.14, Tint::RedRock, 0.0), Band(Dunes, 0.52, 0.08, Tint::Sand, 0.0), Band(Dunes, 0.58, 0.1, Tint::Sand, 0.0), Ground(0.66, Tint::Sand, Tint::Wheat, 0.0), Landmark("cactus", 0.15)] },
    Place { name: "city", floor: 0.74, steps: &[Skyline(0.52, 0.3), Skyline(0.56, 0.34), Skyline(0.6, 0.22), Water(0.605, 0.35), Ground(0.7, Tint::Pave, Tint::Grass, 0.0), Landmark("tree", 0.24), Landmark("bench", 0.06), Landmark("streetlamp", 0.22)] },
    Place { name: "street", floor: 0.72, steps: &[Skyline(0.5, 0.22), Street(0.5)] },
    Place { name: "village", floor: 0.73, steps: &[
        Band(Peaks, 0.37, 0.2, Tint::Rock, 0.4), Band(Hills, 0.48, 0.1, Tint::Wood, 0.0), Trees("pine", 0.05, 0.6), Band(Hills, 0.55, 0.06, Tint::Grass, 0.0), Village(0.12),
        Ground(0.66, Tint::Grass, Tint::Wheat, 0.0), Path, Landmark("fence", 0.05), Meadow(0.5)] },
    Place { name: "road", floor: 0.72, steps: &[
        Band(Peaks, 0.39, 0.22, Tint::Rock, 0.4), Band(Hills, 0.5, 0.08, Tint::Wood, 0.0), Band(Hills, 0.55, 0.06, Tint::Grass, 0.0), Trees("tree", 0.08, 0.3), Ground(0.6, Tint::Wheat, Tint::Grass, 0.0), Path, Meadow(0.3)] },
    Place { name: "farm", floor: 0.73, steps: &[
        Band(Hills, 0.46, 0.08, Tint::Wood, 0.0), Trees("tree", 0.04, 0.5), Band(Hills, 0.53, 0.05, Tint::Grass, 0.0), Landmark("barn", 0.15), Trees("tree", 0.08, 0.15), Ground(0.58, Tint::Wheat, Tint::Grass, 0.8), Meadow(0.2)] },
    Place { name: "garden", floor: 0.72, steps: &[
        Band(Hills, 0.46, 0.08, Tint::Wood, 0.0), Trees("tree", 0.14, 1.0), Band(Hills, 0.55, 0.04, Tint::Grass, 0.0), Trees("bush", 0.07, 0.9), Ground(0.6, Tint::Grass, Tint::Grass, 0.0), Path, Landmark("bench", 0.06), Meadow(1.0)] },
    Place { name: "ice", floor: 0.73, steps: &[
        Band(Peaks, 0.4, 0.2, Tint::Snow, 0.8), Band(Peaks, 0.5, 0.1, Tint::Snow, 0.7), Water(0.54, 0.1), Ground(0.64, Tint::Snow, Tint::Snow, 0.0), Stones] },
    Place { name: "volcano", floor: 0.73, steps: &[
        Band(Volcano, 0.42, 0.36, Tint::Ash, 0.0), Band(Hills, 0.56, 0.06, Tint::Ash, 0.0), Band(Hills, 0.62, 0.05, Tint::Ash, 0.0), Ground(0.66, Tint::Ash, Tint::RedRock, 0.0), Stones] },
    Place { name: "battlefield", floor: 0.72, steps: &[
        Band(Hills, 0.46, 0.08, Tint::Ash, 0.0), Landmark("ruins", 0.14), Band(Hills, 0.55, 0.06, Tint::Soil, 0.0), Trees("bare", 0.12, 0.12), Landmark("flag", 0.2), Ground(0.62, Tint::Soil, Tint::Ash, 0.0), Stones, Meadow(0.0)] },
];

/// A place outside the table, with its own landmarks.
pub(crate) const GRAVEYARD: Place = Place {
    name: "graveyard",
    floor: 0.72,
    steps: &[
        Band(Hills, 0.46, 0.1, Tint::Wood, 0.0),
        Trees("bare", 0.16, 0.25),
        Landmark("church", 0.22),
        Band(Flat, 0.56, 0.05, Tint::Grass, 0.0),
        Landmark("grave", 0.06),
        Landmark("grave", 0.07),
        Landmark("grave", 0.065),
        Ground(0.6, Tint::Grass, Tint::Soil, 0.0),
        Path,
        Meadow(0.1),
    ],
};

/// Returns the place of that name; hills if there is none.
pub(crate) fn place(name: &str) -> &'static Place {
    if name == GRAVEYARD.name {
        return &GRAVEYARD;
    }
    let found = PLACES.iter().find(|p| p.name == name);
    found.unwrap_or(&PLACES[1])
}
