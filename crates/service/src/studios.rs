//! The studios of this process: one as configured and one for sandbox keys, in which nothing leaves the machine.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kinora_music::Library;
use kinora_studio::failure::{Failure, FailureKind, Stage};
use kinora_studio::providers::config::ProvidersConfig;
use kinora_studio::stages::{Remote, Setup, Studio};

use crate::config::Config;

/// How long a client waits for a provider's answer.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// Both studios, each opened when it is first needed; clones share them.
#[derive(Clone, Debug)]
pub struct Studios {
    config: Arc<Config>,
    remote: Option<Arc<dyn Remote>>,
    library: Arc<OnceLock<Arc<Library>>>,
    own: Arc<OnceLock<Arc<Studio>>>,
    offline: Arc<OnceLock<Arc<Studio>>>,
}

impl Studios {
    /// Creates both without opening them. `remote` is where machines share provider results.
    pub fn new(config: Arc<Config>, remote: Option<Arc<dyn Remote>>) -> Studios {
        Studios {
            config,
            remote,
            library: Arc::default(),
            own: Arc::default(),
            offline: Arc::default(),
        }
    }

    /// Returns the studio for a run or a question: offline for sandbox keys. Blocks while it opens.
    ///
    /// # Errors
    /// As [`Studio::open`]; `NotConfigured` if the operator's tracks cannot be read.
    pub fn studio(&self, is_sandbox: bool) -> Result<Arc<Studio>, Failure> {
        let place = if is_sandbox { &self.offline } else { &self.own };
        if let Some(studio) = place.get() {
            return Ok(Arc::clone(studio));
        }
        let studio = Arc::new(Studio::open(&self.setup(is_sandbox)?)?);
        Ok(Arc::clone(place.get_or_init(|| studio)))
    }

    /// Returns the same for a question with a waiting client: provider calls take at most a minute.
    ///
    /// # Errors
    /// As [`Studios::studio`].
    pub fn answering(&self, is_sandbox: bool) -> Result<Studio, Failure> {
        let studio = self.studio(is_sandbox)?;
        Ok(Studio {
            call_time: ANSWER_TIME,
            ..Studio::clone(&studio)
        })
    }

    /// Returns the settings to open a studio with.
    ///
    /// # Errors
    /// `NotConfigured` if the operator's tracks cannot be read.
    pub fn setup(&self, is_sandbox: bool) -> Result<Setup, Failure> {
        let config = &self.config;
        Ok(Setup {
            // Offline results are never used in place of provider results.
            work: config
                .data
                .join(if is_sandbox { "sandbox" } else { "studio" }),
            config: match is_sandbox {
                true => ProvidersConfig::default(),
                false => config.providers.clone(),
            },
            folder: config.folder.clone(),
            music: self.music()?,
            remote: self.remote.clone(),
        })
    }

    /// Returns the music library.
    ///
    /// # Errors
    /// `NotConfigured` if the operator's tracks cannot be read.
    pub fn music(&self) -> Result<Arc<Library>, Failure> {
        if let Some(library) = self.library.get() {
            return Ok(Arc::clone(library));
        }
        let cache = self.config.data.join("music");
        let library = Library::new(Some(cache), Library::named_overrides())
            .map_err(|e| Failure::new(Stage::Request, FailureKind::NotConfigured, e.to_string()))?;
        Ok(Arc::clone(self.library.get_or_init(|| Arc::new(library))))
    }
}
