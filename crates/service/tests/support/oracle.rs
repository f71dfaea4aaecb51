//! The oracle: what holds in the database after every fault (I1 to I3: runs, holds, balances).

use kinora_service::db::DbOptions;

use super::sql::Sql;

/// What must not be found, each as a query of the ids that break it.
const NEVER: &[(&str, &str)] = &[
    (
        "I2: a run without a hold",
        "SELECT id FROM runs WHERE id NOT IN (SELECT run_id FROM holds)",
    ),
    (
        "I2: a hold without its run",
        "SELECT run_id FROM holds WHERE run_id NOT IN (SELECT id FROM runs)",
    ),
    (
        "I2: a hold whose state is not its run's",
        "SELECT runs.id FROM runs JOIN holds ON holds.run_id = runs.id WHERE holds.state <> CASE runs.status
            WHEN 'COMPLETED' THEN 'captured' WHEN 'FAILED' THEN 'released' ELSE 'open' END",
    ),
    (
        "I2: something captured of a run that did not complete",
        "SELECT runs.id FROM runs JOIN holds ON holds.run_id = runs.id WHERE runs.status <> 'COMPLETED' AND holds.captured <> 0",
    ),
    (
        "I2: a completed run that says another price than was captured",
        "SELECT runs.id FROM runs JOIN holds ON holds.run_id = runs.id
            WHERE runs.status = 'COMPLETED' AND (runs.credits_used IS NULL OR runs.credits_used <> holds.captured)",
    ),
    (
        "I2: a run whose lines in the ledger are not one hold and one end",
        "SELECT runs.id FROM runs WHERE
            (SELECT count(*) FROM ledger WHERE run_id = runs.id AND kind = 'hold') <> 1
            OR (SELECT count(*) FROM ledger WHERE run_id = runs.id AND kind = 'capture')
                <> CASE runs.status WHEN 'COMPLETED' THEN 1 ELSE 0 END
            OR (SELECT count(*) FROM ledger WHERE run_id = runs.id AND kind = 'release')
                <> CASE runs.status WHEN 'FAILED' THEN 1 ELSE 0 END",
    ),
    (
        "I2: a line of the ledger that is not as its hold",
        "SELECT ledger.run_id FROM ledger JOIN holds ON holds.run_id = ledger.run_id
            WHERE ledger.amount <> CASE ledger.kind WHEN 'hold' THEN -holds.amount ELSE holds.amount - holds.captured END",
    ),
    (
        "I3: a balance that is not grants less captures less open holds",
        "SELECT id FROM accounts WHERE balance <> (
            SELECT COALESCE(SUM(amount), 0) FROM ledger WHERE account_id = accounts.id AND kind = 'grant'
        ) - (
            SELECT COALESCE(SUM(CASE state WHEN 'open' THEN amount ELSE captured END), 0) FROM holds WHERE account_id = accounts.id
        )",
    ),
    (
        "I3: a balance that is not the sum of its ledger",
        "SELECT id FROM accounts WHERE balance <> (SELECT COALESCE(SUM(amount), 0) FROM ledger WHERE account_id = accounts.id)",
    ),
    (
        "I3: a balance below 0",
        "SELECT id FROM accounts WHERE balance < 0",
    ),
    (
        "a run that ended and is still somebody's, or has no time of its end",
        "SELECT id FROM runs WHERE status IN ('COMPLETED', 'FAILED') AND (owner IS NOT NULL OR lease_until IS NOT NULL OR finished_at IS NULL)",
    ),
    (
        "a failed run without its failure",
        "SELECT id FROM runs WHERE (status = 'FAILED') <> (failure IS NOT NULL)",
    ),
    (
        "a queued run without a job in the queue",
        "SELECT id FROM runs WHERE status = 'QUEUED' AND id NOT IN (SELECT args ->> 'run_id' FROM river_job WHERE kind = 'run')",
    ),
    (
        "a delivery without a job in the queue",
        "SELECT id FROM deliveries WHERE delivered_at IS NULL
            AND id NOT IN (SELECT args ->> 'delivery_id' FROM river_job WHERE kind = 'delivery')",
    ),
];

/// Panics where something does not hold that has to hold at any time.
pub async fn invariants(options: &DbOptions) {
    let mut sql = Sql::open(options).await;
    for (what, query) in NEVER {
        let found = sql.texts(query).await;
        assert!(found.is_empty(), "{what}: {found:?}");
    }
}

/// I1: each of these runs is there and has ended.
pub async fn ended(options: &DbOptions, runs: &[String]) {
    let mut sql = Sql::open(options).await;
    let ended = sql
        .texts("SELECT id FROM runs WHERE status IN ('COMPLETED', 'FAILED')")
        .await;
    for run in runs {
        assert!(ended.contains(run), "I1: {run} has not ended");
    }
}
