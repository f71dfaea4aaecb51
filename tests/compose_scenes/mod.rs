//! Small draw lists, one or more per primitive and option, drawn by the tests of both back ends.
#![allow(dead_code)]

pub mod pictures;

use std::sync::Arc;

use kinora::compose::Pictures;
use kinora::plan::draw::*;
use kinora::timeline::Blend;
use kinora::units::{Color, PixelRect, Rect, Size};

/// A draw list with the pictures it names.
pub struct Scene {
    pub name: &'static str,
    pub size: Size,
    pub list: DrawList,
    pub pictures: Pictures,
    /// Masks of glyphs come from the text room.
    pub has_glyphs: bool,
}

pub const NOISE: PictureId = PictureId(0);
pub const BARS: PictureId = PictureId(1);
pub const ZONE: PictureId = PictureId(2);
pub const ALPHA: PictureId = PictureId(3);

/// `#rrggbb` or `#rrggbbaa`.
pub fn color(text: &str) -> Color {
    Color::parse(text).unwrap()
}

pub fn layer(id: u32, content: Content) -> Layer {
    Layer {
        id: LayerId(id),
        known: Known::New,
        opacity: 1.0,
        blend: Blend::Normal,
        content,
    }
}

pub fn faded(opacity: f32, layer: Layer) -> Layer {
    Layer { opacity, ..layer }
}

pub fn list(layers: Vec<Layer>) -> DrawList {
    DrawList {
        frame: 0,
        background: color("#102030"),
        layers,
    }
}

/// A picture under one map.
pub fn picture(id: PictureId, map: Homography) -> Layer {
    layer(id.0, Content::Picture(id, Pose::at(map)))
}

/// A turn about a point.
pub fn turn_about(x: f64, y: f64, radians: f64) -> Homography {
    Homography::shift(x, y)
        .after(Homography::turn(radians))
        .after(Homography::shift(-x, -y))
}

pub fn rounded(rect: [f32; 4], radius: f32, fill: Color) -> BoxShape {
    let [x, y, width, height] = rect;
    BoxShape {
        rect: Rect {
            x,
            y,
            width,
            height,
        },
        radius,
        rotate: 0.0,
        paint: Paint::Solid(fill),
        border: None,
    }
}

pub fn gradient(from: [f32; 2], to: [f32; 2]) -> Paint {
    Paint::Linear {
        from,
        to,
        stops: [
            (0.0, color("#ff3020")),
            (0.4, color("#ffe04080")),
            (1.0, color("#2040ff")),
            (1.0, color("#2040ff")),
        ],
    }
}

/// A row of glyphs of the first bundled font; ids 36 on are letters.
pub fn glyph_run(x: f32, y: f32, size_px: f32, paint: Paint) -> GlyphRun {
    let glyphs: Arc<[Glyph]> = (0..5u16)
        .map(|i| Glyph {
            font: 0,
            id: 36 + i,
            size_px,
            x: x + f32::from(i) * size_px * 0.8,
            y,
        })
        .collect();
    GlyphRun {
        range: 0..glyphs.len(),
        glyphs,
        spread_px: 0.0,
        blur_px: 0.0,
        offset: [0.0; 2],
        paint,
    }
}

/// A caption page: a translucent pill, an outline and a fill.
pub fn caption_group(bounds: PixelRect, pose: Pose) -> Content {
    let (x, y) = (bounds.x as f32, bounds.y as f32);
    let (w, h) = (bounds.width as f32, bounds.height as f32);
    let pill = rounded(
        [x + 6.0, y + 8.0, w - 12.0, h - 16.0],
        14.0,
        color("#000000a0"),
    );
    let mark = rounded(
        [x + 20.5, y + 20.25, w * 0.4, h - 41.0],
        5.0,
        color("#ffd020"),
    );
    let fill = glyph_run(x + 20.0, y + h * 0.65, h * 0.4, Paint::Solid(Color::WHITE));
    let outline = GlyphRun {
        spread_px: 2.0,
        paint: Paint::Solid(Color::BLACK),
        ..fill.clone()
    };
    Content::Group(Group {
        content: Some(7),
        bounds,
        pose,
        layers: vec![
            layer(50, Content::Box(pill)),
            layer(51, Content::Box(mark)),
            layer(52, Content::Glyphs(outline)),
            layer(53, Content::Glyphs(fill)),
        ],
    })
}

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
    let mut all = picture_scenes();
    all.extend(shape_scenes());
    all.extend(group_scenes());
    all
}

