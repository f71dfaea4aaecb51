//! What is said about a layer against the frame before is true, whatever the order in which frames are asked for.

use kinora::plan::Plan;
use kinora::scene::draw::{Content, Known, Layer};
use serde_json::json;

use super::fixture::plan;

fn two_shots() -> Plan {
    plan(&json!({
        "version": 1,
        "seed": 5,
        "output": { "width": 180, "height": 320, "fps": 30 },
        "transition": { "name": "fade", "duration": 0.4 },
        "shots": [
            { "picture": "wide.png", "duration": 2 },
            { "picture": "tall.png", "duration": 2 }
        ],
        "captions": { "words": [
            { "text": "Hello", "start": 0.5, "end": 1.0 },
            { "text": "there", "start": 1.0, "end": 1.6 }
        ] },
        "layers": [{ "draw": { "picture": { "picture": "logo.png", "place": { "x": 0.8, "y": 0.1, "width": 0.2 } } } }],
    }))
}

#[test]
fn any_order_gives_the_same_frames() {
    let plan = two_shots();
    let n = plan.n_frames;
    let in_order: Vec<_> = (0..n).map(|frame| plan.at(frame)).collect();
    // 37 has no common factor with 120: every frame comes once.
    for i in 0..n {
        let frame = i * 37 % n;
        assert_eq!(plan.at(frame), in_order[frame as usize]);
    }
    assert_eq!(plan.at(n + 10), in_order[n as usize - 1]);
}

fn by_id(layers: &[Layer], like: &Layer) -> Option<Layer> {
    layers.iter().find(|layer| layer.id == like.id).cloned()
}

#[test]
fn a_known_move_leads_exactly_from_the_frame_before_to_this_one() {
    let plan = two_shots();
    let mut n_moved = 0;
    for frame in 1..plan.n_frames {
        let (before, now) = (plan.at(frame - 1), plan.at(frame));
        for layer in &now.layers {
            let earlier = by_id(&before.layers, layer);
            assert_eq!(
                earlier.is_none(),
                layer.known == Known::New,
                "frame {frame}"
            );
            let Known::Moved(by) = layer.known else {
                continue;
            };
            let (pose, from) = match (&layer.content, earlier.unwrap().content) {
                (Content::Picture(_, to), Content::Picture(_, from)) => (to, from),
                (Content::Group(to), Content::Group(from)) => (&to.pose, from.pose),
                other => panic!("only pictures and groups move: {other:?}"),
            };
            let led = by.after(from.maps[0]);
            for (a, b) in led.0.iter().zip(pose.maps[0].0) {
                assert!(
                    (a - b).abs() <= 1e-9 * b.abs().max(1.0),
                    "frame {frame}: {a} and {b}"
                );
            }
            n_moved += 1;
        }
    }
    assert!(n_moved > 80, "{n_moved}");
}

#[test]
fn every_kind_of_knowledge_comes_where_it_belongs() {
    let plan = two_shots();
    let known = |frame: u64, index: usize| plan.at(frame).layers[index].known;
    let count = |frame: u64| plan.at(frame).layers.len();
    assert!(
        plan.at(0)
            .layers
            .iter()
            .all(|layer| layer.known == Known::New)
    );
    // The fade lies around the cut at frame 60, from 54 to 66.
    assert_eq!(count(50), 3, "shot, logo, caption");
    assert!(matches!(known(50, 0), Known::Moved(_)));
    assert_eq!(
        known(54, 1),
        Known::Still,
        "B is not there yet: the logo is"
    );
    assert_eq!(known(55, 1), Known::New, "B's first frame");
    for frame in 56..=65 {
        assert!(
            matches!(known(frame, 0), Known::Moved(_)),
            "A is opaque and floats on"
        );
        assert_eq!(known(frame, 1), Known::Changed, "B becomes opaque");
    }
    assert_eq!(known(66, 0), Known::Changed, "B's last step to opaque");
    assert!(matches!(known(67, 0), Known::Moved(_)));
    for frame in 1..plan.n_frames {
        let layers = plan.at(frame).layers;
        let logo = layers.iter().find(|layer| layer.id.0 == 1_000_000).unwrap();
        assert_eq!(logo.known, Known::Still, "frame {frame}");
    }
}
