//! Ducking as written: an object, or a switch.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// How music gives way to speech. The words of the captions say when there is speech; without captions, the sound of the voice does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ducking {
    /// How much softer it is under speech, in dB, 0 to 40. Default 9.
    pub amount_db: f64,
    /// Seconds over which it falls, so that it is down when the first word begins, 0 to 5. Default 0.25.
    pub attack: f64,
    /// Pauses up to this many seconds do not let it rise, 0 to 30. Default 0.6.
    pub hold: f64,
    /// Seconds over which it rises from the end of the last word before a longer pause, 0 to 10. Default 0.8.
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

/// The forms in which it is written, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) enum DuckingForm {
    Inline(Ducking),
    Switch(Option<bool>),
}

/// What music gets that says nothing.
pub(super) fn usual() -> Option<Ducking> {
    Some(Ducking::default())
}

// Not `#[serde(untagged)]`: that would forget where inside the value an error is.
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
