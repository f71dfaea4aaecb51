//! The interface's enumerations: one table each, wire names in the interface's order.

mod looks;
mod models;
mod sounds;

pub use looks::*;
pub use models::*;
pub use sounds::*;

/// A closed list of names.
pub trait WireName: Copy + Eq + 'static {
    /// Every value and its name, in the interface's order.
    const TABLE: &'static [(Self, &'static str)];

    /// The name on the wire.
    fn as_str(self) -> &'static str;

    /// Returns the value of an exactly matching name.
    fn parse(name: &str) -> Option<Self> {
        let row = Self::TABLE.iter().find(|(_, known)| *known == name);
        row.map(|(value, _)| *value)
    }

    /// Returns every value, in the interface's order.
    fn all() -> impl Iterator<Item = Self> {
        Self::TABLE.iter().map(|(value, _)| *value)
    }

    /// Returns every name, in the interface's order.
    fn names() -> impl Iterator<Item = &'static str> {
        Self::TABLE.iter().map(|(_, name)| *name)
    }
}

/// Defines an enumeration by its table: `Type, default Variant; Variant = "name", ...`.
macro_rules! wire_names {
    (#[doc = $doc:literal] $type:ident, default $default:ident; $($variant:ident = $name:literal,)+) => {
        wire_names! { #[doc = $doc] $type; $($variant = $name,)+ }

        impl Default for $type {
            fn default() -> $type {
                $type::$default
            }
        }
    };
    (#[doc = $doc:literal] $type:ident; $($variant:ident = $name:literal,)+) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type {
            $(#[doc = concat!("`", $name, "`")] $variant,)+
        }

        impl $crate::request::WireName for $type {
            const TABLE: &'static [($type, &'static str)] = &[$(($type::$variant, $name)),+];

            fn as_str(self) -> &'static str {
                // The table is in the order of the variants.
                Self::TABLE[self as usize].1
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::request::WireName::as_str(*self))
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str($crate::request::WireName::as_str(*self))
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
                let name = <std::borrow::Cow<'de, str>>::deserialize(from)?;
                let value = <$type as $crate::request::WireName>::parse(&name);
                value.ok_or_else(|| serde::de::Error::custom($crate::request::problem::none_of::<$type>(&name)))
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "description": $doc.trim(), "enum": [$($name),+] })
            }
        }
    };
}
use wire_names;
