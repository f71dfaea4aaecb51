//! The tracks that come with this crate, and the facts about each.

use serde::Serialize;

use crate::Error;
use crate::mixdown::{self, wav_from_samples};
use crate::score::arrange::arrange;
use crate::score::chance::fnv1a;
use crate::score::description::Description;
use crate::synth::{Orchestra, TABLE};

/// Version of the synthesizer: raised when the code renders the same descriptions differently, so that caches drop old files.
const SYNTHESIZER: u64 = 2;

macro_rules! table {
    ($($slug:literal)*) => {
        &[$(($slug, include_str!(concat!("../tracks/", $slug, ".json")))),*]
    };
}

/// Slugs and descriptions.
const TRACKS: &[(&str, &str)] = table![
    "temple_of_treasures"
    "gentle_ambient_loop"
    "serene_ambience"
    "soothing_ambience"
    "soothing_ambient_backdrop"
    "tranquil_ambience"
    "cozy_ambience"
    "dreamscape"
    "belonging_resonance"
    "vivid_memories"
    "cinematic_intro"
    "cinematic_teaser"
    "dramatic_cinematic_score"
    "thriller_cinema_trailer"
    "fractured_paintings"
    "promise_of_tomorrow"
    "spooky_orchestral_theme"
    "light_upbeat_melody"
    "puzzle_time"
    "stomping_drums_rhythm"
    "stomps_and_claps_rhythm_track"
    "news_theme"
    "news_report_theme"
    "adventurous_intro"
    "burlesque_sweetheart"
    "highway_nocturne_national_sweetheart"
    "haptic_sensation"
    "heart_strings_palace"
    "sada_trio"
    "mozart_piano_concerto_no23"
    "wind_on_our_side"
    "shadows_in_the_sun"
    "native_dreamscape"
    "holly_woods_legend"
    "sky_king_theme"
    "cloud_gentle_ambience"
    "majestic_requiem"
    "contemplative_ambient_intro"
    "quirky_slacker_theme"
];

/// Facts about a track, known without rendering it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrackInfo {
    /// The name used to request it.
    pub slug: String,
    /// The display name.
    pub title: String,
    /// A few words that help people choose.
    pub mood: Vec<String>,
    /// Beats per minute; `None` if an operator's manifest does not say.
    pub tempo_bpm: Option<f64>,
    /// Whether a listener can tap that tempo.
    pub has_pulse: bool,
    /// Tonic and mode, such as `D dorian`.
    pub key: Option<String>,
    /// Length of the loop in seconds.
    pub secs: Option<f64>,
    /// Whether it is an operator's own file.
    pub is_override: bool,
}

/// Returns the facts about every built-in track, in the order of the table.
pub(crate) fn tracks() -> Result<Vec<TrackInfo>, Error> {
    TRACKS.iter().map(|(slug, json)| info(slug, json)).collect()
}

fn info(slug: &str, json: &str) -> Result<TrackInfo, Error> {
    let wrong = |message| Error::Description {
        slug: slug.to_owned(),
        message,
    };
    let description = Description::parse(json).map_err(wrong)?;
    let arrangement = arrange(&description).map_err(wrong)?;
    Ok(TrackInfo {
        slug: slug.to_owned(),
        title: description.title,
        mood: description.mood,
        tempo_bpm: Some(description.tempo),
        has_pulse: description.pulse,
        key: Some(description.key),
        secs: Some(arrangement.secs),
        is_override: false,
    })
}

fn json(slug: &str) -> Option<&'static str> {
    TRACKS
        .iter()
        .find(|(name, _)| *name == slug)
        .map(|(_, json)| *json)
}

/// Returns a hash of everything that a track's samples depend on; `None` for an unknown track.
pub(crate) fn fingerprint(slug: &str) -> Option<u64> {
    let json = json(slug)?;
    Some(
        fnv1a(json.as_bytes())
            ^ fnv1a(TABLE.as_bytes()).rotate_left(21)
            ^ SYNTHESIZER.wrapping_mul(0x9E37_79B9_7F4A_7C15),
    )
}

/// Renders a built-in track as a WAV; `None` if there is no such track.
pub(crate) fn render(slug: &str) -> Option<Result<Vec<u8>, Error>> {
    let json = json(slug)?;
    let rendered = Orchestra::new().and_then(|orchestra| {
        let arrangement = arrange(&Description::parse(json)?)?;
        mixdown::render(&arrangement, &orchestra)
    });
    let slug = slug.to_owned();
    Some(match rendered {
        Ok(samples) => Ok(wav_from_samples(&samples)),
        Err(message) => Err(Error::Description { slug, message }),
    })
}
