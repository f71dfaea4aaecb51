//! The database does not answer, or answers that somebody else was first: an error soon, and everything works when it is back.

use std::time::{Duration, Instant};

use kinora_service::db::{Created, Db, DbError, DbOptions};

use crate::support::Store;
use crate::support::oracle::invariants;
use crate::support::proxy::Proxy;
use crate::support::sample::{account, created, output, run};
use crate::support::{postgres, sql};

/// 2 s are promised; the rest is for a machine that has other things to do.
const SOON: Duration = Duration::from_secs(6);

/// An error that says "later", before long.
async fn is_refused<T: std::fmt::Debug>(
    what: &str,
    work: impl Future<Output = Result<T, DbError>>,
) {
    let begun = Instant::now();
    let done = tokio::time::timeout(SOON, work).await;
    println!("{what}: {:?}", begun.elapsed());
    let error = done.expect("an error before long").unwrap_err();
    assert!(error.is_unavailable(), "{what}: {error:?}");
}

async fn nothing_works(db: &Db, owner: &kinora_service::db::Account) {
    is_refused("read", db.account(&owner.id)).await;
    is_refused("create", db.create_run(&run(owner, 1))).await;
    is_refused("rate", db.admit("key", 100, 60_000)).await;
    is_refused("key", db.caller("secret")).await;
    assert!(!db.is_ready().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_server() {
    let Some(server) = postgres::server() else {
        return;
    };
    let url = server.new_database().await;
    let proxy = Proxy::before(server.port).await;
    let own = format!(":{}/", server.port);
    let url_through = url.replace(&own, &format!(":{}/", proxy.address.port()));
    let db = Db::open(&DbOptions::Postgres(url_through.clone()))
        .await
        .unwrap();
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 10).await;
    let lease = Duration::from_secs(60);
    let claim = db.claim(&id, "w", lease, 3).await.unwrap().unwrap();

    proxy.cut();
    nothing_works(&db, &owner).await;
    is_refused("heartbeat", db.heartbeat(&claim.lease, lease, None)).await;
    is_refused("complete", db.complete(&claim.lease, &output(), 5)).await;
    is_refused("open", Db::open(&DbOptions::Postgres(url_through))).await;

    proxy.mend();
    // What was on its way when the wire was cut may have come through: then it is done, and once.
    let mut n_tries = 0;
    while let Err(error) = db.complete(&claim.lease, &output(), 5).await {
        n_tries += 1;
        assert!(n_tries < 20, "{error}");
    }
    let done = db.run(&owner.id, &id, None).await.unwrap().unwrap();
    assert_eq!((done.attempt, done.credits_used), (1, Some(5)));
    invariants(&DbOptions::Postgres(url)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_server() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = port.local_addr().unwrap().port();
    let options = DbOptions::Postgres(format!("postgres://kinora@127.0.0.1:{port}/kinora"));
    is_refused("open", Db::open(&options)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_another_process_writes() {
    let store = Store::sqlite();
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let mut other = store.sql().await;
    other.run("BEGIN IMMEDIATE").await;
    is_refused("create", db.create_run(&run(&owner, 1))).await;
    // What is read, and request rates, do not wait for it.
    assert_eq!(db.account(&owner.id).await.unwrap().unwrap().balance, 100);
    db.admit("key", 100, 60_000).await.unwrap();
    other.run("ROLLBACK").await;
    assert_eq!(db.create_run(&run(&owner, 1)).await.unwrap(), Created::New);
    invariants(&store.options).await;
}

/// The server says twice that another transaction was first: nobody hears of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_race() {
    let Some(store) = Store::postgres().await else {
        return;
    };
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 10).await;
    let lease = Duration::from_secs(60);
    let claim = db.claim(&id, "w", lease, 3).await.unwrap().unwrap();
    let mut sql: sql::Sql = store.sql().await;
    sql.run(
        "CREATE SEQUENCE asked;
        CREATE FUNCTION lost() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            CASE nextval('asked') WHEN 1 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '40001';
            WHEN 2 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '40P01'; ELSE RETURN NEW; END CASE; END $$;
        CREATE TRIGGER lost BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION lost()",
    )
    .await;
    assert!(db.complete(&claim.lease, &output(), 10).await.unwrap());
    assert_eq!(sql.number("SELECT last_value FROM asked").await, 3);
    invariants(&store.options).await;
}
