//! Accounts and runs as tests need them.

use kinora_service::db::{
    Account, Created, Db, Estimated, Family, NewRun, Output, Plan, RunFailure,
};
use kinora_service::ids;
use kinora_service::order::{Asked, Order};
use kinora_studio::request::ShortRequest;
use serde_json::{Value, json};

/// An account with so many credits.
pub async fn account(db: &Db, credits: u64) -> Account {
    let email = format!("{}@example.org", ids::prefixed(""));
    let made = db.add_account(&email, "no hash", Plan::Creator, credits);
    made.await.unwrap().unwrap()
}

/// A run of so many credits.
pub fn run(account: &Account, credits: u64) -> NewRun {
    let id = ids::run();
    let request = Box::new(ShortRequest {
        prompt: Some("a lighthouse".into()),
        ..ShortRequest::default()
    });
    NewRun {
        answer: json!({ "id": id }),
        id,
        project_id: ids::project(),
        account_id: account.id.clone(),
        key_id: None,
        family: Family::Short,
        universe: None,
        title: "a lighthouse".into(),
        is_sandbox: false,
        order: Order {
            asked: Asked::Short { request },
            watermark: true,
        },
        warnings: Value::Array(Vec::new()),
        webhook_url: None,
        metadata: None,
        retry_of: None,
        estimated: Estimated {
            duration_ms: 60_000,
            credits,
        },
        idempotency: None,
    }
}

/// The same, written down; its id.
pub async fn created(db: &Db, account: &Account, credits: u64) -> String {
    let run = run(account, credits);
    assert_eq!(db.create_run(&run).await.unwrap(), Created::New);
    run.id
}

pub fn output() -> Output {
    Output {
        video: "videos/0123.mp4".into(),
        size: 1000,
        duration_ms: 60_000,
        poster: None,
        srt: None,
        vtt: None,
        words: None,
        notes: vec!["a note".into()],
    }
}

pub fn failure(reason: &str) -> RunFailure {
    RunFailure {
        message: "it did not work".into(),
        reason: reason.into(),
        stage: Some("voice".into()),
        provider: None,
        provider_status: None,
        retryable: false,
    }
}

/// Numbers that a seed decides on (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}
