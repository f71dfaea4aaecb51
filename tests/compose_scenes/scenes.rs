//! The scenes themselves: primitives one by one, with each of their options.

use super::*;

const SMALL: (u32, u32) = (160, 120);
const WIDE: (u32, u32) = (200, 160);
const PAIR: (u32, u32) = (180, 140);

fn bounds(x: i32, y: i32, width: u32, height: u32) -> PixelRect {
    PixelRect {
        x,
        y,
        width,
        height,
    }
}

fn posed(pose: Pose, id: PictureId) -> Layer {
    layer(id.0, Content::Picture(id, pose))
}

/// Every scene.
pub fn scenes() -> Vec<Scene> {
    let parts = [
        plain_pictures(),
        posed_pictures(),
        blurred_pictures(),
        shapes(),
        blends(),
        groups(),
        shots_in_transition(),
        captions(),
    ];
    parts.into_iter().flatten().collect()
}

fn scene(name: &'static str, (width, height): (u32, u32), layers: Vec<Layer>) -> Scene {
    Scene {
        name,
        size: Size::new(width, height).unwrap(),
        list: list(layers),
        pictures: pictures::all(),
        has_glyphs: name.contains("glyph") || name.contains("caption"),
    }
}

fn scale(s: f64, x: f64, y: f64) -> Homography {
    Homography::scale_shift(s, s, x, y)
}

fn back() -> Layer {
    picture(NOISE, scale(0.9, -4.3, -2.2))
}

fn back_two() -> Vec<Layer> {
    vec![
        picture(NOISE, scale(0.9, -3.7, -1.1)),
        faded(0.37, picture(ZONE, scale(0.85, -2.2, -1.9))),
    ]
}

fn plain_pictures() -> Vec<Scene> {
    let turned = turn_about(120.0, 90.0, 0.3).after(scale(0.6, 20.0, 10.0));
    vec![
        scene(
            "picture_identity",
            (240, 180),
            vec![picture(NOISE, Homography::IDENTITY)],
        ),
        scene(
            "picture_scale_shift",
            WIDE,
            vec![picture(NOISE, scale(0.93, -11.3, -6.7))],
        ),
        scene(
            "picture_zone_small",
            SMALL,
            vec![picture(ZONE, scale(0.31, 4.2, 3.1))],
        ),
        scene(
            "picture_magnified",
            SMALL,
            vec![picture(BARS, scale(3.7, -200.4, -100.1))],
        ),
        scene(
            "picture_turned_over_alpha",
            (200, 150),
            vec![
                picture(BARS, turned),
                picture(ALPHA, scale(1.3, 30.6, 12.2)),
            ],
        ),
        scene("picture_fade", WIDE, back_two()),
    ]
}

fn posed_pictures() -> Vec<Scene> {
    let shutter = Pose {
        maps: (0..6)
            .map(|i| turn_about(80.0, 60.0, 0.1).after(scale(0.7, f64::from(i) * 3.3, 0.0)))
            .collect(),
        edge: Edge::Clamp,
        ..Pose::at(Homography::IDENTITY)
    };
    let tilted = Pose {
        edge: Edge::Mirror,
        ..Pose::at(Homography([
            0.8, 0.1, 20.0, -0.05, 0.7, 30.0, 0.0006, 0.0009, 1.0,
        ]))
    };
    let wiped = Pose {
        wipe: Some(Wipe {
            line: [0.8, 0.6, -100.0],
            softness_px: 30.0,
        }),
        ..Pose::at(scale(0.8, 0.0, 0.0))
    };
    let hard_wiped = Pose {
        wipe: Some(Wipe {
            line: [-1.0, 0.0, 60.3],
            softness_px: 0.0,
        }),
        brightness: 0.6,
        ..Pose::at(scale(0.9, -9.0, -3.0))
    };
    let below = |id| picture(id, scale(0.8, 0.0, 0.0));
    vec![
        scene(
            "picture_perspective_mirror",
            (220, 160),
            vec![posed(tilted, NOISE)],
        ),
        scene("picture_motion_samples", SMALL, vec![posed(shutter, NOISE)]),
        scene(
            "picture_wipe_soft",
            PAIR,
            vec![below(BARS), posed(wiped, NOISE)],
        ),
        scene(
            "picture_wipe_hard_dim",
            PAIR,
            vec![below(ZONE), posed(hard_wiped, NOISE)],
        ),
    ]
}

