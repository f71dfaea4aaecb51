//! The styles of `scriptConfig.style`: their grammars, families, and the keywords in prompts that select them.

/// A style.
pub(super) struct Style {
    pub(super) name: &'static str,
    /// `S` tells a story, `C` talks to the viewer, `I` reports.
    pub(super) family: char,
    pub(super) grammar: &'static str,
    /// Words in a prompt that suggest this style.
    pub(super) keywords: &'static str,
    /// Director's notes of this style.
    pub(super) notes: &'static str,
}

/// Defines a style whose grammar is in the data file of its name.
macro_rules! style {
    ($name:ident, $family:literal, $keywords:literal, $notes:literal) => {
        Style {
            name: stringify!($name),
            family: $family,
            grammar: include_str!(concat!("data/", stringify!($name), ".txt")),
            keywords: $keywords,
            notes: $notes,
        }
    };
}

/// All styles, the default first.
pub(super) const STYLES: &[Style] = &[
    style!(
        default,
        'S',
        "",
        "calm camera, natural light, one clear subject in each shot"
    ),
    style!(
        no_style,
        'S',
        "plain simple short brief summary",
        "plain compositions, even light, nothing decorative"
    ),
    style!(
        engaging_conversational,
        'C',
        "tips how ways hacks advice mistakes facts funny you your productivity habit habits money fitness diet",
        "close shots at eye level, bright color, quick changes of angle"
    ),
    style!(
        dixit_biography,
        'S',
        "dream dreamlike surreal cards imagination poet painter artist poem fable",
        "dreamlike scale, painted textures, one impossible detail in each picture"
    ),
    style!(
        kind_biography,
        'S',
        "biography life portrait tribute teacher nurse grandmother grandfather remember legacy",
        "warm window light, faces and hands, soft focus behind"
    ),
    style!(
        hero_journey,
        'S',
        "hero quest journey adventure dragon knight warrior survive survives battle climb climbs saves fights overcome champion",
        "low camera, wide landscapes, the figure small at first and large at the end"
    ),
    style!(
        emotional_story,
        'S',
        "loss grief goodbye farewell lonely tears cry heartbreak misses sad sadness died dies letter war soldier alone last",
        "long lenses, muted color, rain and windows, stillness"
    ),
    style!(
        dramatic_reveal,
        'S',
        "mystery secret detective murder hidden twist reveal vanished disappeared strange haunted conspiracy discovers unsolved crime",
        "hard side light, deep shadows, a detail at the edge of the frame"
    ),
    style!(
        heartwarming_stories,
        'S',
        "friendship friend kindness kind puppy kitten dog cat rescue rescued adopts family christmas birthday hug together cozy",
        "golden hour, lamps in windows, people close together"
    ),
    style!(
        educational_history,
        'I',
        "history ancient empire century war origin origins invention invented science explained explain why education medieval revolution rome egypt",
        "period objects and maps, even light, details before totals"
    ),
    style!(
        news_brief,
        'I',
        "news breaking report reported today announces announced council election market update headline government",
        "eye-level wide shots, daylight, no dramatization"
    ),
];

/// Returns the style of this name; the default if there is none.
pub(super) fn style(name: &str) -> &'static Style {
    STYLES.iter().find(|s| s.name == name).unwrap_or(&STYLES[0])
}

/// Returns the style with the most keywords in a prompt, if it has any.
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

impl Style {
    /// Returns whether it is the default style.
    pub(super) fn is_default(&self) -> bool {
        self.name == STYLES[0].name
    }
}
