//! Measures a glyph's work before it is drawn: small numbers in a font can demand practically unlimited work.

use skrifa::instance::NormalizedCoord;
use skrifa::raw::TableProvider;
use skrifa::raw::ps::cff::CffFontRef;
use skrifa::{FontRef, GlyphId, Tag};

use super::charstring;
use super::glyf::Glyphs;

/// Maximum number of steps for a glyph: charstring bytes, or points times variations. The most detailed ornaments of real fonts take a tenth.
pub(super) const MAX_STEPS: u64 = 500_000;

/// Maximum number of layers of a color glyph.
const MAX_LAYERS: usize = 1000;

/// The outlines of a face, by kind.
pub(super) struct Outlines<'a> {
    font: FontRef<'a>,
    true_type: Option<Glyphs<'a>>,
    /// The `CFF ` and `CFF2` tables present; `None` for an unreadable one.
    post_script: Vec<Option<CffFontRef<'a>>>,
    nests_freely: bool,
}

impl<'a> Outlines<'a> {
    /// Opens the face's tables.
    pub(super) fn new(font: FontRef<'a>) -> Outlines<'a> {
        let table = |name: &[u8; 4]| font.table_data(Tag::new(name));
        let em = font.head().ok().map(|head| i32::from(head.units_per_em()));
        let one = table(b"CFF ").map(|data| CffFontRef::new_cff(data.as_bytes(), 0, em).ok());
        let two = table(b"CFF2").map(|data| CffFontRef::new_cff2(data.as_bytes(), em).ok());
        Outlines {
            true_type: Glyphs::of(&font),
            post_script: one.into_iter().chain(two).collect(),
            // Composite glyphs without a limit on nesting, in a table that no released font uses.
            nests_freely: table(b"VARC").is_some(),
            font,
        }
    }

    /// Returns the steps needed to draw a glyph, or `None` if they exceed [`MAX_STEPS`].
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

    /// Returns the glyphs stacked in a color glyph, or `None` if there are too many.
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
