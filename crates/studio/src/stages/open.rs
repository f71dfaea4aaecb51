//! Opens a studio from its configuration: providers and store.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kinora_music::Library;

use super::Studio;
use super::remote::Remote;
use super::store::Store;
use crate::failure::{Failure, FailureKind, Stage};
use crate::offline::{Animator, Ear, Illustrator};
use crate::providers::chain::Chain;
use crate::providers::config::{Building, Kind, Named, ProvidersConfig};
use crate::providers::folder::Folder;
use crate::providers::http::{Http, HttpOptions};
use crate::providers::models::ModelTable;
use crate::providers::openai::OpenAiEye;
use crate::providers::{
    AlignProvider, ClipProvider, PictureProvider, ScriptProvider, VoiceProvider,
};
use crate::voice::Offline;
use crate::writer::OfflineWriter;

/// Time limit of a call, including retries: the slowest clip models take minutes.
const CALL_TIME: Duration = Duration::from_secs(900);
/// Concurrent calls to network providers.
const N_CALLS: usize = 4;

/// The settings for opening a studio.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The folder of results.
    pub work: PathBuf,
    /// The providers by task.
    pub config: ProvidersConfig,
    /// The base folder for relative paths in the configuration.
    pub folder: PathBuf,
    /// Music tracks.
    pub music: Arc<Library>,
    /// The store in which machines share results of network providers; results made locally are quick to make again.
    pub remote: Option<Arc<dyn Remote>>,
}

impl Studio {
    /// Opens a studio: creates the work folder and checks that every named provider can be called at all.
    ///
    /// # Errors
    /// `Storage` for the work folder; `NotConfigured` for a missing key, a folder without pictures, or an invalid table of models.
    pub fn open(setup: &Setup) -> Result<Studio, Failure> {
        let mut store = Store::open(&setup.work)?;
        let config = &setup.config;
        let with = building(setup)?;
        let everyone = [
            &config.script,
            &config.voice,
            &config.pictures,
            &config.clips,
            &config.align,
        ];
        let is_local = everyone.iter().all(|list| list.iter().all(is_local));
        if let Some(remote) = setup.remote.as_ref().filter(|_| !is_local) {
            store = store.shared(Arc::clone(remote));
        }
        let stages = [
            Stage::Script,
            Stage::Voice,
            Stage::Pictures,
            Stage::Clips,
            Stage::Voice,
        ];
        if let Some(with) = &with {
            for (named, stage) in everyone
                .iter()
                .zip(stages)
                .flat_map(|(list, stage)| list.iter().map(move |named| (named, stage)))
            {
                named.ready(stage, with)?;
            }
        }
        Ok(Studio {
            store,
            music: setup.music.clone(),
            script: scripts(&config.script, with.as_ref()),
            voice: voices(&config.voice, with.as_ref()),
            pictures: pictures(&config.pictures, with.as_ref(), setup)?,
            clips: clips(&config.clips, with.as_ref(), setup)?,
            align: aligners(&config.align, with.as_ref()),
            eyes: eyes(&config.vision, with.as_ref()),
            n_at_once: if is_local { cores() } else { N_CALLS },
            call_time: CALL_TIME,
        })
    }

