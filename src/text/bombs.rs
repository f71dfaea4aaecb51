//! Fonts that demand excessive work, built here table by table: each is quickly refused, or its glyph left out.

use std::sync::Arc;

use super::bitmaps::{are_small, can_be_searched};
use super::guard::is_light;
use super::weigh::{MAX_STEPS, Outlines};
use super::*;
use crate::scene::draw::{GlyphRun, Paint};
use crate::units::Color;

/// The face that provides tables whose content does not matter.
const FACE: &[u8] = include_bytes!("../../assets/fonts/Righteous-Regular.ttf");

/// Tables by name.
type Tables = Vec<([u8; 4], Vec<u8>)>;

fn be16(v: usize) -> [u8; 2] {
    (v as u16).to_be_bytes()
}

fn be32(v: usize) -> [u8; 4] {
    (v as u32).to_be_bytes()
}

fn tables_of(font: &[u8]) -> Tables {
    let number = |at: usize| u32::from_be_bytes(font[at..at + 4].try_into().unwrap()) as usize;
    (0..usize::from(font[5]))
        .map(|i| 12 + 16 * i)
        .map(|at| {
            let (start, length) = (number(at + 8), number(at + 12));
            let name = font[at..at + 4].try_into().unwrap();
            (name, font[start..start + length].to_vec())
        })
        .collect()
}

fn font_of(tables: &Tables) -> Vec<u8> {
    let mut font = [b"OTTO", &be16(tables.len())[..], &[0; 6]].concat();
    let mut at = 12 + 16 * tables.len();
    for (name, bytes) in tables {
        font.extend([&name[..], &[0; 4], &be32(at), &be32(bytes.len())].concat());
        at += bytes.len();
    }
    font.extend(tables.iter().flat_map(|(_, bytes)| bytes));
    font
}

/// Builds an INDEX (Adobe Technical Note 5176, section 5).
fn index(items: &[Vec<u8>]) -> Vec<u8> {
    if items.is_empty() {
        return vec![0, 0];
    }
    let mut out = [&be16(items.len())[..], &[4]].concat();
    let mut at = 1;
    out.extend(be32(at));
    for item in items {
        at += item.len();
        out.extend(be32(at));
    }
    out.extend(items.iter().flatten());
    out
}

/// Builds a `CFF ` table.
fn cff(charstrings: &[Vec<u8>], subrs: &[Vec<u8>]) -> Vec<u8> {
    let head = [&[1, 0, 4, 4][..], &index(&[b"A".to_vec()])].concat();
    let tail = [index(&[]), index(subrs)].concat();
    // CharStrings (17) and Private (18: size, offset) as five-byte numbers.
    let dict = |at: usize| {
        let number = |v: usize| [&[29], &be32(v)[..]].concat();
        let top = [number(at), vec![17], number(0), number(at), vec![18]];
        index(&[top.concat()])
    };
    let at = head.len() + dict(0).len() + tail.len();
    [head, dict(at), tail, index(charstrings)].concat()
}

/// Builds a face of `n` glyphs with PostScript outlines; the letters from `A` on use the last of the given glyphs.
fn post_script(n: usize, letters: &[Vec<u8>], subrs: &[Vec<u8>]) -> Tables {
    let mut tables = tables_of(FACE);
    tables
        .retain(|(name, _)| [b"cmap", b"head", b"hhea", b"hmtx", b"maxp", b"name"].contains(&name));
    let mut glyphs = vec![vec![14]; n - letters.len()];
    let first = glyphs.len();
    glyphs.extend_from_slice(letters);
    let last = u32::from('A') as usize + letters.len() - 1;
    let groups = [be32(65), be32(last), be32(first)].concat();
    let cmap = [
        &[0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, 12, 0, 0][..],
        &be32(28),
        &be32(0),
        &be32(1),
        &groups,
    ];
    for (name, bytes) in &mut tables {
        match &*name {
            b"cmap" => *bytes = cmap.concat(),
            b"maxp" => bytes[4..6].copy_from_slice(&be16(n)),
            b"name" => rename(bytes),
            _ => {}
        }
    }
    tables.insert(0, (*b"CFF ", cff(&glyphs, subrs)));
    tables
}

