//! The items of a HEIF file (ISO/IEC 23008-12): which one is the picture, what it consists of, where its bytes are.

use mp4_atom::{Any, Clap, Colr, Decode, FourCC, Idat, Iinf, Iloc, Iprp, Iref, Meta, Pitm};

use super::Crop;
use crate::bitstream::ColorFacts;
use crate::media::refusal::Refusal;
use crate::media::still::size::cut_short;

/// Maximum number of tiles in a grid.
const MAX_TILES: usize = 4096;

/// The items of one file.
pub(super) struct Items<'a> {
    bytes: &'a [u8],
    meta: Meta,
    /// ID of the item that is the picture.
    pub(super) primary: u32,
}

/// A picture, as a single piece or as tiles.
pub(super) struct Image {
    /// Size as decoded, before it is cropped and turned.
    pub(super) size: (u32, u32),
    pub(super) tiles: Tiles,
    /// Quarter turns counter-clockwise.
    pub(super) quarter_turns: u8,
    /// Axis of mirroring, if any.
    pub(super) mirror: Option<u8>,
    /// The visible part.
    pub(super) crop: Option<Crop>,
    /// The container's description of the samples.
    pub(super) color: Option<ColorFacts>,
    /// The ICC profile.
    pub(super) profile: Option<Vec<u8>>,
    /// ID of the item with its alpha.
    pub(super) alpha: Option<u32>,
    pub(super) is_premultiplied: bool,
}

/// The items to decode.
pub(super) enum Tiles {
    One(u32),
    /// Row by row, all of the same size.
    Grid {
        ids: Vec<u32>,
        columns: u32,
        tile: (u32, u32),
    },
}

