//! Credits and request rates hold over all servers: exactly what is paid for, exactly what is allowed.

use std::sync::Arc;

use super::fleet::{Caller, Fleet, PRICE, Reply};
use crate::support::Store;
use crate::support::oracle::invariants;

/// So many requests at once, each to the next server; what a busy machine could not answer is asked again.
async fn at_once<F>(n: usize, ask: impl Fn(usize) -> F) -> Vec<Reply>
where
    F: Future<Output = Reply> + Send + 'static,
{
    let waiting: Vec<_> = (0..n).map(|i| tokio::spawn(ask(i))).collect();
    let mut all = Vec::new();
    for one in waiting {
        all.push(one.await.unwrap());
    }
    all
}

async fn exactly_what_is_paid_for(store: Store) {
    let mut fleet = Fleet::new(store, 0, 7 * PRICE + PRICE - 1).await;
    fleet.start(3).await;
    let fleet = Arc::new(fleet);
    let all = at_once(200, |i| {
        let fleet = Arc::clone(&fleet);
        async move {
            let name = format!("order-{i}");
            loop {
                let url = &fleet.servers[i % 3].url;
                let reply = fleet.caller.create(url, Some(&name)).await.unwrap();
                if reply.status != 503 {
                    break reply;
                }
            }
        }
    })
    .await;
    let (made, refused): (Vec<_>, Vec<_>) = all.iter().partition(|reply| reply.status == 200);
    assert_eq!((made.len(), refused.len()), (7, 193));
    for reply in refused {
        assert_eq!(reply.status, 402, "{}", reply.body);
        let details = &reply.body["error"]["details"];
        assert_eq!(details["required"], PRICE);
        assert_eq!(details["available"], PRICE - 1);
    }
    let mut sql = fleet.store.sql().await;
    assert_eq!(sql.number("SELECT count(*) FROM runs").await, 7);
    assert_eq!(sql.number("SELECT count(*) FROM river_job").await, 7);
    invariants(&fleet.store.options).await;
}

async fn exactly_a_hundred(store: Store) {
    let mut fleet = Fleet::new(store, 0, 0).await;
    fleet.told.per_minute = 100;
    fleet.start(3).await;
    let fleet = Arc::new(fleet);
    let all = at_once(500, |i| {
        let fleet = Arc::clone(&fleet);
        async move {
            loop {
                let reply = fleet
                    .caller
                    .get(&fleet.servers[i % 3].url, "/account")
                    .await;
                let reply = reply.unwrap();
                if reply.status != 503 {
                    break reply;
                }
            }
        }
    })
    .await;
    let (taken, refused): (Vec<_>, Vec<_>) = all.iter().partition(|reply| reply.status == 200);
    assert_eq!((taken.len(), refused.len()), (100, 400));
    for reply in refused {
        assert_eq!(reply.status, 429);
        let error = &reply.body["error"];
        assert_eq!(error["code"], "RATE_TOO_MANY_REQUESTS");
        let wait = error["details"]["retryAfter"].as_u64().unwrap();
        assert_eq!(reply.retry_after, Some(wait));
        assert!((1..=60).contains(&wait), "{wait}");
    }
    // Others are not held up.
    let other = Caller::new(&fleet.db, &fleet.owner).await;
    let reply = other.get(&fleet.servers[0].url, "/account").await;
    assert_eq!(reply.unwrap().status, 200);
}

on_both!(exactly_what_is_paid_for, exactly_a_hundred);
