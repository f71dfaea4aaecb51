//! Words and markers that move over the rest: shadows below, broken words, spread.

use super::*;
use crate::plan::captions::stage::{MARKER, SOFT};
use crate::timeline::CaptionStyle;

fn inline(style: &str, text: &str) -> CaptionTrack {
    let style: CaptionStyle = serde_json::from_str(style).unwrap();
    track(&Captions {
        style: NameOr::Inline(style),
        ..captions(spoken(text))
    })
}

fn group_of(track: &CaptionTrack, ms: i64, place: u32) -> Option<Group> {
    let main = u32::MAX;
    let layers = track.layers_at(Time::from_millis(ms), LayerId(main));
    let layer = layers.into_iter().find(|l| l.id.0 == main - place)?;
    match layer.content {
        Content::Group(group) => Some(group),
        _ => None,
    }
}

#[test]
fn soft_shadows_stay_while_a_word_grows_over_them() {
    let track = inline(
        r##"{ "active": { "scale": 1.1, "ms": 60 }, "entry": { "kind": "cut" } }"##,
        "now it grows",
    );
    let rest = group_of(&track, 20, SOFT).unwrap();
    for ms in [100, 290, 310, 340, 500] {
        assert_eq!(group_of(&track, ms, SOFT).as_ref(), Some(&rest), "{ms} ms");
    }
    // Fully grown words are the same sheet in every frame.
    let grown = [420, 480, 560].map(|ms| {
        let layers = track.layers_at(Time::from_millis(ms), LayerId(0));
        format!("{:?}", layers.last().unwrap().content)
    });
    assert!(grown.iter().all(|g| *g == grown[0]));
    assert!(grown[0].contains("Group"));
}

#[test]
fn a_broken_word_is_marked_on_each_of_its_lines_and_stays() {
    let style = r##"{ "marker": { "ms": 0 }, "active": { "scale": 1.1, "italic": true } }"##;
    let word = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerk";
    let track = inline(style, word);
    let page = &track.pages[0];
    let parts = &page.sheet.words[0].parts;
    assert!(parts.len() > 1);
    assert_eq!(page.sheet.words[0].others, [None, None, None]);
    let marked = group_of(&track, 250, MARKER).unwrap();
    assert_eq!(marked.layers.len(), parts.len());
    for (layer, part) in marked.layers.iter().zip(parts) {
        let Content::Box(shape) = &layer.content else {
            panic!("a marker is a box");
        };
        assert!(shape.rect.y < part.y && shape.rect.width > part.width);
    }
    let (_, letters) = group_at(&track, 250).unwrap();
    assert_eq!(letters.pose.maps, [Homography::IDENTITY]);
}

#[test]
fn an_outline_lies_below_its_marker_and_a_shadow_is_widened() {
    let track = inline(
        r##"{ "stroke": null, "shadows": [{ "spread": 6, "blur": 10 }], "active": null,
            "marker": { "kind": "line", "ms": 0, "outline": { "width": 3, "color": "#000" } } }"##,
        "one two",
    );
    let marked = group_of(&track, 200, MARKER).unwrap();
    let [outline, line] = &marked.layers[..] else {
        panic!("{marked:?}");
    };
    let (Content::Box(outline), Content::Box(line)) = (&outline.content, &line.content) else {
        panic!("a marker is a box");
    };
    assert_eq!(outline.rect.width, line.rect.width + 6.0);
    assert_eq!(outline.paint, Paint::Solid(Color::BLACK));
    let soft = group_of(&track, 200, SOFT).unwrap();
    let Content::Glyphs(shadow) = &soft.layers[0].content else {
        panic!("{soft:?}");
    };
    assert_eq!((shadow.spread_px, shadow.blur_px), (6.0, 5.0));
}
