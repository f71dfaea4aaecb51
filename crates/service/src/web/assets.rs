//! Static files embedded in the program. Their paths contain the hash of their bytes, so they can be cached forever.

use std::sync::{LazyLock, OnceLock};

use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::Web;
use crate::ids;

/// An embedded file.
#[derive(Debug)]
pub(super) struct Asset {
    name: &'static str,
    extension: &'static str,
    content_type: &'static str,
    bytes: LazyLock<Vec<u8>>,
    path: OnceLock<String>,
}

impl Asset {
    /// Returns the file's path: its name and the first 64 bits of its hash.
    pub(super) fn path(&self) -> &str {
        self.path.get_or_init(|| {
            let hash = ids::hash_bytes(&self.bytes);
            format!("/assets/{}.{}.{}", self.name, &hash[..16], self.extension)
        })
    }
}

pub(super) static SANS: Asset = Asset {
    name: "inter",
    extension: "ttf",
    content_type: "font/ttf",
    bytes: LazyLock::new(|| include_bytes!("../../../../assets/fonts/Inter-Medium.ttf").to_vec()),
    path: OnceLock::new(),
};

pub(super) static DISPLAY: Asset = Asset {
    name: "space-grotesk",
    extension: "ttf",
    content_type: "font/ttf",
    bytes: LazyLock::new(|| {
        include_bytes!("../../../../assets/fonts/SpaceGrotesk-Bold.ttf").to_vec()
    }),
    path: OnceLock::new(),
};

/// The style sheet; it refers to the fonts by their paths.
pub(super) static STYLE: Asset = Asset {
    name: "style",
    extension: "css",
    content_type: "text/css; charset=utf-8",
    bytes: LazyLock::new(|| {
        let text = include_str!("style.css").replace("SANS_FONT", SANS.path());
        text.replace("DISPLAY_FONT", DISPLAY.path()).into_bytes()
    }),
    path: OnceLock::new(),
};

pub(super) static SCRIPT: Asset = Asset {
    name: "script",
    extension: "js",
    content_type: "text/javascript; charset=utf-8",
    bytes: LazyLock::new(|| include_bytes!("script.js").to_vec()),
    path: OnceLock::new(),
};

pub(super) static ICON: Asset = Asset {
    name: "icon",
    extension: "svg",
    content_type: "image/svg+xml",
    bytes: LazyLock::new(|| include_bytes!("icon.svg").to_vec()),
    path: OnceLock::new(),
};

static ALL: [&Asset; 5] = [&SANS, &DISPLAY, &STYLE, &SCRIPT, &ICON];

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/assets/{name}", get(asset))
        .route("/favicon.ico", get(|| async { send(&ICON) }))
}

async fn asset(Path(name): Path<String>) -> Response {
    let path = format!("/assets/{name}");
    match ALL.iter().find(|asset| asset.path() == path) {
        Some(asset) => send(asset),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn send(asset: &'static Asset) -> Response {
    let headers = [
        (header::CONTENT_TYPE, asset.content_type),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, asset.bytes.as_slice()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_its_own_path_and_the_style_names_the_fonts() {
        for asset in ALL {
            assert!(
                asset
                    .path()
                    .starts_with(&format!("/assets/{}.", asset.name))
            );
            assert!(asset.path().ends_with(asset.extension));
        }
        let style = String::from_utf8_lossy(&STYLE.bytes);
        assert!(style.contains(SANS.path()) && style.contains(DISPLAY.path()));
        assert!(!style.contains("_FONT"));
    }
}
