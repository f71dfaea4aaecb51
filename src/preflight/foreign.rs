//! Files that another program reads: their users should know which, as it is not the same on every machine.

use crate::error::Warning;
use crate::facts::Facts;
use crate::probe::Named;

/// A warning for each file that the machine's ffmpeg reads, at the first place that names it.
pub(super) fn check(named: &Named, facts: &Facts) -> Vec<Warning> {
    let places = || {
        let lists = [&named.clips, &named.sounds, &named.clip_sounds];
        lists.into_iter().flatten()
    };
    let warning = |(name, told): (&String, &String)| {
        let place = places().find(|(at, _)| at == name);
        let path = place.map_or("", |(_, path)| path.as_str());
        Warning::new("read_by_ffmpeg", path, format!("`{name}` {told}"))
    };
    facts.foreign.iter().map(warning).collect()
}
