//! Measures the work that a font's tables demand of a shaper: rules of `GSUB` and `GPOS`, variation regions.
//!
//! Lists in these tables hold offsets, and many offsets may point to one place, so a few kilobytes can claim billions of rules. A shaper keeps an entry
//! for each and tries them letter by letter. They are therefore counted as claimed, not as stored.

use skrifa::raw::tables::variations::ItemVariationStore;
use skrifa::raw::{FontData, TableProvider};
use skrifa::{FontRef, Tag};

/// Maximum number of subtables in all lookups of a table. Fonts with many scripts have a few thousand.
const MAX_SUBTABLES: u64 = 20_000;

/// Maximum number of entries (glyphs covered, rules, ligatures) in all lookups of a table.
const MAX_ENTRIES: u64 = 4_000_000;

/// Maximum number of rules tried for one glyph in one lookup.
const MAX_TRIES: u64 = 20_000;

/// Maximum number of values read to move one item along the variation axes.
const MAX_BLEND: u64 = 65_536;

/// Maximum number of variation axes.
const MAX_AXES: usize = 64;

/// Checks the tables of a face; the error text follows "cannot be used as a font:".
pub(super) fn check(font: &FontRef<'_>) -> Result<(), String> {
    for (tag, extension) in [(b"GSUB", 7), (b"GPOS", 9)] {
        if let Some(data) = font.table_data(Tag::new(tag)) {
            Table { data, extension }.check(&String::from_utf8_lossy(tag))?;
        }
    }
    if font
        .fvar()
        .is_ok_and(|fvar| usize::from(fvar.axis_count()) > MAX_AXES)
    {
        return Err(format!("it has more than {MAX_AXES} variation axes"));
    }
    let stores = [
        ("HVAR", font.hvar().ok().map(|t| t.item_variation_store())),
        ("VVAR", font.vvar().ok().map(|t| t.item_variation_store())),
        (
            "MVAR",
            font.mvar().ok().and_then(|t| t.item_variation_store()),
        ),
        ("GDEF", font.gdef().ok().and_then(|t| t.item_var_store())),
    ];
    for (name, store) in stores {
        if let Some(Ok(store)) = store
            && blend(&store) > MAX_BLEND
        {
            return Err(format!("its table `{name}` varies in too many regions"));
        }
    }
    Ok(())
}

/// Returns the largest number of regions times axes of any item in a store.
fn blend(store: &ItemVariationStore<'_>) -> u64 {
    let n_axes = store
        .variation_region_list()
        .map_or(0, |list| u64::from(list.axis_count()));
    let data = store.item_variation_data();
    let regions = data.iter().flatten().flatten();
    n_axes
        * regions
            .map(|data| u64::from(data.region_index_count()))
            .max()
            .unwrap_or(0)
}

/// `GSUB` or `GPOS` (OpenType specification, "Common Table Formats").
struct Table<'a> {
    data: FontData<'a>,
    /// The lookup type that refers to another lookup.
    extension: u16,
}

impl Table<'_> {
    fn number(&self, at: usize) -> Option<usize> {
        self.data.read_at::<u16>(at).ok().map(usize::from)
    }

    fn check(&self, name: &str) -> Result<(), String> {
        let Some(list) = self.number(8).filter(|at| *at > 0) else {
            return Ok(());
        };
        let (mut n_subtables, mut n_entries) = (0_u64, 0_u64);
        for i in 0..self.number(list).unwrap_or(0) {
            let Some(lookup) = self.number(list + 2 + 2 * i).map(|at| list + at) else {
                break;
            };
            let n = self.number(lookup + 4).unwrap_or(0);
            n_subtables += n as u64;
            if n_subtables > MAX_SUBTABLES {
                return Err(format!("its table `{name}` has too many lookups"));
            }
            let mut tries = 0;
            for j in 0..n {
                let (entries, rules) = self.subtable(lookup, j).unwrap_or((0, 0));
                n_entries += entries;
                tries += rules;
                if n_entries > MAX_ENTRIES || tries > MAX_TRIES {
                    return Err(format!("its table `{name}` has too many rules"));
                }
            }
        }
        Ok(())
    }

    /// Returns the entries of a subtable, and the maximum number of rules that one glyph tries in it.
    fn subtable(&self, lookup: usize, index: usize) -> Option<(u64, u64)> {
        let mut kind = self.number(lookup)?;
        let mut at = lookup + self.number(lookup + 6 + 2 * index)?;
        if kind == usize::from(self.extension) {
            kind = self.number(at + 2)?;
            at += self.data.read_at::<u32>(at + 4).ok()? as usize;
        }
        let format = self.number(at)?;
        // Context lookups have different types in the two tables: 5 and 6, 7 and 8.
        let context = usize::from(self.extension) - 2;
        let sets = match format {
            1 if kind == context || kind == context + 1 => Some(4),
            2 if kind == context => Some(6),
            2 if kind == context + 1 => Some(10),
            1 if self.extension == 7 && kind == 4 => Some(4),
            _ => None,
        };
        let covered = match format {
            3 => 0,
            _ => self.number(at + self.number(at + 2)? + 2).unwrap_or(0) as u64,
        };
        let Some(sets) = sets else {
            return Some((covered, 1));
        };
        let n_sets = self.number(at + sets)?;
        let (mut all, mut most) = (covered + n_sets as u64, 1);
        for i in 0..n_sets {
            let offset = self.number(at + sets + 2 + 2 * i)?;
            if offset > 0 {
                let n = self.number(at + offset).unwrap_or(0) as u64;
                all += n;
                most = most.max(n);
            }
        }
        Some((all, most))
    }
}
