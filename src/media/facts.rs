//! Facts about every asset that a document names, from headers alone.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Seek};

use super::clip::ClipFacts;
use super::decode::checked_len;
use super::footage::Footage;
use super::refusal::{Refusal, guarded};
use super::{AssetRead, Assets, Facts, PictureFacts, SoundFacts, sniff, still};
use crate::error::Problem;

/// Assets that a document names: `(name, path in the document)` of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named {
    /// Pictures.
    pub pictures: Vec<(String, String)>,
    /// Sounds.
    pub sounds: Vec<(String, String)>,
    /// Clips.
    pub clips: Vec<(String, String)>,
    /// Clips whose own sound is wanted; a clip without sound is not a problem.
    pub clip_sounds: Vec<(String, String)>,
}

/// Reads the facts of each named asset; every unreadable one becomes a problem.
///
/// Each name is opened once, however often it occurs; a bad one becomes a problem at every path.
pub fn probe(named: &Named, assets: &dyn Assets) -> (Facts, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut facts = Facts {
        pictures: probe_each(&named.pictures, &mut problems, |name| {
            picture_facts(name, assets)
        }),
        ..Facts::default()
    };
    add_sounds(&named.sounds, &mut facts, &mut problems, assets);
    let clips = probe_each(&named.clips, &mut problems, |name| clip_facts(name, assets));
    for (name, (clip, told)) in clips {
        facts.foreign.extend(told.map(|told| (name.clone(), told)));
        facts.clips.insert(name, clip);
    }
    let mut sounding = named.clip_sounds.clone();
    sounding.retain(|(name, _)| facts.clips.get(name).is_some_and(|clip| clip.has_sound));
    add_sounds(&sounding, &mut facts, &mut problems, assets);
    (facts, problems)
}

fn add_sounds(
    named: &[(String, String)],
    facts: &mut Facts,
    problems: &mut Vec<Problem>,
    assets: &dyn Assets,
) {
    let sounds = probe_each(named, problems, |name| sound_facts(name, assets));
    for (name, (sound, told)) in sounds {
        // A note about a clip's pictures takes precedence.
        if let Some(told) = told {
            facts.foreign.entry(name.clone()).or_insert(told);
        }
        facts.sounds.insert(name, sound);
    }
}

fn probe_each<T>(
    named: &[(String, String)],
    problems: &mut Vec<Problem>,
    read: impl Fn(&str) -> Result<T, Refusal>,
) -> BTreeMap<String, T> {
    let mut good = BTreeMap::new();
    let mut bad: BTreeMap<&str, Refusal> = BTreeMap::new();
    for (name, path) in named {
        if !good.contains_key(name) && !bad.contains_key(name.as_str()) {
            match read(name) {
                Ok(facts) => drop(good.insert(name.clone(), facts)),
                Err(refusal) => drop(bad.insert(name, refusal)),
            }
        }
        if let Some(refusal) = bad.get(name.as_str()) {
            problems.push(refusal.problem(name, path));
        }
    }
    good
}

fn open(name: &str, assets: &dyn Assets) -> Result<Box<dyn AssetRead>, Refusal> {
    assets
        .open(name)
        .map_err(|e| Refusal::of_open(&e, name, assets))
}

fn picture_facts(name: &str, assets: &dyn Assets) -> Result<PictureFacts, Refusal> {
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
fn clip_facts(name: &str, assets: &dyn Assets) -> Result<(ClipFacts, Option<String>), Refusal> {
    let footage = Footage::open(name, assets)?;
    Ok((footage.facts().clone(), footage.told()))
}

fn sound_facts(name: &str, assets: &dyn Assets) -> Result<(SoundFacts, Option<String>), Refusal> {
    open(name, assets)?;
    guarded(move || {
        let facts = crate::audio::asset_facts(name, assets);
        let named = |e: io::Error| io::Error::new(e.kind(), format!("{name} {e}"));
        facts.map_err(named).map_err(|e| match e.kind() {
            io::ErrorKind::Unsupported
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::Other => {
                Refusal::new("not_a_sound", format!("cannot be read as a sound: {e}"))
            }
            _ => Refusal::of_read(&e),
        })
    })
    .map_err(|refusal| match refusal.code {
        "damaged_picture" | "undecodable" => Refusal {
            code: "not_a_sound",
            ..refusal
        },
        _ => refusal,
    })
}