fn scene(name: &'static str, width: u32, height: u32, layers: Vec<Layer>) -> Scene {
    Scene {
        name,
        size: Size::new(width, height).unwrap(),
        list: list(layers),
        pictures: pictures::all(),
        has_glyphs: name.contains("glyph") || name.contains("caption"),
    }
}

fn picture_scenes() -> Vec<Scene> {
    let scale = |s: f64, x, y| Homography::scale_shift(s, s, x, y);
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
    let blurred = |edge, blur_px| Pose {
        edge,
        blur_px,
        ..Pose::at(scale(0.5, 20.0, 15.0))
    };
    vec![
        scene(
            "picture_identity",
            240,
            180,
            vec![picture(NOISE, Homography::IDENTITY)],
        ),
        scene(
            "picture_scale_shift",
            200,
            160,
            vec![picture(NOISE, scale(0.93, -11.3, -6.7))],
        ),
        scene(
            "picture_zone_small",
            160,
            120,
            vec![picture(ZONE, scale(0.31, 4.2, 3.1))],
        ),
        scene(
            "picture_magnified",
            160,
            120,
            vec![picture(BARS, scale(3.7, -200.4, -100.1))],
        ),
        scene(
            "picture_turned_over_alpha",
            200,
            150,
            vec![
                picture(
                    BARS,
                    turn_about(120.0, 90.0, 0.3).after(scale(0.6, 20.0, 10.0)),
                ),
                picture(ALPHA, scale(1.3, 30.6, 12.2)),
            ],
        ),
        scene(
            "picture_perspective_mirror",
            220,
            160,
            vec![posed(tilted, NOISE)],
        ),
        scene(
            "picture_motion_samples",
            160,
            120,
            vec![posed(shutter, NOISE)],
        ),
        scene(
            "picture_wipe_soft",
            180,
            140,
            vec![picture(BARS, scale(0.8, 0.0, 0.0)), posed(wiped, NOISE)],
        ),
        scene(
            "picture_wipe_hard_dim",
            180,
            140,
            vec![
                picture(ZONE, scale(0.8, 0.0, 0.0)),
                posed(hard_wiped, NOISE),
            ],
        ),
        scene(
            "picture_fade",
            200,
            160,
            vec![
                picture(NOISE, scale(0.9, -3.7, -1.1)),
                faded(0.37, picture(ZONE, scale(0.85, -2.2, -1.9))),
            ],
        ),
        scene(
            "picture_blur_transparent",
            160,
            120,
            vec![posed(blurred(Edge::Transparent, 3.0), BARS)],
        ),
        scene(
            "picture_blur_clamp_wide",
            160,
            120,
            vec![posed(blurred(Edge::Clamp, 11.0), BARS)],
        ),
        scene(
            "picture_blur_mirror",
            160,
            120,
            vec![posed(blurred(Edge::Mirror, 5.5), NOISE)],
        ),
    ]
}

