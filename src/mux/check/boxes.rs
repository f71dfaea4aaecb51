//! Child boxes of a box, and their fields: bounds are checked before values.

use crate::error::{Error, ErrorKind, Result};

/// Maximum number of reported problems; a longer list would not help.
const MAX_PROBLEMS: usize = 50;

/// Format violations that do not stop the reader.
#[derive(Debug, Default)]
pub(super) struct Problems(pub(super) Vec<String>);

impl Problems {
    pub(super) fn add(&mut self, place: &str, what: impl std::fmt::Display) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(format!("{place}: {what}"));
        }
    }

    /// Adds `what` unless `holds`.
    pub(super) fn unless(&mut self, holds: bool, place: &str, what: impl std::fmt::Display) {
        if !holds {
            self.add(place, what);
        }
    }
}

/// Creates the error for damage that stops the reader.
pub(super) fn broken(place: &str, what: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Media, format!("broken MP4: {place}: {what}"))
}

/// Returns the printable form of a box's four characters.
pub(super) fn name(kind: [u8; 4]) -> String {
    kind.escape_ascii().to_string()
}

/// One box: kind and body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child<'a> {
    pub(super) kind: [u8; 4],
    pub(super) body: &'a [u8],
}

/// A box whose body consists entirely of child boxes.
#[derive(Debug)]
pub(super) struct Parent<'a> {
    pub(super) place: String,
    pub(super) children: Vec<Child<'a>>,
}

impl<'a> Parent<'a> {
    pub(super) fn open(body: &'a [u8], place: impl Into<String>) -> Result<Parent<'a>> {
        let place = place.into();
        let mut children = Vec::new();
        let mut rest = body;
        while !rest.is_empty() {
            let (child, after) = split_box(rest, &place)?;
            children.push(child);
            rest = after;
        }
        Ok(Parent { place, children })
    }

    /// Returns the children of `kind`, with their paths.
    pub(super) fn all(&self, kind: &[u8; 4]) -> impl Iterator<Item = (String, &'a [u8])> {
        let matching = self.children.iter().filter(|child| child.kind == *kind);
        let bodies: Vec<_> = matching.map(|child| child.body).collect();
        let base = format!("{}/{}", self.place, name(*kind));
        let is_list = bodies.len() > 1;
        bodies.into_iter().enumerate().map(move |(i, body)| {
            let place = if is_list {
                format!("{base}[{i}]")
            } else {
                base.clone()
            };
            (place, body)
        })
    }

    /// Returns the first child of `kind`; reports a problem if there is a second one.
    pub(super) fn optional(&self, kind: &[u8; 4], problems: &mut Problems) -> Option<&'a [u8]> {
        let mut found = self.children.iter().filter(|child| child.kind == *kind);
        let first = found.next()?;
        let is_only = found.next().is_none();
        problems.unless(
            is_only,
            &self.place,
            format!("more than one {}", name(*kind)),
        );
        Some(first.body)
    }

    /// Returns the only child of `kind`.
    pub(super) fn one(&self, kind: &[u8; 4], problems: &mut Problems) -> Result<&'a [u8]> {
        self.optional(kind, problems)
            .ok_or_else(|| broken(&self.place, format!("no {} box", name(*kind))))
    }

    /// Opens the only child of `kind` as a parent of boxes.
    pub(super) fn inside(&self, kind: &[u8; 4], problems: &mut Problems) -> Result<Parent<'a>> {
        let body = self.one(kind, problems)?;
        Parent::open(body, format!("{}/{}", self.place, name(*kind)))
    }

    /// Returns the fields of the only child of `kind`.
    pub(super) fn fields(&self, kind: &[u8; 4], problems: &mut Problems) -> Result<Fields<'a>> {
        let body = self.one(kind, problems)?;
        Ok(Fields::new(body, format!("{}/{}", self.place, name(*kind))))
    }

    /// Reports a problem for each child of another kind.
    pub(super) fn allow(&self, kinds: &[&[u8; 4]], problems: &mut Problems) {
        for child in &self.children {
            let is_known = kinds.contains(&&child.kind) || FILLERS.contains(&&child.kind);
            let what = format!("unexpected box {}", name(child.kind));
            problems.unless(is_known, &self.place, what);
        }
    }
}

/// Boxes that may appear anywhere and do not describe the samples.
const FILLERS: [&[u8; 4]; 5] = [b"free", b"skip", b"udta", b"meta", b"uuid"];

/// Splits the first box off; its size must fit.
fn split_box<'a>(data: &'a [u8], place: &str) -> Result<(Child<'a>, &'a [u8])> {
    let mut fields = Fields::new(data, place);
    let size = fields.u32()?;
    let kind = fields.array::<4>()?;
    let size = match size {
        1 => fields.u64()?,
        // The size 0 ("to the end of the file") is only valid at the top level.
        size => u64::from(size),
    };
    let n_header = (data.len() - fields.data.len()) as u64;
    let n_body = size
        .checked_sub(n_header)
        .filter(|n| *n <= fields.data.len() as u64);
    let Some(n_body) = n_body else {
        let left = data.len();
        let what = format!(
            "box {} claims {size} bytes, but {left} are left",
            name(kind)
        );
        return Err(broken(place, what));
    };
    let (body, rest) = fields.data.split_at(n_body as usize);
    Ok((Child { kind, body }, rest))
}

/// A cursor over big-endian fields.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    pub(super) data: &'a [u8],
    pub(super) place: String,
}

impl<'a> Fields<'a> {
    pub(super) fn new(data: &'a [u8], place: impl Into<String>) -> Fields<'a> {
        let place = place.into();
        Fields { data, place }
    }

    pub(super) fn bytes(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.data.split_at_checked(n).ok_or_else(|| {
            let left = self.data.len();
            broken(
                &self.place,
                format!("ends early: {n} bytes expected, {left} left"),
            )
        })?;
        self.data = rest;
        Ok(head)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.bytes(N)?;
        Ok(bytes.try_into().expect("bytes(N) gives N bytes"))
    }

    pub(super) fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    /// Reads the version of a full box and skips its flags.
    pub(super) fn version(&mut self) -> Result<u8> {
        Ok(self.u32()?.to_be_bytes()[0])
    }

    /// Reads 64 bits in version 1, 32 bits in version 0.
    pub(super) fn wide(&mut self, version: u8) -> Result<u64> {
        if version == 1 {
            self.u64()
        } else {
            Ok(u64::from(self.u32()?))
        }
    }

    /// Reads an `entry_count` and that many entries of `N` bytes, which must fill the box: a false count allocates nothing.
    pub(super) fn entries<const N: usize>(&mut self) -> Result<&'a [[u8; N]]> {
        let n = self.u32()?;
        let (entries, rest) = self.data.as_chunks::<N>();
        if entries.len() as u64 != u64::from(n) || !rest.is_empty() {
            let left = self.data.len();
            let what = format!("{n} entries of {N} bytes do not match the {left} bytes there");
            return Err(broken(&self.place, what));
        }
        self.data = rest;
        Ok(entries)
    }

    /// Reports a problem if bytes are left.
    pub(super) fn end(&self, problems: &mut Problems) {
        let n = self.data.len();
        problems.unless(n == 0, &self.place, format!("{n} bytes too many"));
    }
}
