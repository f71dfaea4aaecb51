//! What a picture shows: place, time, weather, mood, people and things, read from the words of the request.

use crate::Ask;
use crate::look::{Cast, Look, cast};
use crate::noise::{Rng, hash};
use crate::palette::{MOODS, Mood, mood};
use crate::shape::{Anchor, shape};
use crate::vocabulary::{Time, Weather};
use crate::words::{Found, read};

const TIMES: [(&str, Time); 4] = [
    ("dawn", Time::Dawn),
    ("day", Time::Day),
    ("sunset", Time::Sunset),
    ("night", Time::Night),
];

const WEATHERS: [(&str, Weather); 7] = [
    ("clear", Weather::Clear),
    ("clouds", Weather::Clouds),
    ("rain", Weather::Rain),
    ("snow", Weather::Snow),
    ("fog", Weather::Fog),
    ("storm", Weather::Storm),
    ("wind", Weather::Wind),
];

/// Places with a ceiling.
pub(crate) const INDOORS: [&str; 10] = [
    "room",
    "library",
    "kitchen",
    "office",
    "laboratory",
    "classroom",
    "workshop",
    "hospital",
    "stage",
    "throne",
];

/// A thing to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Thing {
    /// A shape's or a plant's name.
    pub name: &'static str,
    pub n: usize,
    /// The color word right before it.
    pub color: Option<&'static str>,
}

/// What a picture shows.
#[derive(Clone, Debug)]
pub(crate) struct Brief {
    pub place: &'static str,
    pub indoors: bool,
    pub time: Time,
    /// Whether words name the time; otherwise the mood chose it.
    pub time_is_told: bool,
    pub weather: Weather,
    /// `summer` by default.
    pub season: &'static str,
    pub mood: &'static Mood,
    /// `moon`, `stars`, `rainbow`, `aurora`, `sun`.
    pub sky: Vec<&'static str>,
    pub things: Vec<Thing>,
    pub cast: Cast,
    /// Whether a face fills the picture.
    pub close: bool,
    /// Seeded by the words or the place's name, and by the seed.
    pub rng: Rng,
}

/// The most kinds of things that one picture holds.
const MAX_THINGS: usize = 5;

/// Reads a request.
pub(crate) fn brief(ask: &Ask<'_>) -> Brief {
    let mut found = read(ask.words);
    let notes = read(ask.notes);
    found.extend(notes.iter().map(|f| Found {
        at: f.at + 10_000,
        ..*f
    }));
    let decides = match ask.place {
        "" => ask.words,
        place => place,
    };
    let rng = Rng::new(ask.seed ^ hash(decides).rotate_left(17));
    let mut dice = rng.fork("brief");
    let values = |kind: &str| -> Vec<&'static str> {
        let of_kind = found.iter().filter(|f| f.meaning.kind == kind);
        of_kind.map(|f| f.meaning.value).collect()
    };
    let mood = values("mood").first().map_or(&MOODS[0], |m| mood(m));
    let sky = values("sky");
    let at_night = sky.iter().any(|s| ["moon", "stars", "aurora"].contains(s));
    let told = values("time").first().copied();
    let told = if at_night { Some("night") } else { told };
    let time = told
        .and_then(|t| TIMES.iter().find(|row| row.0 == t))
        .map(|row| row.1)
        .or_else(|| dice.pick(mood.times))
        .unwrap_or(Time::Day);
    let things = things(&found);
    let place = place(&values("place"), &things, mood, &mut dice);
    let weather = values("weather")
        .iter()
        .rev()
        .find_map(|w| WEATHERS.iter().find(|row| row.0 == *w))
        .map(|row| row.1)
        .or_else(|| dice.pick(mood.weathers).filter(|_| told.is_none()))
        .unwrap_or(Weather::Clear);
    let frames = values("frame");
    let cast = cast(ask, &found);
    let n_people = values("person").len() + ask.figures.len();
    Brief {
        place,
        indoors: INDOORS.contains(&place),
        time,
        time_is_told: told.is_some(),
        weather,
        season: values("season").first().copied().unwrap_or("summer"),
        mood,
        close: !frames.is_empty() || ask.style.to_lowercase().starts_with("portrait"),
        things: with_symbol(unworn(things, &cast), mood, &mut dice, n_people),
        sky,
        cast,
        rng,
    }
}

/// Returns the place: the first one named; else where the things are at home; else one that suits the mood.
fn place(named: &[&'static str], things: &[Thing], mood: &Mood, dice: &mut Rng) -> &'static str {
    const HOMES: [(&[&str], &str); 9] = [
        (&["castle", "dragon", "knight", "tent", "windmill"], "hills"),
        (
            &["temple", "ruins", "pagoda", "bear", "eagle", "wolf"],
            "mountains",
        ),
        (&["fox", "owl", "deer", "mushroom", "unicorn"], "forest"),
        (
            &[
                "sailboat",
                "ship",
                "steamer",
                "lighthouse",
                "anchor",
                "swan",
            ],
            "sea",
        ),
        (
            &[
                "shark",
                "whale",
                "dolphin",
                "octopus",
                "fish",
                "turtle",
                "submarine",
            ],
            "underwater",
        ),
        (&["penguin", "snowman"], "ice"),
        (&["pyramid", "camel", "cactus"], "desert"),
        (&["car", "bus", "streetlamp", "bicycle"], "street"),
        (
            &["cow", "sheep", "pig", "chicken", "barn", "windmill"],
            "farm",
        ),
    ];
    const WET: [&str; 6] = ["lake", "river", "sea", "beach", "underwater", "space"];
    if let Some(first) = named.first() {
        let floats = |t: &Thing| shape(t.name).is_some_and(|s| s.anchor == Anchor::Water);
        let dry = !WET.contains(first) && !INDOORS.contains(first);
        return if dry && things.iter().any(floats) {
            "lake"
        } else {
            first
        };
    }
    for thing in things {
        if let Some(home) = HOMES.iter().find(|h| h.0.contains(&thing.name)) {
            return home.1;
        }
    }
    dice.pick(mood.places).unwrap_or("hills")
}

fn things(found: &[Found]) -> Vec<Thing> {
    let mut things: Vec<Thing> = Vec::new();
    for f in found.iter().filter(|f| f.meaning.kind == "thing") {
        if things.iter().any(|t| t.name == f.meaning.value) {
            continue;
        }
        let color = found
            .iter()
            .find(|c| c.meaning.kind == "color" && c.at < f.at && c.at + 2 >= f.at)
            .map(|c| c.meaning.value);
        things.push(Thing {
            name: f.meaning.value,
            n: if f.plural { 3 } else { 1 },
            color,
        });
    }
    things.truncate(MAX_THINGS);
    things
}

/// Removes the things that people wear or hold anyway.
fn unworn(mut things: Vec<Thing>, cast: &Cast) -> Vec<Thing> {
    things.retain(|thing| {
        !cast.looks.iter().any(|look| match look {
            Look::Person(person) => person.hat == thing.name || person.prop == thing.name,
            Look::Creature(name, _) => *name == thing.name,
        })
    });
    things
}

/// Adds a symbol of the mood if the words name no thing.
fn with_symbol(mut things: Vec<Thing>, mood: &Mood, dice: &mut Rng, n_people: usize) -> Vec<Thing> {
    let wanted = n_people == 0 || dice.chance(0.3);
    if things.is_empty() && mood.name != "plain" && wanted {
        things.extend(dice.pick(mood.symbols).map(|name| Thing {
            name,
            n: 1,
            color: None,
        }));
    }
    things
}
