//! Operator tasks that need no dashboard: accounts, plans, credits, keys.

use crate::db::{Account, ApiKey, Db, DbError, Plan};
use crate::{ids, password};

/// Why an operator's command failed.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The database failed.
    #[error("the database: {0}")]
    Db(#[from] DbError),
    /// The account does not exist.
    #[error("there is no account {0}; `kinora admin accounts` lists them")]
    NoAccount(String),
    /// The address is already in use.
    #[error("an account {0} already exists")]
    Taken(String),
    /// The input is invalid.
    #[error("{0}")]
    Wrong(String),
}

/// A newly created key.
#[derive(Clone, Debug)]
pub struct MadeKey {
    /// The key itself, shown only once.
    pub secret: String,
    /// The stored record.
    pub key: ApiKey,
}

/// The credentials that the first start of a service prints once.
#[derive(Clone, Debug)]
pub struct FirstAccount {
    /// The sign-in address.
    pub email: String,
    /// Its password.
    pub password: String,
    /// Its key.
    pub key: String,
}

/// Normalizes an email address (trimmed, in lower case); `None` if it is invalid.
pub fn email(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let (name, host) = text.split_once('@')?;
    let is_plain = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| !c.is_whitespace() && !c.is_control() && !"@<>\"'(),;:\\".contains(c))
    };
    (text.len() <= 254 && is_plain(name) && is_plain(host)).then_some(text)
}

/// Creates an account.
///
/// # Errors
/// A bad address or password, a taken address, or a database error.
pub async fn add_account(
    db: &Db,
    address: &str,
    secret: &str,
    plan: Plan,
    credits: u64,
) -> Result<Account, AdminError> {
    let Some(email) = email(address) else {
        return Err(AdminError::Wrong(format!(
            "`{address}` is not an email address such as ada@example.org"
        )));
    };
    let hashed = hashed(secret).await?;
    let made = db.add_account(&email, &hashed, plan, credits).await?;
    made.ok_or(AdminError::Taken(email))
}

/// Changes an account's password and ends its sessions.
///
/// # Errors
/// A bad password or a database error.
pub async fn set_password(db: &Db, account: &str, secret: &str) -> Result<(), AdminError> {
    let hashed = hashed(secret).await?;
    db.set_password(account, &hashed).await?;
    Ok(())
}

async fn hashed(secret: &str) -> Result<String, AdminError> {
    if let Some(problem) = password::problem(secret) {
        return Err(AdminError::Wrong(problem));
    }
    let hashed = password::hash(secret.to_owned()).await;
    hashed.ok_or_else(|| AdminError::Wrong("the process is ending".to_owned()))
}

/// Creates a key for an account.
///
/// # Errors
/// A database error.
pub async fn add_key(
    db: &Db,
    account: &str,
    name: &str,
    is_sandbox: bool,
) -> Result<MadeKey, DbError> {
    let secret = ids::secret(if is_sandbox { "kin_test_" } else { "kin_live_" });
    let key = db.add_key(account, name, &secret, is_sandbox).await?;
    Ok(MadeKey { secret, key })
}

/// Finds an account by its address.
///
/// # Errors
/// `NoAccount` or a database error.
pub async fn account(db: &Db, address: &str) -> Result<Account, AdminError> {
    let found = db.account_by_email(address.trim()).await?;
    found
        .map(|(account, _)| account)
        .ok_or_else(|| AdminError::NoAccount(address.to_owned()))
}

/// Creates the first account and key if the database has no account; `None` if it has one.
///
/// # Errors
/// A database error.
pub async fn first_account(db: &Db) -> Result<Option<FirstAccount>, AdminError> {
    const EMAIL: &str = "admin@localhost";
    const CREDITS: u64 = 1000;
    if !db.accounts(1).await?.is_empty() {
        return Ok(None);
    }
    let password = ids::secret("")[..20].to_owned();
    let account = match add_account(db, EMAIL, &password, Plan::Creator, CREDITS).await {
        // Another process was first.
        Err(AdminError::Taken(_)) => return Ok(None),
        made => made?,
    };
    let made = add_key(db, &account.id, "first", false).await?;
    Ok(Some(FirstAccount {
        email: EMAIL.to_owned(),
        password,
        key: made.secret,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_kept_in_one_form() {
        assert_eq!(email(" Ada@Example.ORG "), Some("ada@example.org".into()));
        for bad in ["", "ada", "@x", "a@", "a b@c", "a@b@c", "a\n@b", "<a@b>"] {
            assert_eq!(email(bad), None, "{bad}");
        }
    }
}
