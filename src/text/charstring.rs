//! Measures the work of a PostScript outline by running it with a budget.
//!
//! CFF and CFF2 subroutines may nest ten deep, and each may call the next any number of times, so a kilobyte can demand practically unlimited work.
//! The interpreter that draws limits only the depth. The same interpreter runs here; bytes are counted whenever it fetches a subroutine.

use std::cell::Cell;

use skrifa::GlyphId;
use skrifa::instance::NormalizedCoord;
use skrifa::raw::ps::cff::{CffFontRef, blend::BlendState, index::Index};
use skrifa::raw::ps::cs::{CharstringContext, CharstringKind, CommandSink, evaluate};
use skrifa::raw::ps::error::Error;
use skrifa::raw::tables::variations::ItemVariationStore;
use skrifa::raw::types::Fixed;

/// Cost of a call in addition to the bytes called.
const CALL: u64 = 16;

/// Number of axes times regions whose blending costs as much as reading one charstring byte.
const BLEND_UNIT: u64 = 64;

/// Returns the number of bytes executed for a glyph of a `CFF ` or `CFF2` table; a subroutine counts each time it is called.
///
/// Returns `None` if they exceed `budget` or the table contradicts itself. Other damage is ignored: it ends the drawing early as well.
pub(super) fn work(
    font: &CffFontRef<'_>,
    glyph: u16,
    coords: &[NormalizedCoord],
    budget: u64,
) -> Option<u64> {
    let glyph = GlyphId::from(glyph);
    let Ok(charstring) = font.charstrings().get(glyph.to_u32() as usize) else {
        return Some(0);
    };
    let index = font.subfont_index(glyph).unwrap_or(0);
    let subfont = font.subfont(index, coords).ok()?;
    let subrs = match subfont.subrs_offset() {
        0 => None,
        offset => {
            let bytes = font.data().get(offset as usize..)?;
            Some(Index::new(bytes, font.version() == 2).ok()?)
        }
    };
    let none = Index::Empty;
    let local = subrs.as_ref().unwrap_or(&none);
    let price = 1 + font.var_store().map_or(0, blend_price);
    let counted = Counted {
        inner: (font.data(), font.charstrings(), font.global_subrs(), local),
        n_glyphs: u64::from(font.num_glyphs()),
        price,
        left: Cell::new(Some(budget)),
    };
    counted.spend(charstring.len()).ok()?;
    let store = font.var_store().cloned();
    let blend = match store.map(|store| BlendState::new(store, coords, subfont.vs_index())) {
        Some(Err(_)) => return Some(0),
        Some(Ok(blend)) => Some(blend),
        None => None,
    };
    // An error other than an exceeded budget also ends the drawing.
    let _ = evaluate(&counted, blend, charstring, &mut Nowhere);
    counted.left.get().map(|left| budget - left)
}

/// Returns the cost of the most expensive blend of a store, in charstring bytes.
fn blend_price(store: &ItemVariationStore<'_>) -> u64 {
    let n_axes = store
        .variation_region_list()
        .map_or(0, |list| u64::from(list.axis_count()));
    let data = store.item_variation_data();
    let n_regions = data.iter().flatten().flatten();
    let most = n_regions
        .map(|data| u64::from(data.region_index_count()))
        .max();
    n_axes * most.unwrap_or(0) / BLEND_UNIT
}

/// Charstrings by number, counted as they are fetched.
struct Counted<'a> {
    inner: (&'a [u8], &'a Index<'a>, &'a Index<'a>, &'a Index<'a>),
    n_glyphs: u64,
    price: u64,
    /// Remaining budget; `None` once it is exceeded.
    left: Cell<Option<u64>>,
}

impl Counted<'_> {
    fn spend(&self, n_bytes: usize) -> Result<(), Error> {
        let cost = (n_bytes as u64 + CALL).saturating_mul(self.price);
        let left = self.left.get().and_then(|left| left.checked_sub(cost));
        self.left.set(left);
        left.map(|_| ())
            .ok_or(Error::CharstringNestingDepthLimitExceeded)
    }

    fn counted<'b>(&self, bytes: Result<&'b [u8], Error>) -> Result<&'b [u8], Error> {
        let bytes = bytes?;
        self.spend(bytes.len())?;
        Ok(bytes)
    }
}

impl CharstringContext for Counted<'_> {
    fn kind(&self) -> CharstringKind {
        self.inner.kind()
    }

    fn seac_components(&self, base: i32, accent: i32) -> Result<[&[u8]; 2], Error> {
        // Components are found by searching the list of all glyphs.
        self.spend(self.n_glyphs as usize)?;
        let parts = self.inner.seac_components(base, accent)?;
        self.spend(parts[0].len() + parts[1].len())?;
        Ok(parts)
    }

    fn global_subr(&self, index: i32) -> Result<&[u8], Error> {
        self.counted(self.inner.global_subr(index))
    }

    fn subr(&self, index: i32) -> Result<&[u8], Error> {
        if matches!(self.inner.3, Index::Empty) {
            // The drawing reader may read a list at offset 0. Real fonts never call subroutines they do not have.
            self.left.set(None);
        }
        self.counted(self.inner.subr(index))
    }
}

/// Discards the outline.
struct Nowhere;

impl CommandSink for Nowhere {
    fn move_to(&mut self, _: Fixed, _: Fixed) {}
    fn line_to(&mut self, _: Fixed, _: Fixed) {}
    fn curve_to(&mut self, _: Fixed, _: Fixed, _: Fixed, _: Fixed, _: Fixed, _: Fixed) {}
    fn close(&mut self) {}
}
