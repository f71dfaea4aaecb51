//! A tokenizer out of `tokenizer.json`: text to ids of tokens and back.

use tokenizers::Tokenizer;

use crate::error::{LocalError, first_line, guard};
use crate::folder::Folder;

/// The file in a model's folder.
const FILE: &str = "tokenizer.json";

/// A model's tokenizer.
pub(crate) struct Words {
    tokenizer: Tokenizer,
}

impl Words {
    /// Reads `tokenizer.json`.
    ///
    /// # Errors
    /// `Missing` or `Unreadable`.
    pub(crate) fn load(folder: &Folder) -> Result<Self, LocalError> {
        let bytes = folder.bytes(FILE)?.ok_or_else(|| folder.missing(FILE))?;
        let path = folder.path(FILE);
        guard(&path.display().to_string(), || {
            let mut tokenizer = Tokenizer::from_bytes(&bytes)
                .map_err(|error| LocalError::file(&path, first_line(&error.to_string())))?;
            tokenizer.with_padding(None);
            tokenizer
                .with_truncation(None)
                .map_err(|error| LocalError::file(&path, error))?;
            Ok(Self { tokenizer })
        })
    }

    /// The ids of a text; special tokens are those that the text itself spells.
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>, LocalError> {
        let encoding = self
            .tokenizer
            .encode(text, false)
            .map_err(|error| self.failed("encode a text", &error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The text of ids, without special tokens.
    pub(crate) fn text(&self, ids: &[u32]) -> Result<String, LocalError> {
        self.tokenizer
            .decode(ids, true)
            .map_err(|error| self.failed("decode an answer", &error.to_string()))
    }

    /// The id of a token.
    pub(crate) fn id(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// The token of an id.
    pub(crate) fn token(&self, id: u32) -> Option<String> {
        self.tokenizer.id_to_token(id)
    }

    fn failed(&self, what: &str, why: &str) -> LocalError {
        LocalError::unreadable(format!("{FILE} cannot {what}: {}", first_line(why)))
    }
}
