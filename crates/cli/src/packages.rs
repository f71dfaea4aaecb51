//! Names of useful distribution packages. They contain the library's version, so they are looked up in the machine's own package list.

use std::process::{Command, Stdio};

/// A library whose package name changes between releases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    /// The common prefix of its names; digits and a suffix follow.
    stem: &'static str,
    /// Its name in Debian 12.
    usual: &'static str,
}

/// SVT-AV1, which encodes AV1 seven times as fast as the built-in encoder.
pub(crate) const SVT_AV1: Family = Family {
    stem: "libsvtav1enc",
    usual: "libsvtav1enc1",
};

/// Flite with its voices.
pub(crate) const FLITE: Family = Family {
    stem: "libflite",
    usual: "libflite1",
};

/// eSpeak NG.
pub(crate) const ESPEAK: Family = Family {
    stem: "libespeak-ng",
    usual: "libespeak-ng1",
};

impl Family {
    /// Returns the newest package of this family in the machine's lists, or the Debian 12 name if there are no lists.
    pub(crate) fn name(self) -> String {
        let listed = Command::new("apt-cache")
            .args(["pkgnames", self.stem])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let names = listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned());
        newest(self.stem, &names.unwrap_or_default()).unwrap_or_else(|| self.usual.to_owned())
    }
}

/// Returns the name with the highest version after the stem: `libsvtav1enc1d1`, `libsvtav1enc2`. Headers (`-dev`) and the like are skipped.
fn newest(stem: &str, names: &str) -> Option<String> {
    let version = |name: &str| -> Option<u32> {
        let rest = name.strip_prefix(stem)?;
        let n_digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_plain = rest.chars().all(|c| c.is_ascii_alphanumeric());
        rest[..n_digits].parse().ok().filter(|_| is_plain)
    };
    let known = names
        .lines()
        .filter_map(|name| Some((version(name)?, name)));
    known.max().map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::newest;

    #[test]
    fn the_newest_library_is_named_and_no_header() {
        for (stem, names, due) in [
            (
                "libsvtav1enc",
                "libsvtav1enc-dev\nlibsvtav1enc1d1\nlibsvtav1enc2\nlibsvtav1enc2-dbgsym",
                Some("libsvtav1enc2"),
            ),
            (
                "libsvtav1enc",
                "libsvtav1enc1d1\nlibsvtav1enc1",
                Some("libsvtav1enc1d1"),
            ),
            (
                "libx264-",
                "libx264-164\nlibx264-dev\nlibx264-165",
                Some("libx264-165"),
            ),
            (
                "libespeak-ng",
                "libespeak-ng1t64\nlibespeak-ng-dev\nlibespeak-ng-libespeak1",
                Some("libespeak-ng1t64"),
            ),
            ("libflite", "libflite1", Some("libflite1")),
            ("libflite", "", None),
        ] {
            assert_eq!(newest(stem, names).as_deref(), due, "{names}");
        }
    }
}
