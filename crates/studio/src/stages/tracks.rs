//! Music that suits a text, for videos without a named track.

/// Beginnings of words, and the tracks that suit them. The row with most hits wins; among equals the first.
const MOODS: &[(&[&str], &[&str])] = &[
    (
        &[
            "ghost",
            "haunt",
            "spook",
            "horror",
            "scar",
            "terror",
            "monster",
            "nightmare",
        ],
        &["spooky_orchestral_theme", "thriller_cinema_trailer"],
    ),
    (
        &[
            "war", "battle", "danger", "chase", "escape", "storm", "crime", "murder",
        ],
        &["dramatic_cinematic_score", "cinematic_teaser"],
    ),
    (
        &[
            "hero", "quest", "adventur", "journey", "explor", "treasure", "king", "queen",
            "dragon", "castle",
        ],
        &["adventurous_intro", "temple_of_treasures", "sky_king_theme"],
    ),
    (
        &[
            "news", "report", "election", "market", "econom", "announce", "headline",
        ],
        &["news_theme", "news_report_theme"],
    ),
    (
        &[
            "history", "ancient", "century", "empire", "emperor", "past", "memory", "remember",
        ],
        &["vivid_memories", "native_dreamscape", "majestic_requiem"],
    ),
    (
        &[
            "love", "heart", "mother", "father", "family", "kind", "friend", "hope", "grandm",
            "grandf",
        ],
        &[
            "belonging_resonance",
            "promise_of_tomorrow",
            "heart_strings_palace",
        ],
    ),
    (
        &[
            "fun", "joke", "funny", "laugh", "party", "happy", "cat", "dog", "silly",
        ],
        &["light_upbeat_melody", "quirky_slacker_theme"],
    ),
    (
        &[
            "puzzle", "riddle", "science", "how ", "why ", "learn", "math", "brain",
        ],
        &["puzzle_time", "contemplative_ambient_intro"],
    ),
    (
        &["city", "night", "road", "drive", "lights", "street"],
        &["highway_nocturne_national_sweetheart", "dreamscape"],
    ),
    (
        &["sport", "train", "run", "win", "strong", "power", "work"],
        &["stomping_drums_rhythm", "stomps_and_claps_rhythm_track"],
    ),
    (
        &[
            "sea", "ocean", "sky", "cloud", "wind", "sun", "forest", "mountain", "river", "nature",
        ],
        &[
            "wind_on_our_side",
            "shadows_in_the_sun",
            "cloud_gentle_ambience",
        ],
    ),
];

/// Tracks for texts that match no row.
const CALM: &[&str] = &[
    "gentle_ambient_loop",
    "serene_ambience",
    "contemplative_ambient_intro",
    "tranquil_ambience",
];

/// Returns the track that suits a text.
pub(crate) fn track_for(text: &str, seed: u64) -> &'static str {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let hits = |beginnings: &[&str]| {
        let is_hit = |word: &&&str| {
            beginnings
                .iter()
                .any(|beginning| word.starts_with(beginning.trim()))
        };
        words.iter().filter(is_hit).count()
    };
    let mut best = (0, CALM);
    for (beginnings, tracks) in MOODS {
        let n = hits(beginnings);
        if n > best.0 {
            best = (n, tracks);
        }
    }
    best.1[(seed % best.1.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{MusicSlug, WireName};

    #[test]
    fn every_track_is_one_of_the_interface() {
        let all = MOODS
            .iter()
            .flat_map(|(_, tracks)| tracks.iter())
            .chain(CALM);
        for track in all {
            assert!(MusicSlug::parse(track).is_some(), "{track}");
        }
    }

    #[test]
    fn a_text_gets_what_suits_it() {
        assert_eq!(
            track_for("A ghost haunts the house.", 0),
            "spooky_orchestral_theme"
        );
        assert_eq!(
            track_for("Breaking news from the markets", 1),
            "news_report_theme"
        );
        assert_eq!(track_for("", 5), "serene_ambience");
    }
}
