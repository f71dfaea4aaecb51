//! The stages of a run with their checkpoints: script, scenes, voice, pictures, clips, timeline. The engine does the render that follows.
//!
//! Takes a [`Brief`] and gives a [`Production`]: a folder with a timeline and all its files. It never calls a provider for a result that already exists.

mod brief;
mod from_request;
mod layout;
mod length;
mod listen;
mod look;
mod music;
mod open;
mod paint;
mod progress;
mod remote;
mod schedule;
mod seen;
mod speak;
mod step;
mod store;
mod told;
mod tracks;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kinora::media::FolderAssets;
use kinora::text::Fonts;
use kinora::timeline::Timeline;
use kinora_music::Library;
use serde::{Deserialize, Serialize};

use step::Made;

pub use brief::{
    Brief, CaptionChoice, Character, ClipChoice, MusicChoice, PictureChoice, PromptSource,
    Recording, Source,
};
pub use from_request::{Material, descriptor, preset_clips};
pub use open::{Setup, table};
pub use progress::{OnProgress, Progress, Watch};
pub use remote::Remote;
pub use schedule::Span;
pub use speak::Timing;
pub use store::{Step, StepFile, StepKey, Store, address, crash_point};

use crate::estimate::Makers;
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::openai::OpenAiEye;
use crate::providers::{
    AlignProvider, ClipProvider, PictureProvider, ScriptAsk, ScriptProvider, SpokenToken,
    VoiceProvider,
};
use crate::scene::Script;
use crate::script::{SceneOptions, canonical, language_of, scenes};

/// The providers, and the store of results. Clones share both.
#[derive(Clone)]
pub struct Studio {
    /// The store of results.
    pub store: Store,
    /// Music tracks.
    pub music: Arc<Library>,
    /// Writes scripts.
    pub script: Arc<dyn ScriptProvider>,
    /// Speaks.
    pub voice: Arc<dyn VoiceProvider>,
    /// Paints.
    pub pictures: Arc<dyn PictureProvider>,
    /// Animates.
    pub clips: Arc<dyn ClipProvider>,
    /// Finds words in sounds.
    pub align: Arc<dyn AlignProvider>,
    /// Models that describe characters in a picture, the first choice first; often none.
    pub eyes: Vec<OpenAiEye>,
    /// Number of pictures and clips made in parallel.
    pub n_at_once: usize,
    /// Time limit of a call, including retries.
    pub call_time: Duration,
}

impl std::fmt::Debug for Studio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Studio")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// A video that is ready to be rendered.
#[derive(Clone, Debug)]
pub struct Production {
    /// Contains `timeline.json` and all files that it names.
    pub folder: PathBuf,
    /// The timeline.
    pub timeline: Timeline,
    /// The script, split into scenes.
    pub script: Script,
    /// When each scene is seen.
    pub spans: Vec<Span>,
    /// The words at their times.
    pub words: Vec<SpokenToken>,
    /// How the times of the words were found.
    pub timing: Timing,
    /// Notes for the user: substitutes, and what was not available.
    pub notes: Vec<String>,
    /// The makers of each scene's picture and clip.
    pub makers: Vec<Makers>,
}

impl Production {
    /// Marks the video as finished: a later run in the same folder is a new one, which again tries the providers that were substituted. Until then, a run in
    /// this folder continues with the existing results. Runs in separate folders need not call this.
    ///
    /// # Errors
    /// `Storage` if this cannot be written.
    pub fn finish(&self) -> Result<(), Failure> {
        Store::finish(&self.folder).map_err(|e| {
            let message = format!("{} cannot be written: {e}", self.folder.display());
            Failure::new(Stage::Timeline, FailureKind::Storage, message)
        })
    }

    /// Creates the engine's job.
    ///
    /// # Errors
    /// `Engine`, with everything that the engine reports.
    pub fn job(&self) -> Result<kinora::Job, Failure> {
        let assets = Arc::new(FolderAssets::new(&self.folder));
        kinora::Job::new(&self.timeline, assets, Fonts::default())
            .map_err(|e| Failure::new(Stage::Timeline, FailureKind::of_engine(&e), e.to_string()))
    }
}

/// When everything is heard and seen.
struct Heard {
    script: Script,
    spans: Vec<Span>,
    words: Vec<SpokenToken>,
    timing: Timing,
    voice: Vec<(PathBuf, f64)>,
    /// The playback speed of voices.
    speed: f64,
}

/// The sound together with the pictures.
struct Pictured {
    heard: Heard,
    pictures: Vec<paint::Painted>,
    clips: Vec<paint::Animated>,
    /// Whether a script provider described the pictures.
    has_briefs: bool,
}

