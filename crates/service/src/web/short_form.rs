//! The fields of a Short: every option of the API.

use kinora_studio::request::{
    AspectRatio, CaptionPosition, CaptionStyle, ImageModel, LeonardoStyle, LoraSlug,
    MAX_NOTES_CHARS, MAX_PROMPT_CHARS, MAX_SCRIPT_CHARS, MusicSlug, Quality, RecraftStyle,
    ScriptStyle, TemplateId, Transition, VideoModel,
};

use super::form::{Choice, Field, Group, Kind, field, names, names_or};

const NOTES: Kind = Kind::Area {
    rows: 2,
    max_chars: MAX_NOTES_CHARS,
};

/// Returns all fields in groups; `voices` are suggestions.
pub(super) fn groups(voices: Vec<Choice>) -> Vec<Group> {
    vec![
        Group::new("What it is about", story()),
        Group::new("How it looks", looks()),
        Group::new("Sound", sound(voices)),
        Group::new("Script", script()).folded(),
        Group::new("Pictures", pictures()).folded(),
        Group::new("Moving clips", clips()).folded(),
        Group::new("Output", output()).folded(),
    ]
}

fn story() -> Vec<Field> {
    let prompt = Kind::Area {
        rows: 4,
        max_chars: MAX_PROMPT_CHARS,
    };
    let script = Kind::Area {
        rows: 4,
        max_chars: MAX_SCRIPT_CHARS,
    };
    vec![
        field("prompt", "Prompt", prompt).hint(
            "What the video depicts. The script, the pictures and the voice are made from it.",
        ),
        field("script", "Or your own script", script)
            .hint("Spoken word for word. Give either a prompt or a script."),
    ]
}

fn looks() -> Vec<Field> {
    vec![
        field("aspectRatio", "Format", Kind::One(names::<AspectRatio>())).shows("format"),
        field("captionsConfig.captionsEnabled", "Captions", Kind::Switch),
        field(
            "captionsConfig.captionsStyle",
            "Caption style",
            Kind::One(names::<CaptionStyle>()),
        )
        .shows("caption"),
        field(
            "captionsConfig.captionsPosition",
            "Caption position",
            Kind::One(names::<CaptionPosition>()),
        )
        .shows("position"),
        field(
            "effectsConfig.transition",
            "Transition",
            Kind::One(names::<Transition>()),
        )
        .hint("Random picks one for every scene.")
        .shows("transition"),
        field(
            "effectsConfig.floating",
            "Pictures gently float",
            Kind::Switch,
        ),
    ]
}

fn sound(voices: Vec<Choice>) -> Vec<Field> {
    vec![
        field("voiceoverConfig.enabled", "Voiceover", Kind::Switch),
        field("voiceoverConfig.voiceId", "Voice", Kind::Line(voices))
            .hint("The id of a voice, or empty for the default; type the first letters to find the voices that work offline.")
            .empty("The default")
            .shows("voice"),
        field("musicConfig.enabled", "Background music", Kind::Switch),
        field(
            "musicConfig.musicSlug",
            "Track",
            Kind::One(names_or::<MusicSlug>("One that fits")),
        ),
        field("musicConfig.volume", "Music volume", Kind::Number)
            .hint("From 0 (silent) to 1 (as loud as the voice allows)."),
        field("musicConfig.loop", "Repeat the track", Kind::Switch),
    ]
}

fn script() -> Vec<Field> {
    vec![
        field(
            "scriptConfig.style",
            "Script style",
            Kind::One(names::<ScriptStyle>()),
        )
        .hint("The tone of a script that is written from a prompt."),
        field(
            "scriptConfig.targetLengthInWords",
            "Length in words",
            Kind::Number,
        )
        .hint("Up to 1500; about 70 words last half a minute."),
        field(
            "shortRequestEnhancer",
            "Let the service improve the request (experimental)",
            Kind::Switch,
        ),
    ]
}

fn pictures() -> Vec<Field> {
    vec![
        field("imageConfig.model", "Picture model", Kind::One(names::<ImageModel>())).hint("If a model is not configured on this server, its pictures are painted offline, and the video's page says so."),
        field("directorNotes", "Director's notes", NOTES).hint("Added to the prompts of the pictures."),
        field("imageConfig.recraftStyle", "Recraft style", Kind::One(names_or::<RecraftStyle>("None"))).hint("Only with the model Recraft."),
        field("imageConfig.loraConfig.loraSlug", "LoRA style", Kind::One(names_or::<LoraSlug>("None"))).hint("Only with the LoRA models."),
        field("imageConfig.leonardoStyle", "Leonardo style", Kind::One(names::<LeonardoStyle>())).hint("Only with the Leonardo models."),
    ]
}

fn clips() -> Vec<Field> {
    vec![
        field(
            "videoConfig.enabled",
            "A moving clip for every scene",
            Kind::Switch,
        )
        .hint("Takes longer and costs more than pictures."),
        field(
            "videoConfig.model",
            "Clip model",
            Kind::One(names::<VideoModel>()),
        ),
        field(
            "videoConfig.videoDirectorNotes",
            "Notes for the clips",
            NOTES,
        ),
        field(
            "videoConfig.duration",
            "Clip length in seconds",
            Kind::Number,
        )
        .hint("Some models make clips of one length only."),
    ]
}

fn output() -> Vec<Field> {
    vec![
        field("quality", "Quality", Kind::One(names::<Quality>()))
            .hint("Higher is sharper and larger; it costs the same."),
        field(
            "templateConfig.templateId",
            "Template",
            Kind::One(names::<TemplateId>()),
        )
        .hint("For internal use."),
    ]
}
