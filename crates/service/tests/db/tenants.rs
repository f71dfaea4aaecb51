//! What belongs to another account is as if it were not there, by every method that is told an account.

use std::time::Duration;

use kinora_service::db::{Account, Created, Db, NewCharacter, Upload};
use kinora_studio::request::UniverseSettings;
use uuid::Uuid;

use crate::support::Store;
use crate::support::oracle::invariants;
use crate::support::sample::{account, created, output, run};

/// Ids of what an account has.
struct Things {
    run: String,
    key: String,
    universe: UniverseSettings,
    character: Uuid,
    upload: String,
    webhook: String,
}

fn upload(id: &str) -> Upload {
    Upload {
        id: id.into(),
        name: "voice.wav".into(),
        object: "audio/1.wav".into(),
        n_bytes: 1 << 20,
        duration_ms: 61_000,
        spoken: Some("hello".into()),
        created_at: 0,
    }
}

fn lighthouse_keeper() -> NewCharacter {
    NewCharacter {
        name: "Ada".into(),
        description: "keeps the light".into(),
        appearance: String::new(),
        clothing: "a coat".into(),
        prompt: "Ada, who keeps the light".into(),
        image: "characters/1.png".into(),
        is_measured: false,
    }
}

async fn fill(db: &Db, owner: &Account) -> Things {
    let universe: UniverseSettings = serde_json::from_value(serde_json::json!({
        "slug": "a-place", "aiStyleByDefault": true,
    }))
    .unwrap();
    let secret = kinora_service::ids::secret("kn_");
    let run = created(db, owner, 5).await;
    let claim = db.claim(&run, "w", Duration::from_secs(9), 3).await;
    let added = db.add_universe(&owner.id, "A place", &universe).await;
    assert!(added.unwrap());
    let upload = upload(&kinora_service::ids::prefixed("aud_"));
    db.add_upload(&owner.id, &upload).await.unwrap();
    let two = [lighthouse_keeper(), lighthouse_keeper()];
    let characters = db.add_characters(&owner.id, &two).await.unwrap();
    let webhook = db.add_webhook(&owner.id, "https://a.example", "s").await;
    let things = Things {
        run,
        key: db.add_key(&owner.id, "k", &secret, false).await.unwrap().id,
        universe,
        character: characters[0].id,
        upload: upload.id,
        webhook: webhook.unwrap().id,
    };
    let lease = claim.unwrap().unwrap().lease;
    assert!(db.complete(&lease, &output(), 2).await.unwrap());
    things
}

/// What an account can read, in words.
async fn all_of(db: &Db, account: &str) -> String {
    format!(
        "{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}",
        db.account(account).await.unwrap(),
        db.runs(account, None, 99).await.unwrap(),
        db.keys(account).await.unwrap(),
        db.universes(account).await.unwrap(),
        db.characters(account).await.unwrap(),
        db.uploads(account).await.unwrap(),
        db.webhooks(account).await.unwrap(),
        db.deliveries(account, 99).await.unwrap(),
        db.ledger(account, 99).await.unwrap(),
    )
}

async fn foreign_things(store: Store) {
    let db = store.open().await;
    let (alice, bob) = (account(&db, 100).await, account(&db, 0).await);
    let hers = fill(&db, &alice).await;
    let before = all_of(&db, &alice.id).await;
    let empty = all_of(&db, &bob.id).await;
    let bob_id = bob.id.as_str();

    assert!(db.run(bob_id, &hers.run, None).await.unwrap().is_none());
    assert!(db.cancel_run(bob_id, &hers.run).await.unwrap().is_none());
    assert!(!db.revoke_key(bob_id, &hers.key).await.unwrap());
    let slug = hers.universe.slug.as_str();
    assert!(db.universe(bob_id, slug).await.unwrap().is_none());
    assert!(
        !db.set_universe(bob_id, "Mine", &hers.universe)
            .await
            .unwrap()
    );
    assert!(!db.delete_universe(bob_id, slug).await.unwrap());
    assert!(
        db.character(bob_id, hers.character)
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        !db.set_voice(bob_id, hers.character, Some("v"))
            .await
            .unwrap()
    );
    assert!(!db.delete_character(bob_id, hers.character).await.unwrap());
    assert!(db.upload(bob_id, &hers.upload).await.unwrap().is_none());
    assert!(
        db.delete_upload(bob_id, &hers.upload)
            .await
            .unwrap()
            .is_none()
    );
    assert!(!db.delete_webhook(bob_id, &hers.webhook).await.unwrap());
    assert_eq!(
        db.create_run(&run(&bob, 1)).await.unwrap(),
        Created::NoCredits { available: 0 }
    );

    assert_eq!(all_of(&db, &alice.id).await, before);
    assert_eq!(all_of(&db, bob_id).await, empty);
    // The same slug is another universe.
    assert!(
        db.add_universe(bob_id, "His", &hers.universe)
            .await
            .unwrap()
    );
    assert_eq!(all_of(&db, &alice.id).await, before);
    invariants(&store.options).await;
}

async fn own_things(store: Store) {
    let db = store.open().await;
    let alice = account(&db, 100).await;
    let id = alice.id.as_str();
    let mut hers = fill(&db, &alice).await;

    let kept = db.upload(id, &hers.upload).await.unwrap().unwrap();
    assert!(kept.created_at > 0);
    let as_given = Upload {
        created_at: 0,
        ..kept
    };
    assert_eq!(
        format!("{as_given:?}"),
        format!("{:?}", upload(&hers.upload))
    );
    let object = db.delete_upload(id, &hers.upload).await.unwrap();
    assert_eq!(object.as_deref(), Some("audio/1.wav"));
    assert!(db.delete_upload(id, &hers.upload).await.unwrap().is_none());

    assert_eq!(db.characters(id).await.unwrap().len(), 2);
    assert!(db.set_voice(id, hers.character, Some("v")).await.unwrap());
    let kept = db.character(id, hers.character).await.unwrap().unwrap();
    assert_eq!(kept.voice.as_deref(), Some("v"));
    assert_eq!(
        format!("{:?}", kept.told),
        format!("{:?}", lighthouse_keeper())
    );
    assert!(db.set_voice(id, hers.character, None).await.unwrap());
    assert!(db.delete_character(id, hers.character).await.unwrap());
    assert_eq!(db.characters(id).await.unwrap().len(), 1);

    assert!(!db.add_universe(id, "Again", &hers.universe).await.unwrap());
    hers.universe.captions = false;
    assert!(
        db.set_universe(id, "New name", &hers.universe)
            .await
            .unwrap()
    );
    let kept = db.universe(id, "a-place").await.unwrap().unwrap();
    assert_eq!(
        (kept.name.as_str(), kept.settings),
        ("New name", hers.universe)
    );
    assert!(db.delete_universe(id, "a-place").await.unwrap());
    assert!(db.universes(id).await.unwrap().is_empty());

    assert!(db.delete_webhook(id, &hers.webhook).await.unwrap());
    assert!(!db.delete_webhook(id, &hers.webhook).await.unwrap());
}

on_both!(foreign_things, own_things);
