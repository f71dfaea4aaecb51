//! What holds of every plan, every draw list and every frame.

use kinora::facts::Facts;
use kinora::frame::Frame;
use kinora::media::PictureLimits;
use kinora::plan::Plan;
use kinora::scene::PictureUse;
use kinora::scene::draw::{
    BoxShape, Content, DrawList, Edge, GlyphRun, Homography, Layer, Paint, PictureId, Pose,
};
use kinora::units::{Color, Rect};

/// Ids of layers that shots draw by themselves are below this; overlays, captions and sheets of transitions have higher ones.
const END_OF_SHOTS: u32 = 1_000_000;

/// A number that is drawn with.
fn finite(what: &str, numbers: impl IntoIterator<Item = f64>) {
    for number in numbers {
        assert!(number.is_finite(), "{what} is {number}");
    }
}

pub fn plan(plan: &Plan, facts: &Facts) {
    assert!(plan.n_frames > 0, "no frames");
    assert_eq!(plan.keyframes[0], 0, "the first frame is a keyframe");
    assert!(plan.keyframes.is_sorted(), "keyframes rise");
    assert!(plan.keyframes.last().unwrap() < &plan.n_frames);
    for wanted in &plan.pictures {
        let of = &facts.pictures[&wanted.asset];
        part(wanted, (of.width.into(), of.height.into()));
    }
    for clip in &plan.clips {
        let of = &facts.clips[&clip.look.asset];
        part(&clip.look, (of.width.into(), of.height.into()));
    }
    for track in &plan.mix.tracks {
        assert!(track.start <= track.end && track.trim.start <= track.trim.end);
        finite("speed or pan", [track.speed, track.pan]);
        assert!((0.25..=4.0).contains(&track.speed));
    }
}

/// The part of a source that is decoded lies in it, and what is made of it can be.
fn part(wanted: &PictureUse, (width, height): (f64, f64)) {
    let [x, y, w, h] = wanted.crop;
    let case = format!("{:?} of {width}x{height}", wanted.crop);
    finite(&case, wanted.crop);
    assert!(x >= 0.0 && y >= 0.0 && w > 0.0 && h > 0.0, "{case}");
    let slack = 1e-6;
    assert!(x + w <= width + slack && y + h <= height + slack, "{case}");
    let limits = PictureLimits::default();
    let n_pixels = u64::from(wanted.width) * u64::from(wanted.height);
    let size = format!("{}x{} px of a picture", wanted.width, wanted.height);
    assert!(n_pixels > 0 && n_pixels <= limits.n_pixels, "{size}");
    let longer = wanted.width.max(wanted.height);
    assert!(longer <= limits.side_px, "{size}");
    finite("blur", [wanted.blur_px.into(), wanted.brightness.into()]);
    assert!(wanted.blur_px >= 0.0 && wanted.brightness >= 0.0);
}

pub fn list(plan: &Plan, list: &DrawList) {
    color(list.background);
    for layer in &list.layers {
        layer_holds(plan, list.frame, layer);
    }
    let [only] = &list.layers[..] else {
        return;
    };
    // A shot that fills the canvas by itself: what is seen lies in its picture.
    if let (true, Content::Picture(id, pose)) = (only.id.0 < END_OF_SHOTS, &only.content)
        && pose.edge == Edge::Clamp
    {
        assert_eq!(only.opacity, 1.0);
        let (width, height) = size_of(plan, *id);
        let back = pose.maps[0].inverse().expect("a map that can be undone");
        let canvas = (f64::from(plan.size.width), f64::from(plan.size.height));
        for corner in [(0.0, 0.0), canvas] {
            let (x, y) = back.apply(corner.0, corner.1);
            let case = format!("{corner:?} is seen at {x}, {y} of {width}x{height}");
            // Curved ways are measured in 256 steps; the border pixel goes on where they come short.
            let slack = 1.0 + 0.002 * width.max(height);
            assert!(x >= -slack && x <= width + slack, "{case}");
            assert!(y >= -slack && y <= height + slack, "{case}");
        }
    }
}

fn used(plan: &Plan, id: PictureId) -> &PictureUse {
    let of_clip = plan.clips.iter().rev().find(|clip| clip.first_id <= id);
    match (plan.pictures.get(id.0 as usize), of_clip) {
        (Some(picture), _) => picture,
        (None, Some(clip)) => &clip.look,
        (None, None) => panic!("{id:?} is no picture of the plan"),
    }
}

fn size_of(plan: &Plan, id: PictureId) -> (f64, f64) {
    let used = used(plan, id);
    (used.width.into(), used.height.into())
}

