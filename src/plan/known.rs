//! How each layer changed since the previous frame.

use crate::scene::draw::{Content, Known, Layer, Pose};

/// Fills in [`Layer::known`] by comparison with the previous frame's layers. Both lists must have `Known::New` everywhere.
pub(crate) fn compare(before: &[Layer], now: &mut [Layer]) {
    for layer in now {
        let earlier = before.iter().find(|b| b.id == layer.id);
        let known = earlier.map_or(Known::New, |earlier| what_changed(earlier, layer));
        if let (Content::Group(group), Some(Content::Group(earlier))) =
            (&mut layer.content, earlier.map(|e| &e.content))
        {
            compare(&earlier.layers, &mut group.layers);
        }
        layer.known = known;
    }
}

fn what_changed(before: &Layer, now: &Layer) -> Known {
    if before == now {
        return Known::Still;
    }
    if before.opacity != now.opacity || before.blend != now.blend {
        return Known::Changed;
    }
    let poses = match (&before.content, &now.content) {
        (Content::Picture(a, pose_a), Content::Picture(b, pose_b)) if a == b => {
            Some((pose_a, pose_b))
        }
        (Content::Group(a), Content::Group(b))
            if a.content.is_some() && a.content == b.content && a.bounds == b.bounds =>
        {
            Some((&a.pose, &b.pose))
        }
        _ => None,
    };
    poses
        .and_then(|(a, b)| moved(a, b))
        .unwrap_or(Known::Changed)
}

fn moved(before: &Pose, now: &Pose) -> Option<Known> {
    let [from] = before.maps[..] else { return None };
    let [to] = now.maps[..] else { return None };
    let alike = Pose {
        maps: before.maps.clone(),
        ..now.clone()
    } == *before;
    Some(Known::Moved(to.after(from.inverse()?))).filter(|_| alike && now.wipe.is_none())
}
