//! Passwords: argon2id with the crate's recommended cost. It is slow on purpose, so a few run at a time, off the threads that serve requests.

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};

use crate::heavy::hashing;

/// The shortest password, in characters.
pub const MIN_CHARS: usize = 10;
/// The longest, in bytes: hashing time grows with length.
pub const MAX_BYTES: usize = 256;

/// Returns why a password is not acceptable, if so.
pub fn problem(password: &str) -> Option<String> {
    if password.chars().count() < MIN_CHARS {
        return Some(format!(
            "a password must have at least {MIN_CHARS} characters"
        ));
    }
    (password.len() > MAX_BYTES).then(|| format!("a password can have at most {MAX_BYTES} bytes"))
}

/// Returns the hash to store for a new password; `None` if the process is ending.
pub async fn hash(password: String) -> Option<String> {
    hashing(move || hashed(&password)).await
}

/// Whether this password matches a stored hash. Without a hash (an unknown address) it takes as long and is false. Passwords over the maximum length are not
/// hashed. `None` if the process is ending.
pub async fn is_right(password: String, kept: Option<String>) -> Option<bool> {
    if password.len() > MAX_BYTES {
        return Some(false);
    }
    hashing(move || opens(&password, kept.as_deref())).await
}

fn hashed(password: &str) -> String {
    let salt = SaltString::generate(&mut OsRng);
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    hash.expect("the default parameters are valid").to_string()
}

fn opens(password: &str, kept: Option<&str>) -> bool {
    let Some(kept) = kept else {
        // Hashing takes as long as checking, so timing does not reveal whether the address is known.
        drop(hashed(password));
        return false;
    };
    let Ok(parsed) = PasswordHash::new(kept) else {
        return false;
    };
    Argon2::default()
        .verify_password(password.as_bytes(), &parsed)
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_opens_its_own_hash_only() {
        let kept = hashed("correct horse battery");
        assert!(kept.starts_with("$argon2id$"));
        assert!(opens("correct horse battery", Some(&kept)));
        assert!(!opens("correct horse batterz", Some(&kept)));
        assert!(!opens("a password of nobody", None));
        assert!(!opens("x", Some("not a hash")));
        assert_ne!(hashed("correct horse battery"), kept, "salted");
    }

    #[test]
    fn short_and_endless_passwords_are_refused() {
        assert!(problem("123456789").is_some());
        assert!(problem("ünïcödé-10").is_none());
        assert!(problem(&"x".repeat(257)).is_some());
    }
}
