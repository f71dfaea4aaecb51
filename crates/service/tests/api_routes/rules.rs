//! One row per rule: the interface's sections 3 to 8 as calls (`rules.txt`), and section 2 through HTTP by the studio's own table.

use std::collections::BTreeMap;
use std::time::Duration;

use kinora_service::db::{Output, Progress, RunFailure};
use serde_json::Value;

use crate::client::Service;
use crate::expanded::expanded;

/// Runs by the names that the table calls them.
async fn runs(service: &Service) -> BTreeMap<&'static str, String> {
    let short = async || {
        let made = service.post("/short", r#"{"prompt": "A"}"#).await;
        made.text("/data/id")
    };
    let universe = async || {
        let made = service
            .post("/universe/noir/create", r#"{"prompt": "A"}"#)
            .await;
        made.text("/data/requestId")
    };
    let claim = async |id: &str| {
        let lease = Duration::from_secs(60);
        let claim = service.app.db.claim(id, "a test", lease, 3).await;
        claim.unwrap().unwrap().lease
    };
    let (done, failed, executing) = (short().await, universe().await, short().await);
    let output = Output {
        video: "videos/00112233445566778899aabbccddeeff.mp4".into(),
        size: 1000,
        duration_ms: 30_500,
        poster: None,
        srt: None,
        vtt: None,
        words: None,
        notes: Vec::new(),
    };
    let lease = claim(&done).await;
    assert!(service.app.db.complete(&lease, &output, 5).await.unwrap());
    let failure = RunFailure {
        message: "it did not work".into(),
        reason: "refused".into(),
        stage: None,
        provider: None,
        provider_status: None,
        retryable: false,
    };
    let lease = claim(&failed).await;
    assert!(service.app.db.fail(&lease, &failure).await.unwrap());
    let lease = claim(&executing).await;
    let progress = Progress {
        percent: 10,
        stage: "voice".into(),
        scene_done: 1,
        scene_total: 5,
    };
    let beat = service
        .app
        .db
        .heartbeat(&lease, Duration::from_secs(60), Some(&progress));
    beat.await.unwrap();
    BTreeMap::from([
        ("$short", short().await),
        ("$universe", universe().await),
        ("$done", done),
        ("$failed", failed),
        ("$executing", executing),
    ])
}

/// What is wrong with an answer, if anything.
fn told(line: &str, reply: &Value) -> Option<String> {
    let (pointer, expected) = line.split_once(' ').unwrap();
    let found = reply.pointer(pointer);
    let is_right = match expected {
        "absent" => found.is_none(),
        text if text.starts_with('*') => found
            .and_then(Value::as_str)
            .is_some_and(|found| found.starts_with(&text[1..])),
        json => found == Some(&serde_json::from_str(json).unwrap()),
    };
    (!is_right).then(|| format!("{pointer} is {found:?}, not {expected}"))
}

#[tokio::test]
async fn every_rule_of_the_table_holds() {
    let service = Service::new().await;
    let runs = Box::pin(runs(&service)).await;
    let mut table = include_str!("rules.txt").to_owned();
    for (name, id) in &runs {
        table = table.replace(name, id);
    }
    let cases: Vec<&str> = table.split("\n== ").skip(1).collect();
    assert!(cases.len() > 60, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let mut lines = case.lines();
        let name = lines.next().unwrap();
        let call = expanded(lines.next().unwrap());
        let mut parts = call.splitn(4, ' ');
        let (who, method, path) = (
            parts.next().unwrap(),
            parts.next().unwrap(),
            parts.next().unwrap(),
        );
        let body = parts.next().unwrap_or_default();
        let reply = service.call(who, &format!("{method} {path}"), body).await;
        let (status, code) = lines
            .next()
            .map(|l| l.split_once(' ').unwrap_or((l, "")))
            .unwrap();
        let is_coded = code.is_empty() || reply.text("/error/code") == code;
        if reply.status.as_str() != status || !is_coded {
            wrong.push(format!("{name}: {} {:?}", reply.status, reply.body));
            continue;
        }
        for line in lines.filter_map(|line| line.strip_prefix("= ")) {
            wrong.extend(told(line, &reply.json()).map(|told| format!("{name}: {told}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Bodies that name what only an account can have: they are right for the reader of requests, and refused here.
fn names_a_stranger(body: &str) -> bool {
    body.contains("voiceoverKey") || body.contains("\"characters\": [\"")
}

#[tokio::test]
async fn every_row_of_the_studios_table_holds_over_http() {
    let service = Service::new().await;
    let table = include_str!("../../../studio/tests/requests/table.txt");
    let (mut n_good, mut n_bad) = (0, 0);
    for case in table.split("\n== ").skip(1) {
        let mut lines = case.lines().filter(|line| !line.starts_with('#'));
        let name = lines.next().unwrap();
        let (endpoint, body) = lines.next().unwrap().split_once(' ').unwrap_or_default();
        let path = match endpoint {
            "short" => "/short",
            "universe" => "/universe/open-stage/estimate",
            _ => continue,
        };
        let body = expanded(body);
        let problems: Vec<&str> = lines.filter_map(|line| line.strip_prefix("! ")).collect();
        let reply = service.post(path, &body).await;
        if body.len() > service.app.config.server.max_json {
            reply.assert_refused(413, "VAL_INVALID_FORMAT");
        } else if problems.is_empty() && !names_a_stranger(&body) {
            n_good += 1;
            assert!(
                reply.status.is_success() || is_of_universe(&reply.text("/error/details/field")),
                "{name}: {:?}",
                reply.body
            );
        } else if problems.is_empty() {
            assert_eq!(reply.status.as_u16(), 400, "{name}: {:?}", reply.body);
        } else {
            n_bad += 1;
            assert_eq!(reply.status.as_u16(), 400, "{name}: {:?}", reply.body);
            let field = reply.text("/error/details/field");
            let fields: Vec<&str> = problems
                .iter()
                .map(|problem| problem.split(' ').nth(1).unwrap())
                .collect();
            assert!(
                fields.contains(&field.as_str()) || (fields.contains(&"-") && field.is_empty()),
                "{name}: {field} is none of {fields:?}"
            );
        }
    }
    assert!(n_good > 40 && n_bad > 60, "{n_good} good, {n_bad} bad");
}

/// What is right by itself and may still not go with this universe.
fn is_of_universe(field: &str) -> bool {
    ["visualStyleId", "language"].contains(&field)
}
