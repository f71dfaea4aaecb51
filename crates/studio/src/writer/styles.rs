//! The styles of `scriptConfig.style`: their grammars, families, and the words of a prompt that ask for them.

/// A style.
pub(super) struct Style {
    pub(super) name: &'static str,
    /// `S` tells a story, `C` talks to the viewer, `I` reports.
    pub(super) family: char,
    pub(super) grammar: &'static str,
    /// Words of a prompt that this style fits.
    pub(super) keywords: &'static str,
    /// What a director would add.
    pub(super) notes: &'static str,
}

macro_rules! grammar {
    ($name:literal) => {
        include_str!(concat!("data/", $name, ".txt"))
    };
}

/// All of them, the default first.
pub(super) const STYLES: &[Style] = &[
    Style {
        name: "default",
        family: 'S',
        grammar: grammar!("default"),
        keywords: "",
        notes: "calm camera, natural light, one clear subject in each shot",
    },
    Style {
        name: "no_style",
        family: 'S',
        grammar: grammar!("no_style"),
        keywords: "plain simple short brief summary",
        notes: "plain compositions, even light, nothing decorative",
    },
    Style {
        name: "engaging_conversational",
        family: 'C',
        grammar: grammar!("engaging_conversational"),
        keywords: "tips how ways hacks advice mistakes facts funny you your productivity habit habits money fitness diet",
        notes: "close shots at eye level, bright color, quick changes of angle",
    },
    Style {
        name: "dixit_biography",
        family: 'S',
        grammar: grammar!("dixit_biography"),
        keywords: "dream dreamlike surreal cards imagination poet painter artist poem fable",
        notes: "dreamlike scale, painted textures, one impossible detail in each picture",
    },
    Style {
        name: "kind_biography",
        family: 'S',
        grammar: grammar!("kind_biography"),
        keywords: "biography life portrait tribute teacher nurse grandmother grandfather remember legacy",
        notes: "warm window light, faces and hands, soft focus behind",
    },
    Style {
        name: "hero_journey",
        family: 'S',
        grammar: grammar!("hero_journey"),
        keywords: "hero quest journey adventure dragon knight warrior survive survives battle climb climbs saves fights overcome champion",
        notes: "low camera, wide landscapes, the figure small at first and large at the end",
    },
    Style {
        name: "emotional_story",
        family: 'S',
        grammar: grammar!("emotional_story"),
        keywords: "loss grief goodbye farewell lonely tears cry heartbreak misses sad sadness died dies letter war soldier alone last",
        notes: "long lenses, muted color, rain and windows, stillness",
    },
    Style {
        name: "dramatic_reveal",
        family: 'S',
        grammar: grammar!("dramatic_reveal"),
        keywords: "mystery secret detective murder hidden twist reveal vanished disappeared strange haunted conspiracy discovers unsolved crime",
        notes: "hard side light, deep shadows, a detail at the edge of the frame",
    },
    Style {
        name: "heartwarming_stories",
        family: 'S',
        grammar: grammar!("heartwarming_stories"),
        keywords: "friendship friend kindness kind puppy kitten dog cat rescue rescued adopts family christmas birthday hug together cozy",
        notes: "golden hour, lamps in windows, people close together",
    },
    Style {
        name: "educational_history",
        family: 'I',
        grammar: grammar!("educational_history"),
        keywords: "history ancient empire century war origin origins invention invented science explained explain why education medieval revolution rome egypt",
        notes: "period objects and maps, even light, details before totals",
    },
    Style {
        name: "news_brief",
        family: 'I',
        grammar: grammar!("news_brief"),
        keywords: "news breaking report reported today announces announced council election market update headline government",
        notes: "eye-level wide shots, daylight, no dramatization",
    },
];

/// The style of this name; the default where there is none.
pub(super) fn style(name: &str) -> &'static Style {
    STYLES.iter().find(|s| s.name == name).unwrap_or(&STYLES[0])
}

/// The style whose keywords a prompt has most of, if it has any.
pub(super) fn fitting(prompt: &str) -> Option<&'static Style> {
    let words: Vec<String> = prompt
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .collect();
    let score = |style: &Style| {
        words
            .iter()
            .filter(|w| !w.is_empty() && style.keywords.split(' ').any(|k| k == *w))
            .count()
    };
    STYLES
        .iter()
        .rev()
        .max_by_key(|style| score(style))
        .filter(|style| score(style) > 0)
}
