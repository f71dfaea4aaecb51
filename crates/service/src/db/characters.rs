//! Saved characters.

use uuid::Uuid;

use super::{Db, DbError};

/// A saved character.
#[derive(Clone, Debug)]
pub struct Character {
    /// Its id.
    pub id: Uuid,
    /// What it is and looks like.
    pub told: NewCharacter,
    /// Its voice's id.
    pub voice: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// What a character is and looks like.
#[derive(Clone, Debug)]
pub struct NewCharacter {
    /// Its name.
    pub name: String,
    /// Its role and personality.
    pub description: String,
    /// What it looks like; may be empty.
    pub appearance: String,
    /// What it wears; may be empty.
    pub clothing: String,
    /// `characterPrompt`.
    pub prompt: String,
    /// The object that holds its picture.
    pub image: String,
}

impl Db {
    /// Saves characters, all or none, in their order.
    pub async fn add_characters(
        &self,
        account: &str,
        characters: &[NewCharacter],
    ) -> Result<Vec<Character>, DbError> {
        later()
    }
    /// One of an account.
    pub async fn character(&self, account: &str, id: Uuid) -> Result<Option<Character>, DbError> {
        later()
    }
    /// All of an account, the newest first.
    pub async fn characters(&self, account: &str) -> Result<Vec<Character>, DbError> {
        later()
    }
    /// Gives it a voice, or takes it; whether the account has it.
    pub async fn set_voice(
        &self,
        account: &str,
        id: Uuid,
        voice: Option<&str>,
    ) -> Result<bool, DbError> {
        later()
    }
    /// Deletes; whether the account had it.
    pub async fn delete_character(&self, account: &str, id: Uuid) -> Result<bool, DbError> {
        later()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