/// Renames the family so that it differs from the bundled one.
fn rename(name: &mut [u8]) {
    for at in 0..name.len() - 9 {
        if name[at..].starts_with(b"Right") || name[at..].starts_with(b"R\0i\0g\0h\0t") {
            name[at] = b'L';
        }
    }
}

/// Draws a square of 500 units in an em of 2048: `100 100 rmoveto 500 hlineto 500 vlineto -500 hlineto endchar`.
fn square() -> Vec<u8> {
    let number = |v: i16| [&[28], &v.to_be_bytes()[..]].concat();
    [
        [number(100), number(100), vec![21]].concat(),
        [number(500), vec![6], number(500), vec![7]].concat(),
        [number(-500), vec![6, 14]].concat(),
    ]
    .concat()
}

/// Builds subroutines, each of which calls the next `width` times: `width`⁹ calls.
fn nested(width: usize) -> Vec<Vec<u8>> {
    let mut subrs: Vec<Vec<u8>> = (1..10_u8)
        .map(|next| [32 + next, 29].repeat(width))
        .collect();
    subrs.push(vec![11]);
    subrs
}

/// `-107 callgsubr endchar`
const CALLS_FIRST: [u8; 3] = [32, 29, 14];

fn set(fonts: &Fonts, text: &str) -> TextBlock {
    let font = FontRequest {
        family: "Lighteous".into(),
        weight: 400,
        italic: false,
        letter_spacing_em: 0.0,
    };
    fonts.layout(&TextRequest {
        text,
        font: &font,
        size_px: 100.0,
        line_height: 1.2,
        max_width_px: 2000.0,
        max_lines: 1,
        align: Align::Center,
        context: Context::default(),
    })
}

fn refusal(tables: &Tables) -> String {
    let error = Fonts::default().with_font(font_of(tables)).unwrap_err();
    error.to_string()
}

#[test]
fn an_honest_charstring_is_drawn() {
    let font = font_of(&post_script(10, &[square()], &[]));
    let fonts = Fonts::default().with_font(font).unwrap();
    let block = set(&fonts, "A");
    assert_eq!((block.glyphs.len(), block.refused), (1, None));
    let mask = fonts.rasterize(&GlyphRun {
        glyphs: Arc::from(block.glyphs),
        range: 0..1,
        spread_px: 0.0,
        blur_px: 0.0,
        offset: [0.0; 2],
        paint: Paint::Solid(Color::WHITE),
    });
    let area: f32 = mask.coverage.iter().map(|v| f32::from(*v) / 255.0).sum();
    let side = 500.0 / 2048.0 * 100.0;
    assert!((area / (side * side) - 1.0).abs() < 0.01, "{area}");
}

#[test]
fn subroutines_that_multiply_are_refused() {
    // 30⁹ calls, about 2·10¹³, from 600 bytes.
    for subrs in [nested(30), nested(5)] {
        let tables = post_script(10, &[CALLS_FIRST.to_vec()], &subrs);
        assert!(
            refusal(&tables).contains("takes more than"),
            "{}",
            refusal(&tables)
        );
    }
    // Equally deep, but each called only once: legitimate.
    let font = font_of(&post_script(10, &[CALLS_FIRST.to_vec()], &nested(1)));
    assert!(Fonts::default().with_font(font).is_ok());
}

/// Builds a face in which only the letter `B` is hostile, and it is not among the first glyphs.
fn with_late_bomb() -> Vec<u8> {
    let letters = [square(), CALLS_FIRST.to_vec()];
    font_of(&post_script(2100, &letters, &nested(30)))
}

#[test]
fn the_face_for_tests_of_documents_is_this_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts/late_bomb.otf");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, with_late_bomb()).unwrap();
    }
    assert!(std::fs::read(path).unwrap() == with_late_bomb());
}

#[test]
fn a_glyph_beyond_those_tried_is_left_out_when_it_is_asked_for() {
    let fonts = Fonts::default().with_font(with_late_bomb()).unwrap();
    let block = set(&fonts, "AB");
    assert_eq!(block.glyphs.len(), 1);
    let refused = block.refused.unwrap();
    assert_eq!(refused.family, "Lighteous");
    assert!(refused.chars.iter().eq(&['B']));
    // If a draw list names it anyway, it stays empty.
    let mut glyph = block.glyphs[0];
    glyph.id += 1;
    let mask = fonts.rasterize(&GlyphRun {
        glyphs: Arc::from([glyph]),
        range: 0..1,
        spread_px: 3.0,
        blur_px: 0.0,
        offset: [0.0; 2],
        paint: Paint::Solid(Color::WHITE),
    });
    assert_eq!(mask.width, 0);
}

