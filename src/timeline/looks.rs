//! Transitions and motions as written: a built-in row with adjusted values, or keyframes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A transition with a custom length or custom poses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// Its name, such as `fade`. Give this or `poses`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Length in seconds, 0 to 5; at most 40 % of the shorter shot. Default: the transition's own; 0.5 with `poses`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// A custom transition: both shots as keyframed poses. Motion blur is added automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poses: Option<TransitionPoses>,
}

impl Transition {
    /// Returns a built-in transition with its default length.
    pub fn named(name: impl Into<String>) -> Transition {
        Transition {
            name: Some(name.into()),
            ..Transition::default()
        }
    }
}

/// Both shots of a transition, as keyframes. The lower one is mirrored at its borders, so that nothing is left bare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransitionPoses {
    /// The outgoing shot: at most 64 keyframes in rising order. It is at rest at 0.
    #[serde(default)]
    pub outgoing: Vec<PoseKey>,
    /// The incoming shot: at most 64 keyframes in rising order. It is at rest at 1.
    #[serde(default)]
    pub incoming: Vec<PoseKey>,
    /// Whether the incoming shot is drawn over the outgoing one. Default true.
    #[serde(default = "yes")]
    pub incoming_above: bool,
}

fn yes() -> bool {
    true
}

/// Where and how a shot is drawn at an instant of a transition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PoseKey {
    /// Progress of the transition, 0 to 1.
    pub at: f64,
    /// Shift to the right in widths of the canvas, -4 to 4. Default 0.
    pub x: f64,
    /// Shift down in heights of the canvas, -4 to 4. Default 0.
    pub y: f64,
    /// Scale about the center, 0.05 to 20. Default 1.
    pub scale: f64,
    /// Rotation about the center in degrees, clockwise, -3600 to 3600. Default 0.
    pub rotate: f64,
    /// 0 invisible to 1 opaque. Default 1.
    pub opacity: f64,
    /// Factor on the color, 0 to 4. Default 1.
    pub brightness: f64,
    /// Standard deviation of a blur as a fraction of the canvas's shorter side, 0 to 0.2. Default 0.
    pub blur: f64,
    /// Curve to the next keyframe: `linear`, `in-out-sine`, `in-quad`, `out-quad`, `in-cubic`, `out-cubic`, `in-out-cubic`, `in-quart`, `out-quart`,
    /// `in-out-quint`, `out-expo`, `out-back` or `spring`. Default `in-out-sine`.
    pub ease: String,
}

impl Default for PoseKey {
    fn default() -> PoseKey {
        PoseKey {
            at: 0.0,
            x: 0.0,
            y: 0.0,
            scale: 1.0,
            rotate: 0.0,
            opacity: 1.0,
            brightness: 1.0,
            blur: 0.0,
            ease: "in-out-sine".into(),
        }
    }
}

/// A motion with a custom amount, or custom keyframes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// Its name, such as `floating`. Give this or `views`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Strength: 1 is the motion's default, 0 is still; up to 3. Default 1. Not with `views`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<f64>,
    /// A custom motion: the views that the shot passes, at most 64 in rising order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<Vec<ViewKey>>,
}

/// The part of the picture seen at an instant of a shot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ViewKey {
    /// Progress through the shot, 0 to 1.
    pub at: f64,
    /// 1 shows as much of the picture as fills the canvas, 2 shows half its width; 1 to 8. Default 1.
    pub zoom: f64,
    /// Horizontal position within the room the zoom leaves: -1 at the left border, 1 at the right. Default 0.
    pub x: f64,
    /// Vertical position: -1 at the top border, 1 at the bottom. Default 0.
    pub y: f64,
    /// Curve to the next view; the same names as for transitions. Default `linear`.
    pub ease: String,
}

impl Default for ViewKey {
    fn default() -> ViewKey {
        ViewKey {
            at: 0.0,
            zoom: 1.0,
            x: 0.0,
            y: 0.0,
            ease: "linear".into(),
        }
    }
}

impl Motion {
    /// Returns a built-in motion at its default strength.
    pub fn named(name: impl Into<String>) -> Motion {
        Motion {
            name: Some(name.into()),
            ..Motion::default()
        }
    }
}