fn shape_scenes() -> Vec<Scene> {
    let back = || picture(NOISE, Homography::scale_shift(0.9, 0.9, -4.3, -2.2));
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
    let shadow = GlyphRun {
        spread_px: 3.0,
        blur_px: 2.5,
        offset: [2.0, 4.0],
        ..glyph_run(14.0, 80.0, 40.0, Paint::Solid(Color::BLACK))
    };
    let mut all = vec![
        scene(
            "box_gradient_border",
            180,
            140,
            vec![back(), layer(9, Content::Box(bordered))],
        ),
        scene(
            "backdrop_blur",
            160,
            130,
            vec![
                back(),
                faded(0.9, layer(9, Content::BackdropBlur(glass, 6.0))),
            ],
        ),
        scene(
            "glyphs_shadow_gradient",
            200,
            120,
            vec![
                back(),
                layer(9, Content::Glyphs(shadow)),
                layer(
                    10,
                    Content::Glyphs(glyph_run(
                        14.0,
                        80.0,
                        40.0,
                        gradient([14.0, 50.0], [180.0, 80.0]),
                    )),
                ),
            ],
        ),
    ];
    for (name, blend) in [
        ("blend_normal", Blend::Normal),
        ("blend_multiply", Blend::Multiply),
        ("blend_screen", Blend::Screen),
        ("blend_add", Blend::Add),
    ] {
        let over = Layer {
            blend,
            ..faded(
                0.8,
                picture(ALPHA, Homography::scale_shift(1.1, 1.1, 5.5, 8.8)),
            )
        };
        let fill = Layer {
            blend,
            ..layer(11, Content::Fill(color("#40a0c060")))
        };
        all.push(scene(name, 150, 120, vec![back(), over, fill]));
    }
    all
}

fn group_scenes() -> Vec<Scene> {
    let back = || picture(NOISE, Homography::scale_shift(0.9, 0.9, -4.3, -2.2));
    let inside = |x: i32, y: i32| {
        let blended = Layer {
            blend: Blend::Multiply,
            ..faded(
                0.7,
                picture(
                    ALPHA,
                    Homography::shift(f64::from(x) + 20.0, f64::from(y) + 8.0),
                ),
            )
        };
        vec![
            layer(
                20,
                Content::Box(rounded(
                    [x as f32 + 8.5, y as f32 + 6.0, 70.0, 50.0],
                    9.0,
                    color("#e04020"),
                )),
            ),
            blended,
        ]
    };
    let group = |content, at: PixelRect, pose| {
        Content::Group(Group {
            content,
            bounds: at,
            pose,
            layers: inside(at.x, at.y),
        })
    };
    let popped = Pose {
        blur_px: 1.5,
        ..Pose::at(
            turn_about(90.0, 70.0, -0.15).after(Homography::scale_shift(1.15, 1.15, -8.0, -6.0)),
        )
    };
    let caption = |pose| caption_group(bounds(10, 80, 180, 60), pose);
    let back_two = || {
        vec![
            picture(NOISE, Homography::scale_shift(0.9, 0.9, -3.7, -1.1)),
            faded(
                0.37,
                picture(ZONE, Homography::scale_shift(0.85, 0.85, -2.2, -1.9)),
            ),
        ]
    };
    let over = |mut below: Vec<Layer>, opacity: f32, content| {
        below.push(faded(opacity, layer(30, content)));
        below
    };
    let still = || Pose::at(Homography::IDENTITY);
    vec![
        scene(
            "group_still",
            180,
            140,
            vec![
                back(),
                layer(8, group(None, bounds(20, 20, 120, 90), still())),
            ],
        ),
        scene(
            "group_faded_posed_blurred",
            180,
            140,
            vec![
                back(),
                faded(0.6, layer(8, group(None, bounds(20, 20, 120, 90), popped))),
            ],
        ),
        scene(
            "group_cut_by_canvas",
            180,
            140,
            vec![
                back(),
                layer(8, group(Some(3), bounds(-31, 95, 120, 90), still())),
            ],
        ),
        scene(
            "caption_still",
            200,
            160,
            over(back_two(), 1.0, caption(still())),
        ),
        scene(
            "caption_fade_shift",
            200,
            160,
            over(
                vec![back()],
                0.55,
                caption(Pose::at(Homography::shift(0.4, -7.75))),
            ),
        ),
        scene(
            "caption_pop",
            200,
            160,
            over(
                vec![back()],
                1.0,
                caption(Pose::at(Homography::scale_shift(1.12, 1.12, -12.0, -13.2))),
            ),
        ),
    ]
}