impl<'a> Items<'a> {
    /// Reads the container.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Items<'a>, Refusal> {
        let mut meta = top_level(bytes, *b"meta").ok_or_else(cut_short)?;
        let meta = Meta::decode(&mut meta).map_err(Refusal::damaged)?;
        let Some(primary) = meta.get::<Pitm>() else {
            let reason = "is an AVIF animation without a still picture, which is not supported";
            return Err(
                Refusal::new("unsupported_picture", reason).hint("save it as a clip (MP4 or WebM)")
            );
        };
        let primary = primary.item_id;
        Ok(Items {
            bytes,
            meta,
            primary,
        })
    }

    /// Returns the facts of a picture.
    pub(super) fn image(&self, id: u32) -> Result<Image, Refusal> {
        let (size, tiles) = match self.kind(id).as_ref() {
            Some(b"av01") => (self.size(id)?, Tiles::One(id)),
            Some(b"grid") => self.grid(id)?,
            kind => {
                let kind = kind.map_or("none".into(), |k| String::from_utf8_lossy(k).into_owned());
                let reason =
                    format!("contains `{kind}` instead of AV1, which is not supported in AVIF");
                return Err(Refusal::new("unsupported_picture", reason).hint("save it as PNG"));
            }
        };
        let mut image = Image {
            size,
            tiles,
            quarter_turns: 0,
            mirror: None,
            crop: None,
            color: None,
            profile: None,
            alpha: self.alpha_of(id),
            is_premultiplied: false,
        };
        image.is_premultiplied = image
            .alpha
            .is_some_and(|alpha| self.references(*b"prem", id).any(|to| to == alpha));
        for property in self.properties(id) {
            match property {
                Any::Irot(turn) => image.quarter_turns = turn.angle,
                Any::Imir(mirror) => image.mirror = Some(mirror.axis),
                Any::Clap(part) => image.crop = crop_of(part, size),
                Any::Colr(color) => read_color(color, &mut image),
                _ => {}
            }
        }
        // In a grid, the colors may be given only by the tiles.
        if let (Tiles::Grid { ids, .. }, None, None) = (&image.tiles, image.color, &image.profile) {
            let first = ids.first().copied();
            for property in first.into_iter().flat_map(|id| self.properties(id)) {
                if let Any::Colr(color) = property {
                    read_color(color, &mut image);
                }
            }
        }
        Ok(image)
    }

    /// Returns the bytes of an item.
    pub(super) fn data(&self, id: u32) -> Result<Vec<u8>, Refusal> {
        let places = self.meta.get::<Iloc>().ok_or_else(cut_short)?;
        let place = places.item_locations.iter().find(|item| item.item_id == id);
        let place = place.ok_or_else(cut_short)?;
        let inside;
        let whole: &[u8] = match place.construction_method {
            0 => self.bytes,
            1 => {
                inside = self.meta.get::<Idat>().ok_or_else(cut_short)?;
                &inside.data
            }
            _ => {
                return Err(Refusal::damaged("its data is stored in an unknown way"));
            }
        };
        let mut data = Vec::new();
        for extent in &place.extents {
            let start = place.base_offset.checked_add(extent.offset);
            let start = start.and_then(|start| usize::try_from(start).ok());
            let rest = start.and_then(|start| whole.get(start..));
            let n = match extent.length {
                0 => rest.map(<[u8]>::len),
                n => usize::try_from(n).ok(),
            };
            let part = rest.zip(n).and_then(|(rest, n)| rest.get(..n));
            let part = part.ok_or_else(cut_short)?;
            if data.len() + part.len() > self.bytes.len() {
                return Err(Refusal::damaged("its parts overlap"));
            }
            data.extend_from_slice(part);
        }
        Ok(data)
    }

    fn kind(&self, id: u32) -> Option<[u8; 4]> {
        let items = self.meta.get::<Iinf>()?;
        let item = items.item_infos.iter().find(|item| item.item_id == id)?;
        item.item_type.map(|kind| *kind.as_ref())
    }

    fn properties(&self, id: u32) -> impl Iterator<Item = &Any> {
        let all = self.meta.get::<Iprp>();
        let lists = all.into_iter().flat_map(|all| &all.ipma);
        let items = lists.flat_map(|list| &list.item_properties);
        let own = items.filter(move |item| item.item_id == id);
        own.flat_map(|item| &item.associations)
            .filter_map(move |place| {
                let index = usize::from(place.property_index).checked_sub(1)?;
                all?.ipco.properties.get(index)
            })
    }

    fn size(&self, id: u32) -> Result<(u32, u32), Refusal> {
        let sizes = self.properties(id).find_map(|property| match property {
            Any::Ispe(size) => Some((size.width, size.height)),
            _ => None,
        });
        sizes.ok_or_else(|| Refusal::damaged("it does not state its size"))
    }

    /// Returns the items that `from` refers to.
    fn references(&self, kind: [u8; 4], from: u32) -> impl Iterator<Item = u32> {
        let all = self.meta.get::<Iref>();
        let all = all.into_iter().flat_map(|all| &all.references);
        all.filter(move |r| r.reference_type == FourCC::new(&kind) && r.from_item_id == from)
            .flat_map(|r| r.to_item_ids.iter().copied())
    }

    /// Returns the item that is the alpha of another one.
    fn alpha_of(&self, id: u32) -> Option<u32> {
        let all = self.meta.get::<Iref>()?;
        let auxiliary = all
            .references
            .iter()
            .filter(|r| r.reference_type == FourCC::new(b"auxl") && r.to_item_ids.contains(&id));
        auxiliary.map(|r| r.from_item_id).find(|&from| {
            self.properties(from).any(|property| {
                matches!(property, Any::Auxc(kind) if kind.aux_type == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
                    || kind.aux_type == "urn:mpeg:hevc:2015:auxid:1")
            })
        })
    }

    /// Reads a grid of tiles (6.6.2.3.2).
    fn grid(&self, id: u32) -> Result<((u32, u32), Tiles), Refusal> {
        let data = self.data(id)?;
        let (rows, columns, size) = match data[..] {
            [0, flags, rows, columns, w1, w0, h1, h0] if flags & 1 == 0 => {
                let size = [[w1, w0], [h1, h0]].map(|v| u32::from(u16::from_be_bytes(v)));
                (rows, columns, size)
            }
            [0, flags, rows, columns, w3, w2, w1, w0, h3, h2, h1, h0] if flags & 1 == 1 => {
                let size = [[w3, w2, w1, w0], [h3, h2, h1, h0]].map(u32::from_be_bytes);
                (rows, columns, size)
            }
            _ => return Err(Refusal::damaged("its grid cannot be read")),
        };
        let (rows, columns) = (u32::from(rows) + 1, u32::from(columns) + 1);
        let n_tiles = (rows * columns) as usize;
        let ids: Vec<u32> = self.references(*b"dimg", id).collect();
        let first = ids.first().copied().ok_or_else(cut_short)?;
        let tile = self.size(first)?;
        // The last column and row are cropped, but not empty.
        let fits = |side: u32, tile: u32, n: u32| {
            let before = u64::from(tile) * u64::from(n - 1);
            tile > 0 && before < u64::from(side) && u64::from(side) <= before + u64::from(tile)
        };
        let is_good = ids.len() == n_tiles
            && n_tiles <= MAX_TILES
            && fits(size[0], tile.0, columns)
            && fits(size[1], tile.1, rows);
        if !is_good {
            return Err(Refusal::damaged("its tiles do not fill its grid"));
        }
        let tiles = Tiles::Grid { ids, columns, tile };
        Ok(((size[0], size[1]), tiles))
    }
}

