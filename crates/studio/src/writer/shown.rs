//! The scenes of a composed text, each with its picture: the figure, the place, a thing of the prompt, the hour and the weather.

use super::compose::{HOURS, Text};
use super::topic::{Mode, Topic};
use crate::scene::Scene;
use crate::script::{self, SceneOptions, n_words};

/// Splits the text into scenes and describes their pictures.
pub(super) fn scenes(text: &Text, topic: &Topic) -> Vec<Scene> {
    let paragraphs: Vec<String> = text
        .paragraphs
        .iter()
        .map(|units| {
            units
                .iter()
                .map(|u| u.text.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let mut scenes = script::scenes(&paragraphs.join("\n\n"), "en", &SceneOptions::default());
    let views: Vec<&str> = text
        .paragraphs
        .iter()
        .flatten()
        .filter(|u| u.is_view)
        .map(|u| u.text.as_str())
        .collect();
    // Each by itself, so that nothing carries over from one picture to the next.
    let shown: Vec<String> = views
        .iter()
        .flat_map(|view| script::briefs(&[*view], "en"))
        .collect();
    let total: usize = scenes
        .iter()
        .map(|s| said(s).split_whitespace().count())
        .sum();
    let mut n_before = 0;
    for (index, scene) in scenes.iter_mut().enumerate() {
        let said = said(scene);
        let hour =
            text.hours[(n_before * text.hours.len() / total.max(1)).min(text.hours.len() - 1)];
        n_before += n_words(&said);
        let view = views
            .iter()
            .position(|v| said.contains(*v))
            .map(|at| shown[at].as_str())
            .filter(|brief| !brief.ends_with('.'));
        let place = text.world.views[(index / 2) % text.world.views.len().max(1)];
        scene.brief = brief(topic, &said, (view, place), (index, HOURS[hour]));
    }
    scenes
}

fn said(scene: &Scene) -> String {
    let lines: Vec<&str> = scene.lines.iter().map(|l| l.text.as_str()).collect();
    lines.join(" ")
}

/// Returns `figure, thing or view, place, hour, weather`.
fn brief(
    topic: &Topic,
    said: &str,
    (view, place): (Option<&str>, &str),
    (index, hour): (usize, &str),
) -> String {
    let lower = said.to_lowercase();
    let names_subject = lower.contains(&topic.subject.to_lowercase());
    let mut parts: Vec<String> = Vec::new();
    // A sentence that describes a picture is sometimes shown without the figure.
    if view.is_none() || names_subject || index % 3 != 2 {
        parts.push(topic.figure.clone());
    }
    let bare = |object: &str| object.trim_start_matches("the ").to_string();
    let object = topic
        .objects
        .iter()
        .find(|o| lower.contains(&bare(o)) || index % 4 == 3);
    if let Some(object) = object {
        parts.push(super::phrases::indefinite(&bare(object), true));
    }
    parts.extend(view.map(|v| {
        let start = v.split(", at ").next().unwrap_or(v);
        super::phrases::lower_first(start)
    }));
    if view.is_none() || topic.mode == Mode::Tale {
        parts.push(place.to_string());
    }
    parts.push(match hour {
        "day" => "in daylight".to_string(),
        _ => format!("at {hour}"),
    });
    parts.extend(topic.weather.map(str::to_string));
    parts.dedup();
    parts.retain(|p| !p.is_empty());
    parts.join(", ")
}
