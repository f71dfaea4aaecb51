//! Pictures and clips in a provider's answer: fetched with checks, or read from the address itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use reqwest::header::HeaderMap;

use super::ask::{Ask, Reply};
use super::attempt::built;
use super::endpoint::Endpoint;
use super::guard::{Way, check_url};
use crate::failure::{Failure, Stage};
use crate::providers::Call;

/// Most redirects followed; each is checked like the first address.
const MAX_REDIRECTS: usize = 3;

/// The expected kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    /// A picture, which may be in the address itself (`data:`).
    Picture,
    /// A clip.
    Clip,
}

impl MediaKind {
    /// Returns the size limit in bytes.
    fn max_bytes(self) -> usize {
        match self {
            MediaKind::Picture => 30_000_000,
            MediaKind::Clip => 300_000_000,
        }
    }

    fn accepts(self, content_type: &str) -> bool {
        let family = match self {
            MediaKind::Picture => "image/",
            MediaKind::Clip => "video/",
        };
        let says_nothing = ["", "application/octet-stream", "binary/octet-stream"];
        content_type.starts_with(family) || says_nothing.contains(&content_type)
    }

    fn noun(self) -> &'static str {
        match self {
            MediaKind::Picture => "a picture",
            MediaKind::Clip => "a clip",
        }
    }
}

/// A file to fetch.
#[derive(Clone, Copy, Debug)]
pub struct Media<'a> {
    /// As the provider gave it.
    pub url: &'a str,
    /// The expected kind.
    pub kind: MediaKind,
    /// The stage that needs it.
    pub stage: Stage,
}

impl Endpoint {
    /// Fetches a file without sending the provider's key. The caller still has to check its bytes.
    ///
    /// # Errors
    /// `BadAnswer` if the address may not be fetched, or if the file has another type or is too long; else as [`Endpoint::call`].
    pub fn fetch(&self, media: Media<'_>, call: &Call) -> Result<Vec<u8>, Failure> {
        if let Some(data) = media.url.strip_prefix("data:") {
            return self.inline(data, media);
        }
        let mut url = Url::parse(media.url)
            .map_err(|_| self.bad_answer(media.stage, "it returned an invalid address"))?;
        for _ in 0..=MAX_REDIRECTS {
            let reply = self.get_unkeyed(&url, media, call)?;
            match reply.status {
                200..=299 if media.kind.accepts(&reply.content_type) => return Ok(reply.body),
                200..=299 => {
                    let what = format!(
                        "it returned an address of something other than {}",
                        media.kind.noun()
                    );
                    return Err(self.bad_answer(media.stage, &what));
                }
                301 | 302 | 303 | 307 | 308 => {
                    let location = reply.location.as_deref().and_then(|to| url.join(to).ok());
                    url = location.ok_or_else(|| {
                        self.bad_answer(
                            media.stage,
                            "it returned an address that redirects nowhere",
                        )
                    })?;
                }
                _ => {
                    let what = format!(
                        "it returned an address without a {}",
                        media.kind.noun().trim_start_matches("a ")
                    );
                    return Err(self
                        .bad_answer(media.stage, &what)
                        .by(self.name(), Some(reply.status)));
                }
            }
        }
        Err(self.bad_answer(
            media.stage,
            "it returned an address that redirects too often",
        ))
    }

    fn get_unkeyed(&self, url: &Url, media: Media<'_>, call: &Call) -> Result<Reply, Failure> {
        let client = match check_url(url, &self.settings.allowed) {
            Ok(Way::Guarded) => &self.http.0.guarded,
            Ok(Way::Open) => self.client_for_media(url),
            Err(why) => {
                let what =
                    format!("it returned an address {why}; list your own hosts in allow_hosts");
                return Err(self.bad_answer(media.stage, &what));
            }
        };
        let ask = Ask::get(url.clone()).at_most(media.kind.max_bytes());
        let until = call.deadline.min(self.now() + self.settings.timeout);
        self.attempts(media.stage, until, &call.cancel, || {
            let request = built(client, &ask, HeaderMap::new());
            self.once(request, ask.max_bytes, until, &call.cancel)
        })
    }

    /// Decodes a `data:` address (RFC 2397), in Base64 only.
    fn inline(&self, data: &str, media: Media<'_>) -> Result<Vec<u8>, Failure> {
        let decoded = data.split_once(',').and_then(|(head, body)| {
            let content_type = head.strip_suffix(";base64")?.to_ascii_lowercase();
            let is_wanted = media.kind == MediaKind::Picture && content_type.starts_with("image/");
            let fits = body.len() / 4 * 3 <= media.kind.max_bytes();
            (is_wanted && fits).then(|| STANDARD.decode(body.trim()).ok())?
        });
        decoded
            .ok_or_else(|| self.bad_answer(media.stage, "it returned an address without a picture"))
    }
}
