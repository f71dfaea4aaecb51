//! Universes of accounts. Built-in ones are part of the program.

use kinora_studio::request::UniverseSettings;

use super::tx::{Row, args};
use super::{Db, DbError};

/// A universe.
#[derive(Clone, Debug)]
pub struct Universe {
    /// Its display name.
    pub name: String,
    /// Its slug and its defaults for requests.
    pub settings: UniverseSettings,
    /// Milliseconds since 1970; 0 for built-in ones.
    pub created_at: i64,
    /// Milliseconds since 1970; 0 for built-in ones.
    pub updated_at: i64,
}

impl Db {
    /// Creates a universe; `false` if the account has one with this slug.
    pub async fn add_universe(
        &self,
        account: &str,
        name: &str,
        settings: &UniverseSettings,
    ) -> Result<bool, DbError> {
        let document = serde_json::to_string(settings)?;
        let sql = "INSERT INTO universes (account_id, slug, name, settings, created_at, updated_at)
            VALUES ($1, $2, $3, $4, now_ms(), now_ms()) ON CONFLICT (account_id, slug) DO NOTHING";
        let args = args![account, &settings.slug, name, &document];
        Ok(self.execute(sql, args).await? > 0)
    }
    /// Updates a universe (its slug stays); returns whether the account has it.
    pub async fn set_universe(
        &self,
        account: &str,
        name: &str,
        settings: &UniverseSettings,
    ) -> Result<bool, DbError> {
        let document = serde_json::to_string(settings)?;
        let sql = "UPDATE universes SET name = $3, settings = $4, updated_at = now_ms()
            WHERE account_id = $1 AND slug = $2";
        let args = args![account, &settings.slug, name, &document];
        Ok(self.execute(sql, args).await? > 0)
    }
    /// Returns one universe of an account.
    pub async fn universe(&self, account: &str, slug: &str) -> Result<Option<Universe>, DbError> {
        let sql = "SELECT * FROM universes WHERE account_id = $1 AND slug = $2";
        let row = self.row(sql, args![account, slug]).await?;
        row.as_ref().map(of_row).transpose()
    }
    /// Returns all universes of an account, by slug.
    pub async fn universes(&self, account: &str) -> Result<Vec<Universe>, DbError> {
        let sql = "SELECT * FROM universes WHERE account_id = $1 ORDER BY slug";
        let rows = self.rows(sql, args![account]).await?;
        rows.iter().map(of_row).collect()
    }
    /// Deletes a universe; returns whether the account had it.
    pub async fn delete_universe(&self, account: &str, slug: &str) -> Result<bool, DbError> {
        let sql = "DELETE FROM universes WHERE account_id = $1 AND slug = $2";
        Ok(self.execute(sql, args![account, slug]).await? > 0)
    }
}

fn of_row(row: &Row) -> Result<Universe, DbError> {
    Ok(Universe {
        name: row.get("name")?,
        settings: row.json("settings")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
