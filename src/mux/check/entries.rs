//! Sample entries (`stsd`): codec, size, rate, color, and the codec's configuration compared with the entry around it.

use super::boxes::{Child, Fields, Parent, Problems, broken, name};
use crate::bitstream::ColorFacts;
use crate::bitstream::av1::{OBU_SEQUENCE_HEADER, SequenceHeader, split_obu};
use crate::bitstream::avc::Sps;
use crate::bitstream::bits::Bits;
use crate::error::Result;

/// Contents of a sample entry.
#[derive(Debug)]
pub(super) struct Entry {
    /// The `codecs` parameter, or the entry's four characters.
    pub(super) codec: String,
    pub(super) config: Config,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) bit_depth: Option<u8>,
    pub(super) color: Option<ColorFacts>,
    pub(super) pixel_aspect: Option<(u32, u32)>,
    pub(super) channels: u32,
    pub(super) rate_hz: u32,
}

/// Configuration that the samples are checked against.
#[derive(Debug)]
pub(super) enum Config {
    /// The sequence header and the payload that it was read from.
    Av1(Box<SequenceHeader>, Vec<u8>),
    /// Size in bytes of the length before each NAL unit.
    Avc(usize),
    /// Number of priming samples.
    Opus(u64),
    /// An unknown codec, whose samples are not checked.
    Other,
}

impl Entry {
    fn new(kind: [u8; 4]) -> Entry {
        Entry {
            codec: name(kind),
            config: Config::Other,
            width: 0,
            height: 0,
            bit_depth: None,
            color: None,
            pixel_aspect: None,
            channels: 0,
            rate_hz: 0,
        }
    }

    /// Reads the first entry of `stsd`; reports a problem if there are more.
    pub(super) fn read(
        mut stsd: Fields<'_>,
        handler: [u8; 4],
        problems: &mut Problems,
    ) -> Result<Entry> {
        stsd.version()?;
        let n = stsd.u32()?;
        let entries = Parent::open(stsd.data, stsd.place.as_str())?;
        if entries.children.len() as u64 != u64::from(n) {
            let there = entries.children.len();
            return Err(broken(
                &stsd.place,
                format!("{n} entries declared, {there} found"),
            ));
        }
        problems.unless(n == 1, &stsd.place, format!("{n} entries instead of 1"));
        let Some(&Child { kind, body }) = entries.children.first() else {
            return Err(broken(&stsd.place, "no entries"));
        };
        let fields = Fields::new(body, format!("{}/{}", stsd.place, name(kind)));
        match &handler {
            b"vide" => visual(kind, fields, problems),
            b"soun" => sound(kind, fields, problems),
            _ => Ok(Entry::new(kind)),
        }
    }
}

/// Reads a VisualSampleEntry (ISO/IEC 14496-12, 12.1.3).
fn visual(kind: [u8; 4], mut fields: Fields<'_>, problems: &mut Problems) -> Result<Entry> {
    let mut entry = Entry::new(kind);
    fields.bytes(6)?;
    let reference = fields.u16()?;
    problems.unless(reference == 1, &fields.place, "data reference is not 1");
    fields.bytes(16)?;
    (entry.width, entry.height) = (u32::from(fields.u16()?), u32::from(fields.u16()?));
    fields.bytes(50)?;
    let boxes = Parent::open(fields.data, fields.place.as_str())?;
    if let Some(body) = boxes.optional(b"pasp", problems) {
        let mut fields = Fields::new(body, format!("{}/pasp", boxes.place));
        entry.pixel_aspect = Some((fields.u32()?, fields.u32()?));
        fields.end(problems);
    }
    if let Some(body) = boxes.optional(b"colr", problems) {
        entry.color = nclx(Fields::new(body, format!("{}/colr", boxes.place)), problems)?;
    }
    if let Some(body) = boxes.optional(b"btrt", problems) {
        problems.unless(body.len() == 12, &boxes.place, "btrt is not 12 bytes long");
    }
    let told = match &kind {
        b"av01" => {
            let known: [&[u8; 4]; 6] = [b"av1C", b"btrt", b"colr", b"pasp", b"fiel", b"clli"];
            boxes.allow(&known, problems);
            av1(&mut entry, boxes.fields(b"av1C", problems)?, problems)?
        }
        b"avc1" => {
            let known: [&[u8; 4]; 5] = [b"avcC", b"btrt", b"colr", b"pasp", b"fiel"];
            boxes.allow(&known, problems);
            avc(&mut entry, boxes.fields(b"avcC", problems)?, problems)?
        }
        _ => None,
    };
    if let (Some(written), Some(told)) = (entry.color, told) {
        let what = "colr and the bitstream specify different colors";
        problems.unless(written == told, &boxes.place, what);
    }
    entry.color = entry.color.or(told);
    Ok(entry)
}