fn layer_holds(plan: &Plan, frame: u64, layer: &Layer) {
    assert!((0.0..=1.0).contains(&layer.opacity), "{}", layer.opacity);
    match &layer.content {
        Content::Picture(id, pose) => {
            let used = used(plan, *id);
            let frames = used.first_frame..used.end_frame;
            assert!(frames.contains(&frame), "{id:?} is at hand in {frames:?}");
            pose_holds(pose);
        }
        Content::Fill(fill) => color(*fill),
        Content::Box(shape) => box_holds(shape),
        Content::Glyphs(run) => glyphs(run),
        Content::BackdropBlur(shape, sigma) => {
            box_holds(shape);
            assert!(sigma.is_finite() && *sigma >= 0.0);
        }
        Content::Group(group) => {
            pose_holds(&group.pose);
            let bounds = group.bounds;
            assert!(bounds.width <= 4 * 3840 && bounds.height <= 4 * 3840);
            group
                .layers
                .iter()
                .for_each(|layer| layer_holds(plan, frame, layer));
        }
    }
}

fn pose_holds(pose: &Pose) {
    assert!((1..=16).contains(&pose.maps.len()), "{}", pose.maps.len());
    pose.maps.iter().for_each(|map| map_holds(*map));
    finite("brightness", [pose.brightness.into(), pose.blur_px.into()]);
    assert!(pose.brightness >= 0.0 && pose.blur_px >= 0.0);
    if let Some(wipe) = pose.wipe {
        let [a, b, c] = wipe.line.map(f64::from);
        finite("wipe", [a, b, c, wipe.softness_px.into()]);
        assert!((a.hypot(b) - 1.0).abs() < 1e-3 && wipe.softness_px >= 0.0);
    }
}

fn map_holds(map: Homography) {
    finite("a map", map.0);
    let [a, b, _, d, e, ..] = map.0;
    // Cards turn their backs, and nothing else.
    let is_affine = map.0[6] == 0.0 && map.0[7] == 0.0;
    assert!(
        !is_affine || a * e - b * d >= 0.0,
        "a map that mirrors: {map:?}"
    );
}

fn box_holds(shape: &BoxShape) {
    rect(shape.rect);
    finite(
        "box",
        [shape.radius, shape.rotate, shape.blur_px].map(f64::from),
    );
    let half = shape.rect.width.min(shape.rect.height) / 2.0;
    assert!(shape.radius >= 0.0 && shape.radius <= half + 0.01 * half.max(1.0));
    assert!(shape.blur_px >= 0.0);
    paint(shape.paint);
    if let Some((width, line)) = shape.border {
        assert!(width.is_finite() && width >= 0.0);
        color(line);
    }
}

fn rect(rect: Rect) {
    finite(
        "rectangle",
        [rect.x, rect.y, rect.width, rect.height].map(f64::from),
    );
    assert!(rect.width >= 0.0 && rect.height >= 0.0, "{rect:?}");
}

fn glyphs(run: &GlyphRun) {
    assert!(run.range.start <= run.range.end && run.range.end <= run.glyphs.len());
    for glyph in &run.glyphs[run.range.clone()] {
        finite("glyph", [glyph.x, glyph.y, glyph.size_px].map(f64::from));
        assert!(glyph.size_px > 0.0);
    }
    finite("glyphs", [run.spread_px, run.blur_px].map(f64::from));
    assert!(run.spread_px >= 0.0 && run.blur_px >= 0.0);
    finite("glyphs", run.offset.map(f64::from));
    paint(run.paint);
}

fn paint(paint: Paint) {
    match paint {
        Paint::Solid(solid) => color(solid),
        Paint::Linear { from, to, stops } => {
            finite("gradient", from.into_iter().chain(to).map(f64::from));
            assert!(stops.windows(2).all(|pair| pair[0].0 <= pair[1].0));
            stops.iter().for_each(|(_, stop)| color(*stop));
        }
    }
}

fn color(color: Color) {
    for channel in [color.r, color.g, color.b, color.a] {
        assert!((0.0..=1.0).contains(&channel), "{color:?}");
    }
}

/// The frame has its size and its index.
pub fn frame(plan: &Plan, index: u64, frame: &Frame) {
    let (width, height) = (plan.size.width as usize, plan.size.height as usize);
    let wanted = [width * height, width * height / 4, width * height / 4];
    assert_eq!(frame.planes().map(<[u8]>::len), wanted);
    assert_eq!(frame.index, index);
    // Limited range.
    let [luma, chroma @ ..] = frame.planes();
    assert!(luma.iter().all(|y| (16..=235).contains(y)), "luma");
    let mut chroma = chroma.into_iter().flatten();
    assert!(chroma.all(|c| (16..=240).contains(c)), "chroma");
}

/// Nothing of the background, which is magenta, is seen among pictures that are green.
pub fn no_hole(frame: &Frame) {
    let width = frame.size.width as usize;
    for (i, px) in frame.to_rgb().chunks_exact(3).enumerate() {
        let [r, g, b] = [px[0], px[1], px[2]].map(i32::from);
        assert!(
            r.min(b) <= g + 12,
            "a hole at {}, {}: {px:?}",
            i % width,
            i / width
        );
    }
}
