//! Chooses the offline voice: Flite for English if it is installed, eSpeak NG for everything else.

use super::{Espeak, Flite, VoiceInfo, failure, flite};
use crate::failure::{Failure, FailureKind};
use crate::providers::{Answer, Call, Speech, SpeechAsk, VoiceProvider};

const NAME: &str = "offline";

/// Speaks with what is installed on this machine.
#[derive(Debug, Default)]
pub struct Offline {
    flite: Flite,
    espeak: Espeak,
    model: std::sync::OnceLock<String>,
}

impl Offline {
    /// Creates the provider. Nothing is searched before the first use.
    pub fn new() -> Offline {
        Offline::default()
    }

    /// Replaces eSpeak, for example with one at a given path.
    #[must_use]
    pub fn with_espeak(mut self, espeak: Espeak) -> Offline {
        self.espeak = espeak;
        self
    }

    /// Returns all voices, Flite's first.
    pub fn voices(&self) -> Vec<VoiceInfo> {
        let mut voices = self.flite.voices();
        voices.extend(self.espeak.voices());
        voices
    }

    /// Returns whether a request is for Flite: English text, and no voice of eSpeak.
    fn is_for_flite(ask: &SpeechAsk) -> bool {
        let is_english = ask.language.is_empty() || flite::is_english(&ask.language);
        is_english && !ask.voice.starts_with("espeak:")
    }
}

impl VoiceProvider for Offline {
    fn name(&self) -> &str {
        NAME
    }

    fn model(&self) -> &str {
        self.model.get_or_init(|| {
            let flite = self.flite.check().map_or("", |()| self.flite.model());
            format!("{flite}+{}", self.espeak.model())
        })
    }

    /// Also true if nothing is installed: `speak` then says what to install.
    fn speaks(&self, language: &str) -> bool {
        let is_missing = || {
            let missing = self.espeak.check().err();
            missing.is_some_and(|e| e.kind == FailureKind::NotConfigured)
        };
        flite::is_english(language) || self.espeak.speaks(language) || is_missing()
    }

    fn speak(&self, ask: &SpeechAsk, call: &Call) -> Result<Answer<Speech>, Failure> {
        if !Offline::is_for_flite(ask) {
            return self.espeak.speak(ask, call);
        }
        let by_flite = match self.flite.speak(ask, call) {
            // Flite reads Latin letters only, and may not be installed.
            Err(e) if matches!(e.kind, FailureKind::BadInput | FailureKind::NotConfigured) => e,
            done => return done,
        };
        self.espeak.speak(ask, call).map_err(|by_espeak| {
            let is_absent = |e: &Failure| e.kind == FailureKind::NotConfigured;
            match (is_absent(&by_flite), is_absent(&by_espeak)) {
                (true, true) => failure(
                    NAME,
                    FailureKind::NotConfigured,
                    "no voice is installed; on Debian 12: apt-get install libflite1 (English), or libespeak-ng1 espeak-ng-data (a hundred languages)",
                ),
                (false, true) => by_flite,
                _ => by_espeak,
            }
        })
    }
}
