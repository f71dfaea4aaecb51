//! `kinora serve`, `kinora worker`, `kinora admin`: the service and its operation.

pub(crate) mod admin;
pub(crate) mod serve;

use std::path::PathBuf;

use kinora_service::config::Config;

use crate::failure::Failure;
use crate::{folders, input};

/// The service's state and configuration.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Place {
    /// Database, storage, server, prices and providers [default: kinora.toml in the current folder, if it exists]
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,

    /// The folder of the database, the media and unfinished work [default: ~/.local/share/kinora]
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<PathBuf>,
}

impl Place {
    /// Returns the configuration, with built-in defaults for missing settings.
    fn config(&self) -> Result<Config, Failure> {
        let data = self.data.clone().or_else(folders::data).ok_or_else(|| {
            Failure::Usage("no home folder was found: name the data folder with --data DIR".into())
        })?;
        let data = std::path::absolute(&data).unwrap_or(data);
        match input::configuration(self.config.as_deref())? {
            Some((path, text)) => Config::read(&text, path, data).map_err(Failure::Usage),
            None => Ok(Config::local(data)),
        }
    }
}
