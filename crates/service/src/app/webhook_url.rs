//! Checks of webhook URLs.

use kinora_studio::providers::http::check_url as check_public;
use url::{Host, Url};

use crate::config::Config;
use crate::state::App;

/// The longest URL, in bytes.
const MAX_URL: usize = 2048;

/// Checks whether messages may be sent to this URL, as far as is possible without connecting.
///
/// # Errors
/// The problem with the URL.
fn check_url(url: &str, config: &Config) -> Result<(), String> {
    checked(url, config.worker.private_webhooks).map(drop)
}

/// Parses a URL that may be called; `is_open` also allows addresses of private networks.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn checked(url: &str, is_open: bool) -> Result<Url, String> {
    if url.len() > MAX_URL {
        return Err(format!("a URL of more than {MAX_URL} bytes"));
    }
    let parsed = Url::parse(url).map_err(|e| format!("not a URL: {e}"))?;
    let is_web = matches!(parsed.scheme(), "http" | "https") && parsed.has_host();
    if is_open && is_web {
        return Ok(parsed);
    }
    match check_public(&parsed, &[]) {
        Ok(_) => Ok(parsed),
        Err(why) => Err(format!("an address {why}")),
    }
}

/// Checks a webhook URL and returns its stored form. Its address is checked when it is called.
pub(super) fn webhook_url(app: &App, url: &str) -> Result<String, String> {
    if url.len() > MAX_URL {
        return Err(format!("is longer than {MAX_URL} bytes"));
    }
    let is_private_ok = app.config.worker.private_webhooks;
    let is_scheme_ok = url.starts_with("https://") || (is_private_ok && url.starts_with("http://"));
    if !is_scheme_ok {
        return Err("does not begin with https://".to_owned());
    }
    let parsed = Url::parse(url).map_err(|_| "is not a URL".to_owned())?;
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
    if matches!(parsed.host(), Some(Host::Domain(name)) if !name.bytes().all(is_letter)) {
        return Err("has an invalid host name".to_owned());
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("contains a user name or a password; check the signature instead".to_owned());
    }
    if parsed.as_str().len() > MAX_URL {
        return Err(format!("is longer than {MAX_URL} bytes"));
    }
    if check_url(parsed.as_str(), &app.config).is_err() {
        let reason = "has an address in a private network, where nothing is sent; use a public host (the service's operator can allow private ones)";
        return Err(reason.to_owned());
    }
    Ok(parsed.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_over_tls_are_taken() {
        let config = Config::local("data");
        for url in [
            "https://example.org/hook",
            "https://example.org:8443/?a=b",
            "https://1.1.1.1/",
        ] {
            assert_eq!(check_url(url, &config), Ok(()), "{url}");
        }
        for url in [
            "",
            "example.org",
            "http://example.org/",
            "ftp://example.org/",
            "file:///etc/passwd",
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://169.254.169.254/latest",
            "https://localhost/",
            "https://a.internal./",
            "https://user:pass@example.org/",
        ] {
            assert!(check_url(url, &config).is_err(), "{url}");
        }
        assert!(
            check_url(
                &format!("https://example.org/{}", "a".repeat(3000)),
                &config
            )
            .is_err()
        );
        let mut open = config;
        open.worker.private_webhooks = true;
        assert_eq!(check_url("http://127.0.0.1:9/hook", &open), Ok(()));
        assert!(check_url("file:///etc/passwd", &open).is_err());
    }
}
