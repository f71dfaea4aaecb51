//! `kinora serve`, `kinora worker`, `kinora admin`: the service and what its operators do.

pub(crate) mod admin;
pub(crate) mod serve;

use std::path::{Path, PathBuf};

use kinora_service::config::Config;

use crate::failure::Failure;
use crate::{cache, input};

/// Largest configuration file, in bytes.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Where the service's state and configuration are.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Place {
    /// Database, storage, server, prices and providers [default: kinora.toml in the current folder, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The folder of the database, the media and unfinished work [default: ~/.local/share/kinora]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Place {
    /// The configuration, with the embedded defaults for what the file does not say.
    fn config(&self) -> Result<Config, Failure> {
        let data = self.data.clone().or_else(default_data).ok_or_else(|| {
            Failure::Usage(
                "no home folder is known: name the folder for data with --data DIR".into(),
            )
        })?;
        let data = std::path::absolute(&data).unwrap_or(data);
        let usual = Path::new("kinora.toml");
        let path = match &self.config {
            Some(path) => path,
            None if usual.is_file() => usual,
            None => return Ok(Config::local(data)),
        };
        let text = input::read_text("", path, MAX_CONFIG_BYTES)?;
        Config::read(&text, path, data).map_err(Failure::Usage)
    }
}

/// `$XDG_DATA_HOME/kinora` or `~/.local/share/kinora`.
fn default_data() -> Option<PathBuf> {
    let home = || cache::variable("HOME").map(|home| home.join(".local/share"));
    let base = cache::variable("XDG_DATA_HOME").filter(|path| path.is_absolute());
    Some(base.or_else(home)?.join("kinora"))
}
