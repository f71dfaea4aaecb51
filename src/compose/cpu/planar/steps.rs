//! Decides which frames can take the short way, and plans their steps.

use std::sync::Arc;

use super::resample::{Axis, Columns};
use super::{Overlay, Pane, Placed, Step};
use crate::compose::cpu::prepare::{Stock, Target, paint_sheet};
use crate::compose::cpu::sheet::{Px, Sheet};
use crate::compose::cpu::yuv::{chroma, luma};
use crate::compose::sampling::{Extent, blur_plan, sampled_map};
use crate::error::Result;
use crate::scene::draw::Blend;
use crate::scene::draw::*;
use crate::units::Size;

/// Returns the steps of a frame, or `None` if it needs the general path.
pub(in crate::compose::cpu) fn steps(
    stock: &mut Stock,
    list: &DrawList,
) -> Result<Option<Vec<Step>>> {
    let color = list.background;
    let background = Step::Fill(codes([color.r, color.g, color.b, 1.0]), 1.0);
    steps_over(stock, &list.layers, vec![background])
}

/// Returns the number of lowest layers, below the first pane, that the general path must draw, and the steps for the rest; `None` if it must draw all.
pub(in crate::compose::cpu) fn steps_from_pane(
    stock: &mut Stock,
    layers: &[Layer],
) -> Result<Option<(usize, Vec<Step>)>> {
    let is_pane = |layer: &Layer| matches!(layer.content, Content::BackdropBlur(..));
    let Some(first) = layers.iter().position(is_pane) else {
        return Ok(None);
    };
    let steps = steps_over(stock, &layers[first..], Vec::new())?;
    Ok(steps.map(|steps| (first, steps)))
}

/// Adds the steps of layers.
fn steps_over(
    stock: &mut Stock,
    layers: &[Layer],
    mut steps: Vec<Step>,
) -> Result<Option<Vec<Step>>> {
    let seen = |layer: &&Layer| layer.opacity > 0.0;
    let mut all = layers.iter().filter(seen);
    if !all.all(|layer| is_plain(stock.size, layer)) {
        return Ok(None);
    }
    // Overlays drawn for one frame cost as much as the general path, which is better beyond half the canvas.
    let mut to_draw = stock.size.area() / 2;
    for layer in layers.iter().filter(seen) {
        let opacity = layer.opacity.min(1.0);
        let step = match &layer.content {
            Content::Fill(color) => {
                let straight = [color.r, color.g, color.b, 1.0];
                Some(Step::Fill(codes(straight), color.a * opacity))
            }
            Content::Picture(id, pose) => match placed(stock, *id, pose, opacity)? {
                Some(placed) => Some(Step::Picture(Box::new(placed))),
                None => drawn(stock, layer, &mut to_draw)?,
            },
            Content::BackdropBlur(shape, sigma) => Some(Step::Pane(Pane {
                shape: *shape,
                sigma: *sigma,
                opacity,
            })),
            Content::Group(group) if is_still(group) => kept(stock, group, opacity)?,
            _ => drawn(stock, layer, &mut to_draw)?,
        };
        let Some(step) = step else {
            return Ok(None);
        };
        if step.hides() {
            steps.clear();
        }
        steps.push(step);
    }
    Ok(Some(steps))
}

/// Returns whether a layer blends normally and can be drawn without what lies below; decided before anything is drawn.
fn is_plain(canvas: Size, layer: &Layer) -> bool {
    let alone = match &layer.content {
        // A rotated or otherwise large picture is not worth a sheet.
        Content::Picture(_, pose) => match pose.maps.as_slice() {
            [map] => map.as_scale_shift().is_some() && pose.wipe.is_none(),
            _ => false,
        },
        Content::Group(group) => {
            let area = u64::from(group.bounds.width) * u64::from(group.bounds.height);
            is_still(group) || area <= canvas.area() as u64 / 2
        }
        Content::Fill(_) | Content::Box(_) | Content::Glyphs(_) | Content::BackdropBlur(..) => true,
    };
    alone && layer.blend == Blend::Normal
}

/// Returns whether a group's sheet repeats and stays in place.
fn is_still(group: &Group) -> bool {
    let pose = &group.pose;
    group.content.is_some()
        && pose.maps == [Homography::IDENTITY]
        && pose.brightness == 1.0
        && pose.wipe.is_none()
        && blur_plan(pose.blur_px).is_none()
}

/// Returns the Y, Cb, Cr codes of an opaque color.
fn codes(px: Px) -> [f32; 3] {
    let [cb, cr] = chroma(&px);
    [16.0 + luma(&px), 128.0 + cb, 128.0 + cr]
}

/// Returns a picture that fills the canvas, or `None` if it does not, or cannot be drawn this way.
fn placed(stock: &mut Stock, id: PictureId, pose: &Pose, opacity: f32) -> Result<Option<Placed>> {
    let picture = stock.pictures.picture(id)?;
    let blurred = blur_plan(pose.blur_px).is_some();
    if !picture.opaque || blurred || pose.wipe.is_some() || !pose.brightness.is_finite() {
        return Ok(None);
    }
    let [map] = pose.maps.as_slice() else {
        return Ok(None);
    };
    let (scale, sampled) = (
        map.as_scale_shift(),
        sampled_map(*map, &Extent::whole([picture.width, picture.height])),
    );
    let (Some((sx, sy, tx, ty)), Some(sampled)) = (scale, sampled) else {
        return Ok(None);
    };
    let shrink = 0.5f64.powi(sampled.level as i32);
    let axis = |scale: f64, shift: f64| Axis {
        step: shrink / scale,
        start: -shift / scale * shrink,
    };
    let (columns, rows) = (axis(sx, tx), axis(sy, ty));
    let [width, height] = [stock.size.width, stock.size.height].map(|side| side as usize);
    let [level_width, level_height] = sampled.level_size.map(|side| side as usize);
    // Fully covered: every pixel center at least half a canvas pixel inside.
    let covers = |shift: f64, length: f64, side: usize| {
        const SLACK: f64 = 1e-4;
        shift <= SLACK && shift + length >= side as f64 - SLACK
    };
    let covered = pose.edge != Edge::Transparent
        || (covers(tx, f64::from(picture.width) * sx, width)
            && covers(ty, f64::from(picture.height) * sy, height));
    if !covered || !columns.fits(width, level_width) || !rows.fits(height, level_height) {
        return Ok(None);
    }
    Ok(Some(Placed {
        planes: stock.pictures.planes(id, sampled.level)?,
        columns: Columns::new(columns, width),
        rows,
        edge: pose.edge,
        brightness: pose.brightness,
        opacity,
    }))
}

