//! The complete text for an image model: style, picture, characters, the director's notes, composition.

use super::PictureAsk;

/// Builds the prompt for a model, in order of weight: style, brief, each figure's exact descriptor, notes, composition.
pub fn picture_prompt(ask: &PictureAsk) -> String {
    let mut parts: Vec<String> = Vec::new();
    let style = ask.style.trim();
    let brief = ask.brief.trim().trim_end_matches(['.', ',']);
    parts.push(match (style.is_empty(), brief.is_empty()) {
        (true, _) => brief.to_string(),
        (false, true) => format!("{style} style"),
        (false, false) => format!("{style} style: {brief}"),
    });
    for figure in &ask.figures {
        let (name, descriptor) = (figure.name.trim(), figure.descriptor.trim());
        parts.push(if descriptor.is_empty() {
            name.to_string()
        } else {
            format!("{name}: {descriptor}")
        });
    }
    if let Some(notes) = ask.notes.as_deref() {
        parts.push(notes.trim().to_string());
    }
    let shape = match (u64::from(ask.width) * 10, u64::from(ask.height) * 10) {
        (w, h) if h > w + w / 10 => "Vertical composition, the subject large in the middle third",
        (w, h) if w > h + h / 10 => {
            "Horizontal composition, the subject off center with room around it"
        }
        _ => "Square composition, the subject in the center",
    };
    parts.push(shape.to_string());
    parts.push("No text, letters, captions, logos or watermarks in the picture".to_string());
    let mut whole = String::new();
    for part in parts.iter().filter(|p| !p.is_empty()) {
        whole.push_str(if whole.is_empty() { "" } else { " " });
        whole.push_str(part);
        if !part.ends_with(['.', '!', '?', '…']) {
            whole.push('.');
        }
    }
    whole
}
