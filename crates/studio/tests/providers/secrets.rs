//! A key, and what a provider said, are in nothing that anybody can print.

use std::fmt::{Debug, Write};
use std::sync::Arc;

use kinora_studio::failure::{Failure, FailureKind, Stage};
use kinora_studio::providers::chain::Chain;
use kinora_studio::providers::config::ProvidersConfig;
use kinora_studio::providers::http::{Http, HttpOptions, Secret};
use kinora_studio::providers::{PictureProvider, ScriptProvider, VoiceProvider};
use serde_json::json;

use crate::files::png;
use crate::setup::{KEY, Setup, picture_ask, script_ask, speech_ask, table};
use crate::stub::{self, Act, Stub, send};

/// What servers say in these tests, with the key they were shown.
const THEIRS: &str = "BODY-CANARY-93ac";

struct Ledger(String);

impl Ledger {
    fn debug(&mut self, value: &dyn Debug) {
        write!(self.0, "{value:?}\n{value:#?}\n").unwrap();
    }

    fn failure(&mut self, failure: &Failure) {
        self.debug(failure);
        write!(
            self.0,
            "{failure}\n{}\n",
            serde_json::to_string(failure).unwrap()
        )
        .unwrap();
    }

    fn assert_clean(&self) {
        // A part of the key is a leak too.
        for canary in [KEY, &KEY[..14], "7d1f3b9a55e84c20", THEIRS] {
            assert!(!self.0.contains(canary), "{canary} is in:\n{}", self.0);
        }
    }
}

fn loud(status: u16) -> Act {
    let body = json!({"error": {"message": format!("{THEIRS}: Incorrect API key provided: {KEY}"), "type": THEIRS, "code": KEY}, "detail": [{"type": THEIRS, "msg": KEY}]});
    let head = format!(
        "Retry-After: {THEIRS}\r\nLocation: https://{THEIRS}.test/{KEY}\r\nX-Key: {KEY}\r\n"
    );
    Act::Send(stub::reply(
        status,
        THEIRS,
        &head,
        body.to_string().as_bytes(),
    ))
}

#[test]
fn no_failure_shows_a_key_or_what_a_provider_said() {
    let mut ledger = Ledger(String::new());
    let plain = |text: String| send(200, "application/json", text.as_bytes());
    let mut acts: Vec<Act> = [
        301, 400, 401, 402, 403, 404, 408, 409, 410, 413, 422, 425, 429, 500, 501, 503, 599,
    ]
    .map(loud)
    .to_vec();
    acts.extend([
        plain(format!("{THEIRS} {KEY}")),
        plain(json!({"choices": [{"message": {"content": format!("{{\"{THEIRS}\": \"{KEY}\"}}")}}]}).to_string()),
        plain(json!({"choices": [{"message": {"refusal": THEIRS}}]}).to_string()),
        plain(json!({"data": [{"url": format!("https://{THEIRS}.test/{KEY}")}]}).to_string()),
        plain(json!({"data": [{"url": format!("http://127.0.0.1:1/{KEY}")}]}).to_string()),
        plain(json!({"status_url": format!("https://{THEIRS}.test/{KEY}"), "response_url": KEY, "cancel_url": THEIRS}).to_string()),
        plain(json!({"audio_base64": KEY, "alignment": null}).to_string()),
        Act::Send(format!("HTTP/1.1 200 {KEY}\r\n{THEIRS}\r\n\r\n").into_bytes()),
        Act::Reset,
    ]);
    for act in acts {
        let (stub, setup) = (Stub::script(vec![act]), Setup::new());
        let openai = setup.openai(&stub);
        let (fal, elevenlabs) = (setup.fal(&stub), setup.elevenlabs(&stub));
        let (writer, painter) = (
            openai.writer(&setup.http),
            openai.painter(&setup.http, table()),
        );
        let voice = openai.voice(&setup.http, table());
        let call = setup.call();
        ledger.failure(&writer.write(&script_ask(), &call).unwrap_err());
        ledger.failure(&painter.paint(&picture_ask(""), &[], &call).unwrap_err());
        ledger.failure(&voice.speak(&speech_ask("Hi there"), &call).unwrap_err());
        ledger.failure(
            &fal.paint(&picture_ask(""), &[png(300, 300)], &call)
                .unwrap_err(),
        );
        ledger.failure(
            &elevenlabs
                .speak(&speech_ask("Hi there"), &call)
                .unwrap_err(),
        );
        let chain = Chain::<dyn PictureProvider>::of(vec![
            Arc::new(painter.clone()),
            Arc::new(fal.clone()),
        ]);
        ledger.failure(&chain.paint(&picture_ask(""), &[], &call).unwrap_err());
        ledger.debug(&openai);
        ledger.debug(&writer);
        ledger.debug(&painter);
        ledger.debug(&voice);
        ledger.debug(&fal);
        ledger.debug(&elevenlabs);
        ledger.debug(&setup.http);
        ledger.debug(&call);
    }
    ledger.debug(&Secret::new(KEY));
    assert!(ledger.0.len() > 100_000, "the ledger is not empty");
    ledger.assert_clean();
}

#[test]
fn a_key_in_the_configuration_is_refused_and_not_repeated() {
    let text = format!("[provider.openai]\nkind = \"openai\"\nkey_env = \"{KEY}\"\n");
    let problems = ProvidersConfig::read(&text).unwrap_err();
    let shown = format!("{problems:?} {}", problems[0]);
    assert!(
        shown.contains("never the key itself") && problems[0].line == 3,
        "{shown}"
    );
    assert!(!shown.contains(KEY));
    let url = format!(
        "[provider.a]\nkind = \"openai\"\nbase_url = \"https://user:{KEY}@host/?key={KEY}\"\n"
    );
    let problems = ProvidersConfig::read(&url).unwrap_err();
    assert!(!format!("{problems:?}").contains(KEY));
}

#[test]
fn a_key_that_is_missing_or_unusable_is_told_by_the_name_of_its_variable() {
    for (key, wanted) in [
        (None, "OPENAI_API_KEY is not set"),
        (
            Some(format!("{KEY}\n{KEY}")),
            "OPENAI_API_KEY does not contain a valid key",
        ),
    ] {
        let options = HttpOptions {
            keys: Arc::new(move |_| key.clone()),
            uses_proxy: false,
            ..HttpOptions::default()
        };
        let (stub, setup) = (Stub::script(vec![send(200, "", b"")]), Setup::new());
        let http = Http::new(options).unwrap();
        let failure = setup
            .openai(&stub)
            .writer(&http)
            .write(&script_ask(), &setup.call())
            .unwrap_err();
        assert_eq!(
            (failure.kind, failure.stage),
            (FailureKind::NotConfigured, Stage::Script)
        );
        assert!(failure.message.contains(wanted), "{failure}");
        assert!(!format!("{failure:?}").contains(KEY));
        assert_eq!(stub.n_seen(), 0);
    }
}