fn blurred_pictures() -> Vec<Scene> {
    let blurred = |edge, blur_px, id| {
        posed(
            Pose {
                edge,
                blur_px,
                ..Pose::at(scale(0.5, 20.0, 15.0))
            },
            id,
        )
    };
    vec![
        scene(
            "picture_blur_transparent",
            SMALL,
            vec![blurred(Edge::Transparent, 3.0, BARS)],
        ),
        scene(
            "picture_blur_clamp_wide",
            SMALL,
            vec![blurred(Edge::Clamp, 11.0, BARS)],
        ),
        scene(
            "picture_blur_mirror",
            SMALL,
            vec![blurred(Edge::Mirror, 5.5, NOISE)],
        ),
    ]
}

fn shapes() -> Vec<Scene> {
    let bordered = BoxShape {
        border: Some((4.5, color("#ffffffc0"))),
        rotate: 0.2,
        paint: gradient([30.0, 30.0], [150.0, 110.0]),
        ..rounded([30.3, 25.6, 120.0, 80.0], 18.0, Color::BLACK)
    };
    let glass = BoxShape {
        border: Some((2.0, color("#ffffff"))),
        ..rounded([24.0, 30.0, 110.5, 70.0], 16.0, color("#ffffff30"))
    };
    let soft = BoxShape {
        rotate: -0.3,
        blur_px: 9.0,
        ..rounded([40.0, 30.0, 90.0, 60.0], 0.0, Color::BLACK)
    };
    let shadow = GlyphRun {
        spread_px: 3.0,
        blur_px: 2.5,
        offset: [2.0, 4.0],
        ..glyph_run(14.0, 80.0, 40.0, Paint::Solid(Color::BLACK))
    };
    let fill = glyph_run(14.0, 80.0, 40.0, gradient([14.0, 50.0], [180.0, 80.0]));
    let frosted = faded(0.9, layer(9, Content::BackdropBlur(glass, 6.0)));
    let (shadow, fill) = (
        layer(9, Content::Glyphs(shadow)),
        layer(10, Content::Glyphs(fill)),
    );
    vec![
        scene(
            "box_gradient_border",
            PAIR,
            vec![back(), layer(9, Content::Box(bordered))],
        ),
        scene("backdrop_blur", (160, 130), vec![back(), frosted]),
        scene(
            "box_blurred_outline",
            PAIR,
            vec![back(), faded(0.6, layer(9, Content::Box(soft)))],
        ),
        scene(
            "glyphs_shadow_gradient",
            (200, 120),
            vec![back(), shadow, fill],
        ),
    ]
}

fn blends() -> Vec<Scene> {
    let named = [
        ("blend_normal", Blend::Normal),
        ("blend_multiply", Blend::Multiply),
        ("blend_screen", Blend::Screen),
        ("blend_add", Blend::Add),
    ];
    let blended = |(name, blend)| {
        let over = faded(0.8, picture(ALPHA, scale(1.1, 5.5, 8.8)));
        let fill = layer(11, Content::Fill(color("#40a0c060")));
        scene(
            name,
            (150, 120),
            vec![back(), Layer { blend, ..over }, Layer { blend, ..fill }],
        )
    };
    named.into_iter().map(blended).collect()
}

/// A group of a box and a multiplied picture.
fn group(content: Option<u64>, at: PixelRect, pose: Pose) -> Layer {
    let (x, y) = (at.x as f32, at.y as f32);
    let red = rounded([x + 8.5, y + 6.0, 70.0, 50.0], 9.0, color("#e04020"));
    let map = Homography::shift(f64::from(x) + 20.0, f64::from(y) + 8.0);
    let over = Layer {
        blend: Blend::Multiply,
        ..faded(0.7, picture(ALPHA, map))
    };
    let layers = vec![layer(20, Content::Box(red)), over];
    layer(
        8,
        Content::Group(Group {
            content,
            bounds: at,
            pose,
            layers,
        }),
    )
}

fn groups() -> Vec<Scene> {
    let popped = Pose {
        blur_px: 1.5,
        ..Pose::at(turn_about(90.0, 70.0, -0.15).after(scale(1.15, -8.0, -6.0)))
    };
    let (still, inside) = (Pose::at(Homography::IDENTITY), bounds(20, 20, 120, 90));
    let cut = group(Some(3), bounds(-31, 95, 120, 90), still.clone());
    vec![
        scene(
            "group_still",
            PAIR,
            vec![back(), group(None, inside, still)],
        ),
        scene(
            "group_faded_posed_blurred",
            PAIR,
            vec![back(), faded(0.6, group(None, inside, popped))],
        ),
        scene("group_cut_by_canvas", PAIR, vec![back(), cut]),
    ]
}

