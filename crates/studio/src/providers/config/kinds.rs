//! The kinds of providers, their settings, and what each can do.

use std::path::PathBuf;
use std::sync::Arc;

use super::section::{Section, Source, suggestion};
use super::{Named, OFFLINE, ProvidersConfig};
use crate::failure::{Failure, Stage};
use crate::providers::elevenlabs::ElevenLabsSettings;
use crate::providers::fal::FalSettings;
use crate::providers::folder::Folder;
use crate::providers::http::{Auth, EndpointSettings, Http};
use crate::providers::models::ModelTable;
use crate::providers::openai::{OpenAiSettings, TokenField};
use crate::providers::{
    AlignProvider, ClipProvider, PictureProvider, ScriptProvider, VoiceProvider,
};

/// Longest configurable time limits, of a request and of a job, in seconds.
const MAX_TIMEOUT_SECS: u64 = 1800;
/// Names of usual servers, which need no table of their own.
pub(super) const USUAL: &[&str] = &[OFFLINE, "openai", "elevenlabs", "fal"];
const KINDS: &[&str] = &[OFFLINE, "openai", "elevenlabs", "fal", "folder"];
/// Kinds of former versions, and their replacements.
const GONE: &[(&str, &str)] = &[(
    "local",
    "models are no longer run inside kinora: run a server such as Ollama, llama.cpp, LocalAI or speaches, and write kind = \"openai\" with \
     its base_url, such as \"http://localhost:11434/v1\", and its model; examples/kinora.toml has a table for each",
)];
/// Configuration keys of every network provider.
const NETWORK_KEYS: &[&str] = &[
    "kind",
    "base_url",
    "key_env",
    "auth",
    "timeout_secs",
    "allow_hosts",
    "ca_file",
];
const OPENAI_KEYS: &[&str] = &[
    "model",
    "script_model",
    "vision_model",
    "picture_model",
    "voice_model",
    "align_model",
    "token_field",
    "voice",
    "languages",
];
const ELEVENLABS_KEYS: &[&str] = &[
    "model",
    "voice_model",
    "align_model",
    "output_format",
    "max_chars",
    "voice",
    "languages",
];
const FAL_KEYS: &[&str] = &["job_secs"];

/// A task of providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Writes scripts.
    Script,
    /// Speaks.
    Voice,
    /// Makes pictures.
    Pictures,
    /// Makes clips.
    Clips,
    /// Finds words in recorded voices.
    Align,
    /// Describes characters in pictures.
    Vision,
}

impl Capability {
    pub(super) const ALL: [Capability; 6] = [
        Capability::Script,
        Capability::Voice,
        Capability::Pictures,
        Capability::Clips,
        Capability::Align,
        Capability::Vision,
    ];

    /// Returns the name of its table in `kinora.toml`.
    pub fn table(self) -> &'static str {
        match self {
            Capability::Script => "script",
            Capability::Voice => "voice",
            Capability::Pictures => "pictures",
            Capability::Clips => "clips",
            Capability::Align => "align",
            Capability::Vision => "vision",
        }
    }

    pub(super) fn needs_one(self) -> bool {
        !matches!(self, Capability::Clips | Capability::Vision)
    }

    pub(super) fn list(self, config: &mut ProvidersConfig) -> &mut Vec<Named> {
        match self {
            Capability::Script => &mut config.script,
            Capability::Voice => &mut config.voice,
            Capability::Pictures => &mut config.pictures,
            Capability::Clips => &mut config.clips,
            Capability::Align => &mut config.align,
            Capability::Vision => &mut config.vision,
        }
    }
}

/// A folder of the user's own files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderSettings {
    /// Relative to the configuration's folder, or absolute.
    pub path: PathBuf,
}

/// A kind of provider, with its settings.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Part of the program.
    Offline,
    /// An OpenAI-compatible server.
    OpenAi(Box<OpenAiSettings>),
    /// ElevenLabs.
    ElevenLabs(Box<ElevenLabsSettings>),
    /// fal's queue.
    Fal(Box<FalSettings>),
    /// The user's own files.
    Folder(FolderSettings),
}

impl Kind {
    /// Returns the kind of a name that needs no table of its own.
    pub(super) fn usual(name: &str) -> Option<Kind> {
        USUAL
            .contains(&name)
            .then(|| Kind::bare(name, name))
            .flatten()
    }

    fn bare(kind: &str, name: &str) -> Option<Kind> {
        match kind {
            OFFLINE => Some(Kind::Offline),
            "openai" => Some(Kind::OpenAi(Box::new(OpenAiSettings::new(name)))),
            "elevenlabs" => Some(Kind::ElevenLabs(Box::new(ElevenLabsSettings::new(name)))),
            "fal" => Some(Kind::Fal(Box::new(FalSettings::new(name)))),
            _ => None,
        }
    }