fn makers(pictures: &[paint::Painted], clips: &[paint::Animated], has_briefs: bool) -> Vec<Makers> {
    let pictures = pictures.iter().enumerate();
    pictures
        .map(|(i, picture)| Makers {
            pictures: picture.class,
            clips: clips.get(i).and_then(|clip| clip.class),
            briefs: has_briefs,
        })
        .collect()
}

/// A stored script.
#[derive(Serialize, Deserialize)]
struct Written {
    script: Script,
    notes: Vec<String>,
}

impl Studio {
    /// Produces everything but the render itself, in a folder of the work folder that belongs to the brief.
    ///
    /// # Errors
    /// The first failure of a stage without a working fallback. Finished results are kept, and a later run continues from there.
    pub fn produce(&self, brief: &Brief, watch: &Watch) -> Result<Production, Failure> {
        let key = StepKey::of(Stage::Timeline, brief);
        let folder = self.store.root().join("runs").join(&key.hash()[..16]);
        let whole = std::path::absolute(&folder).unwrap_or_else(|_| folder.clone());
        self.produce_in((&whole.to_string_lossy(), &folder), brief, watch)
    }

    /// Does the same for a named run, in a folder of the caller's choice. Attempts at the same run share a name; concurrent runs need separate folders.
    ///
    /// # Errors
    /// As [`Studio::produce`].
    pub fn produce_in(
        &self,
        (run, folder): (&str, &Path),
        brief: &Brief,
        watch: &Watch,
    ) -> Result<Production, Failure> {
        let studio = Studio {
            store: self.store.of_run(run, folder),
            ..self.clone()
        };
        studio.run(folder, brief, watch)
    }

    fn run(&self, folder: &Path, brief: &Brief, watch: &Watch) -> Result<Production, Failure> {
        let mut notes = Vec::new();
        // Music takes a while the first time, and is not needed before the timeline.
        let (heard, music) = std::thread::scope(|scope| {
            let music = scope.spawn(|| self.music_of(brief, watch));
            let made = self.picture_and_sound(brief, watch, &mut notes);
            let music = music.join().unwrap_or_else(|_| {
                Err(Failure::new(
                    Stage::Timeline,
                    FailureKind::Engine,
                    "the music's synthesis panicked",
                ))
            });
            (made, music)
        });
        let Pictured {
            heard,
            pictures,
            clips,
            has_briefs,
        } = heard?;
        let music = music?;
        notes.extend(music::chosen(brief));
        let parts = layout::Parts {
            brief,
            steps: &self.store.root().join("steps"),
            spans: &heard.spans,
            pictures: &pictures,
            clips: &clips,
            voice: heard
                .voice
                .iter()
                .map(|(file, at)| (file.as_path(), *at))
                .collect(),
            speed: heard.speed,
            words: &heard.words,
            music: music.as_deref(),
        };
        let timeline = layout::lay_out(&parts, folder)?;
        watch.report(Stage::Timeline, (1, 1), false);
        Ok(Production {
            folder: folder.to_owned(),
            timeline,
            script: heard.script,
            spans: heard.spans,
            words: heard.words,
            timing: heard.timing,
            notes,
            makers: makers(&pictures, &clips, has_briefs),
        })
    }

