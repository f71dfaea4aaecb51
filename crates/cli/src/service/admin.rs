//! `kinora admin`: manages accounts, plans, credits and keys directly in the database.

use clap::Subcommand;
use kinora_service::admin::{self, AdminError};
use kinora_service::db::{Account, ApiKey, Db, DbOptions, Plan};
use kinora_service::{ids, serve};
use serde_json::{Value, json};

use super::Place;
use crate::console;
use crate::failure::{Done, Failure};

/// Manage the accounts, plans, credits and keys of a service: use the same --data or --config as its server
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,

    /// Print answers as JSON lines
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// List the accounts, newest first
    Accounts,
    /// Create an account; its password is generated and shown once
    AddAccount {
        /// The sign-in address
        email: String,
        /// free, starter, creator or enterprise
        #[arg(long, default_value = "starter", value_parser = plan)]
        plan: Plan,
        /// Initial credits
        #[arg(long, default_value_t = 0)]
        credits: u64,
    },
    /// Change an account's plan
    Plan {
        /// The account's address
        email: String,
        /// free, starter, creator or enterprise
        #[arg(value_parser = plan)]
        plan: Plan,
        /// Requests per minute for each of its keys [default: as configured]
        #[arg(long, value_name = "N")]
        requests_per_minute: Option<u32>,
    },
    /// Grant credits to an account, or take them with a negative number
    Grant {
        /// The account's address
        email: String,
        /// The number of credits
        #[arg(allow_negative_numbers = true)]
        credits: i64,
        /// The note in the ledger
        #[arg(long, default_value = "granted by the operator")]
        note: String,
    },
    /// Give an account a new password, shown once; all its sessions end
    Password {
        /// The account's address
        email: String,
    },
    /// List an account's keys
    Keys {
        /// The account's address
        email: String,
    },
    /// Create a key, shown once
    AddKey {
        /// The account's address
        email: String,
        /// The key's name
        #[arg(long, default_value = "made by the operator")]
        name: String,
        /// Create a sandbox key: its videos are free, made offline and watermarked
        #[arg(long)]
        sandbox: bool,
    },
    /// Revoke a key by its id
    RevokeKey {
        /// The account's address
        email: String,
        /// The key's id, key_…
        key: String,
    },
}

fn plan(name: &str) -> Result<Plan, String> {
    Plan::from_name(name)
        .ok_or_else(|| "must be one of free, starter, creator, enterprise".to_owned())
}

pub(crate) fn run(args: &Args) -> Done {
    let config = args.place.config()?;
    is_there(&config.database)?;
    let told = serve::block_on(async {
        let db = Db::open(&config.database).await?;
        done(&db, &args.what).await
    });
    let lines = told.map_err(|e| match e {
        AdminError::Db(e) => Failure::Io(format!("the database: {e}")),
        other => Failure::Usage(other.to_string()),
    })?;
    for (line, value) in lines {
        if args.json {
            console::json_line(&value);
        } else {
            console::print(&line);
        }
    }
    Ok(())
}

/// Refuses a database that no server has created.
fn is_there(database: &DbOptions) -> Result<(), Failure> {
    match database {
        DbOptions::Sqlite(file) if !file.exists() => Err(Failure::Usage(format!(
            "there is no database {}: name the server's own folder or configuration with --data DIR or --config FILE, or start the server first",
            file.display()
        ))),
        _ => Ok(()),
    }
}

/// A line for people and its JSON for programs.
type Told = (String, Value);

