//! Accounts, keys and sessions: who is let in, and until when.

use kinora_service::db::Plan;
use kinora_service::ids;

use crate::support::Store;
use crate::support::sample::account;

async fn keys(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 10).await;
    let secret = ids::secret("kn_");
    let key = db.add_key(&owner.id, "mine", &secret, true).await.unwrap();
    assert!(secret.starts_with(&key.shown) && key.shown.len() < 16);
    let caller = db.caller(&secret).await.unwrap().unwrap();
    assert_eq!(
        (caller.account.id.as_str(), caller.key_id.as_str()),
        (owner.id.as_str(), key.id.as_str())
    );
    assert!(caller.is_sandbox);
    for wrong in [
        "",
        "kn_",
        &secret[1..],
        &secret.to_uppercase(),
        &ids::hash(&secret),
        "\u{0}",
    ] {
        assert!(db.caller(wrong).await.unwrap().is_none(), "{wrong}");
    }
    // Only a hash is kept.
    let mut sql = store.sql().await;
    for column in ["id", "account_id", "name", "hash", "shown"] {
        let kept = sql.texts(&format!("SELECT {column} FROM api_keys")).await;
        assert!(!kept[0].contains(&secret[3..]), "{column}");
    }
    // Another process takes no longer to hear of it.
    let other = store.open().await;
    assert!(other.caller(&secret).await.unwrap().is_some());
    assert!(db.revoke_key(&owner.id, &key.id).await.unwrap());
    assert!(!db.revoke_key(&owner.id, &key.id).await.unwrap());
    assert!(other.caller(&secret).await.unwrap().is_none());
    let all = db.keys(&owner.id).await.unwrap();
    assert!(all.len() == 1 && all[0].revoked_at.is_some());
}

async fn accounts(store: Store) {
    let db = store.open().await;
    let made = db
        .add_account("Ann@Example.org", "hash 1", Plan::Free, 3)
        .await;
    let ann = made.unwrap().unwrap();
    assert_eq!(
        (ann.email.as_str(), ann.plan, ann.balance),
        ("ann@example.org", Plan::Free, 3)
    );
    let again = db
        .add_account("ann@example.ORG", "hash 2", Plan::Free, 3)
        .await;
    assert!(again.unwrap().is_none());
    assert_eq!(db.ledger(&ann.id, 9).await.unwrap().len(), 1);
    let (found, password) = db
        .account_by_email("ANN@example.org")
        .await
        .unwrap()
        .unwrap();
    assert_eq!((found.id, password.as_str()), (ann.id.clone(), "hash 1"));
    assert!(
        db.account_by_email("bob@example.org")
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        db.set_plan(&ann.id, Plan::Enterprise, Some(900))
            .await
            .unwrap()
    );
    assert!(!db.set_plan("acc_none", Plan::Free, None).await.unwrap());
    let ann = db.account(&ann.id).await.unwrap().unwrap();
    assert_eq!(
        (ann.plan, ann.requests_per_minute),
        (Plan::Enterprise, Some(900))
    );
    account(&db, 0).await;
    assert_eq!(db.accounts(10).await.unwrap().len(), 2);
    assert_eq!(db.accounts(1).await.unwrap().len(), 1);
}

async fn sessions(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 0).await;
    for (hash, secs) in [("a", 3600), ("b", 3600), ("over", 0)] {
        db.add_session(hash, &owner.id, "csrf", secs).await.unwrap();
    }
    let session = db.session("a").await.unwrap().unwrap();
    assert_eq!(
        (session.account.id, session.csrf.as_str()),
        (owner.id.clone(), "csrf")
    );
    assert!(db.session("over").await.unwrap().is_none());
    assert!(db.session("none").await.unwrap().is_none());
    db.end_session("a").await.unwrap();
    assert!(db.session("a").await.unwrap().is_none());
    let mut sql = store.sql().await;
    assert_eq!(sql.number("SELECT count(*) FROM sessions").await, 2);
    db.clean().await.unwrap();
    assert_eq!(sql.number("SELECT count(*) FROM sessions").await, 1);
    // A new password ends them all.
    assert!(db.set_password(&owner.id, "new").await.unwrap());
    assert!(db.session("b").await.unwrap().is_none());
    assert!(!db.set_password("acc_none", "new").await.unwrap());
}

on_both!(keys, accounts, sessions);
