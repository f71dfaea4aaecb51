//! Passwords: argon2id with the crate's recommended cost. Slow on purpose: off the threads that answer, a few at a time.

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};

use crate::heavy::hashing;

/// The shortest password, in characters.
pub const MIN_CHARS: usize = 10;
/// The longest, in bytes: hashing takes time for each.
pub const MAX_BYTES: usize = 256;

/// Why a password cannot be used, if it cannot.
pub fn problem(password: &str) -> Option<String> {
    if password.chars().count() < MIN_CHARS {
        return Some(format!("a password has at least {MIN_CHARS} characters"));
    }
    (password.len() > MAX_BYTES).then(|| format!("a password has at most {MAX_BYTES} bytes"))
}

/// What is kept of a new password; `None` where the process is ending.
pub async fn hash(password: String) -> Option<String> {
    hashing(move || hashed(&password)).await
}

/// Whether this is the password of a kept hash; without a hash (an unknown address) it takes as long and is not. One that nobody can have is not looked
/// at. `None` where the process is ending.
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
        // Hashing takes as long as checking: who asks cannot tell whether the address is known.
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
