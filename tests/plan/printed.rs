//! Small documents printed as plans and draw lists. After a change that is meant: `INSTA_UPDATE=always cargo test --test plan`, and read the difference.

use std::fmt::Write;

use kinora::plan::Plan;
use kinora::scene::draw::{Content, Group, Homography, Known, Layer, Paint, Pose};
use serde_json::{Value, json};

use super::fixture::plan;

/// Three digits behind the point, so that no processor's rounding shows; no negative zero.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

fn list<T: Into<f64> + Copy>(values: &[T]) -> String {
    let shown: Vec<String> = values.iter().map(|v| short((*v).into())).collect();
    shown.join(" ")
}

fn map(map: Homography) -> String {
    match map.as_scale_shift() {
        Some((sx, sy, tx, ty)) => format!("x{} +{}", list(&[sx, sy]), list(&[tx, ty])),
        None => format!("[{}]", list(&map.0)),
    }
}

fn posed(pose: &Pose) -> String {
    let maps: Vec<String> = pose.maps.iter().map(|m| map(*m)).collect();
    format!("{} {:?}", maps.join(", "), pose.edge)
}

fn paint(paint: &Paint) -> String {
    match paint {
        Paint::Solid(c) => format!("rgba {}", list(&[c.r, c.g, c.b, c.a])),
        Paint::Linear { .. } => "gradient".into(),
    }
}

fn known(known: Known) -> String {
    match known {
        Known::Moved(by) => format!("moved {}", map(by)),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn content(content: &Content) -> String {
    match content {
        Content::Picture(id, pose) => format!("picture {} {}", id.0, posed(pose)),
        Content::Fill(color) => format!("fill {}", paint(&Paint::Solid(*color))),
        Content::Box(b) => {
            let place = [b.rect.x, b.rect.y, b.rect.width, b.rect.height];
            format!(
                "box {} turned {} radius {} {}",
                list(&place),
                short(b.rotate.into()),
                short(b.radius.into()),
                paint(&b.paint)
            )
        }
        Content::Glyphs(run) => format!(
            "glyphs {:?} spread {} blur {} offset {} {}",
            run.range,
            short(run.spread_px.into()),
            short(run.blur_px.into()),
            list(&run.offset),
            paint(&run.paint)
        ),
        Content::BackdropBlur(b, sigma) => {
            format!("backdrop {:?} {}", b.rect, short((*sigma).into()))
        }
        Content::Group(Group {
            content,
            bounds: b,
            pose,
            ..
        }) => format!(
            "group {} {} {} {} {} {}",
            b.x,
            b.y,
            b.width,
            b.height,
            if content.is_some() {
                "kept"
            } else {
                "drawn anew"
            },
            posed(pose)
        ),
    }
}

fn print_layers(layers: &[Layer], indent: usize, out: &mut String) {
    for layer in layers {
        let (id, opacity) = (layer.id.0, short(layer.opacity.into()));
        let blend = format!("{:?}", layer.blend).to_lowercase();
        let (pad, known, content_text) = (
            "  ".repeat(indent),
            known(layer.known),
            content(&layer.content),
        );
        writeln!(
            out,
            "{pad}#{id} {blend} {opacity} ({known})\n{pad}  {content_text}"
        )
        .unwrap();
        if let Content::Group(group) = &layer.content {
            print_layers(&group.layers, indent + 2, out);
        }
    }
}

fn frames(plan: &Plan, frames: &[u64]) -> String {
    let mut out = String::new();
    for &frame in frames {
        let list = plan.at(frame);
        writeln!(
            out,
            "frame {}, background {}",
            list.frame,
            paint(&Paint::Solid(list.background))
        )
        .unwrap();
        print_layers(&list.layers, 1, &mut out);
    }
    out
}

fn whole(plan: &Plan) -> String {
    let mut out = format!(
        "{} at {} fps, {} frames\n",
        plan.size, plan.rate, plan.n_frames
    );
    writeln!(out, "keyframes {:?}", plan.keyframes).unwrap();
    for p in &plan.pictures {
        writeln!(
            out,
            "{} ({}) crop {} to {}x{} blur {} brightness {} frames {}..{}",
            p.asset,
            p.path,
            list(&p.crop),
            p.width,
            p.height,
            short(p.blur_px.into()),
            short(p.brightness.into()),
            p.first_frame,
            p.end_frame
        )
        .unwrap();
    }
    writeln!(out, "{:#?}", plan.mix).unwrap();
    out
}

fn document(mut fields: Value) -> Plan {
    let common =
        json!({ "version": 1, "seed": 9, "output": { "width": 180, "height": 320, "fps": 30 } });
    let map = fields.as_object_mut().unwrap();
    for (key, value) in common.as_object().unwrap() {
        map.entry(key.clone()).or_insert(value.clone());
    }
    plan(&fields)
}

#[test]
fn two_floating_shots_and_a_fade() {
    let plan = document(json!({ "shots": [
        { "picture": "wide.png", "duration": 3 },
        { "picture": "tall.png", "duration": 2 }
    ], "audio": { "voice": { "file": "tone.ogg", "gain_db": -3 }, "music": { "file": "tone.ogg", "fade_in": 0.5 } } }));
    insta::assert_snapshot!("fade_plan", whole(&plan));
    insta::assert_snapshot!("fade_frames", frames(&plan, &[0, 1, 80, 90, 99, 149]));
}

#[test]
fn a_shot_shown_whole() {
    let plan = document(json!({ "motion": "still", "shots": [
        { "picture": "wide.png", "duration": 1, "fit": "contain" },
        { "picture": "wide.png", "duration": 1, "fit": "contain", "motion": { "name": "floating", "amount": 2 } }
    ] }));
    insta::assert_snapshot!("contain_plan", whole(&plan));
    insta::assert_snapshot!("contain_frames", frames(&plan, &[0, 1, 30, 45]));
}

#[test]
fn a_watermark_and_a_group() {
    let plan = document(
        json!({ "motion": "still", "shots": [{ "picture": "wide.png", "duration": 2 }], "layers": [
        { "draw": { "picture": { "picture": "logo.png", "place": { "x": 0.85, "y": 0.05, "width": 0.2 } } }, "opacity": 0.6 },
        { "draw": { "group": { "layers": [
            { "draw": { "box": { "color": "#ff8000", "radius": 60, "place": { "width": 0.5, "height": 0.1, "rotate": 10 } } } },
            { "draw": { "box": { "color": "#00000080" } }, "blend": "multiply", "fade_in": 1 }
        ] } }, "opacity": 0.5, "blend": "screen", "start": 0.5, "end": 1.5 }
    ] }),
    );
    insta::assert_snapshot!("layers_frames", frames(&plan, &[0, 15, 16, 30]));
}

#[test]
fn words_and_a_page_of_captions() {
    let word = |i: usize, text: &str| json!({ "text": text, "start": i as f64 * 0.4, "end": 0.4 + i as f64 * 0.4 });
    let words: Vec<Value> = ["One", "two", "three.", "Four", "five"]
        .iter()
        .enumerate()
        .map(|(i, w)| word(i, w))
        .collect();
    let plan = document(
        json!({ "motion": "still", "transition": "none", "captions": { "words": words },
        "shots": [{ "picture": "wide.png", "words": 3 }, { "picture": "tall.png", "words": 2 }] }),
    );
    insta::assert_snapshot!("captions_plan", whole(&plan));
    insta::assert_snapshot!("captions_frames", frames(&plan, &[0, 2, 20, 40]));
}
