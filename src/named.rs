//! The assets a document names: its pictures, clips and sounds, each with its document path.

use crate::plan;
use crate::probe::Named;
use crate::timeline::{Audio, Draw, Layer, Timeline};

/// Asset names with their document paths.
type Names = Vec<(String, String)>;

/// Returns the pictures, clips and sounds that a document uses.
pub(crate) fn named_in(timeline: &Timeline) -> Named {
    let mut named = Named {
        sounds: sounds_of(&timeline.audio),
        ..Named::default()
    };
    for (i, shot) in timeline.shots.iter().enumerate() {
        if let Some(picture) = &shot.picture {
            let place = (picture.clone(), format!("shots[{i}].picture"));
            named.pictures.push(place);
        }
        if let Some(clip) = &shot.clip {
            let place = (clip.file.clone(), format!("shots[{i}].clip.file"));
            if clip.gain_db.is_some() {
                named.clip_sounds.push(place.clone());
            }
            named.clips.push(place);
        }
    }
    pictures_of_layers(&timeline.layers, "layers", &mut named.pictures);
    named
}

fn sounds_of(audio: &Audio) -> Names {
    fn pieces<'a>(path: &str, files: impl ExactSizeIterator<Item = &'a String>) -> Names {
        let n = files.len();
        let with_path = |(i, file): (usize, &String)| {
            let piece = plan::piece(path, i, n);
            (file.clone(), format!("{piece}.file"))
        };
        files.enumerate().map(with_path).collect()
    }
    let mut sounds = pieces("audio.voice", audio.voice.iter().map(|voice| &voice.file));
    sounds.extend(pieces(
        "audio.music",
        audio.music.iter().map(|music| &music.file),
    ));
    let other = audio.sounds.iter().enumerate();
    sounds.extend(other.map(|(i, sound)| (sound.file.clone(), format!("audio.sounds[{i}].file"))));
    sounds
}

fn pictures_of_layers(layers: &[Layer], path: &str, pictures: &mut Names) {
    for (i, layer) in layers.iter().enumerate() {
        match &layer.draw {
            Draw::Picture(draw) => pictures.push((
                draw.picture.clone(),
                format!("{path}[{i}].draw.picture.picture"),
            )),
            Draw::Group(group) => pictures_of_layers(
                &group.layers,
                &format!("{path}[{i}].draw.group.layers"),
                pictures,
            ),
            Draw::Text(_) | Draw::Box(_) => {}
        }
    }
}
