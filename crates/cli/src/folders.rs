//! The user's folders (XDG Base Directory Specification): for what can be made again, and for what cannot.

use std::path::PathBuf;

/// `$XDG_CACHE_HOME/kinora` or `~/.cache/kinora`; `None` where no home is known.
pub(crate) fn cache() -> Option<PathBuf> {
    folder("XDG_CACHE_HOME", ".cache")
}

/// `$XDG_DATA_HOME/kinora` or `~/.local/share/kinora`; `None` where no home is known.
pub(crate) fn data() -> Option<PathBuf> {
    folder("XDG_DATA_HOME", ".local/share")
}

fn folder(named: &str, usual: &str) -> Option<PathBuf> {
    // A relative path is to be ignored, says the specification.
    let base = variable(named).filter(|path| path.is_absolute());
    let usual = || variable("HOME").map(|home| home.join(usual));
    Some(base.or_else(usual)?.join("kinora"))
}

/// A path in an environment variable that is set and not empty.
fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name)?;
    (!value.is_empty()).then(|| value.into())
}
