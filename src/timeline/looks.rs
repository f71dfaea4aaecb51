//! Transitions and motions as written: a built-in row with its own numbers, or keyframes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A transition with its own length or its own poses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// Its name, such as `fade`. Give this or `poses`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Length in seconds, 0 to 5; clamped to 40 % of the shorter shot. Default: the transition's own; 0.5 with `poses`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// A transition of your own: both shots as keyframed poses. Motion blur comes by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poses: Option<TransitionPoses>,
}

impl Transition {
    /// A built-in transition at its own length.
    pub fn named(name: impl Into<String>) -> Transition {
        Transition {
            name: Some(name.into()),
            ..Transition::default()
        }
    }
}

/// Both shots of a transition, keyframe by keyframe. The one below is mirrored at its borders, so that nothing is left bare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransitionPoses {
    /// The shot that goes: at most 64 keyframes in rising order. It is at rest at 0.
    #[serde(default)]
    pub outgoing: Vec<PoseKey>,
    /// The shot that comes: at most 64 keyframes in rising order. It is at rest at 1.
    #[serde(default)]
    pub incoming: Vec<PoseKey>,
    /// The shot that comes is drawn over the one that goes. Default true.
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
    /// Size about the center, 0.05 to 20. Default 1.
    pub scale: f64,
    /// Turn about the center in degrees, clockwise, -3600 to 3600. Default 0.
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

/// A motion with its own amount, or keyframes of your own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// Its name, such as `floating`. Give this or `views`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How far it goes: 1 is the motion's own measure, 0 is still; up to 3. Default 1. Not with `views`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<f64>,
    /// A motion of your own: the views that the shot passes, at most 64 in rising order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<Vec<ViewKey>>,
}

/// What is seen of the picture at an instant of a shot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ViewKey {
    /// Progress through the shot, 0 to 1.
    pub at: f64,
    /// 1 shows as much of the picture as fills the canvas, 2 half its width; 1 to 8. Default 1.
    pub zoom: f64,
    /// Where in the room that the zoom leaves: -1 the left border to 1 the right border. Default 0.
    pub x: f64,
    /// -1 the top border to 1 the bottom border. Default 0.
    pub y: f64,
    /// Curve to the next view, as in a transition's keyframes. Default `linear`.
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
    /// A built-in motion at its own measure.
    pub fn named(name: impl Into<String>) -> Motion {
        Motion {
            name: Some(name.into()),
            ..Motion::default()
        }
    }
}
