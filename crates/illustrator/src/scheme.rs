//! Which palette a picture gets, by place, mood, weather and time.

use crate::brief::Brief;
use crate::noise::Rng;
use crate::palette::{Palette, palette};
use crate::vocabulary::Time::{self, Dawn, Day, Night, Sunset};
use crate::vocabulary::Weather::{Fog, Rain, Snow, Storm};

/// Palettes of a time of day in no particular mood.
const TIMES: [(Time, &[&str]); 4] = [
    (Dawn, &["peach", "morning", "rose"]),
    (Day, &["day", "mint", "gold"]),
    (Sunset, &["crimson", "coral", "gold"]),
    (Night, &["midnight", "teal", "plum", "violet"]),
];

/// Palettes of a place, whatever the time.
const PLACES: [(&str, &[&str]); 4] = [
    ("space", &["cosmos"]),
    ("underwater", &["ocean"]),
    ("volcano", &["ember", "crimson"]),
    ("cave", &["teal", "plum"]),
];

/// Returns the palettes of a season and of dim weather by day.
fn by_day(brief: &Brief) -> Option<&'static [&'static str]> {
    match (brief.weather, brief.season) {
        (Storm, _) => Some(&["slate"]),
        (Rain, _) => Some(&["rain", "slate"]),
        (Fog, _) => Some(&["mist"]),
        (Snow, _) | (_, "winter") => Some(&["snow"]),
        (_, "autumn") => Some(&["autumn", "gold"]),
        (_, "spring") => Some(&["spring", "mint"]),
        _ if brief.place == "desert" => Some(&["sand", "gold"]),
        _ if brief.place == "ice" => Some(&["snow"]),
        _ => None,
    }
}

/// Chooses the palette of a picture.
pub(crate) fn choose(brief: &Brief, rng: &mut Rng) -> Palette {
    let fits = |names: &&[&str]| !names.is_empty();
    let of_place = PLACES.iter().find(|p| p.0 == brief.place).map(|p| p.1);
    let of_mood = Some(brief.mood.palettes)
        .filter(fits)
        .filter(|_| !brief.time_is_told || brief.mood.times.contains(&brief.time));
    let of_day = by_day(brief).filter(|_| brief.time == Day);
    let of_time = TIMES.iter().find(|t| t.0 == brief.time).map(|t| t.1);
    let lamps: Option<&[&str]> = (brief.indoors && brief.time == Night).then_some(&["lamplight"]);
    let names = of_place
        .or(lamps)
        .or(of_mood)
        .or(of_day)
        .or(of_time)
        .unwrap_or(&["day"]);
    palette(rng.pick(names).unwrap_or("day"))
}
