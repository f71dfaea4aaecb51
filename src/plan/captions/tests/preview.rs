//! Paints captions over pictures for manual inspection:
//! `KINORA_PREVIEW_OUT=folder [KINORA_PREVIEW_PHOTO=a.jpg] cargo test -- --ignored preview`.

use super::*;

/// Blends a group's runs over an RGB picture: a minimal compositor.
fn paint(picture: &mut image::RgbImage, group: &Group, opacity: f32, fonts: &Fonts) {
    let dy = group.pose.maps[0].0[5].round() as i32;
    for layer in &group.layers {
        let Content::Glyphs(run) = &layer.content else {
            if let Content::Box(shape) = &layer.content {
                paint_box(picture, shape);
            }
            continue;
        };
        let Paint::Solid(color) = run.paint else {
            continue;
        };
        let mask = fonts.rasterize(run);
        for (i, coverage) in mask.coverage.iter().enumerate() {
            let x = mask.x + (i as u32 % mask.width) as i32;
            let y = mask.y + (i as u32 / mask.width) as i32 + dy;
            let a = f32::from(*coverage) / 255.0 * color.a * opacity;
            let mut source = [color.r * a, color.g * a, color.b * a, a];
            if let Some(colors) = &mask.color {
                let p = &colors[4 * i..4 * i + 4];
                let keep = 1.0 - f32::from(p[3]) / 255.0 * opacity;
                for (s, v) in source.iter_mut().zip(p) {
                    *s = *s * keep + f32::from(*v) / 255.0 * opacity;
                }
            }
            mix(picture, x, y, source);
        }
    }
}

fn paint_box(picture: &mut image::RgbImage, shape: &BoxShape) {
    let Paint::Solid(color) = shape.paint else {
        return;
    };
    let (r, radius) = (shape.rect, shape.radius);
    for y in r.y as i32..(r.y + r.height) as i32 {
        for x in r.x as i32..(r.x + r.width) as i32 {
            let (cx, cy) = (r.x + r.width / 2.0, r.y + r.height / 2.0);
            let dx = ((x as f32 - cx).abs() - r.width / 2.0 + radius).max(0.0);
            let dy = ((y as f32 - cy).abs() - r.height / 2.0 + radius).max(0.0);
            if dx.hypot(dy) <= radius {
                mix(picture, x, y, color.premultiplied());
            }
        }
    }
}

fn mix(picture: &mut image::RgbImage, x: i32, y: i32, source: [f32; 4]) {
    let inside =
        (0..picture.width() as i32).contains(&x) && (0..picture.height() as i32).contains(&y);
    if !inside || source[3] == 0.0 && source[0] == 0.0 {
        return;
    }
    let pixel = picture.get_pixel_mut(x as u32, y as u32);
    for (p, s) in pixel.0.iter_mut().zip(source) {
        *p = (f32::from(*p) * (1.0 - source[3]) + s * 255.0)
            .round()
            .clamp(0.0, 255.0) as u8;
    }
}

#[test]
#[ignore = "writes pictures for people to look at"]
fn preview() {
    let out = std::path::PathBuf::from(std::env::var("KINORA_PREVIEW_OUT").unwrap());
    let fonts = match std::env::var("KINORA_PREVIEW_FONTS") {
        Ok(list) => list.split(':').fold(Fonts::default(), |fonts, path| {
            fonts.with_font(std::fs::read(path).unwrap()).unwrap()
        }),
        Err(_) => Fonts::default(),
    };
    let photo = std::env::var("KINORA_PREVIEW_PHOTO")
        .ok()
        .map(|path| image::open(path).unwrap().to_rgb8());
    let text = std::env::var("KINORA_PREVIEW_TEXT").ok();
    let style = std::env::var("KINORA_PREVIEW_STYLE").ok();
    for (width, height) in [(1080, 1920), (360, 640), (1920, 1080), (1080, 1080)] {
        for position in [
            CaptionPosition::Top,
            CaptionPosition::Center,
            CaptionPosition::Bottom,
        ] {
            let words = match &text {
                Some(text) => spoken(text),
                None => sample(),
            };
            let mut captions = Captions {
                position,
                ..captions(words)
            };
            if let Some(style) = &style {
                captions.style = NameOr::Inline(serde_json::from_str(style).unwrap());
            }
            let canvas = Size::new(width, height).unwrap();
            let mut report = Report::default();
            let end = Time::from_millis(60_000);
            let track = CaptionTrack::resolve(&captions, canvas, end, &fonts, &mut report).unwrap();
            println!("{:#?}", report.warnings);
            for (i, page) in track.pages.iter().enumerate().take(4) {
                let t = Time(
                    (page.words[page.words.len() / 2].start.0)
                        .max(page.start.0 + Time::from_millis(170).0),
                );
                let mut picture = match &photo {
                    Some(photo) => cover(photo, width, height),
                    None => image::RgbImage::from_pixel(width, height, image::Rgb([120, 130, 140])),
                };
                for layer in track.layers_at(t, LayerId(0)) {
                    if let Content::Group(group) = &layer.content {
                        paint(&mut picture, group, layer.opacity, &fonts);
                    }
                }
                let name = format!("{width}x{height}-{position:?}-{i}.png");
                picture.save(out.join(name)).unwrap();
            }
        }
    }
}

fn cover(photo: &image::RgbImage, width: u32, height: u32) -> image::RgbImage {
    image::DynamicImage::from(photo.clone())
        .resize_to_fill(width, height, image::imageops::FilterType::Triangle)
        .to_rgb8()
}