async fn done(db: &Db, what: &What) -> Result<Vec<Told>, AdminError> {
    const MOST: u32 = 10_000;
    if let What::Accounts = what {
        return Ok(db.accounts(MOST).await?.iter().map(account_told).collect());
    }
    if let What::AddAccount {
        email,
        plan,
        credits,
    } = what
    {
        let password = made_up_password();
        let account = admin::add_account(db, email, &password, *plan, *credits).await?;
        let (line, mut value) = account_told(&account);
        value["password"] = json!(password);
        return Ok(vec![(
            format!("{line}\npassword, shown once: {password}"),
            value,
        )]);
    }
    let account = admin::account(db, what.email()).await?;
    match what {
        What::Keys { .. } | What::AddKey { .. } | What::RevokeKey { .. } => {
            with_keys(db, &account, what).await
        }
        _ => with_account(db, &account, what)
            .await
            .map(|told| vec![told]),
    }
}

impl What {
    /// Returns the address of the account; empty if the command concerns all.
    fn email(&self) -> &str {
        match self {
            What::Accounts => "",
            What::AddAccount { email, .. }
            | What::Plan { email, .. }
            | What::Grant { email, .. }
            | What::Password { email }
            | What::Keys { email }
            | What::AddKey { email, .. }
            | What::RevokeKey { email, .. } => email,
        }
    }
}

async fn with_account(db: &Db, account: &Account, what: &What) -> Result<Told, AdminError> {
    let email = &account.email;
    match what {
        What::Plan {
            plan,
            requests_per_minute,
            ..
        } => {
            db.set_plan(&account.id, *plan, *requests_per_minute)
                .await?;
        }
        What::Grant { credits, note, .. } => {
            let granted = db.grant(&account.id, *credits, note).await?;
            if granted.is_none() {
                let message = format!("{email} has only {} credits", account.balance);
                return Err(AdminError::Wrong(message));
            }
        }
        _ => {
            let password = made_up_password();
            admin::set_password(db, &account.id, &password).await?;
            return Ok((
                format!("password, shown once: {password}"),
                json!({ "email": email, "password": password }),
            ));
        }
    }
    Ok(account_told(&admin::account(db, email).await?))
}

async fn with_keys(db: &Db, account: &Account, what: &What) -> Result<Vec<Told>, AdminError> {
    let email = &account.email;
    match what {
        What::AddKey { name, sandbox, .. } => {
            let made = admin::add_key(db, &account.id, name, *sandbox).await?;
            let (line, mut value) = key_told(&made.key);
            value["key"] = json!(made.secret);
            Ok(vec![(
                format!("{line}\nkey, shown once: {}", made.secret),
                value,
            )])
        }
        What::RevokeKey { key, .. } => {
            if db.revoke_key(&account.id, key).await? {
                return Ok(vec![(
                    format!("{key} is revoked"),
                    json!({ "id": key, "revoked": true }),
                )]);
            }
            let message = format!(
                "{email} has no active key {key}; `kinora admin keys {email}` lists the keys"
            );
            Err(AdminError::Wrong(message))
        }
        _ => Ok(db.keys(&account.id).await?.iter().map(key_told).collect()),
    }
}

fn made_up_password() -> String {
    ids::secret("")[..20].to_owned()
}

fn account_told(account: &Account) -> Told {
    let limit = account
        .requests_per_minute
        .map_or(String::new(), |n| format!(", {n} requests a minute"));
    let line = format!(
        "{}  {}  {} credits{limit}  ({})",
        account.email,
        account.plan.as_str(),
        account.balance,
        account.id
    );
    let value = json!({
        "id": account.id,
        "email": account.email,
        "plan": account.plan,
        "balance": account.balance,
        "requests_per_minute": account.requests_per_minute,
    });
    (line, value)
}

fn key_told(key: &ApiKey) -> Told {
    let sandbox = if key.is_sandbox { "  sandbox" } else { "" };
    let revoked = if key.revoked_at.is_some() {
        "  revoked"
    } else {
        ""
    };
    let line = format!("{}  {}…  {}{sandbox}{revoked}", key.id, key.shown, key.name);
    let value = json!({ "id": key.id, "shown": key.shown, "name": key.name, "sandbox": key.is_sandbox, "revoked": key.revoked_at.is_some() });
    (line, value)
}
