//! Checks an untrusted font file before use: what it claims to hold, and how much work its glyphs need.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parley::fontique::{Blob, Collection, CollectionOptions};
use swash::scale::ScaleContext;
use swash::{FontDataRef, FontRef, TableProvider};

use super::glyf::Glyphs;
use super::lookups;
use super::weigh::{MAX_STEPS, Outlines};

/// Maximum number of faces in a collection.
const MAX_FACES: usize = 64;

/// Number of glyphs drawn as a trial in a face, up to a total number of steps. The other glyphs are measured at their first use.
const TRIAL_GLYPHS: u16 = 2000;
const TRIAL_STEPS: u64 = 4_000_000;
const TRIAL_SIZE_PX: f32 = 16.0;

/// Checks a font file; the error text follows "cannot be used as a font:".
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    guarded(|| {
        let data = FontDataRef::new(bytes).ok_or_else(|| match bytes.get(..4) {
            Some(b"wOFF" | b"wOF2") => "WOFF and WOFF2 must be unpacked first".to_owned(),
            _ => format!(
                "the {} bytes are not a TrueType or OpenType file, or are cut short",
                bytes.len()
            ),
        })?;
        if data.len() > MAX_FACES {
            return Err(format!(
                "it has {} faces; at most {MAX_FACES} are allowed",
                data.len()
            ));
        }
        for index in 0..data.len() {
            let face = data.get(index).ok_or("one of its faces is damaged")?;
            check_face(face, index)?;
        }
        let mut collection = Collection::new(CollectionOptions {
            shared: false,
            system_fonts: false,
        });
        let blob = Blob::new(Arc::new(bytes.to_vec()));
        match collection.register_fonts(blob, None).is_empty() {
            true => Err("it has no family name".into()),
            false => Ok(()),
        }
    })
    .unwrap_or_else(|| Err("its tables contradict each other".into()))
}

/// Runs a reader of untrusted tables; returns `None` if it panicked.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    // The closures passed here only read, or fill values that are discarded on unwind.
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Tables required to set any text (OpenType specification, "Required tables").
const REQUIRED: [&[u8; 4]; 5] = [b"cmap", b"head", b"hhea", b"hmtx", b"maxp"];

/// Checks that every table of a face lies inside its file.
fn check_tables(face: &FontRef<'_>) -> Result<(), String> {
    let start = face.offset as usize;
    let n = u16_at(face.data, start + 4).ok_or("the file is cut short")?;
    for i in 0..usize::from(n) {
        let record = start + 12 + 16 * i;
        let number = |at: usize| {
            let high = usize::from(u16_at(face.data, record + at)?);
            Some((high << 16) | usize::from(u16_at(face.data, record + at + 2)?))
        };
        let end = number(8).zip(number(12)).map(|(at, length)| at + length);
        if end.is_none_or(|end| end > face.data.len()) {
            return Err("the file is cut short: it ends before its tables do".into());
        }
    }
    for name in REQUIRED {
        if face.table_by_tag(u32::from_be_bytes(*name)).is_none() {
            let name = String::from_utf8_lossy(name);
            return Err(format!("its table `{name}` is missing"));
        }
    }
    Ok(())
}

fn check_face(face: FontRef<'_>, index: usize) -> Result<(), String> {
    check_tables(&face)?;
    let metrics = face.metrics(&[]);
    if !(16..=16_384).contains(&metrics.units_per_em) {
        return Err(format!(
            "an em of {} units is out of range (16 to 16384)",
            metrics.units_per_em
        ));
    }
    if metrics.glyph_count == 0 {
        return Err("it has no glyphs".into());
    }
    // Queried character by character, because a table may claim billions of them.
    let charmap = face.charmap();
    if !('\u{20}'..='\u{2ffff}').any(|c| charmap.map(c) != 0) {
        return Err("it has no glyph for any character".into());
    }
    let index = u32::try_from(index).unwrap_or(0);
    let font = skrifa::FontRef::from_index(face.data, index)
        .map_err(|_| "one of its faces is damaged".to_owned())?;
    lookups::check(&font)?;
    draw_some(face, font, metrics.glyph_count)
}

/// Draws glyphs as a trial, each after measuring its work.
fn draw_some(face: FontRef<'_>, font: skrifa::FontRef<'_>, n_glyphs: u16) -> Result<(), String> {
    if let Some(mut glyphs) = Glyphs::of(&font) {
        for id in 0..n_glyphs {
            if glyphs.work(id).is_none_or(|work| work > MAX_STEPS) {
                return Err(format!("glyph {id} is made of too many parts"));
            }
        }
    }
    let mut outlines = Outlines::new(font);
    let mut context = ScaleContext::with_max_entries(1);
    let mut scaler = context.builder(face).size(TRIAL_SIZE_PX).build();
    let mut sum = 0;
    for id in 0..n_glyphs.min(TRIAL_GLYPHS) {
        sum += outlines
            .steps(id, &[])
            .ok_or_else(|| format!("glyph {id} takes more than {MAX_STEPS} steps to draw"))?;
        if sum > TRIAL_STEPS {
            break;
        }
        scaler.scale_outline(id);
    }
    Ok(())
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes([pair[0], pair[1]]))
}
