//! Adapters that talk to a stub, and a clock that does not sleep.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use kinora::CancelToken;
use kinora_studio::providers::elevenlabs::{ElevenLabs, ElevenLabsSettings};
use kinora_studio::providers::fal::{Fal, FalSettings};
use kinora_studio::providers::http::{Clock, EndpointSettings, Http, HttpOptions, Lookup};
use kinora_studio::providers::models::ModelTable;
use kinora_studio::providers::openai::OpenAiSettings;
use kinora_studio::providers::{Call, PictureAsk, ScriptAsk, SpeechAsk};
use reqwest::Url;

use crate::stub::Stub;

/// The key that every adapter of these tests has.
pub const KEY: &str = "sk-canary-7d1f3b9a55e84c20";

/// Real time, plus all that was slept.
#[derive(Debug, Default)]
pub struct QuickClock(Mutex<Duration>);

impl QuickClock {
    pub fn slept(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

impl Clock for QuickClock {
    fn now(&self) -> Instant {
        Instant::now() + self.slept()
    }

    fn time_of_day(&self) -> SystemTime {
        SystemTime::now() + self.slept()
    }

    fn sleep(&self, wait: Duration) {
        *self.0.lock().unwrap() += wait;
    }
}

/// Names of these tests; none is ever asked for outside.
#[derive(Debug)]
pub struct Names;

impl Lookup for Names {
    fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let addresses: &[&str] = match host.trim_end_matches('.') {
            "loop.test" | "localhost" => &["127.0.0.1"],
            "loop6.test" => &["::1"],
            "private.test" => &["10.0.0.1"],
            "mixed.test" => &["93.184.216.34", "127.0.0.1"],
            "mapped.test" => &["::ffff:127.0.0.1"],
            "metadata.google.internal" => &["169.254.169.254"],
            _ => return Err(io::Error::new(io::ErrorKind::NotFound, "no such host")),
        };
        Ok(addresses.iter().map(|a| a.parse().unwrap()).collect())
    }
}

/// A client of its own, so that tests share no budget.
pub struct Setup {
    pub http: Http,
    pub clock: Arc<QuickClock>,
    /// Of one request.
    pub timeout: Duration,
}

impl Setup {
    pub fn new() -> Setup {
        let clock = Arc::new(QuickClock::default());
        let options = HttpOptions {
            clock: clock.clone(),
            lookup: Arc::new(Names),
            keys: Arc::new(|_| Some(KEY.to_owned())),
            uses_proxy: false,
            folder: std::path::PathBuf::new(),
        };
        Setup {
            http: Http::new(options).unwrap(),
            clock,
            timeout: Duration::from_secs(180),
        }
    }

    pub fn timeout(mut self, timeout: Duration) -> Setup {
        self.timeout = timeout;
        self
    }

    fn place(&self, endpoint: &mut EndpointSettings, stub: &Stub, path: &str) {
        endpoint.base_url = Url::parse(&stub.url(path)).unwrap();
        endpoint.timeout = self.timeout;
    }

    pub fn openai(&self, stub: &Stub) -> OpenAiSettings {
        let mut settings = OpenAiSettings::new("openai");
        self.place(&mut settings.endpoint, stub, "/v1");
        settings
    }

    pub fn elevenlabs(&self, stub: &Stub) -> ElevenLabs {
        let mut settings = ElevenLabsSettings::new("elevenlabs");
        self.place(&mut settings.endpoint, stub, "");
        settings.build(&self.http, table())
    }

    pub fn fal(&self, stub: &Stub) -> Fal {
        let mut settings = FalSettings::new("fal");
        self.place(&mut settings.endpoint, stub, "");
        settings.build(&self.http, table())
    }

    pub fn call(&self) -> Call {
        Call {
            before: None,
            deadline: self.clock.now() + Duration::from_secs(1800),
            cancel: CancelToken::default(),
            key: "run-1/step-2".into(),
            scene: Some(0),
        }
    }
}

pub fn table() -> Arc<ModelTable> {
    Arc::new(ModelTable::builtin())
}

pub fn script_ask() -> ScriptAsk {
    ScriptAsk {
        prompt: "lighthouses".into(),
        style: "news_brief".into(),
        n_words: 8,
        language: "en".into(),
        characters: vec!["Ada: a keeper".into()],
        enhance: false,
    }
}

pub fn speech_ask(text: &str) -> SpeechAsk {
    SpeechAsk {
        text: text.into(),
        voice: String::new(),
        language: "en".into(),
        around: [String::new(), String::new()],
    }
}

pub fn picture_ask(model: &str) -> PictureAsk {
    PictureAsk {
        brief: "A lighthouse at dusk".into(),
        keywords: String::new(),
        notes: None,
        model: model.into(),
        style: String::new(),
        figures: Vec::new(),
        width: 1080,
        height: 1920,
        seed: 7,
        place: String::new(),
    }
}