    /// Returns the value of `kind = "..."`.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Offline => OFFLINE,
            Kind::OpenAi(_) => "openai",
            Kind::ElevenLabs(_) => "elevenlabs",
            Kind::Fal(_) => "fal",
            Kind::Folder(_) => "folder",
        }
    }

    /// Returns whether it can do this task.
    pub fn can(&self, capability: Capability) -> bool {
        use Capability::{Align, Clips, Pictures, Script, Vision, Voice};
        match self {
            Kind::Offline => capability != Vision,
            Kind::OpenAi(_) => matches!(capability, Script | Voice | Pictures | Align | Vision),
            Kind::ElevenLabs(_) => matches!(capability, Voice | Align),
            Kind::Fal(_) | Kind::Folder(_) => matches!(capability, Pictures | Clips),
        }
    }

    pub(super) fn deeds(&self) -> String {
        let can = Capability::ALL
            .into_iter()
            .filter(|capability| self.can(*capability));
        can.map(Capability::table).collect::<Vec<_>>().join(", ")
    }

    /// Reads `[provider.NAME]`.
    pub(super) fn read(
        name: &str,
        section: &Section<'_, '_>,
        source: &mut Source<'_>,
    ) -> Option<Kind> {
        if section.entry("kind").is_none() {
            let at = section
                .table
                .keys()
                .next()
                .map_or(0, |key| key.span().start);
            source.note(
                at,
                section.path.clone(),
                format!("`kind` is required: one of {}", KINDS.join(", ")),
            );
            return None;
        }
        let word = section.text("kind", source)?;
        if word == "folder" {
            return read_folder(section, source);
        }
        let Some(mut kind) = Kind::bare(&word, name) else {
            section.wrong("kind", no_kind(&word), source);
            return None;
        };
        let own_keys = match &mut kind {
            Kind::OpenAi(settings) => {
                read_openai(settings, section, source);
                OPENAI_KEYS
            }
            Kind::ElevenLabs(settings) => {
                read_elevenlabs(settings, section, source);
                ELEVENLABS_KEYS
            }
            Kind::Fal(settings) => {
                read_endpoint(&mut settings.endpoint, section, source);
                set(
                    &mut settings.job_time,
                    section.secs("job_secs", MAX_TIMEOUT_SECS, source),
                );
                FAL_KEYS
            }
            Kind::Offline | Kind::Folder(_) => {
                section.expect_only(&["kind"], source);
                return Some(kind);
            }
        };
        section.expect_only(&[NETWORK_KEYS, own_keys].concat(), source);
        Some(kind)
    }
}

/// Explains why a word is not a kind.
fn no_kind(word: &str) -> String {
    if let Some((_, instead)) = GONE.iter().find(|(gone, _)| *gone == word) {
        return format!("{word:?} was removed: {instead}");
    }
    let hint = suggestion(word, KINDS.iter().copied());
    format!("must be one of {}{hint}", KINDS.join(", "))
}

