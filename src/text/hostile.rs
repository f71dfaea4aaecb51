//! Hostile fonts: truncated, with flipped bytes, emptied tables, false counts, deeply nested composite glyphs.
//! Each is refused or used; no panic escapes a reader, and every reader terminates.

use std::sync::Arc;

use super::*;
use crate::scene::draw::{GlyphRun, Paint};
use crate::units::Color;

const FACES: [(&str, &[u8]); 3] = [
    (
        "Righteous",
        include_bytes!("../../assets/fonts/Righteous-Regular.ttf"),
    ),
    (
        "Noto Sans Thai",
        include_bytes!("../../assets/fonts/NotoSansThai-Bold.ttf"),
    ),
    (
        "Fredoka",
        include_bytes!("../../assets/fonts/Fredoka-SemiBold.ttf"),
    ),
];

const TEXT: &str = "Hamburg fi 123 ภาษากำ שלום";

/// Random numbers, the same in every run (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// Returns offset and length of a table.
fn table(font: &[u8], name: &[u8; 4]) -> (usize, usize) {
    let n = usize::from(u16::from_be_bytes([font[4], font[5]]));
    let record = (0..n)
        .map(|i| &font[12 + 16 * i..28 + 16 * i])
        .find(|record| &record[..4] == name)
        .unwrap();
    let number = |at: usize| u32::from_be_bytes(record[at..at + 4].try_into().unwrap()) as usize;
    (number(8), number(12))
}

/// Returns whether the file is accepted; if so, text is laid out and drawn in it.
fn survives(family: &str, bytes: Vec<u8>) -> bool {
    let Ok(fonts) = Fonts::default().with_font(bytes) else {
        return false;
    };
    let font = FontRequest {
        family: family.into(),
        weight: 700,
        italic: false,
        letter_spacing_em: 0.0,
    };
    let block = fonts.layout(&TextRequest {
        text: TEXT,
        font: &font,
        size_px: 40.0,
        line_height: 1.2,
        max_width_px: 500.0,
        max_lines: 2,
        align: Align::Center,
        context: Context::default(),
    });
    let n = block.glyphs.len();
    fonts.rasterize(&GlyphRun {
        glyphs: Arc::from(block.glyphs),
        range: 0..n,
        spread_px: 2.0,
        blur_px: 0.0,
        offset: [300.0; 2],
        paint: Paint::Solid(Color::WHITE),
    });
    true
}

#[test]
fn whole_fonts_are_taken() {
    for (family, face) in FACES {
        assert!(survives(family, face.to_vec()));
    }
}

#[test]
fn fonts_cut_short_are_refused() {
    for (family, face) in FACES {
        for i in 0..24 {
            assert!(!survives(family, face[..face.len() * i / 24].to_vec()));
        }
    }
}

#[test]
fn fonts_with_flipped_bytes_are_refused_or_used() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for (family, face) in FACES {
        for round in 0..60 {
            let mut bytes = face.to_vec();
            // Half of the rounds hit the table directory and the headers, where damage is worst.
            let reach = if round % 2 == 0 { bytes.len() } else { 2000 };
            for _ in 0..=round / 4 {
                let at = chance.below(reach);
                bytes[at] = chance.below(256) as u8;
            }
            survives(family, bytes);
        }
    }
}

#[test]
fn fonts_with_emptied_or_lying_tables_are_refused_or_used() {
    for (family, face) in FACES {
        let n = usize::from(u16::from_be_bytes([face[4], face[5]]));
        for i in 0..n {
            let name: [u8; 4] = face[12 + 16 * i..16 + 16 * i].try_into().unwrap();
            let (at, length) = table(face, &name);
            for value in [0, 0xff] {
                let mut bytes = face.to_vec();
                bytes[at..at + length].fill(value);
                survives(family, bytes);
            }
            let mut longer = face.to_vec();
            longer[12 + 16 * i + 12..28 + 16 * i].fill(0xff);
            survives(family, longer);
        }
        let mut many = face.to_vec();
        let (maxp, _) = table(face, b"maxp");
        many[maxp + 4..maxp + 6].fill(0xff);
        survives(family, many);
    }
}

/// Builds a face whose glyphs 1, 2, 3 ... each contain the next one `width` times.
fn bomb(width: usize, depth: usize) -> Vec<u8> {
    let mut font = FACES[0].1.to_vec();
    let (head, _) = table(&font, b"head");
    let (loca, loca_length) = table(&font, b"loca");
    let (glyf, _) = table(&font, b"glyf");
    font[head + 50..head + 52].copy_from_slice(&1_u16.to_be_bytes());
    // Whole offsets only; otherwise the list would not be read.
    let record = (12..).step_by(16).find(|at| &font[*at..at + 4] == b"loca");
    let length = record.unwrap() + 12;
    font[length..length + 4].copy_from_slice(&(loca_length as u32 / 4 * 4).to_be_bytes());
    let step = 10 + 6 * width;
    for i in 0..loca_length / 4 {
        let offset = (i.min(depth + 1) * step) as u32;
        font[loca + 4 * i..loca + 4 * i + 4].copy_from_slice(&offset.to_be_bytes());
    }
    for id in 0..=depth {
        let at = glyf + id * step;
        font[at..at + 10].fill(0);
        font[at..at + 2].fill(0xff);
        for part in 0..width {
            let more = if part + 1 < width { 0x20_u16 } else { 0 };
            let at = at + 10 + 6 * part;
            font[at..at + 2].copy_from_slice(&more.to_be_bytes());
            font[at + 2..at + 4].copy_from_slice(&(id as u16 + 1).to_be_bytes());
            font[at + 4..at + 6].fill(0);
        }
    }
    font
}

#[test]
fn glyphs_of_glyphs_without_end_are_refused() {
    for (width, depth) in [(2, 60), (40, 9), (1, 100)] {
        let error = Fonts::default().with_font(bomb(width, depth)).unwrap_err();
        assert!(error.to_string().contains("too many parts"), "{error}");
    }
}

#[test]
fn files_that_are_no_fonts_say_what_they_are() {
    for (bytes, says) in [
        (&b""[..], "cut short"),
        (b"wOF2 and more", "unpacked"),
        (b"<!DOCTYPE html>", "TrueType"),
        (&[0, 1, 0, 0, 0, 0][..], "missing"),
    ] {
        let error = Fonts::default().with_font(bytes).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}
