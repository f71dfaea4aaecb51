//! How much work a PostScript outline asks for, found by running it with a budget.
//!
//! Subroutines of CFF and CFF2 may call each other ten deep, each the next as often as it likes: a kilobyte asks for longer than anybody waits.
//! The interpreter that draws knows no limit but the depth. It is the one that runs here too, and asks for each subroutine's bytes: that is where they are counted.

use std::cell::Cell;

use skrifa::GlyphId;
use skrifa::instance::NormalizedCoord;
use skrifa::raw::ps::cff::{CffFontRef, blend::BlendState, index::Index};
use skrifa::raw::ps::cs::{CharstringContext, CharstringKind, CommandSink, evaluate};
use skrifa::raw::ps::error::Error;
use skrifa::raw::tables::variations::ItemVariationStore;
use skrifa::raw::types::Fixed;

/// What a call costs beside the bytes that are called.
const CALL: u64 = 16;

/// Axes times regions that are blended as fast as a byte of a charstring is read.
const BLEND_UNIT: u64 = 64;

/// Bytes that are run for a glyph of a `CFF ` or `CFF2` table, those of subroutines each time they are called.
///
/// `None` where there are more than `budget`, or the table contradicts itself. Other damage is for the one who draws to find: it ends the run early there too.
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
    // An error that is not of the budget's making ends the drawing as well.
    let _ = evaluate(&counted, blend, charstring, &mut Nowhere);
    counted.left.get().map(|left| budget - left)
}

/// What the dearest blend of a store costs, in bytes of a charstring.
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

/// Charstrings by number, counted as they are handed out.
struct Counted<'a> {
    inner: (&'a [u8], &'a Index<'a>, &'a Index<'a>, &'a Index<'a>),
    n_glyphs: u64,
    price: u64,
    /// `None` once it was not enough.
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
        // Letters are looked for in a list of all glyphs.
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
            // The drawing reader may take a list at offset 0 for one. No real font calls what it does not have.
            self.left.set(None);
        }
        self.counted(self.inner.subr(index))
    }
}

/// Where an outline goes that nobody wants to see.
struct Nowhere;

impl CommandSink for Nowhere {
    fn move_to(&mut self, _: Fixed, _: Fixed) {}
    fn line_to(&mut self, _: Fixed, _: Fixed) {}
    fn curve_to(&mut self, _: Fixed, _: Fixed, _: Fixed, _: Fixed, _: Fixed, _: Fixed) {}
    fn close(&mut self) {}
}
