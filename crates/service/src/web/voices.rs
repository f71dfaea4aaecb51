//! The offline voices, with samples.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use kinora::CancelToken;
use kinora_studio::failure::Failure;
use kinora_studio::providers::{Call, SpeechAsk, VoiceProvider};
use kinora_studio::voice::{Offline, VoiceInfo};
use tokio::sync::Semaphore;

use super::Web;
use super::form::Choice;
use super::page::{Refused, Shown};
use super::session::Visitor;

/// The sample sentences by language; English if the language is missing.
const SENTENCES: &[(&str, &str)] = &[
    ("en", "This is how your video will sound."),
    ("de", "So wird dein Video klingen."),
    ("es", "Así sonará tu video."),
    ("fr", "Voici la voix de votre vidéo."),
    ("it", "Ecco come suonerà il tuo video."),
    ("pt", "É assim que o seu vídeo vai soar."),
    ("nl", "Zo zal je video klinken."),
    ("pl", "Tak będzie brzmieć twój film."),
    ("ru", "Так будет звучать ваше видео."),
    ("tr", "Videonuz böyle duyulacak."),
    ("hi", "आपका वीडियो ऐसा सुनाई देगा।"),
];

const SAMPLE_TIME: Duration = Duration::from_secs(10);

static VOICES: LazyLock<Vec<VoiceInfo>> = LazyLock::new(kinora_studio::voice::voices);

/// A few at a time: paid videos need the cores.
static SPEAKING: Semaphore = Semaphore::const_new(2);

pub(super) fn routes() -> Router<Web> {
    Router::new().route("/voices/{id}/sample.wav", get(sample))
}

/// Returns the voices of this machine.
pub(super) async fn all() -> &'static [VoiceInfo] {
    // Searching for them loads libraries and starts a program.
    let found = tokio::task::spawn_blocking(|| VOICES.as_slice()).await;
    found.unwrap_or_default()
}

/// Returns them as a list of choices.
pub(super) async fn choices() -> Vec<Choice> {
    let all = all().await.iter();
    all.map(|voice| Choice::new(&voice.id, format!("{} ({})", voice.name, voice.language)))
        .collect()
}

async fn sample(_: Visitor, Path(id): Path<String>) -> Shown {
    let voice = all().await.iter().find(|voice| voice.id == id);
    let voice = voice.ok_or_else(|| Refused::not_found("voice on this server"))?;
    let turn = SPEAKING.acquire().await.expect("it is never closed");
    // The work owns the permit: it continues when the browser disconnects.
    let speaking = move || {
        let _turn = turn;
        spoken(voice)
    };
    let spoken = tokio::task::spawn_blocking(speaking).await;
    let cannot = |why: String| Refused::new(StatusCode::SERVICE_UNAVAILABLE, "No sample", why);
    let (bytes, content_type) = spoken
        .map_err(|e| cannot(e.to_string()))?
        .map_err(|failure| cannot(failure.message))?;
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "private, max-age=86400"),
    ];
    Ok((headers, bytes).into_response())
}

fn spoken(voice: &VoiceInfo) -> Result<(Vec<u8>, &'static str), Failure> {
    let language = voice.language.split('-').next().unwrap_or_default();
    let known = SENTENCES.iter().find(|(known, _)| *known == language);
    let (language, text) = known.unwrap_or(&SENTENCES[0]);
    let ask = SpeechAsk {
        text: (*text).to_owned(),
        voice: voice.id.clone(),
        language: (*language).to_owned(),
        around: [String::new(), String::new()],
    };
    let call = Call {
        deadline: Instant::now() + SAMPLE_TIME,
        cancel: CancelToken::default(),
        key: String::new(),
        scene: None,
        before: None,
    };
    let speech = Offline::new().speak(&ask, &call)?.value;
    Ok((
        speech.file,
        if speech.extension == "wav" {
            "audio/wav"
        } else {
            "application/octet-stream"
        },
    ))
}
