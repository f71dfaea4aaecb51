//! Chooses eSpeak's voice for a language and for a voice id.

use serde::Deserialize;

use crate::voice::pick;

/// A voice as `kinora-espeak --voices` lists it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Listed {
    /// The value for requests, such as `es-419`.
    pub(super) voice: String,
    /// The display name.
    pub(super) name: String,
    /// Tags and priorities; a lower priority is better.
    languages: Vec<(String, u8)>,
}

/// Tags for which eSpeak does not find its best voice by itself.
const ALIASES: &[(&str, &str)] = &[
    ("en", "en-us"),
    ("zh", "cmn"),
    ("zh-cn", "cmn"),
    ("zh-hans", "cmn"),
    ("zh-tw", "cmn"),
    ("zh-hant", "cmn"),
    ("zh-hk", "yue"),
    ("nn", "nb"),
    ("iw", "he"),
    ("in", "id"),
    ("mo", "ro"),
    ("sh", "hr"),
];

/// Kinds of voice that distinguish characters; the language's own first.
const VARIANTS: [&str; 12] = [
    "", "f1", "m2", "f2", "m3", "f3", "m1", "f4", "m4", "m5", "m6", "m7",
];

/// Pitches that distinguish characters, in eSpeak's units; the voice's own first.
const PITCHES: [i32; 3] = [50, 40, 60];

/// A voice and its pitch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Speaker {
    /// Such as `es+f2`.
    pub(super) voice: String,
    pub(super) pitch: i32,
}

/// Returns the voice for a tag such as `en`, `pt-BR` or `zh`: tries the tag itself, then shorter and shorter prefixes.
pub(super) fn for_tag<'a>(voices: &'a [Listed], tag: &str) -> Option<&'a Listed> {
    let mut tag = tag.to_ascii_lowercase().replace('_', "-");
    loop {
        let alias = ALIASES.iter().find(|(from, _)| *from == tag);
        let wanted = alias.map_or(tag.as_str(), |(_, to)| to);
        let by_name = voices.iter().find(|v| v.voice.eq_ignore_ascii_case(wanted));
        let rank = |v: &&Listed| {
            let of_tag = v
                .languages
                .iter()
                .filter(|(t, _)| t.eq_ignore_ascii_case(wanted));
            of_tag
                .map(|(_, priority)| *priority)
                .min()
                .unwrap_or(u8::MAX)
        };
        let best = voices.iter().min_by_key(rank).filter(|v| rank(v) < u8::MAX);
        if let Some(found) = by_name.or(best) {
            return Some(found);
        }
        tag.truncate(tag.rfind('-')?);
    }
}

/// Returns the speaker for an id in a language, and a note if the id is not one of eSpeak's; `None` if no voice speaks the language.
pub(super) fn speaker(
    voices: &[Listed],
    id: &str,
    language: &str,
) -> Option<(Speaker, Option<String>)> {
    let short = id.strip_prefix("espeak:").unwrap_or(id);
    let (base, variant) = short.split_once('+').unwrap_or((short, ""));
    let named = voices.iter().find(|v| v.voice == base);
    let is_known = VARIANTS.contains(&variant);
    let of_language = for_tag(voices, if language.is_empty() { "en" } else { language });
    if let Some(named) = named.filter(|_| is_known) {
        let fits = language.is_empty()
            || of_language.is_some_and(|v| primary(&v.voice) == primary(&named.voice));
        let voice = if fits { named } else { of_language? };
        let voice = with_variant(&voice.voice, variant);
        let note = (!fits).then(|| {
            format!("voice `espeak:{short}` does not speak `{language}`; using `espeak:{voice}`")
        });
        return Some((Speaker { voice, pitch: 50 }, note));
    }
    let sex_of = |i: usize| match VARIANTS[i % VARIANTS.len()].starts_with('f') {
        true => pick::Sex::Woman,
        false => pick::Sex::Man,
    };
    let sexes: Vec<pick::Sex> = (0..VARIANTS.len() * PITCHES.len()).map(sex_of).collect();
    let chosen = pick::choice(id, &sexes);
    let voice = with_variant(&of_language?.voice, VARIANTS[chosen % VARIANTS.len()]);
    let note = pick::note(id, &format!("espeak:{voice}"));
    let pitch = PITCHES[chosen / VARIANTS.len()];
    Some((Speaker { voice, pitch }, note))
}

fn with_variant(voice: &str, variant: &str) -> String {
    if variant.is_empty() {
        voice.to_owned()
    } else {
        format!("{voice}+{variant}")
    }
}

fn primary(tag: &str) -> &str {
    tag.split('-').next().unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voices() -> Vec<Listed> {
        let rows: [(&str, &[(&str, u8)]); 6] = [
            ("cmn", &[("cmn", 5), ("zh", 5)]),
            ("en-gb", &[("en-gb", 2), ("en", 2)]),
            ("en-us", &[("en-us", 2), ("en", 3)]),
            ("es", &[("es", 5)]),
            ("es-419", &[("es-419", 5), ("es-mx", 6), ("es", 6)]),
            ("fr-fr", &[("fr-fr", 5), ("fr", 5)]),
        ];
        let listed = rows.map(|(voice, languages)| Listed {
            voice: voice.to_owned(),
            name: voice.to_owned(),
            languages: languages
                .iter()
                .map(|(t, p)| ((*t).to_owned(), *p))
                .collect(),
        });
        listed.to_vec()
    }

    #[test]
    fn tags_find_their_voice() {
        for (tag, voice) in [
            ("en", "en-us"),
            ("en_GB", "en-gb"),
            ("es-AR", "es"),
            ("es-MX", "es-419"),
            ("zh", "cmn"),
            ("zh-Hans-SG", "cmn"),
            ("fr", "fr-fr"),
            ("fr-CA", "fr-fr"),
        ] {
            assert_eq!(for_tag(&voices(), tag).unwrap().voice, voice, "{tag}");
        }
        assert!(for_tag(&voices(), "xx").is_none());
        assert!(for_tag(&voices(), "").is_none());
    }

    #[test]
    fn ids_find_their_speaker() {
        let voices = voices();
        let of = |id: &str, language: &str| speaker(&voices, id, language).unwrap();
        assert_eq!(of("espeak:es+f2", "es").0.voice, "es+f2");
        assert_eq!(of("espeak:es-419", "es").0.voice, "es-419");
        assert_eq!(
            of("", "es"),
            (
                Speaker {
                    voice: "es".into(),
                    pitch: 50
                },
                None
            )
        );
        let (spoken, note) = of("espeak:es+m3", "fr");
        assert_eq!(spoken.voice, "fr-fr+m3");
        assert!(note.unwrap().contains("does not speak `fr`"));
        let (spoken, note) = of(pick::DEFAULT_VOICE_ID, "es");
        assert_eq!(spoken.voice, "es");
        assert_eq!(note, None, "nobody asked for it");
        assert!(
            of("someone", "es")
                .1
                .unwrap()
                .contains("is not available here")
        );
        let mut different: Vec<Speaker> = (0..40).map(|i| of(&format!("x{i}"), "es").0).collect();
        different.sort_by(|a, b| (&a.voice, a.pitch).cmp(&(&b.voice, b.pitch)));
        different.dedup();
        assert!(different.len() > 18, "{}", different.len());
        assert!(speaker(&voices, "x", "tlh").is_none());
    }
}
