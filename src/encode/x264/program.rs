//! Finds the program `kinora-x264`.

use std::path::PathBuf;

pub(super) const PROGRAM: &str = "kinora-x264";
/// Environment variable with the path of the program if it is not beside kinora.
const VARIABLE: &str = "KINORA_X264";
/// How to install the library when it is missing.
pub(super) const ADVICE: &str = "on Debian 12 and 13: apt-get install libx264-164";

/// Returns the path from `$KINORA_X264`, beside the running program, or on the `PATH`; otherwise why it was not found.
pub(super) fn find() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()) {
        return Ok(PathBuf::from(named));
    }
    let here = std::env::current_exe().ok();
    let beside = here.as_ref().and_then(|exe| exe.parent());
    // Tests and examples that cargo builds are one folder below the programs.
    let above = beside.filter(|folder| folder.ends_with("deps") || folder.ends_with("examples"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = beside
        .into_iter()
        .chain(above.and_then(|folder| folder.parent()))
        .map(PathBuf::from)
        .chain(std::env::split_paths(&path).filter(|folder| folder.is_absolute()));
    let file = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    folders
        .find_map(|folder| Some(folder.join(&file)).filter(|path| path.is_file()))
        .ok_or_else(|| {
            format!(
                "the program {PROGRAM} is neither next to kinora nor on the PATH; build it (`cargo build --release -p kinora-x264`, which ./kinora does) \
                 or set {VARIABLE} to its path; it also needs libx264 ({ADVICE})"
            )
        })
}