    /// Returns the script of a brief, without speech and pictures.
    ///
    /// # Errors
    /// A failure of stage `Script` or `Scenes`.
    pub fn script_of(
        &self,
        brief: &Brief,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Script, Failure> {
        watch.check(Stage::Script)?;
        let (script, is_kept) = match &brief.source {
            Source::Prompt(prompt) => self.write(brief, prompt, watch, notes)?,
            Source::Script(text) => (cut(text, brief), false),
            Source::Scenes(script) => (script.clone(), false),
            Source::Recording(recording) => {
                let (heard, is_kept) = listen::listen(self, brief, recording, watch)?;
                (heard.script, is_kept)
            }
        };
        if script.scenes.is_empty() {
            let message = "the script contains nothing to say or show";
            return Err(Failure::new(Stage::Scenes, FailureKind::BadInput, message));
        }
        watch.report(Stage::Script, (1, 1), is_kept);
        watch.report(
            Stage::Scenes,
            (script.scenes.len(), script.scenes.len()),
            is_kept,
        );
        Ok(script)
    }

    /// Rewrites prose or a play as a canonical script: by a script provider if one can, else by rules; with notes for the user.
    ///
    /// # Errors
    /// A failure of stage `Script`, if a configured provider failed.
    pub fn rewrite(&self, text: &str) -> Result<(String, Vec<String>), Failure> {
        let key = StepKey::of(
            Stage::Script,
            &("rewrite", self.script.name(), self.script.model(), text),
        );
        let (step, _) = self.step(&key, (&Watch::default(), None), |call| {
            let rewritten = self.script.rewrite(text, call)?;
            Ok(Made::bare(rewritten))
        })?;
        let by_rules = || {
            let note =
                "rewritten by rules; a script provider recognizes scenes and speakers better";
            (canonical::rewrite(text), vec![note.to_owned()])
        };
        Ok(step
            .value
            .map_or_else(by_rules, |script| (script, Vec::new())))
    }

    /// Returns whether a video in this language is possible with the configured providers: a voice speaks it, and a writer writes it if `is_written`.
    pub fn tells(&self, language: &str, is_written: bool) -> bool {
        self.voice.speaks(language) && (!is_written || self.script.writes(language))
    }

    fn write(
        &self,
        brief: &Brief,
        source: &PromptSource,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<(Script, bool), Failure> {
        let characters = brief.characters.iter();
        let ask = ScriptAsk {
            prompt: source.prompt.clone(),
            style: source.style.clone(),
            n_words: source.n_words,
            language: brief
                .language
                .clone()
                .unwrap_or_else(|| language_of(&source.prompt).to_owned()),
            characters: characters.map(Character::told).collect(),
            enhance: source.enhance,
        };
        let key = StepKey::of(
            Stage::Script,
            &((self.script.name(), self.script.model()), &ask),
        );
        let (step, is_kept) = self.step(&key, (watch, None), |call| {
            let mut answer = self.script.write(&ask, call)?;
            let (script, note) = length::fitted(answer.value, ask.n_words);
            answer.notes.extend(note);
            let written = Written {
                script,
                notes: answer.notes,
            };
            Ok(Made {
                substitute: answer.substitute,
                ..Made::bare(written)
            })
        })?;
        add(notes, &step.value.notes);
        Ok((step.value.script, is_kept))
    }

    fn picture_and_sound(
        &self,
        brief: &Brief,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Pictured, Failure> {
        let heard = match &brief.source {
            Source::Recording(recording) => self.recorded(brief, recording, watch, notes)?,
            _ => self.spoken(brief, watch, notes)?,
        };
        let seen = seen::seen(self, brief, &heard.script, watch, notes)?;
        let asks = paint::asks(brief, &heard.script, &seen.briefs)?;
        let pictures = paint::paint(self, &asks, watch)?;
        pictures
            .iter()
            .for_each(|picture| add(notes, &picture.notes));
        let clips = match &brief.clips {
            None => Vec::new(),
            Some(choice) => {
                let lengths = heard.spans.iter().map(Span::secs);
                let pairs: Vec<_> = pictures.iter().cloned().zip(lengths).collect();
                paint::animate(self, choice, &pairs, watch)?
            }
        };
        clips.iter().for_each(|clip| add(notes, &clip.notes));
        Ok(Pictured {
            heard,
            pictures,
            clips,
            has_briefs: seen.is_written,
        })
    }

    fn spoken(
        &self,
        brief: &Brief,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Heard, Failure> {
        let script = self.script_of(brief, watch, notes)?;
        let lines = speak::speak(self, brief, &script, watch, notes)?;
        let mut schedule = schedule::lay(&script, &lines);
        notes.extend(schedule.fit()?);
        let files = schedule
            .spoken
            .iter()
            .filter_map(|spoken| Some((spoken.utterance.file.clone()?, spoken.start)));
        let timings = lines.iter().flatten().map(|utterance| utterance.timing);
        Ok(Heard {
            voice: files.collect(),
            words: schedule.words(),
            speed: schedule.speed,
            timing: timings.max().unwrap_or(Timing::Spread),
            spans: schedule.scenes.clone(),
            script,
        })
    }

    fn recorded(
        &self,
        brief: &Brief,
        recording: &Recording,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Heard, Failure> {
        let (heard, is_kept) = listen::listen(self, brief, recording, watch)?;
        add(notes, &heard.notes);
        watch.report(Stage::Voice, (1, 1), is_kept);
        Ok(Heard {
            script: heard.script,
            spans: heard.spans,
            words: heard.words,
            timing: heard.timing,
            voice: vec![(recording.file.clone(), 0.0)],
            speed: 1.0,
        })
    }
}

/// Splits a text into scenes.
fn cut(text: &str, brief: &Brief) -> Script {
    let language = brief
        .language
        .clone()
        .unwrap_or_else(|| language_of(text).to_owned());
    Script {
        notes: None,
        title: None,
        scenes: scenes(text, &language, &SceneOptions::default()),
        language,
    }
}

/// Adds notes that are not there yet.
fn add(notes: &mut Vec<String>, more: &[String]) {
    for note in more {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
}
