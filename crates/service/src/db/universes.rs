//! Universes of accounts. Built-in ones are in the program.

use kinora_studio::request::UniverseSettings;

use super::{Db, DbError};

/// A universe.
#[derive(Clone, Debug)]
pub struct Universe {
    /// What people call it.
    pub name: String,
    /// Its slug and what it decides where a request does not.
    pub settings: UniverseSettings,
    /// Milliseconds since 1970; 0 for built-in ones.
    pub created_at: i64,
    /// Milliseconds since 1970; 0 for built-in ones.
    pub updated_at: i64,
}

impl Db {
    /// A new universe; `false` if the account has one of this slug.
    pub async fn add_universe(
        &self,
        account: &str,
        name: &str,
        settings: &UniverseSettings,
    ) -> Result<bool, DbError> {
        later()
    }
    /// Changes a universe (its slug stays); whether the account has it.
    pub async fn set_universe(
        &self,
        account: &str,
        name: &str,
        settings: &UniverseSettings,
    ) -> Result<bool, DbError> {
        later()
    }
    /// One of an account.
    pub async fn universe(&self, account: &str, slug: &str) -> Result<Option<Universe>, DbError> {
        later()
    }
    /// All of an account, by slug.
    pub async fn universes(&self, account: &str) -> Result<Vec<Universe>, DbError> {
        later()
    }
    /// Deletes; whether the account had it.
    pub async fn delete_universe(&self, account: &str, slug: &str) -> Result<bool, DbError> {
        later()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