    /// Opens a studio that sends nothing to the network.
    ///
    /// # Errors
    /// `Storage` for the work folder.
    pub fn offline(work: impl Into<PathBuf>, music: Arc<Library>) -> Result<Studio, Failure> {
        Studio::open(&Setup {
            work: work.into(),
            config: ProvidersConfig::default(),
            folder: PathBuf::new(),
            music,
            remote: None,
        })
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn is_local(named: &Named) -> bool {
    matches!(named.kind, Kind::Offline | Kind::Folder(_))
}

/// Creates the client and the table, if a network provider is configured.
fn building(setup: &Setup) -> Result<Option<Building>, Failure> {
    let config = &setup.config;
    let lists = [
        &config.script,
        &config.voice,
        &config.pictures,
        &config.clips,
        &config.align,
        &config.vision,
    ];
    if lists.iter().all(|list| list.iter().all(is_local)) {
        return Ok(None);
    }
    Ok(Some(Building {
        http: Http::new(HttpOptions {
            folder: setup.folder.clone(),
            ..HttpOptions::default()
        })?,
        table: Arc::new(table(setup)?),
        folder: setup.folder.clone(),
    }))
}

/// Reads the table of models with the operator's rows.
///
/// # Errors
/// `NotConfigured` if the operator's file cannot be read or is invalid; the message lists all problems.
pub fn table(setup: &Setup) -> Result<ModelTable, Failure> {
    let table = ModelTable::builtin();
    let Some(path) = &setup.config.models else {
        return Ok(table);
    };
    let path = setup.folder.join(path);
    let bad = |why: String| {
        let message = format!("the table of models {}: {why}", path.display());
        Failure::new(Stage::Request, FailureKind::NotConfigured, message)
    };
    let text = std::fs::read_to_string(&path).map_err(|e| bad(e.to_string()))?;
    table
        .overridden(&text)
        .map_err(|problems| bad(problems.join("; ")))
}

fn scripts(list: &[Named], with: Option<&Building>) -> Arc<dyn ScriptProvider> {
    let built = list.iter().map(|named| {
        with.and_then(|with| named.script(with))
            .unwrap_or_else(|| Arc::new(OfflineWriter::default()))
    });
    one_or_chain(built.collect(), |all| {
        Arc::new(Chain::<dyn ScriptProvider>::of(all))
    })
}

fn voices(list: &[Named], with: Option<&Building>) -> Arc<dyn VoiceProvider> {
    let built = list.iter().map(|named| {
        with.and_then(|with| named.voice(with))
            .unwrap_or_else(|| Arc::new(Offline::new()))
    });
    one_or_chain(built.collect(), |all| {
        Arc::new(Chain::<dyn VoiceProvider>::of(all))
    })
}

fn aligners(list: &[Named], with: Option<&Building>) -> Arc<dyn AlignProvider> {
    let built = list.iter().map(|named| {
        with.and_then(|with| named.align(with))
            .unwrap_or_else(|| Arc::new(Ear))
    });
    one_or_chain(built.collect(), |all| {
        Arc::new(Chain::<dyn AlignProvider>::of(all))
    })
}

fn pictures(
    list: &[Named],
    with: Option<&Building>,
    setup: &Setup,
) -> Result<Arc<dyn PictureProvider>, Failure> {
    let built = list
        .iter()
        .map(|named| -> Result<Arc<dyn PictureProvider>, Failure> {
            Ok(match (with, folder_of(named, setup)) {
                (_, Some(folder)) => Arc::new(Folder::of_pictures(&named.name, &folder)?),
                (Some(with), None) => named
                    .pictures(with)?
                    .unwrap_or_else(|| Arc::new(Illustrator)),
                (None, None) => Arc::new(Illustrator),
            })
        });
    let built: Vec<_> = built.collect::<Result<_, _>>()?;
    Ok(one_or_chain(built, |all| {
        Arc::new(Chain::<dyn PictureProvider>::of(all))
    }))
}

fn clips(
    list: &[Named],
    with: Option<&Building>,
    setup: &Setup,
) -> Result<Arc<dyn ClipProvider>, Failure> {
    let built = list
        .iter()
        .map(|named| -> Result<Arc<dyn ClipProvider>, Failure> {
            Ok(match (with, folder_of(named, setup)) {
                (_, Some(folder)) => Arc::new(Folder::of_clips(&named.name, &folder)?),
                (Some(with), None) => named.clips(with)?.unwrap_or_else(|| Arc::new(Animator)),
                (None, None) => Arc::new(Animator),
            })
        });
    let mut built: Vec<_> = built.collect::<Result<_, _>>()?;
    if built.is_empty() {
        built.push(Arc::new(Animator));
    }
    Ok(one_or_chain(built, |all| {
        Arc::new(Chain::<dyn ClipProvider>::of(all))
    }))
}

fn eyes(list: &[Named], with: Option<&Building>) -> Vec<OpenAiEye> {
    let eye = |named: &Named| match (&named.kind, with) {
        (Kind::OpenAi(settings), Some(with)) => Some(settings.eye(&with.http)),
        _ => None,
    };
    list.iter().filter_map(eye).collect()
}

fn folder_of(named: &Named, setup: &Setup) -> Option<PathBuf> {
    match &named.kind {
        Kind::Folder(settings) => Some(setup.folder.join(&settings.path)),
        _ => None,
    }
}

/// A single provider needs no chain.
fn one_or_chain<T: ?Sized>(
    mut providers: Vec<Arc<T>>,
    chain: impl FnOnce(Vec<Arc<T>>) -> Arc<T>,
) -> Arc<T> {
    match providers.len() {
        1 => providers.remove(0),
        _ => chain(providers),
    }
}
