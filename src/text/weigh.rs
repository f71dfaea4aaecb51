//! How much work a glyph asks for, found before it is drawn: small numbers in a font can ask for more than any machine does in a lifetime.

use skrifa::instance::NormalizedCoord;
use skrifa::raw::TableProvider;
use skrifa::raw::ps::cff::CffFontRef;
use skrifa::{FontRef, GlyphId, Tag};

use super::charstring;
use super::glyf::Glyphs;

/// Most steps that a glyph may take: bytes of charstrings, or points times their variations. The finest ornaments of real fonts take a tenth.
pub(super) const MAX_STEPS: u64 = 500_000;

/// Most layers of a color glyph.
const MAX_LAYERS: usize = 1000;

/// The outlines of a face by kind.
pub(super) struct Outlines<'a> {
    font: FontRef<'a>,
    true_type: Option<Glyphs<'a>>,
    /// `CFF ` and `CFF2`, as far as they are there; `None` for one that cannot be read.
    post_script: Vec<Option<CffFontRef<'a>>>,
    nests_freely: bool,
}

impl<'a> Outlines<'a> {
    /// The face's tables.
    pub(super) fn new(font: FontRef<'a>) -> Outlines<'a> {
        let table = |name: &[u8; 4]| font.table_data(Tag::new(name));
        let em = font.head().ok().map(|head| i32::from(head.units_per_em()));
        let one = table(b"CFF ").map(|data| CffFontRef::new_cff(data.as_bytes(), 0, em).ok());
        let two = table(b"CFF2").map(|data| CffFontRef::new_cff2(data.as_bytes(), em).ok());
        Outlines {
            true_type: Glyphs::of(&font),
            post_script: one.into_iter().chain(two).collect(),
            // Composites of composites without a limit on their number, in a table that no released font has.
            nests_freely: table(b"VARC").is_some(),
            font,
        }
    }

    /// Steps that drawing a glyph takes; `None` where they are more than [`MAX_STEPS`].
    pub(super) fn steps(&mut self, glyph: u16, coords: &[NormalizedCoord]) -> Option<u64> {
        let mut sum = self.outline(glyph, coords, MAX_STEPS)?;
        for layer in self.layers(glyph)? {
            sum += self.outline(layer, coords, MAX_STEPS - sum)?;
        }
        Some(sum)
    }

    fn outline(&mut self, glyph: u16, coords: &[NormalizedCoord], budget: u64) -> Option<u64> {
        if self.nests_freely {
            return None;
        }
        let mut sum = match &mut self.true_type {
            Some(glyphs) => glyphs.work(glyph)?,
            None => 0,
        };
        for font in &self.post_script {
            let left = budget.checked_sub(sum)?;
            sum += charstring::work(font.as_ref()?, glyph, coords, left)?;
        }
        (sum <= budget).then_some(sum)
    }

    /// The glyphs that a color glyph has on top of each other; `None` where they are too many.
    fn layers(&self, glyph: u16) -> Option<Vec<u16>> {
        let Ok(colr) = self.font.colr() else {
            return Some(Vec::new());
        };
        let range = colr.v0_base_glyph(GlyphId::from(glyph)).ok().flatten();
        let range = range.unwrap_or(0..0);
        if range.len() > MAX_LAYERS {
            return None;
        }
        let layers = range.map_while(|i| colr.v0_layer(i).ok());
        Some(layers.map(|(glyph, _)| glyph.to_u16()).collect())
    }
}
