//! Language models and speech recognition on this machine (`kinora-local`), with weights of the user's own; in builds with the feature `local`.

use std::path::{Path, PathBuf};

use crate::failure::{Failure, FailureKind, Stage};

/// A folder with a model in it: a chat language model writes scripts, whisper hears words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSettings {
    /// As it is called in messages.
    pub name: String,
    /// Relative to the configuration's folder, or absolute.
    pub path: PathBuf,
    /// Tokens of an answer at most.
    pub max_tokens: usize,
}

impl LocalSettings {
    /// With the usual limits.
    pub fn new(name: &str, path: PathBuf) -> LocalSettings {
        LocalSettings {
            name: name.to_owned(),
            path,
            max_tokens: 8000,
        }
    }

    /// With a path that starts from the configuration's folder.
    pub(super) fn within(&self, folder: &Path) -> LocalSettings {
        LocalSettings {
            path: folder.join(&self.path),
            ..self.clone()
        }
    }

    /// Whether it can be asked at all: this build knows models, and the folder is there.
    ///
    /// # Errors
    /// `NotConfigured`, with what to do.
    pub fn ready(&self, stage: Stage) -> Result<(), Failure> {
        if !cfg!(feature = "local") {
            let message = "this kinora was built without local models; build it with `KINORA_FEATURES=local ./kinora`, or with cargo's `--features local`";
            return Err(self.failure(stage, FailureKind::NotConfigured, message));
        }
        if !self.path.is_dir() {
            let message = format!("no folder {} with a model in it", self.path.display());
            return Err(self.failure(stage, FailureKind::NotConfigured, message));
        }
        Ok(())
    }

    fn failure(&self, stage: Stage, kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure::new(stage, kind, message).by(&self.name, None)
    }
}

#[cfg(feature = "local")]
pub use models::{LocalListener, LocalWriter};

#[cfg(feature = "local")]
mod models {
    use std::collections::BTreeMap;
    use std::io::Cursor;
    use std::path::Path;
    use std::sync::{Arc, LazyLock, Mutex, PoisonError};
    use std::time::Instant;

    use kinora::audio::{voice_samples, words_in};
    use kinora_local::{Limits, Listener, LocalError, LocalErrorKind, Prompt, Writer};

    use super::LocalSettings;
    use crate::failure::{Failure, FailureKind, Stage};
    use crate::offline::Ear;
    use crate::providers::prompts::{
        BRIEF_SYSTEM, REWRITE_SYSTEM, SCRIPT_SYSTEM, brief_wish, script_wish,
    };
    use crate::providers::written::{OTHER_FORM, briefs_of, canonical_of, object_in, script_of};
    use crate::providers::{
        AlignAsk, AlignProvider, Answer, BriefAsk, Call, ScriptAsk, ScriptProvider, SpokenToken,
        checks,
    };
    use crate::scene::Script;

    /// How often a model that did not keep to the form is asked once more, with other luck.
    const TRIES: u64 = 3;
    /// Samples a second of a voice that is listened to.
    const RATE_HZ: f64 = 16_000.0;

    /// Models that this process has in memory, by folder: they take seconds to load and gigabytes to hold.
    type Loaded<T> = LazyLock<Mutex<BTreeMap<std::path::PathBuf, Arc<T>>>>;

    static WRITERS: Loaded<Writer> = LazyLock::new(Mutex::default);
    static LISTENERS: Loaded<Listener> = LazyLock::new(Mutex::default);

    fn loaded<T>(
        all: &Loaded<T>,
        path: &Path,
        load: impl FnOnce(&Path) -> Result<T, LocalError>,
    ) -> Result<Arc<T>, LocalError> {
        // Held while it loads: nobody wants the same model twice.
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = all.get(path) {
            return Ok(Arc::clone(model));
        }
        let model = Arc::new(load(path)?);
        all.insert(path.to_owned(), Arc::clone(&model));
        Ok(model)
    }

    impl LocalSettings {
        /// The folder's name: what is made with another model is made anew.
        fn model(&self) -> String {
            let name = self.path.file_name();
            name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        }

        /// Writes scripts.
        pub(in crate::providers) fn writer(self) -> LocalWriter {
            LocalWriter {
                model: self.model(),
                settings: self,
            }
        }

        /// Hears words.
        pub(in crate::providers) fn listener(self) -> LocalListener {
            LocalListener {
                model: self.model(),
                settings: self,
            }
        }

        fn failed(&self, stage: Stage, call: &Call, error: LocalError) -> Failure {
            let kind = match error.kind {
                LocalErrorKind::Stopped if call.cancel.is_cancelled() => FailureKind::Cancelled,
                LocalErrorKind::Stopped => FailureKind::TimedOut,
                LocalErrorKind::TooLong => FailureKind::BadInput,
                _ => FailureKind::NotConfigured,
            };
            match error.kind {
                LocalErrorKind::Stopped => self.failure(stage, kind, "it was not done in time"),
                _ => self.failure(stage, kind, error.message),
            }
        }
    }

