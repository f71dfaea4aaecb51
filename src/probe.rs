//! Facts about every asset that a document names, from headers alone.

use std::collections::BTreeMap;
use std::io;

use crate::audio::asset_facts;
use crate::cancel::CancelToken;
use crate::error::{Problem, Result};
use crate::facts::{Facts, SoundFacts};
use crate::media::{Assets, Refusal, clip_facts, guarded, open, picture_facts};

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
    // Without a caller who cancels there is no error.
    probe_until(named, assets, &CancelToken::default()).unwrap_or_default()
}

/// Does the same until it is cancelled.
///
/// # Errors
/// `Cancelled`.
pub(crate) fn probe_until(
    named: &Named,
    assets: &dyn Assets,
    cancel: &CancelToken,
) -> Result<(Facts, Vec<Problem>)> {
    let mut prober = Prober {
        assets,
        cancel,
        problems: Vec::new(),
    };
    let mut facts = Facts {
        pictures: prober.each(&named.pictures, |name| picture_facts(name, assets))?,
        ..Facts::default()
    };
    prober.add_sounds(&named.sounds, &mut facts)?;
    for (name, (clip, told)) in prober.each(&named.clips, |name| clip_facts(name, assets))? {
        facts.foreign.extend(told.map(|told| (name.clone(), told)));
        facts.clips.insert(name, clip);
    }
    let mut sounding = named.clip_sounds.clone();
    sounding.retain(|(name, _)| facts.clips.get(name).is_some_and(|clip| clip.has_sound));
    prober.add_sounds(&sounding, &mut facts)?;
    Ok((facts, prober.problems))
}

/// Reads facts and collects problems.
struct Prober<'a> {
    assets: &'a dyn Assets,
    cancel: &'a CancelToken,
    problems: Vec<Problem>,
}

impl Prober<'_> {
    fn add_sounds(&mut self, named: &[(String, String)], facts: &mut Facts) -> Result<()> {
        let assets = self.assets;
        let sounds = self.each(named, |name| sound_facts(name, assets))?;
        for (name, (sound, told)) in sounds {
            // A note about a clip's pictures takes precedence.
            if let Some(told) = told {
                facts.foreign.entry(name.clone()).or_insert(told);
            }
            facts.sounds.insert(name, sound);
        }
        Ok(())
    }

    fn each<T>(
        &mut self,
        named: &[(String, String)],
        read: impl Fn(&str) -> std::result::Result<T, Refusal>,
    ) -> Result<BTreeMap<String, T>> {
        let mut good = BTreeMap::new();
        let mut bad: BTreeMap<&str, Refusal> = BTreeMap::new();
        for (name, path) in named {
            if !good.contains_key(name) && !bad.contains_key(name.as_str()) {
                self.cancel.check()?;
                match read(name) {
                    Ok(facts) => drop(good.insert(name.clone(), facts)),
                    Err(refusal) => drop(bad.insert(name, refusal)),
                }
            }
            if let Some(refusal) = bad.get(name.as_str()) {
                self.problems.push(refusal.problem(name, path));
            }
        }
        Ok(good)
    }
}

fn sound_facts(
    name: &str,
    assets: &dyn Assets,
) -> std::result::Result<(SoundFacts, Option<String>), Refusal> {
    open(name, assets)?;
    guarded(move || {
        let facts = asset_facts(name, assets);
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