fn read_color(color: &Colr, image: &mut Image) {
    match color {
        Colr::Nclx {
            colour_primaries,
            transfer_characteristics,
            matrix_coefficients,
            full_range_flag,
        } => {
            image.color = Some(ColorFacts {
                primaries: *colour_primaries,
                transfer: *transfer_characteristics,
                matrix: *matrix_coefficients,
                full_range: *full_range_flag,
            });
        }
        Colr::Ricc { profile } | Colr::Prof { profile } => image.profile = Some(profile.clone()),
        _ => {}
    }
}

/// Returns the part that `clap` keeps (ISO/IEC 14496-12, 12.1.4); `None` if it is not on whole pixels inside the picture: other readers ignore it then too.
fn crop_of(part: &Clap, (width, height): (u32, u32)) -> Option<Crop> {
    let along = |side: u32, (n, d): (u32, u32), (off_n, off_d): (i32, u32)| {
        let [n, d, off_n, off_d] = [i128::from(n), d.into(), off_n.into(), off_d.into()];
        if d <= 0 || off_d <= 0 || n % d != 0 {
            return None;
        }
        let length = n / d;
        // Twice the start: side - length + 2 * offset.
        let twice = (i128::from(side) - length) * off_d + 2 * off_n;
        if twice % (2 * off_d) != 0 {
            return None;
        }
        let start = twice / (2 * off_d);
        let is_inside = start >= 0 && length > 0 && start + length <= i128::from(side);
        let [start, length] = [start, length].map(u32::try_from);
        is_inside.then_some((start.ok()?, length.ok()?))
    };
    let horizontal = (part.clean_aperture_width_n, part.clean_aperture_width_d);
    let vertical = (part.clean_aperture_height_n, part.clean_aperture_height_d);
    let (left, columns) = along(width, horizontal, (part.horiz_off_n, part.horiz_off_d))?;
    let (top, rows) = along(height, vertical, (part.vert_off_n, part.vert_off_d))?;
    Some([left, top, columns, rows])
}

/// Returns a top-level box of the file, including its header.
fn top_level(bytes: &[u8], kind: [u8; 4]) -> Option<&[u8]> {
    let mut rest = bytes;
    loop {
        let (head, _) = rest.split_first_chunk::<8>()?;
        let size = u32::from_be_bytes([head[0], head[1], head[2], head[3]]);
        let size = match size {
            0 => rest.len(),
            1 => usize::try_from(u64::from_be_bytes(*rest.get(8..)?.first_chunk()?)).ok()?,
            n => n as usize,
        };
        if size < 8 {
            return None;
        }
        if head[4..] == kind {
            return rest.get(..size);
        }
        rest = rest.get(size..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_on_whole_pixels() {
        let part = |width, height, horiz_off_n| Clap {
            clean_aperture_width_n: width,
            clean_aperture_width_d: 1,
            clean_aperture_height_n: height,
            clean_aperture_height_d: 1,
            horiz_off_n,
            horiz_off_d: 2,
            vert_off_n: 0,
            vert_off_d: 1,
        };
        // A margin of 3 px: half a px to the right of the middle leaves 2 and 1.
        assert_eq!(crop_of(&part(7, 10, 1), (10, 10)), Some([2, 0, 7, 10]));
        assert_eq!(crop_of(&part(7, 10, 0), (10, 10)), None);
        assert_eq!(crop_of(&part(8, 4, 0), (10, 10)), Some([1, 3, 8, 4]));
        assert_eq!(crop_of(&part(8, 4, 8), (10, 10)), None);
        assert_eq!(crop_of(&part(12, 4, 0), (10, 10)), None);
    }
}
