//! Texts that commands read from files or stdin, with size limits.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::failure::Failure;
use crate::output;

/// Largest configuration, in bytes.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Returns the path and text of the configuration: the named file, else `kinora.toml` in the current folder if it exists.
pub(crate) fn configuration(named: Option<&Path>) -> Result<Option<(&Path, String)>, Failure> {
    let usual = Path::new("kinora.toml");
    let path = match named {
        Some(path) => path,
        None if usual.is_file() => usual,
        None => return Ok(None),
    };
    Ok(Some((path, read_text("", path, MAX_CONFIG_BYTES)?)))
}

/// Reads a text from a file, or from stdin for `-`. `what` precedes the name in messages, such as `the timeline `.
pub(crate) fn read_text(what: &str, path: &Path, max_bytes: u64) -> Result<String, Failure> {
    let name = path.display();
    let cannot = |e: std::io::Error| Failure::Usage(format!("{what}{name} cannot be read: {e}"));
    let reader: Box<dyn Read> = if output::is_pipe(path) {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(cannot)?)
    };
    let mut text = String::new();
    let mut reader = reader.take(max_bytes + 1);
    let n_bytes = reader.read_to_string(&mut text).map_err(cannot)?;
    if n_bytes as u64 > max_bytes {
        let limit = max_bytes >> 20;
        return Err(Failure::Usage(format!(
            "{what}{name} is larger than {limit} MiB"
        )));
    }
    Ok(text)
}

/// Reads the tables of the configuration that are fields of `T`. The others, and their errors, are left to their own readers.
pub(crate) fn tables<T: Default + DeserializeOwned>(named: Option<&Path>) -> Result<T, Failure> {
    let Some((path, text)) = configuration(named)? else {
        return Ok(T::default());
    };
    toml::from_str(&text).map_err(|e| Failure::Usage(format!("{}: {e}", path.display())))
}
