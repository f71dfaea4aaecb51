//! Transitions and motions in documents: what chance draws, and views that never leave the picture.

use kinora::plan::looks;
use kinora::scene::draw::Content;
use serde_json::{Value, json};

use super::fixture::{pictures, plan};

fn slideshow(extra: &Value) -> Value {
    let shot = |i: usize| {
        let picture = ["wide.png", "tall.png"][i % 2];
        json!({ "picture": picture, "duration": 2 })
    };
    let mut document = json!({ "version": 1, "output": { "width": 180, "height": 320 } });
    document["shots"] = (0..30).map(shot).collect();
    for (name, value) in extra.as_object().unwrap() {
        document[name] = value.clone();
    }
    document
}

#[test]
fn a_plan_says_what_random_drew_for_each_cut() {
    let drawn = |seed: u32| -> Vec<&'static str> {
        let plan = plan(&slideshow(&json!({ "transition": "Random", "seed": seed })));
        plan.transitions().map(|(_, name)| name).collect()
    };
    let names = drawn(5);
    assert_eq!(names, drawn(5));
    assert_ne!(names, drawn(6));
    assert_eq!(names.len(), 29);
    let known: Vec<&str> = looks::transitions().iter().map(|look| look.name).collect();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1]);
        assert!(known.contains(&pair[0]) && pair[0] != "Random");
    }
}

#[test]
fn every_transition_and_motion_is_described_and_can_be_named() {
    for look in looks::transitions() {
        assert!(!look.description.is_empty(), "{}", look.name);
        let plan = plan(&slideshow(&json!({ "transition": look.name })));
        // Every frame of the first cut can be asked for.
        for frame in 45..75 {
            assert!(!plan.at(frame).layers.is_empty(), "{}", look.name);
        }
    }
}

/// The part of each picture that is ever sampled by a shot at rest is the part that was asked for.
fn stays_inside(motion: &Value) {
    let plan = plan(&slideshow(
        &json!({ "transition": "none", "motion": motion }),
    ));
    for frame in 0..plan.n_frames {
        for (id, map) in pictures(&plan.at(frame).layers) {
            let back = map.inverse().unwrap();
            let used = &plan.pictures[id.0 as usize];
            for (x, y) in [(0.0, 0.0), (180.0, 0.0), (0.0, 320.0), (180.0, 320.0)] {
                let (u, v) = back.apply(x, y);
                let inside = (-0.01..=f64::from(used.width) + 0.01).contains(&u)
                    && (-0.01..=f64::from(used.height) + 0.01).contains(&v);
                assert!(
                    inside,
                    "{motion} frame {frame}: ({u}, {v}) of {}x{}",
                    used.width, used.height
                );
            }
        }
    }
}

#[test]
fn no_motion_shows_what_lies_beyond_the_picture() {
    for look in looks::motions() {
        stays_inside(&json!({ "name": look.name, "amount": 3 }));
    }
    for ease in ["linear", "in-out-cubic", "out-back", "spring"] {
        stays_inside(&json!({ "views": [
            { "at": 0.1, "zoom": 1.0, "ease": ease },
            { "at": 0.5, "zoom": 2.5, "x": 1, "y": -1, "ease": ease },
            { "at": 1, "zoom": 1.2, "x": -1, "y": 1 }
        ] }));
        stays_inside(
            &json!({ "views": [{ "zoom": 1.5, "x": -1, "ease": ease }, { "at": 1, "zoom": 1.5, "x": 1 }] }),
        );
    }
}

#[test]
fn a_fast_transition_is_blurred_and_a_still_one_is_not() {
    let samples = |name: &str| {
        let plan = plan(&slideshow(
            &json!({ "transition": { "name": name, "duration": 0.6 } }),
        ));
        let of = |content: &Content| match content {
            Content::Picture(_, pose) => pose.maps.len(),
            Content::Group(group) => group.pose.maps.len(),
            _ => 0,
        };
        let frames = 50..70;
        let layers = frames.flat_map(|frame| plan.at(frame).layers);
        layers.map(|layer| of(&layer.content)).max().unwrap()
    };
    assert_eq!(samples("fade"), 1);
    assert_eq!(samples("SpinClockwise"), 11);
}
