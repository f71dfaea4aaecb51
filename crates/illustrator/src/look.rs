//! What characters look like: read from their descriptors, else chosen by their names' hash, so that they look the same in every scene.

use crate::color::Color;
use crate::noise::{Rng, hash};
use crate::shape::{Dye, shape};
use crate::words::{Found, read};
use crate::{Ask, Figure};

/// What a person wears above the legs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Garment {
    Shirt,
    Coat,
    Dress,
    Suit,
    Robe,
    Armor,
    Apron,
    Spacesuit,
}

/// How hair falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hair {
    Short,
    Long,
    Bun,
    Bald,
}

/// A person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Person {
    /// Height, relative to an adult's.
    pub scale: f32,
    /// Width, relative to the usual.
    pub width: f32,
    pub child: bool,
    pub old: bool,
    pub skin: Color,
    pub hair: Color,
    pub style: Hair,
    pub beard: bool,
    pub glasses: bool,
    pub garment: Garment,
    pub cloth: Color,
    pub legs: Color,
    pub accent: Color,
    pub cape: bool,
    /// `hat`, `cap`, `crown` …; empty for none.
    pub hat: &'static str,
    /// A shape held in the hand; empty for none.
    pub prop: &'static str,
}

/// The appearance of someone in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Look {
    Person(Person),
    /// An animal or a robot: a shape and its colors.
    Creature(&'static str, Dye),
}

/// The people shown, and what they do.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cast {
    pub looks: Vec<Look>,
    /// `stand` by default.
    pub pose: &'static str,
    pub crowd: bool,
}

/// Persons of one kind: female, scale, garment, cloth (0 leaves it open), hat, prop.
struct Kind(
    &'static str,
    bool,
    f32,
    Garment,
    u32,
    &'static str,
    &'static str,
);

use Garment::{Apron, Armor, Coat, Dress, Robe, Shirt, Spacesuit, Suit};

#[rustfmt::skip]
const KINDS: [Kind; 23] = [
    Kind("man", false, 1.0, Shirt, 0, "", ""),
    Kind("woman", true, 0.95, Dress, 0, "", ""),
    Kind("boy", false, 0.68, Shirt, 0, "", ""),
    Kind("girl", true, 0.66, Dress, 0, "", ""),
    Kind("elder", false, 0.93, Coat, 0, "", "cane"),
    Kind("granny", true, 0.88, Dress, 0, "", "cane"),
    Kind("king", false, 1.0, Robe, 0x8c2f3a, "crown", ""),
    Kind("queen", true, 0.97, Dress, 0x6d3f86, "crown", ""),
    Kind("knight", false, 1.0, Armor, 0x9aa3ad, "helmet", "sword"),
    Kind("soldier", false, 1.0, Coat, 0x5c6a48, "helmet", ""),
    Kind("doctor", false, 0.98, Coat, 0xeef0ec, "", ""),
    Kind("scientist", false, 0.98, Coat, 0xeef0ec, "", "flask"),
    Kind("teacher", true, 0.96, Suit, 0, "", "book"),
    Kind("farmer", false, 1.0, Apron, 0x4d6f9a, "straw", ""),
    Kind("astronaut", false, 1.04, Spacesuit, 0xe8eaec, "", ""),
    Kind("wizard", false, 1.0, Robe, 0x3d4a8f, "wizard", "staff"),
    Kind("monk", false, 0.96, Robe, 0xc77a35, "", ""),
    Kind("chef", false, 1.0, Coat, 0xf2efe6, "chef", ""),
    Kind("detective", false, 1.0, Coat, 0x9a7f5c, "hat", ""),
    Kind("pirate", false, 1.0, Coat, 0x7c2f35, "hat", "sword"),
    Kind("pharaoh", false, 1.0, Robe, 0xe0b34a, "crown", "staff"),
    Kind("cowboy", false, 1.0, Shirt, 0x9a5a3c, "hat", ""),
    Kind("explorer", false, 1.0, Coat, 0xb08d57, "hat", "staff"),
];

/// The colors of color words.
const COLORS: [(&str, Color); 13] = [
    ("red", Color::hex(0xc8382f)),
    ("orange", Color::hex(0xe0813a)),
    ("yellow", Color::hex(0xebbb4a)),
    ("green", Color::hex(0x4d8b57)),
    ("teal", Color::hex(0x2f8f92)),
    ("blue", Color::hex(0x35619f)),
    ("purple", Color::hex(0x76509a)),
    ("pink", Color::hex(0xe58fa6)),
    ("brown", Color::hex(0x85573a)),
    ("black", Color::hex(0x2b2a33)),
    ("white", Color::hex(0xf0ede4)),
    ("gray", Color::hex(0x8d929b)),
    ("beige", Color::hex(0xcdb38b)),
];