fn nclx(mut fields: Fields<'_>, problems: &mut Problems) -> Result<Option<ColorFacts>> {
    match &fields.array::<4>()? {
        b"nclx" => {
            let color = ColorFacts {
                primaries: fields.u16()?,
                transfer: fields.u16()?,
                matrix: fields.u16()?,
                full_range: fields.u8()? & 0x80 != 0,
            };
            fields.end(problems);
            Ok(Some(color))
        }
        _ => Ok(None),
    }
}

/// Compares `av1C` with the sequence header in it; returns the color that the stream specifies.
fn av1(
    entry: &mut Entry,
    mut fields: Fields<'_>,
    problems: &mut Problems,
) -> Result<Option<ColorFacts>> {
    let place = fields.place.clone();
    let told = fields.array::<4>()?;
    let parsed = split_obu(fields.data)
        .filter(|(obu, _)| obu.kind == OBU_SEQUENCE_HEADER)
        .and_then(|(obu, _)| Some((SequenceHeader::parse(obu.payload)?, obu.payload)));
    let Some((header, payload)) = parsed else {
        problems.add(&place, "no readable sequence header");
        return Ok(None);
    };
    let bit = |flag: bool, at: u8| u8::from(flag) << at;
    let due = [
        0x81,
        header.profile << 5 | header.level,
        bit(header.high_tier, 7)
            | bit(header.bit_depth > 8, 6)
            | bit(header.bit_depth == 12, 5)
            | bit(header.monochrome, 4)
            | bit(header.subsampling_x, 3)
            | bit(header.subsampling_y, 2)
            | header.chroma_sample_position,
    ];
    let what = format!(
        "says {:02x?}, but the sequence header says {due:02x?}",
        &told[..3]
    );
    problems.unless(told[..3] == due, &place, what);
    let size = (header.max_width, header.max_height);
    check_size(entry, size, &place, problems);
    entry.codec = header.codec_string();
    entry.bit_depth = Some(header.bit_depth);
    let color = header.color;
    entry.config = Config::Av1(Box::new(header), payload.to_vec());
    Ok(color)
}

/// Compares `avcC` with the parameter set in it; returns the color that the stream specifies.
fn avc(
    entry: &mut Entry,
    mut fields: Fields<'_>,
    problems: &mut Problems,
) -> Result<Option<ColorFacts>> {
    let place = fields.place.clone();
    let told = fields.array::<4>()?;
    entry.config = Config::Avc(usize::from(fields.u8()? & 3) + 1);
    let mut first = None;
    for _ in 0..fields.u8()? & 31 {
        let n = fields.u16()?;
        first.get_or_insert(fields.bytes(usize::from(n))?);
    }
    let n_pps = fields.u8()?;
    for _ in 0..n_pps {
        let n = fields.u16()?;
        fields.bytes(usize::from(n))?;
    }
    problems.unless(n_pps > 0, &place, "no picture parameter set");
    let Some(sps) = first.and_then(Sps::parse) else {
        problems.add(&place, "no readable sequence parameter set");
        return Ok(None);
    };
    if sps.has_chroma_info {
        let due = [
            0xfc | sps.chroma_format,
            0xf0 | sps.luma_depth,
            0xf0 | sps.chroma_depth,
            0,
        ];
        let tail = fields.data;
        problems.unless(
            tail == due,
            &place,
            format!("tail is {tail:02x?}, expected {due:02x?}"),
        );
    } else {
        fields.end(problems);
    }
    let due = [1, sps.profile, sps.compatibility, sps.level];
    let what = format!("says {told:02x?}, but the parameter set says {due:02x?}");
    problems.unless(told == due, &place, what);
    check_size(entry, (sps.width, sps.height), &place, problems);
    entry.codec = sps.codec_string();
    entry.bit_depth = Some(sps.luma_depth);
    Ok(sps.color)
}

fn check_size(entry: &Entry, size: (u32, u32), place: &str, problems: &mut Problems) {
    let what = format!(
        "the bitstream is {}x{}, but the entry says {}x{}",
        size.0, size.1, entry.width, entry.height
    );
    problems.unless(size == (entry.width, entry.height), place, what);
}

