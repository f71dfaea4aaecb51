//! Finds `ffmpeg` and `ffprobe`, and the capabilities of this build.

use std::path::{Path, PathBuf};

use super::child::{Child, Limits, Stop};

/// The two programs.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) ffmpeg: PathBuf,
    pub(super) ffprobe: PathBuf,
    pub(super) version: String,
    /// Whether the filters `zscale` and `tonemap` are available.
    pub(super) has_zscale: bool,
}

impl Programs {
    pub(super) fn find(folder: Option<&Path>) -> Result<Programs, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = match folder {
            Some(folder) => vec![folder.to_owned()],
            // A relative entry would mean another folder in the child, which runs in `/`.
            None => std::env::split_paths(&path)
                .filter(|folder| folder.is_absolute())
                .collect(),
        };
        let find = |name: &str| {
            let found = folders.iter().map(|folder| folder.join(name));
            found
                .into_iter()
                .find(|path| path.is_file())
                .ok_or_else(|| format!("{name} is not installed"))
        };
        let (ffmpeg, ffprobe) = (find("ffmpeg")?, find("ffprobe")?);
        let about = said(&ffmpeg, "-version")?;
        let version = about
            .strip_prefix("ffmpeg version ")
            .and_then(|rest| rest.split_whitespace().next())
            .ok_or_else(|| format!("{} does not report its version", ffmpeg.display()))?
            .to_owned();
        let filters = said(&ffmpeg, "-filters")?;
        let has = |name: &str| filters.split_whitespace().any(|word| word == name);
        Ok(Programs {
            has_zscale: has("zscale") && has("tonemap"),
            ffmpeg,
            ffprobe,
            version,
        })
    }

    /// Returns the option with which this version outputs every frame once: `-fps_mode` came with 5.1. Versions without numbers are builds from its repository.
    pub(super) fn passes_frames_with(&self) -> &'static str {
        let mut numbers = self
            .version
            .trim_start_matches('n')
            .split(['.', '-'])
            .map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), minor) => {
                let minor = minor.and_then(Result::ok).unwrap_or(0);
                if (major, minor) < (5, 1) {
                    "-vsync"
                } else {
                    "-fps_mode"
                }
            }
            _ => "-fps_mode",
        }
    }
}

/// Runs a program with one option and returns its output.
fn said(program: &Path, option: &str) -> Result<String, String> {
    let failed = |why: String| format!("{} cannot be run: {why}", program.display());
    let arguments = ["-hide_banner", option].map(str::to_owned);
    let arguments = if option == "-version" {
        &arguments[1..]
    } else {
        &arguments[..]
    };
    let mut child = Child::start(program, arguments, None, (Limits::PROBE, Stop::default()))
        .map_err(|e| failed(e.to_string()))?;
    let written = child.read_all(1 << 20).map_err(|e| failed(e.to_string()))?;
    Ok(String::from_utf8_lossy(&written).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_asked_in_their_words() {
        for (version, option) in [
            ("4.2.2-static", "-vsync"),
            ("n5.0", "-vsync"),
            ("5.1.9-0+deb12u1", "-fps_mode"),
            ("7.0.2", "-fps_mode"),
            ("N-110000-gabcdef", "-fps_mode"),
        ] {
            let programs = Programs {
                ffmpeg: PathBuf::new(),
                ffprobe: PathBuf::new(),
                version: version.into(),
                has_zscale: false,
            };
            assert_eq!(programs.passes_frames_with(), option, "{version}");
        }
    }
}
