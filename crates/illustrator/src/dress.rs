//! Clothes: a garment's outline over the body, and its trim as rows of data.

use crate::body::{Body, rounded};
use crate::canvas::{Canvas, Ink, polygon};
use crate::color::Color;
use crate::light::Light;
use crate::look::{Garment, Person};
use crate::shape::shade;

/// Returns how far a garment reaches below the hip and how wide its hem is, in hundredths.
fn hem(garment: Garment) -> (f32, f32) {
    match garment {
        Garment::Shirt | Garment::Armor | Garment::Spacesuit => (4.0, 7.9),
        Garment::Suit => (8.0, 8.6),
        Garment::Apron => (12.0, 9.0),
        Garment::Coat => (23.0, 13.5),
        Garment::Dress => (26.0, 17.0),
        Garment::Robe => (42.0, 15.5),
    }
}

/// Draws the garment over the body.
pub(crate) fn clothes(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
    let person = body.person;
    let w = person.width * if person.child { 0.95 } else { 1.0 };
    let (mut below, wide) = hem(person.garment);
    if person.stand_is_low(body) {
        below = below.min(9.0);
    }
    let waist = if person.garment == Garment::Dress {
        6.4
    } else {
        8.0
    };
    let sides = [
        (32.5, 2.6),
        (30.5, 7.4),
        (24.0, 8.2),
        (10.0, waist),
        (0.0, waist * 0.6 + wide * 0.4),
        (-below, wide),
    ];
    let mut points: Vec<(f32, f32)> = sides
        .iter()
        .map(|(along, half)| body.torso(*along, half * w))
        .collect();
    let s = body.s;
    let bottom = body.torso(-below, 0.0);
    points.push((bottom.0, bottom.1 + 1.6 * s));
    points.extend(
        sides
            .iter()
            .rev()
            .map(|(along, half)| body.torso(*along, -half * w)),
    );
    if let Some(path) = polygon(&rounded(&points)) {
        let ink = shade(light, &path, person.cloth, body.stand.depth);
        canvas.fill(&path, ink);
    }
    details(canvas, light, body, below);
}

impl Person {
    /// Returns whether long clothes would reach below the ground.
    fn stand_is_low(&self, body: &Body<'_>) -> bool {
        body.stand.y - body.hip.1 < 30.0 * body.s
    }
}

/// The color of a piece of trim.
#[derive(Clone, Copy)]
enum Trim {
    /// The person's accent.
    Accent,
    /// A darker shade of the cloth.
    Line,
    /// `0xRRGGBB`.
    Fixed(u32),
}

/// Placeholder for the garment's hem in [`TRIMS`].
const HEM: f32 = f32::MIN;

/// A garment, the corners of one piece of trim, its color.
type Piece = (Garment, [(f32, f32); 4], Trim);

/// Lapels, belts, buttons, collars: quads of points along and across the body, in hundredths.
#[rustfmt::skip]
const TRIMS: [Piece; 15] = [
    (Garment::Coat, [(31.0, 0.6), (31.0, 5.0), (19.0, 3.2), (18.0, 2.0)], Trim::Accent),
    (Garment::Coat, [(18.0, 1.8), (18.0, 2.9), (HEM, 3.4), (HEM, 2.4)], Trim::Line),
    (Garment::Coat, [(8.5, -7.4), (8.5, 7.4), (5.5, 7.8), (5.5, -7.8)], Trim::Line),
    (Garment::Suit, [(31.5, 0.0), (31.0, 5.4), (14.0, 4.0), (16.0, 1.6)], Trim::Fixed(0xf2efe8)),
    (Garment::Suit, [(30.0, 2.4), (30.0, 4.2), (17.0, 3.8), (18.0, 2.6)], Trim::Accent),
    (Garment::Dress, [(9.5, -5.8), (9.5, 5.8), (6.5, 6.6), (6.5, -6.6)], Trim::Accent),
    (Garment::Robe, [(9.0, -7.4), (9.0, 7.4), (6.0, 7.9), (6.0, -7.9)], Trim::Accent),
    (Garment::Robe, [(31.0, 1.0), (31.0, 4.6), (10.0, 3.4), (10.0, 1.8)], Trim::Line),
    (Garment::Apron, [(29.0, -7.2), (29.0, 7.2), (21.0, 7.6), (21.0, -7.6)], Trim::Accent),
    (Garment::Apron, [(30.5, 2.8), (30.5, 5.0), (20.0, 5.0), (20.0, 2.8)], Trim::Line),
    (Garment::Armor, [(24.0, -7.8), (24.0, 7.8), (22.6, 7.8), (22.6, -7.8)], Trim::Line),
    (Garment::Armor, [(8.0, -7.2), (8.0, 7.2), (4.0, 7.4), (4.0, -7.4)], Trim::Fixed(0x5a4434)),
    (Garment::Spacesuit, [(22.0, -1.0), (22.0, 6.0), (14.0, 6.0), (14.0, -1.0)], Trim::Fixed(0x9aa3ad)),
    (Garment::Spacesuit, [(4.0, -7.4), (4.0, 7.4), (2.0, 7.5), (2.0, -7.5)], Trim::Fixed(0xd9783a)),
    (Garment::Shirt, [(-0.5, -7.0), (-0.5, 7.0), (-3.0, 7.4), (-3.0, -7.4)], Trim::Fixed(0x4d3a2e)),
];

fn details(canvas: &mut Canvas, light: &Light, body: &Body<'_>, below: f32) {
    let person = body.person;
    for (_, quad, trim) in TRIMS.iter().filter(|t| t.0 == person.garment) {
        let color = match trim {
            Trim::Accent => person.accent,
            Trim::Line => person.cloth.scale(0.72),
            Trim::Fixed(hex) => Color::hex(*hex),
        };
        let points = quad.map(|(along, aside)| {
            let along = if along == HEM { -below } else { along };
            body.torso(along, aside * person.width)
        });
        canvas.polygon(&points, Ink::Flat(light.at(color, body.stand.depth), 1.0));
    }
}

/// Draws a cape behind the body.
pub(crate) fn cape(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
    let long = ((body.stand.y - body.hip.1) / body.s).min(38.0);
    let points = [
        body.torso(31.0, 4.0),
        body.torso(31.0, -8.0),
        body.torso(0.0, -17.0),
        body.torso(2.0 - long, -24.0),
        body.torso(-long, -2.0),
        body.torso(-long * 0.26, 4.0),
    ];
    if let Some(path) = polygon(&points) {
        let ink = shade(light, &path, body.person.accent, body.stand.depth);
        canvas.fill(&path, ink);
    }
}
