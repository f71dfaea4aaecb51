//! Facts of a picture or a clip from its headers.

use std::io::{BufReader, Read, Seek};

use super::decode::checked_len;
use super::footage::Footage;
use super::refusal::{Refusal, guarded};
use super::{AssetRead, Assets, sniff, still};
use crate::facts::{ClipFacts, PictureFacts};

pub(crate) fn open(name: &str, assets: &dyn Assets) -> Result<Box<dyn AssetRead>, Refusal> {
    assets
        .open(name)
        .map_err(|e| Refusal::of_open(&e, name, assets))
}

/// The facts of a picture from its header.
pub(crate) fn picture_facts(name: &str, assets: &dyn Assets) -> Result<PictureFacts, Refusal> {
    let limits = assets.picture_limits();
    let mut stream = open(name, assets)?;
    checked_len(&mut stream, &limits)?;
    let mut head = Vec::new();
    (&mut stream)
        .take(sniff::HEAD_BYTES as u64)
        .read_to_end(&mut head)
        .and_then(|_| stream.rewind())
        .map_err(|e| Refusal::of_read(&e))?;
    let kind = sniff::kind_of(&head)?;
    guarded(move || {
        let stream = BufReader::new(stream);
        let header = still::header(stream, kind, &limits)?;
        let (width, height) = header.upright_size();
        Ok(PictureFacts {
            width,
            height,
            has_alpha: header.has_alpha,
        })
    })
}

/// Returns the facts of a clip, and a note for the user about its decoder.
pub(crate) fn clip_facts(
    name: &str,
    assets: &dyn Assets,
) -> Result<(ClipFacts, Option<String>), Refusal> {
    let footage = Footage::open(name, assets)?;
    Ok((footage.facts().clone(), footage.told()))
}