/// A shot as transitions draw it: a picture that fills its sheet, or one on a backdrop.
fn shot((width, height): (u32, u32), id: PictureId, is_contained: bool, pose: Pose) -> Layer {
    let at = |scale, x, y, edge| Pose {
        edge,
        ..Pose::at(Homography::scale_shift(scale, scale, x, y))
    };
    let mut layers = vec![posed(at(0.95, -13.3, -11.6, Edge::Clamp), id)];
    if is_contained {
        layers.push(posed(at(0.5, 21.4, 17.8, Edge::Transparent), BARS));
    }
    layer(
        id.0,
        Content::Group(Group {
            content: None,
            bounds: bounds(0, 0, width, height),
            pose,
            layers,
        }),
    )
}

fn shutter(n: u8, edge: Edge, at: impl Fn(f64) -> Homography) -> Pose {
    Pose {
        maps: (0..n).map(|i| at(f64::from(i))).collect(),
        edge,
        ..Pose::at(Homography::IDENTITY)
    }
}

fn shots_in_transition() -> Vec<Scene> {
    let whirl = |from: f64, step: f64| {
        move |i: f64| turn_about(90.0, 70.0, from + step * i).after(scale(1.1, -9.0, -7.0))
    };
    let tilt = |i: f64| Homography([0.9, 0.0, 5.0, 0.0, 1.0, 0.0, 0.001 + 0.0002 * i, 0.0, 1.0]);
    let slide = |from: f64, step: f64| move |i: f64| Homography::shift(from + step * i, 0.0);
    let pose = |n, edge, blur_px, at: &dyn Fn(f64) -> Homography| Pose {
        blur_px,
        ..shutter(n, edge, at)
    };
    let wiped = Pose {
        wipe: Some(Wipe {
            line: [0.6, 0.8, -120.0],
            softness_px: 20.0,
        }),
        brightness: 0.7,
        ..shutter(9, Edge::Clamp, slide(-30.0, 4.0))
    };
    let two = |name, a, b| {
        let (a, b) = (shot(PAIR, NOISE, false, a), shot(PAIR, ZONE, true, b));
        scene(name, PAIR, vec![a, faded(0.6, b)])
    };
    let (mirror, clear) = (Edge::Mirror, Edge::Transparent);
    let still = pose(1, mirror, 0.0, &whirl(0.7, 0.0));
    let three = pose(3, mirror, 0.0, &whirl(0.7, 0.05));
    let sixteen = pose(16, mirror, 0.0, &whirl(0.7, 0.03));
    let near = pose(12, clear, 0.0, &whirl(0.1, 0.001));
    let beside = pose(1, clear, 0.0, &slide(-40.4, 0.0));
    let away = pose(8, clear, 0.0, &slide(-70.0, 6.3));
    let tilted = pose(1, clear, 0.0, &tilt);
    let tilting = pose(12, clear, 0.0, &tilt);
    let soft = pose(1, mirror, 6.0, &whirl(0.2, 0.0));
    let singles = [
        ("shot_whirl_1", ZONE, false, still),
        ("shot_whirl_3", ZONE, false, three),
        ("shot_whirl_16", NOISE, false, sixteen),
        ("shot_short_way", NOISE, false, near),
        ("shot_slide_1", BARS, false, beside),
        ("shot_slide_8_transparent", BARS, false, away),
        ("shot_slide_wiped_dim", NOISE, true, wiped),
        ("shot_tilt_1", BARS, false, tilted),
        ("shot_tilt_12", BARS, true, tilting),
        ("shot_blur_contained", ZONE, true, soft),
    ];
    let mut scenes: Vec<Scene> = singles
        .into_iter()
        .map(|(name, id, contained, pose)| {
            scene(name, PAIR, vec![back(), shot(PAIR, id, contained, pose)])
        })
        .collect();
    let from = pose(10, mirror, 5.0, &whirl(0.3, 0.04));
    let to = pose(10, mirror, 2.0, &whirl(-0.6, 0.04));
    scenes.push(two("shots_whirl_blurred", from, to));
    let from = pose(8, Edge::Clamp, 0.0, &slide(-70.0, -6.0));
    let to = pose(8, clear, 0.0, &slide(110.0, -6.0));
    scenes.push(two("shots_slide", from, to));
    scenes
}

fn captions() -> Vec<Scene> {
    let caption = |opacity, map| {
        faded(
            opacity,
            layer(30, caption_group(bounds(10, 80, 180, 60), Pose::at(map))),
        )
    };
    let [still, shifted, popped] = [
        caption(1.0, Homography::IDENTITY),
        caption(0.55, Homography::shift(0.4, -7.75)),
        caption(1.0, scale(1.12, -12.0, -13.2)),
    ];
    let mut under_still = back_two();
    under_still.push(still);
    vec![
        scene("caption_still", WIDE, under_still),
        scene("caption_fade_shift", WIDE, vec![back(), shifted]),
        scene("caption_pop", WIDE, vec![back(), popped]),
    ]
}
