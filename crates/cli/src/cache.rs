//! Where what can be made again is kept.

use std::path::PathBuf;

/// `$XDG_CACHE_HOME/kinora` or `~/.cache/kinora`; `None` where no home is known.
pub(crate) fn folder() -> Option<PathBuf> {
    let home = || variable("HOME").map(|home| home.join(".cache"));
    // A relative path is to be ignored (XDG Base Directory Specification).
    let base = variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    Some(base.or_else(home)?.join("kinora"))
}

/// A path in an environment variable that is set and not empty.
pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name)?;
    (!value.is_empty()).then(|| value.into())
}