/// Cloth colors for descriptors that name none.
const CLOTHS: [Color; 10] = [
    Color::hex(0xb9473e),
    Color::hex(0x2f7f86),
    Color::hex(0xd99a3d),
    Color::hex(0x3f5f8f),
    Color::hex(0x7a5186),
    Color::hex(0x587f4e),
    Color::hex(0xc96f4a),
    Color::hex(0x8c3f56),
    Color::hex(0xcfc3a4),
    Color::hex(0x3f6f78),
];

const SKINS: [Color; 5] = [
    Color::hex(0xf1c7a5),
    Color::hex(0xe0ac86),
    Color::hex(0xc08a63),
    Color::hex(0x946446),
    Color::hex(0x6f4a36),
];

const HAIRS: [Color; 6] = [
    Color::hex(0x2b2329),
    Color::hex(0x4a3228),
    Color::hex(0x6f4830),
    Color::hex(0xa0693a),
    Color::hex(0xd2a356),
    Color::hex(0x8a3f2a),
];

const LEGS: [Color; 4] = [
    Color::hex(0x37405a),
    Color::hex(0x4a4038),
    Color::hex(0x2f3338),
    Color::hex(0x6d5f4c),
];

/// Returns the color of a color word.
pub(crate) fn named(word: &str) -> Option<Color> {
    COLORS.iter().find(|c| c.0 == word).map(|c| c.1)
}

/// Returns the colors of a creature or thing: by the color word, else its default ones.
pub(crate) fn dye(name: &str, color: Option<&str>) -> Dye {
    const OWN: [(&str, u32); 22] = [
        ("dog", 0xa9744a),
        ("cat", 0xc98a4c),
        ("horse", 0x7d4f35),
        ("deer", 0xa9713f),
        ("bear", 0x6b4a36),
        ("elephant", 0x8b8a92),
        ("lion", 0xcf9a52),
        ("wolf", 0x7f848c),
        ("fox", 0xcf6a34),
        ("rabbit", 0xb79d80),
        ("cow", 0x4a3d38),
        ("pig", 0xe0a09a),
        ("camel", 0xc79a5f),
        ("giraffe", 0xd9a552),
        ("mouse", 0x8d8580),
        ("monkey", 0x7a5238),
        ("eagle", 0x5f4433),
        ("owl", 0x8a6a4a),
        ("whale", 0x3f628c),
        ("frog", 0x5f9a4a),
        ("snake", 0x5a8f4f),
        ("dragon", 0x4b7f5a),
    ];
    let mut rng = Rng::new(hash(name));
    let own = OWN.iter().find(|o| o.0 == name).map(|o| Color::hex(o.1));
    let drawn = rng.pick(&CLOTHS).unwrap_or(CLOTHS[0]);
    let second = rng.pick(&CLOTHS).unwrap_or(CLOTHS[1]);
    Dye {
        main: color.and_then(named).or(own).unwrap_or(drawn),
        second,
    }
}

/// Returns the people shown: the ask's figures, or else the people named in its words.
pub(crate) fn cast(ask: &Ask<'_>, found: &[Found]) -> Cast {
    const MAX_FIGURES: usize = 6;
    let values = |kind: &'static str| found.iter().filter(move |f| f.meaning.kind == kind);
    let pose = values("pose").map(|f| f.meaning.value).next();
    let mut looks: Vec<Look> = ask.figures.iter().take(MAX_FIGURES).map(look).collect();
    let mut crowd = false;
    let named = looks.len();
    for f in values("person") {
        match f.meaning.value {
            "crowd" => crowd = true,
            _ if named > 0 || looks.len() >= 3 => {}
            "couple" => looks.extend([by_words("man", ask), by_words("woman", ask)]),
            "children" => looks.extend([by_words("boy", ask), by_words("girl", ask)]),
            "family" => {
                looks.extend(["man", "woman", "girl"].map(|k| by_words(k, ask)));
            }
            kind => looks.push(by_words(kind, ask)),
        }
    }
    looks.truncate(MAX_FIGURES.max(named));
    if named == 0 {
        let mut once: Vec<Look> = Vec::new();
        for look in looks {
            if !once.contains(&look) {
                once.push(look);
            }
        }
        looks = once;
    }
    Cast {
        looks,
        pose: pose.unwrap_or("stand"),
        crowd,
    }
}

/// Returns someone named only by the scene's words, which serve as the descriptor.
fn by_words(kind: &'static str, ask: &Ask<'_>) -> Look {
    let mut found = read(ask.words);
    found.retain(|f| f.meaning.kind != "person");
    Look::Person(person(&found, Some(kind), &mut Rng::new(hash(kind))))
}