    /// Whether a model is to stop in the middle of its work.
    fn is_over(call: &Call) -> bool {
        call.cancel.is_cancelled() || Instant::now() >= call.deadline
    }

    /// Writes scripts.
    #[derive(Clone, Debug)]
    pub struct LocalWriter {
        settings: LocalSettings,
        model: String,
    }

    impl LocalWriter {
        /// Asks until the answer is what `read` wants.
        fn ask<T>(
            &self,
            prompt: &Prompt,
            call: &Call,
            read: impl Fn(&str) -> Result<T, &'static str>,
        ) -> Result<T, Failure> {
            let failed = |error| self.settings.failed(Stage::Script, call, error);
            let writer = loaded(&WRITERS, &self.settings.path, Writer::load).map_err(failed)?;
            let mut wrong = OTHER_FORM;
            for seed in 0..TRIES {
                let limits = Limits {
                    max_tokens: self.settings.max_tokens,
                    seed,
                    ..Limits::default()
                };
                let answer = writer.generate(prompt, &limits, &|| is_over(call));
                let answer = answer.map_err(failed)?;
                match read(&answer.text) {
                    Ok(value) => return Ok(value),
                    Err(_) if answer.is_cut => {
                        wrong = "its answer broke off at its longest length; ask for fewer words";
                    }
                    Err(what) => wrong = what,
                }
            }
            let kind = FailureKind::BadAnswer;
            Err(self.settings.failure(Stage::Script, kind, wrong))
        }
    }

    impl ScriptProvider for LocalWriter {
        fn name(&self) -> &str {
            &self.settings.name
        }

        fn model(&self) -> &str {
            &self.model
        }

        fn write(&self, ask: &ScriptAsk, call: &Call) -> Result<Answer<Script>, Failure> {
            let prompt = Prompt {
                system: SCRIPT_SYSTEM.to_owned(),
                user: script_wish(ask),
            };
            let script = self.ask(&prompt, call, |text| {
                script_of(object_in(text).ok_or(OTHER_FORM)?, ask)
            });
            script.map(Answer::plain)
        }

        fn rewrite(&self, text: &str, call: &Call) -> Result<Option<String>, Failure> {
            let prompt = Prompt {
                system: REWRITE_SYSTEM.to_owned(),
                user: text.to_owned(),
            };
            self.ask(&prompt, call, canonical_of).map(Some)
        }

        fn brief(
            &self,
            ask: &BriefAsk,
            call: &Call,
        ) -> Result<Option<Answer<Vec<String>>>, Failure> {
            let prompt = Prompt {
                system: BRIEF_SYSTEM.to_owned(),
                user: brief_wish(ask),
            };
            let briefs = self.ask(&prompt, call, |text| {
                briefs_of(object_in(text).ok_or(OTHER_FORM)?, ask.scenes.len())
            });
            briefs.map(|briefs| Some(Answer::plain(briefs)))
        }
    }

    /// Hears words that nobody wrote down. Those of a known text are found in the sound by the engine, which does that better.
    #[derive(Clone, Debug)]
    pub struct LocalListener {
        settings: LocalSettings,
        model: String,
    }

    impl AlignProvider for LocalListener {
        fn name(&self) -> &str {
            &self.settings.name
        }

        fn model(&self) -> &str {
            &self.model
        }

        fn align(
            &self,
            ask: &AlignAsk<'_>,
            call: &Call,
        ) -> Result<Answer<Vec<SpokenToken>>, Failure> {
            if ask.text.is_some() {
                return Ear.align(ask, call);
            }
            let failed = |error| self.settings.failed(Stage::Voice, call, error);
            let samples = voice_samples(Box::new(Cursor::new(ask.file.to_vec())));
            let samples = samples.map_err(|e| {
                let message = format!("the sound {e}");
                self.settings
                    .failure(Stage::Voice, FailureKind::BadInput, message)
            })?;
            let listener = loaded(&LISTENERS, &self.settings.path, Listener::load);
            let heard = listener
                .and_then(|listener| listener.transcribe(&samples, ask.language, &|| is_over(call)))
                .map_err(failed)?;
            let secs = samples.len() as f64 / RATE_HZ;
            let mut words = Vec::new();
            for segment in &heard.segments {
                // The model says when a sentence is spoken; within it the engine finds the words in the sound.
                let at = |secs: f64| ((secs * RATE_HZ) as usize).min(samples.len());
                let (start, end) = (at(segment.start_secs), at(segment.end_secs));
                let sound = samples.get(start..end).unwrap_or(&[]);
                let found = words_in(sound, &segment.text, Some(&heard.language));
                let begun = start as f64 / RATE_HZ;
                words.extend(found.into_iter().map(|word| SpokenToken {
                    text: word.text,
                    start: begun + word.start,
                    end: begun + word.end,
                }));
            }
            checks::word_times(words, secs)
                .map(Answer::plain)
                .map_err(|what| {
                    let message = format!("the word times {what}");
                    self.settings
                        .failure(Stage::Voice, FailureKind::BadAnswer, message)
                })
        }
    }
}
