//! `kinora.toml`: which providers do which tasks, in which order, and their addresses. It never contains keys, only the names of the variables that hold them.
//!
//! ```toml
//! models = "my-models.toml"            # rows that override the built-in table of models
//! [script]
//! providers = ["ollama", "offline"]    # tried in this order
//! [pictures]
//! providers = ["fal", "offline"]       # a kind's name alone means its usual server
//! [provider.ollama]
//! kind = "openai"
//! base_url = "http://localhost:11434/v1"
//! model = "qwen3:8b"
//! token_field = "max_tokens"
//! ```

mod kinds;
mod section;

use std::path::PathBuf;

use toml::de::DeTable;

pub use kinds::{Building, Built, Capability, FolderSettings, Kind};
pub use section::ConfigProblem;

use section::{Section, Source, suggestion};

/// The provider that works without a network and needs no table.
pub const OFFLINE: &str = "offline";

/// Keys and tables of the same file that other parts read: those of the service, and prices.
const NOT_OURS: [&str; 7] = [
    "database", "storage", "server", "worker", "video", "media", "credits",
];

/// A provider and its settings.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name in `providers = [...]` and in messages.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
}

/// Providers by task, in the order in which they are tried; each list has at least one, unless noted.
#[derive(Clone, Debug)]
pub struct ProvidersConfig {
    /// Writers of scripts.
    pub script: Vec<Named>,
    /// Voices.
    pub voice: Vec<Named>,
    /// Makers of pictures.
    pub pictures: Vec<Named>,
    /// Makers of clips; empty if none is configured.
    pub clips: Vec<Named>,
    /// Aligners of words in a recorded voice.
    pub align: Vec<Named>,
    /// Describers of characters in pictures; empty if none is configured.
    pub vision: Vec<Named>,
    /// The operator's rows for the table of models, a path relative to the configuration's folder.
    pub models: Option<PathBuf>,
}

impl Default for ProvidersConfig {
    /// Uses the offline providers only.
    fn default() -> ProvidersConfig {
        let offline = || {
            vec![Named {
                name: OFFLINE.to_owned(),
                kind: Kind::Offline,
            }]
        };
        ProvidersConfig {
            script: offline(),
            voice: offline(),
            pictures: offline(),
            clips: Vec::new(),
            align: offline(),
            vision: Vec::new(),
            models: None,
        }
    }
}

impl ProvidersConfig {
    /// Reads `kinora.toml`. Missing settings have their defaults.
    ///
    /// # Errors
    /// Every problem with its line, in order.
    pub fn read(text: &str) -> Result<ProvidersConfig, Vec<ConfigProblem>> {
        let mut source = Source::new(text);
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let at = error.span().map_or(0, |span| span.start);
            source.note(at, "", error.message());
        }
        // Values recovered from broken text would only give more problems with the same cause.
        if !source.problems.is_empty() {
            return Err(source.problems);
        }
        let config = config_of(table.get_ref(), &mut source);
        source.problems.sort_by_key(|problem| problem.line);
        match source.problems.is_empty() {
            true => Ok(config),
            false => Err(source.problems),
        }
    }
}

fn config_of<'t>(table: &DeTable<'t>, source: &mut Source<'_>) -> ProvidersConfig {
    let root = Section {
        table,
        path: String::new(),
    };
    let mut known: Vec<&str> = Capability::ALL
        .iter()
        .map(|capability| capability.table())
        .collect();
    known.extend(["provider", "models"]);
    known.extend(NOT_OURS);
    root.expect_only(&known, source);
    let providers = providers_of(&root, source);
    let mut config = ProvidersConfig {
        models: root.text("models", source).map(PathBuf::from),
        ..ProvidersConfig::default()
    };
    for capability in Capability::ALL {
        let Some(section) = subtable(&root, capability.table(), source) else {
            continue;
        };
        section.expect_only(&["providers"], source);
        let Some(names) = section.texts("providers", source) else {
            continue;
        };
        let mut list = Vec::new();
        for (name, at) in names {
            match found(&name, capability, &providers) {
                Ok(named) => list.push(named),
                Err(message) => {
                    source.note(at, format!("{}.providers", capability.table()), message)
                }
            }
        }
        if list.is_empty() && capability.needs_one() {
            section.wrong(
                "providers",
                "is empty: name at least one, such as \"offline\"",
                source,
            );
        }
        *capability.list(&mut config) = list;
    }
    config
}

fn subtable<'a, 't>(
    parent: &Section<'a, 't>,
    key: &str,
    source: &mut Source<'_>,
) -> Option<Section<'a, 't>> {
    let table = parent.entry(key)?.get_ref().as_table();
    if table.is_none() {
        parent.wrong(key, format!("must be a table: [{key}]"), source);
    }
    let path = match parent.path.as_str() {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    Some(Section {
        table: table?,
        path,
    })
}

/// Reads the tables `[provider.NAME]`; the kind is `None` if the table has problems.
fn providers_of(root: &Section<'_, '_>, source: &mut Source<'_>) -> Vec<(String, Option<Kind>)> {
    let Some(all) = subtable(root, "provider", source) else {
        return Vec::new();
    };
    let names = all.table.keys().map(|key| key.get_ref().to_string());
    let mut providers = Vec::new();
    for name in names {
        if let Some(section) = subtable(&all, &name, source) {
            let n_before = source.problems.len();
            let kind = Kind::read(&name, &section, source);
            let is_clean = source.problems.len() == n_before;
            providers.push((name, kind.filter(|_| is_clean)));
        }
    }
    providers
}

/// Returns the provider of this name, if it can do this task.
fn found(
    name: &str,
    capability: Capability,
    providers: &[(String, Option<Kind>)],
) -> Result<Named, String> {
    let kind = match providers.iter().find(|(known, _)| known == name) {
        Some((_, Some(kind))) => kind.clone(),
        // The problems of its own table are already reported.
        Some((_, None)) => Kind::Offline,
        None => Kind::usual(name).ok_or_else(|| {
            let known = providers
                .iter()
                .map(|(name, _)| name.as_str())
                .chain(kinds::USUAL.iter().copied());
            format!(
                "{name:?} is not a provider: add a table [provider.{name}]{}",
                suggestion(name, known)
            )
        })?,
    };
    match kind.can(capability) {
        true => Ok(Named {
            name: name.to_owned(),
            kind,
        }),
        false => Err(format!(
            "{name:?} cannot do this: a provider of kind {:?} supports {}",
            kind.word(),
            kind.deeds()
        )),
    }
}
