//! Ducking as written: an object, or a switch.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// How music is ducked under speech. Speech is where the caption words are; without captions, where the voice sounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ducking {
    /// Reduction under speech in dB, 0 to 40. Default 9.
    pub amount_db: f64,
    /// Length of the fall in seconds, completed when the first word begins, 0 to 5. Default 0.25.
    pub attack: f64,
    /// Longest pause in seconds during which the music stays reduced, 0 to 30. Default 0.6.
    pub hold: f64,
    /// Length of the rise in seconds, from the end of the last word before a longer pause, 0 to 10. Default 0.8.
    pub release: f64,
}

impl Default for Ducking {
    fn default() -> Ducking {
        Ducking {
            amount_db: 9.0,
            attack: 0.25,
            hold: 0.6,
            release: 0.8,
        }
    }
}

/// The accepted forms, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) enum DuckingForm {
    Inline(Ducking),
    Switch(Option<bool>),
}

/// Returns the ducking of music that does not set any.
pub(super) fn usual() -> Option<Ducking> {
    Some(Ducking::default())
}

// Not `#[serde(untagged)]`: that would lose the position of an error inside the value.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Ducking>, D::Error> {
    struct DuckingVisitor;
    impl<'de> Visitor<'de> for DuckingVisitor {
        type Value = Option<Ducking>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object, `true`, `false` or `null`")
        }
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_bool<E: Error>(self, on: bool) -> Result<Self::Value, E> {
            Ok(on.then(Ducking::default))
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            Ducking::deserialize(MapAccessDeserializer::new(map)).map(Some)
        }
    }
    deserializer.deserialize_any(DuckingVisitor)
}
