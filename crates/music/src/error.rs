//! What can go wrong with a track, worded so that an operator can fix it.

use std::path::PathBuf;

/// Why a track or a library is not available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No track has this slug.
    #[error("there is no track `{slug}`{}", suggestion(.closest))]
    UnknownTrack {
        /// The requested slug.
        slug: String,
        /// Slugs with similar spelling, the nearest first.
        closest: Vec<String>,
    },
    /// One of this crate's own descriptions cannot be read or played.
    #[error("the description of the track `{slug}` is wrong: {message}")]
    Description {
        /// The track.
        slug: String,
        /// Where it is wrong, and how.
        message: String,
    },
    /// The operator's manifest is invalid.
    #[error("{path}: {message}", path = .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong and what to do.
        message: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

fn suggestion(closest: &[String]) -> String {
    match closest {
        [] => String::new(),
        [one] => format!(": did you mean `{one}`?"),
        [first, others @ ..] => {
            let others: Vec<String> = others.iter().map(|slug| format!("`{slug}`")).collect();
            format!(": did you mean `{first}` (or {})?", others.join(", "))
        }
    }
}
