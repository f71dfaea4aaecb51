//! What can go wrong with a track, said so that an operator can mend it.

use std::path::PathBuf;

/// Why a track or a library cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No track has this slug.
    #[error("there is no track `{slug}`{}", suggestion(.closest))]
    UnknownTrack {
        /// The slug that was asked for.
        slug: String,
        /// Slugs that are written like it, the nearest first.
        closest: Vec<String>,
    },
    /// A description of this crate's own cannot be read or played.
    #[error("the description of the track `{slug}` is wrong: {message}")]
    Description {
        /// The track.
        slug: String,
        /// Where and what.
        message: String,
    },
    /// The operator's manifest says something that cannot be.
    #[error("{path}: {message}", path = .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong and what to do.
        message: String,
    },
    /// The machine is in the way.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
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
