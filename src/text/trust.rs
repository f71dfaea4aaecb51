//! A stranger's font file, checked before any of it is used: what it claims to hold, and how much work a glyph can ask for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parley::fontique::{Blob, Collection, CollectionOptions};
use swash::scale::ScaleContext;
use swash::{FontDataRef, FontRef, TableProvider};

/// Most faces of a collection.
const MAX_FACES: usize = 64;

/// Most parts that a glyph is put together from, parts of parts counted each time they are drawn. Real fonts have a dozen.
const MAX_PARTS: u32 = 1000;

/// Deepest nesting of parts.
const MAX_DEPTH: usize = 16;

/// Glyphs drawn for trial in a face, px.
const TRIAL_GLYPHS: u16 = 2000;
const TRIAL_SIZE_PX: f32 = 16.0;

/// Flags of a part (OpenType specification, `glyf`, component flags).
const WORDS: u16 = 0x1;
const SCALE: u16 = 0x8;
const MORE: u16 = 0x20;
const SCALE_XY: u16 = 0x40;
const SCALE_2X2: u16 = 0x80;

/// Why a file is no font to be trusted, to be read after "cannot be used as a font:".
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    guarded(|| {
        let data = FontDataRef::new(bytes).ok_or_else(|| match bytes.get(..4) {
            Some(b"wOFF" | b"wOF2") => "WOFF and WOFF2 must be unpacked first".to_owned(),
            _ => format!(
                "the {} bytes are no TrueType or OpenType file, or are cut short",
                bytes.len()
            ),
        })?;
        if data.len() > MAX_FACES {
            return Err(format!("{} faces are more than {MAX_FACES}", data.len()));
        }
        for index in 0..data.len() {
            let face = data.get(index).ok_or("one of its faces is damaged")?;
            check_face(face)?;
        }
        let mut collection = Collection::new(CollectionOptions {
            shared: false,
            system_fonts: false,
        });
        let blob = Blob::new(Arc::new(bytes.to_vec()));
        match collection.register_fonts(blob, None).is_empty() {
            true => Err("it names no family".into()),
            false => Ok(()),
        }
    })
    .unwrap_or_else(|| Err("its tables contradict each other".into()))
}

/// Runs what reads a stranger's tables; `None` where a reader gave up.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    // What is passed here reads, or fills what is thrown away when it unwinds.
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Tables without which nothing can be set (OpenType specification, "Required tables").
const REQUIRED: [&[u8; 4]; 5] = [b"cmap", b"head", b"hhea", b"hmtx", b"maxp"];

/// Whether every table of a face lies inside its file.
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

fn check_face(face: FontRef<'_>) -> Result<(), String> {
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
    // Asked character by character: a table may claim billions of them.
    let charmap = face.charmap();
    if !('\u{20}'..='\u{2ffff}').any(|c| charmap.map(c) != 0) {
        return Err("it has no glyph for any character".into());
    }
    if let Some(glyphs) = Glyphs::of(&face) {
        glyphs.check()?;
    }
    let mut context = ScaleContext::with_max_entries(1);
    let mut scaler = context.builder(face).size(TRIAL_SIZE_PX).build();
    for id in 0..metrics.glyph_count.min(TRIAL_GLYPHS) {
        scaler.scale_outline(id);
    }
    Ok(())
}

/// The outlines of a TrueType face.
struct Glyphs<'a> {
    glyf: &'a [u8],
    loca: &'a [u8],
    long: bool,
    count: usize,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes([pair[0], pair[1]]))
}

impl<'a> Glyphs<'a> {
    fn of(face: &'a FontRef<'_>) -> Option<Glyphs<'a>> {
        let table = |name: &[u8; 4]| face.table_by_tag(u32::from_be_bytes(*name));
        Some(Glyphs {
            glyf: table(b"glyf")?,
            loca: table(b"loca")?,
            long: u16_at(table(b"head")?, 50)? != 0,
            count: usize::from(u16_at(table(b"maxp")?, 4)?),
        })
    }

    /// A glyph's bytes; `None` where it has none.
    fn bytes(&self, id: usize) -> Option<&'a [u8]> {
        let offset = |i: usize| match self.long {
            true => Some(
                (usize::from(u16_at(self.loca, 4 * i)?) << 16)
                    | usize::from(u16_at(self.loca, 4 * i + 2)?),
            ),
            false => Some(2 * usize::from(u16_at(self.loca, 2 * i)?)),
        };
        self.glyf.get(offset(id)?..offset(id + 1)?)
    }

    /// The glyphs that a glyph is put together from.
    fn parts(&self, id: usize) -> Vec<usize> {
        let mut parts = Vec::new();
        let Some(bytes) = self.bytes(id) else {
            return parts;
        };
        // A negative number of contours means parts.
        if u16_at(bytes, 0).is_none_or(|n| n < 0x8000) {
            return parts;
        }
        let mut at = 10;
        while let (Some(flags), Some(part)) = (u16_at(bytes, at), u16_at(bytes, at + 2)) {
            parts.push(usize::from(part));
            at += 4 + if flags & WORDS != 0 { 4 } else { 2 };
            at += match () {
                () if flags & SCALE != 0 => 2,
                () if flags & SCALE_XY != 0 => 4,
                () if flags & SCALE_2X2 != 0 => 8,
                () => 0,
            };
            if flags & MORE == 0 || parts.len() > MAX_PARTS as usize {
                break;
            }
        }
        parts
    }

    fn check(&self) -> Result<(), String> {
        let mut known: Vec<Option<u32>> = vec![None; self.count];
        for id in 0..self.count {
            self.n_parts(id, 0, &mut known)
                .filter(|n| *n <= MAX_PARTS)
                .ok_or_else(|| format!("glyph {id} is put together from too many parts"))?;
        }
        Ok(())
    }

    /// How many simple glyphs are drawn for a glyph; `None` where parts nest too deep.
    fn n_parts(&self, id: usize, depth: usize, known: &mut [Option<u32>]) -> Option<u32> {
        if depth > MAX_DEPTH {
            return None;
        }
        match known.get(id) {
            None => return Some(1),
            Some(Some(n)) => return Some(*n),
            Some(None) => {}
        }
        let mut sum = 1_u32;
        for part in self.parts(id) {
            sum = sum.saturating_add(self.n_parts(part, depth + 1, known)?);
            if sum > MAX_PARTS {
                break;
            }
        }
        known[id] = Some(sum);
        Some(sum)
    }
}
