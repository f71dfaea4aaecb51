//! Floating: different per shot and seed, the same again for the same seed, smooth, and never beyond the picture.

use kinora::plan::Plan;
use kinora::scene::draw::Homography;
use serde_json::json;

use super::fixture::{pictures, plan};

const CANVAS: (f64, f64) = (1080.0, 1920.0);

fn floating(seed: u64, secs: f64) -> Plan {
    plan(&json!({
        "version": 1,
        "seed": seed,
        "output": { "width": CANVAS.0 as u32, "height": CANVAS.1 as u32 },
        "transition": "none",
        "shots": [
            { "picture": "wide.png", "duration": secs, "focus": [0.1, 0.9] },
            { "picture": "tall.png", "duration": secs },
            { "picture": "wide.png", "duration": secs }
        ],
    }))
}

/// The maps of one shot's picture, frame by frame.
fn maps(plan: &Plan, shot: usize) -> Vec<Homography> {
    let used = &plan.pictures[shot];
    (used.first_frame..used.end_frame)
        .map(|frame| {
            let drawn = pictures(&plan.at(frame).layers);
            assert_eq!(drawn.len(), 1);
            assert_eq!(drawn[0].0.0 as usize, shot);
            drawn[0].1
        })
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_plan_and_another_another() {
    let shown = |seed| format!("{:?}", floating(seed, 3.0));
    assert_eq!(shown(1), shown(1));
    let all: std::collections::BTreeSet<String> = (0..20).map(shown).collect();
    assert_eq!(all.len(), 20);
    let plan = floating(1, 3.0);
    let (first, third) = (maps(&plan, 0), maps(&plan, 2));
    assert_ne!(first, third, "shots of one picture float their own way");
}

#[test]
fn the_view_never_leaves_the_picture() {
    for seed in 0..60 {
        let plan = floating(seed, 4.0);
        for (shot, used) in plan.pictures.iter().enumerate() {
            let source = if shot == 1 {
                (300.0, 700.0)
            } else {
                (640.0, 360.0)
            };
            let [x, y, w, h] = used.crop;
            let (right, bottom) = (x + w, y + h);
            assert!(
                x >= -1e-6 && y >= -1e-6,
                "seed {seed}, shot {shot}: {:?}",
                used.crop
            );
            assert!(
                right <= source.0 + 1e-6 && bottom <= source.1 + 1e-6,
                "seed {seed}, shot {shot}"
            );
            for map in maps(&plan, shot) {
                let back = map.inverse().unwrap();
                for corner in [(0.0, 0.0), CANVAS] {
                    let (x, y) = back.apply(corner.0, corner.1);
                    let inside = |v: f64, side: u32| (-1e-6..=f64::from(side) + 1e-6).contains(&v);
                    assert!(
                        inside(x, used.width) && inside(y, used.height),
                        "seed {seed}, shot {shot}: {x} {y}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_point_of_the_picture_moves_smoothly_and_never_back() {
    let mut farthest = 0.0_f64;
    for seed in 0..60 {
        let plan = floating(seed, 3.0);
        for shot in 0..plan.pictures.len() {
            let used = &plan.pictures[shot];
            let maps = maps(&plan, shot);
            for point in [(0.0, 0.0), (0.37, 0.81), (1.0, 1.0)] {
                let at = |map: &Homography| {
                    let (x, y) = map.apply(
                        point.0 * f64::from(used.width),
                        point.1 * f64::from(used.height),
                    );
                    [x, y]
                };
                let way: Vec<[f64; 2]> = maps.iter().map(at).collect();
                for axis in 0..2 {
                    let steps: Vec<f64> = way.windows(2).map(|w| w[1][axis] - w[0][axis]).collect();
                    let goes_back = |step: &f64| step.is_sign_negative() && step.abs() > 1e-9;
                    let back = steps.iter().filter(|step| goes_back(step)).count();
                    let forth = steps.iter().filter(|step| **step > 1e-9).count();
                    assert!(
                        back == 0 || forth == 0,
                        "seed {seed}, shot {shot}: turns around"
                    );
                    for pair in steps.windows(2) {
                        let jerk = (pair[1] - pair[0]).abs();
                        assert!(jerk <= 0.02, "seed {seed}, shot {shot}: {jerk} px/frame²");
                    }
                    farthest = farthest.max((way[way.len() - 1][axis] - way[0][axis]).abs());
                }
            }
        }
    }
    assert!(farthest > 20.0, "it does move: {farthest} px");
}
