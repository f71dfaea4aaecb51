//! The user's folders (XDG Base Directory Specification), for replaceable and for permanent data.

use std::path::PathBuf;

/// Returns `$XDG_CACHE_HOME/kinora` or `~/.cache/kinora`; `None` if the home folder is unknown.
pub(crate) fn cache() -> Option<PathBuf> {
    folder("XDG_CACHE_HOME", ".cache")
}

/// Returns `$XDG_DATA_HOME/kinora` or `~/.local/share/kinora`; `None` if the home folder is unknown.
#[cfg(feature = "service")]
pub(crate) fn data() -> Option<PathBuf> {
    folder("XDG_DATA_HOME", ".local/share")
}

fn folder(named: &str, usual: &str) -> Option<PathBuf> {
    // The specification says to ignore relative paths.
    let base = variable(named).filter(|path| path.is_absolute());
    let usual = || variable("HOME").map(|home| home.join(usual));
    Some(base.or_else(usual)?.join("kinora"))
}

/// Returns the path in an environment variable that is set and not empty.
fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name)?;
    (!value.is_empty()).then(|| value.into())
}