fn read_folder(section: &Section<'_, '_>, source: &mut Source<'_>) -> Option<Kind> {
    let path = section.text("path", source);
    if section.entry("path").is_none() {
        section.wrong("kind", "`path` is required: the folder", source);
    }
    section.expect_only(&["kind", "path"], source);
    path.map(|path| Kind::Folder(FolderSettings { path: path.into() }))
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn read_endpoint(
    endpoint: &mut EndpointSettings,
    section: &Section<'_, '_>,
    source: &mut Source<'_>,
) {
    let base_url = section.url("base_url", source);
    let key_env = section.variable("key_env", source);
    // A custom server usually needs no key, and a vendor's key is only for the vendor's own address.
    if base_url
        .as_ref()
        .is_some_and(|url| url.origin() != endpoint.base_url.origin())
    {
        endpoint.key_env = None;
    }
    set(&mut endpoint.base_url, base_url);
    endpoint.key_env = key_env.or(endpoint.key_env.take());
    set(
        &mut endpoint.timeout,
        section.secs("timeout_secs", MAX_TIMEOUT_SECS, source),
    );
    endpoint.allowed = section.hosts("allow_hosts", source);
    endpoint.ca_file = section.text("ca_file", source).map(PathBuf::from);
    if let Some(scheme) = section.text("auth", source) {
        match scheme.bytes().all(|b| b.is_ascii_alphanumeric())
            && matches!(endpoint.auth, Auth::Scheme(_))
        {
            true => endpoint.auth = Auth::Scheme(scheme),
            false => section.wrong(
                "auth",
                "must be one word, such as \"Bearer\" or \"Key\", and only for a provider with an authorization scheme",
                source,
            ),
        }
    }
}

fn read_openai(settings: &mut OpenAiSettings, section: &Section<'_, '_>, source: &mut Source<'_>) {
    read_endpoint(&mut settings.endpoint, section, source);
    let model = section.text("model", source);
    let own = [
        ("script_model", &mut settings.script_model),
        ("vision_model", &mut settings.vision_model),
        ("picture_model", &mut settings.picture_model),
        ("voice_model", &mut settings.voice_model),
        ("align_model", &mut settings.align_model),
    ];
    for (key, place) in own {
        set(place, section.text(key, source).or(model.clone()));
    }
    if let Some(field) = section.text("token_field", source) {
        match field.as_str() {
            "max_tokens" => settings.token_field = TokenField::MaxTokens,
            "max_completion_tokens" => settings.token_field = TokenField::MaxCompletionTokens,
            _ => section.wrong(
                "token_field",
                "must be \"max_tokens\" or \"max_completion_tokens\"",
                source,
            ),
        }
    }
    set(&mut settings.voice, section.text("voice", source));
    set(&mut settings.languages, languages(section, source));
}

fn read_elevenlabs(
    settings: &mut ElevenLabsSettings,
    section: &Section<'_, '_>,
    source: &mut Source<'_>,
) {
    read_endpoint(&mut settings.endpoint, section, source);
    let model = section.text("model", source);
    set(
        &mut settings.voice_model,
        section.text("voice_model", source).or(model),
    );
    set(
        &mut settings.align_model,
        section.text("align_model", source),
    );
    set(
        &mut settings.output_format,
        section.text("output_format", source),
    );
    set(&mut settings.voice, section.text("voice", source));
    let max_chars = section.number("max_chars", 40_000, source);
    set(
        &mut settings.max_chars,
        max_chars.and_then(|n| usize::try_from(n).ok()),
    );
    set(&mut settings.languages, languages(section, source));
}

fn languages(section: &Section<'_, '_>, source: &mut Source<'_>) -> Option<Vec<String>> {
    let tags = section.texts("languages", source)?;
    Some(tags.into_iter().map(|(tag, _)| tag).collect())
}

/// What is needed to build network providers.
#[derive(Clone, Debug)]
pub struct Building {
    /// The HTTP client of the process.
    pub http: Http,
    /// The table of models, including the operator's rows.
    pub table: Arc<ModelTable>,
    /// The base folder for relative paths in the configuration.
    pub folder: PathBuf,
}

/// A network or folder provider; `None` leaves the offline one to the caller.
pub type Built<T> = Option<Arc<T>>;

impl Named {
    /// Builds a script writer; `None` for the offline one.
    pub fn script(&self, with: &Building) -> Built<dyn ScriptProvider> {
        match &self.kind {
            Kind::OpenAi(settings) => Some(Arc::new(settings.writer(&with.http))),
            _ => None,
        }
    }

    /// Builds a voice; `None` for the offline voices.
    pub fn voice(&self, with: &Building) -> Built<dyn VoiceProvider> {
        match &self.kind {
            Kind::OpenAi(settings) => {
                Some(Arc::new(settings.voice(&with.http, with.table.clone())))
            }
            Kind::ElevenLabs(settings) => {
                Some(Arc::new(settings.build(&with.http, with.table.clone())))
            }
            _ => None,
        }
    }

    /// Builds a picture maker; `None` for the offline illustrator.
    ///
    /// # Errors
    /// `NotConfigured` if the folder or its contents cannot be used.
    pub fn pictures(&self, with: &Building) -> Result<Built<dyn PictureProvider>, Failure> {
        Ok(match &self.kind {
            Kind::OpenAi(settings) => {
                Some(Arc::new(settings.painter(&with.http, with.table.clone())))
            }
            Kind::Fal(settings) => Some(Arc::new(settings.build(&with.http, with.table.clone()))),
            Kind::Folder(settings) => Some(Arc::new(Folder::of_pictures(
                &self.name,
                &with.folder.join(&settings.path),
            )?)),
            Kind::Offline | Kind::ElevenLabs(_) => None,
        })
    }

    /// Builds a clip maker; `None` for the offline one.
    ///
    /// # Errors
    /// As [`Named::pictures`].
    pub fn clips(&self, with: &Building) -> Result<Built<dyn ClipProvider>, Failure> {
        Ok(match &self.kind {
            Kind::Fal(settings) => Some(Arc::new(settings.build(&with.http, with.table.clone()))),
            Kind::Folder(settings) => Some(Arc::new(Folder::of_clips(
                &self.name,
                &with.folder.join(&settings.path),
            )?)),
            _ => None,
        })
    }

    /// Builds an aligner; `None` for the engine's own alignment.
    pub fn align(&self, with: &Building) -> Built<dyn AlignProvider> {
        match &self.kind {
            Kind::OpenAi(settings) => Some(Arc::new(settings.listener(&with.http))),
            Kind::ElevenLabs(settings) => {
                Some(Arc::new(settings.build(&with.http, with.table.clone())))
            }
            _ => None,
        }
    }

    /// Checks that it can be called at all: its key is set.
    ///
    /// # Errors
    /// `NotConfigured`, naming the variable.
    pub fn ready(&self, stage: Stage, with: &Building) -> Result<(), Failure> {
        use crate::providers::http::Endpoint;
        let settings = match &self.kind {
            Kind::OpenAi(settings) => &settings.endpoint,
            Kind::ElevenLabs(settings) => &settings.endpoint,
            Kind::Fal(settings) => &settings.endpoint,
            Kind::Offline | Kind::Folder(_) => return Ok(()),
        };
        Endpoint::new(&with.http, settings.clone()).ready(stage)
    }
}
