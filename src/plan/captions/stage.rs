//! Layers of a page of captions: their ids, their positions, and how they move with the page.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::area::Area;
use super::sheet::layers;
use crate::scene::draw::Blend;
use crate::scene::draw::{BoxShape, Content, Group, Homography, Known, Layer, LayerId, Pose, Wipe};

#[derive(Clone)]
pub(super) struct Move {
    pub(super) map: Homography,
    pub(super) opacity: f32,
    pub(super) blur: f32,
    pub(super) wipe: Option<Wipe>,
    /// Whether the map stays the same for several frames.
    pub(super) held: bool,
}

impl Move {
    pub(super) const NONE: Move = Move {
        map: Homography::IDENTITY,
        opacity: 1.0,
        blur: 0.0,
        wipe: None,
        held: true,
    };
}

/// Collects a page's layers, together with the page's own movement and opacity.
pub(super) struct Stage {
    pub(super) page: Move,
    /// Layers, lowest first, each with its slot.
    pub(super) layers: Vec<(u32, Layer)>,
}

/// Slots of a page's layers, counted down from its main layer. Each word has two, and one for its soft shadows.
pub(super) const MAIN: u32 = 0;
pub(super) const PANEL: u32 = 1;
pub(super) const MARKER: u32 = 2;
pub(super) const CARET: u32 = 3;
pub(super) const SPLITS: u32 = 5;
pub(super) const MARKER_BEFORE: u32 = 7;
pub(super) const GLASS: u32 = 8;
pub(super) const NEXT: u32 = 14;
pub(super) const OLD: u32 = 15;
pub(super) const BURST: u32 = 16;
pub(super) const WORDS: u32 = 64;
pub(super) const SOFT: u32 = 1 << 16;

impl Stage {
    pub(super) fn push(&mut self, place: u32, opacity: f32, content: Content) {
        let opacity = opacity * self.page.opacity;
        if opacity <= 0.0 {
            return;
        }
        let layer = Layer {
            id: LayerId(place),
            known: Known::New,
            opacity,
            blend: Blend::Normal,
            content,
        };
        self.layers.push((place, layer));
    }

    /// Adds a group that moves with the page, after its own movement.
    pub(super) fn group(&mut self, place: u32, mut group: Group, own: &Move) {
        let map = match (self.page.map, own.map) {
            (page, Homography::IDENTITY) => page,
            (page, own) => page.after(own),
        };
        if self.page.held && own.held && map != Homography::IDENTITY {
            group = settled(group, map);
        } else {
            group.pose.maps = vec![map];
        }
        group.pose.blur_px = self.page.blur + own.blur;
        group.pose.wipe = own.wipe.or(self.page.wipe);
        self.push(place, own.opacity, Content::Group(group));
    }

    /// Adds boxes with the given key, or one computed from them.
    pub(super) fn boxes(
        &mut self,
        place: u32,
        boxes: &[BoxShape],
        (opacity, key): (f32, Option<u64>),
    ) {
        let areas = boxes.iter().map(|shape| {
            let r = shape.rect;
            let turned = if shape.rotate == 0.0 {
                0.0
            } else {
                r.width.max(r.height) / 2.0
            };
            Area::around(r, 2.0 + turned)
        });
        let area = areas.reduce(|mut all, area| {
            all.join(area);
            all
        });
        let Some(bounds) = area.and_then(|area| area.pixels()) else {
            return;
        };
        let key = key.unwrap_or_else(|| {
            let mut hasher = DefaultHasher::new();
            format!("{boxes:?}").hash(&mut hasher);
            hasher.finish()
        });
        let group = Group {
            content: Some(key),
            bounds,
            pose: Pose::at(Homography::IDENTITY),
            layers: layers(boxes.iter().copied().map(Content::Box)),
        };
        let own = Move {
            opacity,
            ..Move::NONE
        };
        self.group(place, group, &own);
    }
}

/// Wraps a group whose map stays fixed as one already drawn there: its sheet is resampled once instead of in every frame.
fn settled(mut group: Group, map: Homography) -> Group {
    let Some(bounds) = Area::mapped(group.bounds, map) else {
        group.pose.maps = vec![map];
        return group;
    };
    let content = group.content.map(|key| {
        let mut hasher = DefaultHasher::new();
        (key, map.0.map(f64::to_bits)).hash(&mut hasher);
        hasher.finish()
    });
    group.pose = Pose::at(map);
    Group {
        content,
        bounds,
        pose: Pose::at(Homography::IDENTITY),
        layers: layers(std::iter::once(Content::Group(group))),
    }
}
