//! Settings out of `config.json` and its kin, each with its limits, so that no size is believed that a model cannot have.

use std::path::PathBuf;

use serde_json::Value;

use crate::error::LocalError;
use crate::folder::Folder;

/// A JSON object and the file it came from.
pub(crate) struct Settings {
    path: PathBuf,
    value: Value,
}

impl Settings {
    /// The settings of a file that must be there.
    pub(crate) fn required(folder: &Folder, name: &str) -> Result<Self, LocalError> {
        Ok(Self {
            path: folder.path(name),
            value: folder.required_json(name)?,
        })
    }

    /// The settings of a file, empty when it is not there.
    pub(crate) fn optional(folder: &Folder, name: &str) -> Result<Self, LocalError> {
        Ok(Self {
            path: folder.path(name),
            value: folder.json(name)?.unwrap_or_default(),
        })
    }

    /// The value of a key; null when there is none.
    pub(crate) fn get(&self, key: &str) -> &Value {
        &self.value[key]
    }

    /// An error of this file.
    pub(crate) fn bad(&self, why: impl std::fmt::Display) -> LocalError {
        LocalError::file(&self.path, why)
    }

    /// A text, if the key has one.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).as_str()
    }

    /// A switch, off unless it is set.
    pub(crate) fn switch(&self, key: &str) -> bool {
        self.get(key).as_bool().unwrap_or(false)
    }

    /// A whole number of 1 to `most`, or `default` when the key is not there.
    pub(crate) fn size(
        &self,
        key: &str,
        most: usize,
        default: Option<usize>,
    ) -> Result<usize, LocalError> {
        let value = self.get(key);
        if value.is_null() {
            return default.ok_or_else(|| self.bad(format!("{key} is not set")));
        }
        check_size(value.as_u64(), most).ok_or_else(|| {
            self.bad(format!(
                "{key} is {value}, not a whole number of 1 to {most}"
            ))
        })
    }

    /// A finite number above zero, or `default` when the key is not there.
    pub(crate) fn positive(&self, key: &str, default: f64) -> Result<f64, LocalError> {
        let value = self.get(key);
        if value.is_null() {
            return Ok(default);
        }
        value
            .as_f64()
            .filter(|number| number.is_finite() && *number > 0.0)
            .ok_or_else(|| self.bad(format!("{key} is {value}, not a number above 0")))
    }

    /// The ids under a key: one number or a list of them.
    pub(crate) fn ids(&self, key: &str) -> Vec<u32> {
        let id = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
        match self.get(key) {
            Value::Array(list) => list.iter().filter_map(id).collect(),
            one => id(one).into_iter().collect(),
        }
    }

    /// A token's text: a string, or an object with its `content`.
    pub(crate) fn token(&self, key: &str) -> Option<&str> {
        let value = self.get(key);
        value.as_str().or_else(|| value["content"].as_str())
    }
}

/// A number of 1 to `most`.
pub(crate) fn check_size(number: Option<u64>, most: usize) -> Option<usize> {
    let number = usize::try_from(number?).ok()?;
    (1..=most).contains(&number).then_some(number)
}
