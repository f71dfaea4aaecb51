//! Saved characters.

use uuid::Uuid;

use super::tx::{Row, args, transaction};
use super::{Db, DbError};

/// A saved character.
#[derive(Clone, Debug)]
pub struct Character {
    /// Its id.
    pub id: Uuid,
    /// Its description and appearance.
    pub told: NewCharacter,
    /// Its voice's id.
    pub voice: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// The description and appearance of a character.
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
    /// Whether its description is based on colors measured in its picture.
    pub is_measured: bool,
}

impl Db {
    /// Saves characters in order, all or none.
    pub async fn add_characters(
        &self,
        account: &str,
        characters: &[NewCharacter],
    ) -> Result<Vec<Character>, DbError> {
        let ids: Vec<String> = characters
            .iter()
            .map(|_| Uuid::new_v4().to_string())
            .collect();
        transaction!(self.begin(), tx => {
            let mut saved = Vec::new();
            for (id, told) in ids.iter().zip(characters) {
                let sql = "INSERT INTO characters
                    (id, account_id, name, description, appearance, clothing, prompt, image, is_measured, created_at)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now_ms()) RETURNING *";
                let args = args![
                    id,
                    account,
                    &told.name,
                    &told.description,
                    &told.appearance,
                    &told.clothing,
                    &told.prompt,
                    &told.image,
                    i64::from(told.is_measured),
                ];
                if let Some(row) = tx.row(sql, args).await? {
                    saved.push(character(&row)?);
                }
            }
            Ok(saved)
        })
    }
    /// Returns one character of an account.
    pub async fn character(&self, account: &str, id: Uuid) -> Result<Option<Character>, DbError> {
        let sql = "SELECT * FROM characters WHERE account_id = $1 AND id = $2";
        let row = self.row(sql, args![account, &id.to_string()]).await?;
        row.as_ref().map(character).transpose()
    }
    /// Returns all characters of an account, newest first.
    pub async fn characters(&self, account: &str) -> Result<Vec<Character>, DbError> {
        let sql = "SELECT * FROM characters WHERE account_id = $1 ORDER BY created_at DESC, id";
        self.rows(sql, args![account])
            .await?
            .iter()
            .map(character)
            .collect()
    }
    /// Sets or removes its voice; returns whether the account has the character.
    pub async fn set_voice(
        &self,
        account: &str,
        id: Uuid,
        voice: Option<&str>,
    ) -> Result<bool, DbError> {
        let sql = "UPDATE characters SET voice = $3 WHERE account_id = $1 AND id = $2";
        let n = self
            .execute(sql, args![account, &id.to_string(), voice])
            .await?;
        Ok(n > 0)
    }
    /// Updates the description and appearance; the picture stays. Returns whether the account has the character.
    pub async fn tell_character(
        &self,
        account: &str,
        id: Uuid,
        told: &NewCharacter,
    ) -> Result<bool, DbError> {
        let sql = "UPDATE characters
            SET name = $3, description = $4, appearance = $5, clothing = $6, prompt = $7, is_measured = $8
            WHERE account_id = $1 AND id = $2";
        let id = id.to_string();
        let args = args![
            account,
            &id,
            &told.name,
            &told.description,
            &told.appearance,
            &told.clothing,
            &told.prompt,
            i64::from(told.is_measured),
        ];
        Ok(self.execute(sql, args).await? > 0)
    }
    /// Deletes a character; returns whether the account had it.
    pub async fn delete_character(&self, account: &str, id: Uuid) -> Result<bool, DbError> {
        let sql = "DELETE FROM characters WHERE account_id = $1 AND id = $2";
        let n = self.execute(sql, args![account, &id.to_string()]).await?;
        Ok(n > 0)
    }
}

fn character(row: &Row) -> Result<Character, DbError> {
    let id: String = row.get("id")?;
    Ok(Character {
        id: Uuid::parse_str(&id).map_err(|_| DbError::Open(format!("a character `{id}`")))?,
        told: NewCharacter {
            name: row.get("name")?,
            description: row.get("description")?,
            appearance: row.get("appearance")?,
            clothing: row.get("clothing")?,
            prompt: row.get("prompt")?,
            image: row.get("image")?,
            is_measured: row.flag("is_measured")?,
        },
        voice: row.get("voice")?,
        created_at: row.get("created_at")?,
    })
}