#[test]
fn a_glyph_as_wide_as_a_street_is_left_out() {
    let mut tables = post_script(10, &[square()], &[]);
    let head = tables.iter_mut().find(|(name, _)| name == b"head").unwrap();
    // With an em of 16 units, the square is 37 em away.
    head.1[18..20].copy_from_slice(&be16(16));
    let fonts = Fonts::default().with_font(font_of(&tables)).unwrap();
    let block = set(&fonts, "A");
    assert!(block.glyphs.is_empty() && block.refused.is_some());
}

#[test]
fn rules_that_many_offsets_share_are_refused() {
    // 60,000 lookups at one offset, each with 60,000 subtables at one offset.
    let n = 60_000;
    let lookups = [&be16(n)[..], &be16(2 * n + 2).repeat(n)].concat();
    let lookup = [&be16(4)[..], &be16(0), &be16(n), &be16(6).repeat(n)].concat();
    let gsub = [&[0, 1, 0, 0, 0, 0, 0, 0, 0, 10][..], &lookups, &lookup].concat();
    let mut tables = post_script(10, &[square()], &[]);
    tables.push((*b"GSUB", gsub));
    assert!(
        refusal(&tables).contains("`GSUB` has too many lookups"),
        "{}",
        refusal(&tables)
    );
}

#[test]
fn points_of_parts_are_counted() {
    // Glyph 0 uses the 65,536 points of glyph 1 900 times: 59 million.
    let simple = [
        &be16(1)[..],
        &[0; 8],
        &be16(0xffff),
        &[0; 2],
        &[0x39, 0xff].repeat(256),
    ]
    .concat();
    let part = |last: bool| [be16(if last { 0 } else { 0x20 }), be16(1), be16(0)].concat();
    let parts: Vec<u8> = (0..900).flat_map(|i| part(i == 899)).collect();
    let composite = [&be16(0xffff)[..], &[0; 8], &parts].concat();
    let loca = [0, composite.len(), composite.len() + simple.len()];
    let mut tables = post_script(2, &[square()], &[]);
    tables.retain(|(name, _)| name != b"CFF ");
    let head = tables.iter_mut().find(|(name, _)| name == b"head").unwrap();
    head.1[50..52].copy_from_slice(&be16(1));
    tables.push((*b"glyf", [composite, simple].concat()));
    tables.push((*b"loca", loca.iter().flat_map(|v| be32(*v)).collect()));
    assert!(
        refusal(&tables).contains("too many parts"),
        "{}",
        refusal(&tables)
    );
}

/// Builds a face whose glyph 0 consists of 55 squares of 192 points, each with `n_variations` variations. Handjet, a variable font, has 167.
fn of_varied_parts(n_variations: usize) -> Tables {
    let simple = [
        &be16(1)[..],
        &[0; 8],
        &be16(191),
        &[0; 2],
        &[0x31, 191],
        &[0; 2],
    ]
    .concat();
    let part = |last: bool| [be16(if last { 0 } else { 0x20 }), be16(1), be16(0)].concat();
    let parts: Vec<u8> = (0..55).flat_map(|i| part(i == 54)).collect();
    let composite = [&be16(0xffff)[..], &[0; 8], &parts].concat();
    let loca = [0, composite.len(), composite.len() + simple.len()];
    // None for glyph 0, the number of variations for glyph 1.
    let head = [
        &[0, 1, 0, 0][..],
        &be16(1),
        &be16(0),
        &be32(32),
        &be16(2),
        &be16(1),
        &be32(32),
    ];
    let offsets = [0, 0, 4].map(be32).concat();
    let variation = [be16(n_variations), be16(4)].concat();
    let gvar = [&head.concat()[..], &offsets, &variation].concat();
    let mut tables = post_script(2, &[square()], &[]);
    tables.retain(|(name, _)| name != b"CFF ");
    let head = tables.iter_mut().find(|(name, _)| name == b"head").unwrap();
    head.1[50..52].copy_from_slice(&be16(1));
    tables.push((*b"glyf", [composite, simple].concat()));
    tables.push((*b"gvar", gvar));
    tables.push((*b"loca", loca.iter().flat_map(|v| be32(*v)).collect()));
    tables
}

