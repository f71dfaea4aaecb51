//! Names and secrets that cannot be guessed, 128 random bits or more behind a prefix that says what it names; and what is done with secrets.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// `run_` and 128 random bits.
pub fn run() -> String {
    prefixed("run_")
}

/// `proj_` and 128 random bits.
pub fn project() -> String {
    prefixed("proj_")
}

/// `req_` and 128 random bits: what an answer is found by in the logs.
pub fn request() -> String {
    prefixed("req_")
}

/// A prefix and 128 random bits in hex digits.
pub fn prefixed(prefix: &str) -> String {
    format!("{prefix}{}", hex(&random::<16>()))
}

/// A secret of 256 random bits behind a prefix: API keys, sessions, signing secrets.
pub fn secret(prefix: &str) -> String {
    format!("{prefix}{}", hex(&random::<32>()))
}

/// What is kept of a secret: its sha256 in hex digits. Secrets have 256 random bits, so nothing slower is needed.
pub fn hash(secret: &str) -> String {
    hash_bytes(secret.as_bytes())
}

/// The sha256 of bytes in hex digits.
pub fn hash_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// HMAC-SHA256 of a text in hex digits: who does not know the secret cannot make it.
pub fn mac(secret: &str, text: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
    let mut mac = mac.expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    hex(&mac.finalize().into_bytes())
}

/// Compares secrets in the same time wherever they differ.
pub fn is_same(a: &str, b: &str) -> bool {
    bool::from(a.as_bytes().ct_eq(b.as_bytes()))
}

/// Bytes of the system's random source.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system's random source answers");
    bytes
}

/// Whether a text may be the name of anything here: what cannot be is unknown without asking the database.
pub fn is_id(text: &str) -> bool {
    const MAX: usize = 128;
    (1..=MAX).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}
