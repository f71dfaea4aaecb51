//! Files read by another program: users should know which one, because it differs between machines.

use crate::error::Warning;
use crate::facts::Facts;
use crate::probe::Named;

/// Returns a warning for each file read by the machine's ffmpeg, at the first path that names it.
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
