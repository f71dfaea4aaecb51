//! Unguessable ids and secrets: 128 random bits or more behind a prefix that names the kind. Also hashes and compares secrets.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Returns `run_` and 128 random bits.
pub fn run() -> String {
    prefixed("run_")
}

/// Returns `proj_` and 128 random bits.
pub fn project() -> String {
    prefixed("proj_")
}

/// Returns `req_` and 128 random bits: the id that finds a response in the logs.
pub fn request() -> String {
    prefixed("req_")
}

/// Returns a prefix and 128 random bits in hex digits.
pub fn prefixed(prefix: &str) -> String {
    format!("{prefix}{}", hex(&random::<16>()))
}

/// Returns a secret of 256 random bits behind a prefix: API keys, sessions, signing secrets.
pub fn secret(prefix: &str) -> String {
    format!("{prefix}{}", hex(&random::<32>()))
}

/// Returns the stored form of a secret: its SHA-256 in hex digits. Secrets have 256 random bits, so a slow hash is not needed.
pub fn hash(secret: &str) -> String {
    hash_bytes(secret.as_bytes())
}

/// Returns the SHA-256 of bytes in hex digits.
pub fn hash_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns bytes as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the HMAC-SHA256 of a text in hex digits.
pub fn mac(secret: &str, text: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
    let mut mac = mac.expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    hex(&mac.finalize().into_bytes())
}

/// Compares secrets in constant time.
pub fn is_same(a: &str, b: &str) -> bool {
    bool::from(a.as_bytes().ct_eq(b.as_bytes()))
}

/// Returns bytes from the system's random source.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system's random source answers");
    bytes
}

/// Whether a text may be an id: any other is unknown without a database query.
pub fn is_id(text: &str) -> bool {
    const MAX: usize = 128;
    (1..=MAX).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}