/// Returns the appearance of a figure, independent of the scene.
pub(crate) fn look(figure: &Figure<'_>) -> Look {
    let found = read(figure.descriptor);
    let mut rng = Rng::new(hash(figure.name));
    let kind = found.iter().find(|f| f.meaning.kind == "person");
    let creature = found.iter().find(|f| {
        f.meaning.kind == "thing" && (is_creature(f.meaning.value) || f.meaning.value == "robot")
    });
    if let (Some(creature), None) = (creature, kind) {
        let name = creature.meaning.value;
        let color = found.iter().find(|f| f.meaning.kind == "color");
        return Look::Creature(name, dye(name, color.map(|c| c.meaning.value)));
    }
    let female = figure.name.to_lowercase().ends_with(['a', 'e', 'y']);
    let guess = if female { "woman" } else { "man" };
    Look::Person(person(
        &found,
        Some(kind.map_or(guess, |k| k.meaning.value)),
        &mut rng,
    ))
}

/// Returns whether a shape is an animal rather than a thing.
pub(crate) fn is_creature(name: &str) -> bool {
    include_str!("../data/animals.txt").contains(&format!("= {name} ")) && shape(name).is_some()
}

/// Returns the color word that belongs to the word at `at`: at most two words before it.
fn color_before(found: &[Found], at: usize) -> Option<Color> {
    let of = found
        .iter()
        .rev()
        .find(|c| c.meaning.kind == "color" && c.at < at && c.at + 2 >= at)?;
    named(of.meaning.value)
}

fn person(found: &[Found], kind: Option<&'static str>, rng: &mut Rng) -> Person {
    let kind = KINDS
        .iter()
        .find(|k| Some(k.0) == kind)
        .unwrap_or(&KINDS[0]);
    let mut drawn = |of: &[Color]| rng.pick(of).unwrap_or(Color::gray(0.5));
    let (cloth, hair) = (drawn(&CLOTHS), drawn(&HAIRS));
    let (skin, legs, accent) = (drawn(&SKINS), drawn(&LEGS), drawn(&CLOTHS));
    let old = ["elder", "granny", "wizard"].contains(&kind.0);
    let long = if rng.chance(0.65) {
        Hair::Long
    } else {
        Hair::Bun
    };
    let mut person = Person {
        scale: kind.2 * rng.range(0.97, 1.03),
        width: rng.range(0.94, 1.06),
        child: kind.2 < 0.7,
        old,
        skin,
        hair: if old { Color::hex(0xdcd9d2) } else { hair },
        style: if kind.1 { long } else { Hair::Short },
        beard: ["elder", "wizard", "king", "pirate"].contains(&kind.0),
        glasses: kind.0 == "teacher",
        garment: kind.3,
        cloth: if kind.4 == 0 {
            cloth
        } else {
            Color::hex(kind.4)
        },
        legs,
        accent,
        cape: matches!(kind.0, "king" | "queen" | "knight"),
        hat: kind.5,
        prop: kind.6,
    };
    for f in found {
        wear(&mut person, f, color_before(found, f.at));
    }
    person
}

/// Applies one word of a descriptor.
fn wear(person: &mut Person, f: &Found, color: Option<Color>) {
    let garment = match f.meaning.value {
        "coat" | "labcoat" => Some(Coat),
        "dress" => Some(Dress),
        "suit" => Some(Suit),
        "robe" => Some(Robe),
        "shirt" => Some(Shirt),
        "armor" => Some(Armor),
        "apron" | "overalls" => Some(Apron),
        "spacesuit" => Some(Spacesuit),
        _ => None,
    };
    match (f.meaning.kind, f.meaning.value) {
        ("garment", "cape") => {
            person.cape = true;
            person.accent = color.unwrap_or(person.accent);
        }
        ("garment", _) => {
            person.garment = garment.unwrap_or(person.garment);
            person.cloth = color.unwrap_or(person.cloth);
        }
        ("legs", _) => person.legs = color.unwrap_or(person.legs),
        ("hat", hat) => {
            person.hat = hat;
            person.accent = color.unwrap_or(person.accent);
        }
        ("hair", "hair") => person.hair = color.unwrap_or(person.hair),
        ("hair", "beard") => {
            person.beard = true;
            person.hair = color.unwrap_or(person.hair);
        }
        ("hair", "bald") => person.style = Hair::Bald,
        ("hair", "long") => person.style = Hair::Long,
        ("hair", "short") => person.style = Hair::Short,
        ("hair", "glasses") => person.glasses = true,
        ("build", "tall") => person.scale *= 1.06,
        ("build", "small") => person.scale *= 0.92,
        ("build", "stout") => person.width *= 1.22,
        ("build", "old") => {
            person.old = true;
            person.hair = Color::hex(0xd8d5ce);
        }
        ("skin", tone) => {
            let i = ["light", "light", "medium", "brown", "dark"]
                .iter()
                .position(|t| *t == tone);
            person.skin = SKINS[i.unwrap_or(0)];
        }
        _ => {}
    }
}