/// Returns the cached overlay of a group whose sheet repeats.
fn kept(stock: &mut Stock, group: &Group, opacity: f32) -> Result<Option<Step>> {
    let overlay = stock.overlay(group)?;
    Ok(Some(Step::Overlay(overlay, opacity)))
}

/// Draws any other layer for this frame only; returns `None` if it is too large. An invisible layer gives an empty overlay.
fn drawn(stock: &mut Stock, layer: &Layer, to_draw: &mut usize) -> Result<Option<Step>> {
    let size = stock.size;
    let mut target = Target::Canvas {
        sheet: &mut None,
        size,
        background: [0.0; 4],
    };
    let ready = stock.begin(std::slice::from_ref(layer), [0; 2], &mut target)?;
    let Some(only) = ready.first() else {
        return Ok(Some(Step::Overlay(Arc::default(), 1.0)));
    };
    let [x0, y0, x1, y1] = only.reach;
    let (x0, y0) = (x0.max(0), y0.max(0));
    let width = i64::from(x1.min(size.width as i32)) - i64::from(x0);
    let height = i64::from(y1.min(size.height as i32)) - i64::from(y0);
    if width <= 0 || height <= 0 {
        return Ok(Some(Step::Overlay(Arc::default(), 1.0)));
    }
    let (width, height) = (width as usize, height as usize);
    let Some(rest) = to_draw.checked_sub(width * height) else {
        return Ok(None);
    };
    *to_draw = rest;
    let mut sheet = Sheet::filled(width, height, [0.0; 4]);
    paint_sheet(&ready, [x0, y0], &mut sheet);
    let overlay = Overlay::new(&sheet, [x0, y0], size);
    Ok(Some(Step::Overlay(Arc::new(overlay), 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::Pictures;
    use crate::media::Picture;
    use crate::text::Fonts;
    use crate::units::{Color, PixelRect};

    fn layer(content: Content) -> Layer {
        Layer {
            id: LayerId(0),
            known: Known::New,
            opacity: 1.0,
            blend: Blend::Normal,
            content,
        }
    }

    fn shot(pose: Pose) -> Layer {
        layer(Content::Picture(PictureId(0), pose))
    }

    fn zoomed() -> Pose {
        Pose::at(Homography::scale_shift(1.05, 1.05, -2.0, -1.5))
    }

    fn caption(content: Option<u64>) -> Layer {
        layer(Content::Group(Group {
            content,
            bounds: PixelRect {
                x: 4,
                y: 30,
                width: 40,
                height: 12,
            },
            pose: Pose::at(Homography::IDENTITY),
            layers: vec![layer(Content::Fill(Color::WHITE))],
        }))
    }

    /// Returns the number of steps of the short way, or `None` for the general path.
    fn n_steps(layers: Vec<Layer>) -> Option<usize> {
        let size = Size::new(48, 48).unwrap();
        let mut stock = Stock::new(size, &Fonts::default());
        let picture = Picture {
            width: 48,
            height: 48,
            rgba: vec![255; 48 * 48 * 4],
            opaque: true,
        };
        let pictures = Pictures::from([(PictureId(0), Arc::new(picture))]);
        stock.pictures.sync(&pictures).unwrap();
        let list = DrawList {
            frame: 0,
            background: Color::BLACK,
            layers,
        };
        steps(&mut stock, &list).unwrap().map(|steps| steps.len())
    }

    #[test]
    fn usual_frames_take_the_short_way() {
        let upper = Layer {
            opacity: 0.5,
            ..shot(zoomed())
        };
        assert_eq!(n_steps(vec![]), Some(1));
        assert_eq!(n_steps(vec![shot(zoomed()), caption(Some(1))]), Some(2));
        assert_eq!(
            n_steps(vec![shot(zoomed()), upper.clone(), caption(None)]),
            Some(3)
        );
        // Anything hidden by an opaque picture is not drawn.
        assert_eq!(n_steps(vec![upper, caption(None), shot(zoomed())]), Some(1));
    }

    #[test]
    fn what_the_short_way_cannot_do_takes_the_general_path() {
        let blurred = Pose {
            blur_px: 3.0,
            ..zoomed()
        };
        let turned = Pose::at(Homography::turn(0.1));
        let multiplied = Layer {
            blend: Blend::Multiply,
            ..caption(Some(1))
        };
        let twice = Pose {
            maps: vec![Homography::IDENTITY; 2],
            ..zoomed()
        };
        assert_eq!(n_steps(vec![shot(blurred)]), None);
        assert_eq!(n_steps(vec![shot(turned)]), None);
        assert_eq!(n_steps(vec![shot(twice)]), None);
        assert_eq!(n_steps(vec![shot(zoomed()), multiplied]), None);
    }
}