#[test]
fn parts_that_vary_are_used_within_reason() {
    assert_eq!(trust::check(&font_of(&of_varied_parts(167))), Ok(()));
    let bomb = refusal(&of_varied_parts(0xfff));
    assert!(bomb.contains("too many parts"), "{bomb}");
}

#[test]
fn an_edge_that_fills_its_box_is_too_long() {
    use swash::zeno::{Point, Verb};
    let zigzag = |n: usize| {
        let points: Vec<Point> = (0..n)
            .map(|i| Point::new(100.0 * (i % 2) as f32, 0.0))
            .collect();
        let mut verbs = vec![Verb::LineTo; n];
        verbs[0] = Verb::MoveTo;
        is_light(&points, &verbs)
    };
    assert!(zigzag(100) && !zigzag(10_000));
    let far = [Point::new(0.0, 0.0), Point::new(9e3, 9e3)];
    assert!(!is_light(&far, &[Verb::MoveTo, Verb::LineTo]));
}

/// Builds a face with one bitmap in `sbix`.
fn with_picture(side: usize) -> Vec<u8> {
    let png = [
        &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
        &be32(side),
        &be32(side),
        &[8, 6, 0, 0, 0],
    ];
    let png = png.concat();
    let glyph = [&[0; 4][..], b"png ", &png].concat();
    let strike = [
        &be16(100)[..],
        &be16(72),
        &be32(16),
        &be32(16),
        &be32(16 + glyph.len()),
        &glyph,
    ];
    let strike = strike.concat();
    let sbix = [&[0, 1, 0, 1, 0, 0, 0, 1][..], &be32(12), &strike].concat();
    let mut tables = post_script(2, &[square()], &[]);
    tables.push((*b"sbix", sbix));
    font_of(&tables)
}

#[test]
fn pictures_larger_than_any_screen_are_not_drawn() {
    for (side, drawn) in [(136, true), (0, false), (201, false), (60_000, false)] {
        let bytes = with_picture(side);
        let font = skrifa::FontRef::new(&bytes).unwrap();
        assert!(can_be_searched(&font));
        assert_eq!(are_small(&font, 1), drawn, "{side}");
        assert!(!are_small(&font, 0), "it has none");
    }
}

#[test]
fn an_index_of_pictures_that_cannot_be_searched_is_not() {
    let cblc = |format: usize, n_sizes: usize| {
        let size = [&be32(56)[..], &be32(20), &be32(1), &[0; 36]].concat();
        let ranges = [
            &be16(0)[..],
            &be16(1),
            &be32(8),
            &be16(format),
            &be16(17),
            &be32(0),
        ];
        let table = [&be32(0x3_0000)[..], &be32(n_sizes), &size, &ranges.concat()].concat();
        let mut tables = post_script(2, &[square()], &[]);
        tables.push((*b"CBLC", table));
        let bytes = font_of(&tables);
        can_be_searched(&skrifa::FontRef::new(&bytes).unwrap())
    };
    assert!(cblc(1, 1));
    assert!(!cblc(4, 1) && !cblc(1, 1_000_000));
}

#[test]
fn installed_fonts_take_few_steps() {
    let folder = std::path::Path::new("/usr/share/fonts/opentype/noto");
    let Ok(bytes) = std::fs::read(folder.join("NotoSansCJK-Bold.ttc")) else {
        println!("skipped: no Noto Sans CJK here");
        return;
    };
    let mut outlines = Outlines::new(skrifa::FontRef::from_index(&bytes, 0).unwrap());
    let steps = (0..65_000)
        .step_by(20)
        .map(|id| outlines.steps(id, &[]).unwrap());
    let most = steps.max().unwrap();
    assert!((100..MAX_STEPS / 20).contains(&most), "{most}");
    assert_eq!(trust::check(&bytes), Ok(()));
}