/// Reads an AudioSampleEntry (ISO/IEC 14496-12, 12.2.3).
fn sound(kind: [u8; 4], mut fields: Fields<'_>, problems: &mut Problems) -> Result<Entry> {
    let mut entry = Entry::new(kind);
    fields.bytes(6)?;
    let reference = fields.u16()?;
    problems.unless(reference == 1, &fields.place, "data reference is not 1");
    let version = fields.u16()?;
    fields.bytes(6)?;
    entry.channels = u32::from(fields.u16()?);
    fields.bytes(6)?;
    entry.rate_hz = u32::from(fields.u16()?);
    fields.bytes(2)?;
    if version != 0 {
        // QuickTime's longer entries: the rest is not needed.
        return Ok(entry);
    }
    let boxes = Parent::open(fields.data, fields.place.as_str())?;
    if let Some(body) = boxes.optional(b"btrt", problems) {
        problems.unless(body.len() == 12, &boxes.place, "btrt is not 12 bytes long");
    }
    match &kind {
        b"Opus" => {
            boxes.allow(&[b"dOps", b"btrt"], problems);
            opus(&mut entry, boxes.fields(b"dOps", problems)?, problems)?;
        }
        b"mp4a" => {
            boxes.allow(&[b"esds", b"btrt"], problems);
            let mut fields = boxes.fields(b"esds", problems)?;
            fields.version()?;
            elementary_stream(&mut entry, fields, problems)?;
        }
        _ => {}
    }
    Ok(entry)
}

/// Reads `dOps` (Opus in ISOBMFF, 4.3.2).
fn opus(entry: &mut Entry, mut fields: Fields<'_>, problems: &mut Problems) -> Result<()> {
    let place = fields.place.clone();
    problems.unless(fields.u8()? == 0, &place, "unknown version");
    let channels = u32::from(fields.u8()?);
    problems.unless(
        channels == entry.channels,
        &place,
        "its channel count differs from the entry's",
    );
    let pre_skip = fields.u16()?;
    fields.bytes(6)?;
    if fields.u8()? == 0 {
        fields.end(problems);
    }
    problems.unless(
        entry.rate_hz == 48_000,
        &place,
        "the sample rate of Opus must be 48000 Hz",
    );
    entry.codec = "opus".into();
    entry.config = Config::Opus(u64::from(pre_skip));
    Ok(())
}

/// Reads `esds`: the ES descriptor (3) holds the decoder configuration (4), which holds the AudioSpecificConfig (5).
fn elementary_stream(entry: &mut Entry, fields: Fields<'_>, problems: &mut Problems) -> Result<()> {
    let place = fields.place.clone();
    let mut stream = descriptor(fields, 3)?;
    stream.bytes(2)?;
    let flags = stream.u8()?;
    if flags & 0x80 != 0 {
        stream.bytes(2)?;
    }
    if flags & 0x40 != 0 {
        let n = stream.u8()?;
        stream.bytes(usize::from(n))?;
    }
    if flags & 0x20 != 0 {
        stream.bytes(2)?;
    }
    let mut decoder = descriptor(stream, 4)?;
    let object_type = decoder.u8()?;
    decoder.bytes(12)?;
    entry.codec = format!("mp4a.{object_type:02X}");
    if object_type != 0x40 {
        return Ok(());
    }
    let config = descriptor(decoder, 5)?;
    let Some((kind, rate, channels)) = audio_specific_config(config.data) else {
        problems.add(&place, "unreadable AudioSpecificConfig");
        return Ok(());
    };
    entry.codec = format!("mp4a.40.{kind}");
    const LOW_COMPLEXITY: u32 = 2;
    if kind == LOW_COMPLEXITY {
        // The entry's channel count may stay at its template value of 2 (ISO/IEC 14496-14, 6.7.2).
        let is_right = rate == entry.rate_hz && [channels, 2].contains(&entry.channels);
        let told = (entry.rate_hz, entry.channels);
        let what = format!("{rate} Hz and {channels} channels, but the entry says {told:?}");
        problems.unless(is_right, &place, what);
        entry.channels = channels;
    }
    Ok(())
}

/// Returns the body of the next descriptor, which must have `tag` (ISO/IEC 14496-1, 8.3.3).
fn descriptor<'a>(mut fields: Fields<'a>, tag: u8) -> Result<Fields<'a>> {
    let found = fields.u8()?;
    let mut size = 0usize;
    for _ in 0..4 {
        let byte = fields.u8()?;
        size = size << 7 | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
    }
    let body = fields.bytes(size)?;
    if found != tag {
        return Err(broken(
            &fields.place,
            format!("descriptor {found} where {tag} is expected"),
        ));
    }
    Ok(Fields::new(body, fields.place))
}

/// Parses (object type, rate in Hz, channels) as in ISO/IEC 14496-3, 1.6.2.1.
fn audio_specific_config(config: &[u8]) -> Option<(u32, u32, u32)> {
    const RATES_HZ: [u32; 13] = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025,
        8_000, 7_350,
    ];
    let mut bits = Bits::new(config);
    let kind = match bits.get(5)? {
        31 => 32 + bits.get(6)?,
        kind => kind,
    };
    let rate = match bits.get(4)? {
        15 => bits.get(24)?,
        index => *RATES_HZ.get(index as usize)?,
    };
    let channels = match bits.get(4)? {
        7 => 8,
        n => n,
    };
    Some((kind, rate, channels))
}
