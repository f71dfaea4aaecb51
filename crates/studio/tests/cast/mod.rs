//! Providers for tests that write down every call: a writer, a voice, a painter and an animator with little to give, always the same.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kinora_studio::failure::Failure;
use kinora_studio::offline::{Animator, Ear};
use kinora_studio::providers::{
    Answer, Call, ClipAsk, ClipFile, ClipProvider, Picture, PictureAsk, PictureProvider, ScriptAsk,
    ScriptProvider, Speech, SpeechAsk, SpokenToken, VoiceProvider,
};
use kinora_studio::scene::{Line, Scene, Script};
use kinora_studio::stages::{Brief, PromptSource, Source, Store, Studio};

/// Writes a line for each call into `calls.txt` of its folder.
#[derive(Clone)]
pub struct Player(PathBuf);

impl Player {
    fn called(&self, what: &str, call: &Call) {
        let path = self.0.join("calls.txt");
        let mut file = File::options()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        writeln!(file, "{what} {}", call.key).unwrap();
        file.sync_all().unwrap();
    }
}

/// How often each call was made.
pub fn calls(work: &Path) -> BTreeMap<String, usize> {
    let text = fs::read_to_string(work.join("calls.txt")).unwrap_or_default();
    let mut calls = BTreeMap::new();
    for line in text.lines() {
        *calls.entry(line.to_owned()).or_default() += 1;
    }
    calls
}

/// A small video from a prompt.
pub fn brief() -> Brief {
    let mut brief = Brief::new(Source::Prompt(PromptSource {
        prompt: "a lighthouse".into(),
        style: "default".into(),
        n_words: 12,
        enhance: false,
    }));
    brief.size = [64, 112];
    brief
}

/// A studio of players in `work`.
pub fn studio(work: &Path) -> Studio {
    let store = Store::open(work).unwrap();
    let player = Arc::new(Player(work.to_owned()));
    Studio {
        store,
        music: Arc::new(kinora_music::Library::new(None, None).unwrap()),
        script: player.clone(),
        voice: player.clone(),
        pictures: player.clone(),
        clips: player,
        align: Arc::new(Ear),
        eyes: Vec::new(),
        n_at_once: 1,
        call_time: Duration::from_secs(60),
    }
}

impl ScriptProvider for Player {
    fn name(&self) -> &str {
        "player"
    }

    fn model(&self) -> &str {
        "1"
    }

    fn write(&self, ask: &ScriptAsk, call: &Call) -> Result<Answer<Script>, Failure> {
        self.called("script", call);
        let scenes = ["Every night", "the lamp was lit", "and nobody knew"].map(|text| Scene {
            lines: vec![Line::narrated(text)],
            brief: format!("{} {text}", ask.prompt),
            ..Scene::default()
        });
        Ok(Answer::plain(Script {
            title: None,
            language: ask.language.clone(),
            scenes: scenes.to_vec(),
            notes: None,
        }))
    }

    fn rewrite(&self, _: &str, _: &Call) -> Result<Option<String>, Failure> {
        Ok(None)
    }
}

impl VoiceProvider for Player {
    fn name(&self) -> &str {
        "player"
    }

    fn model(&self) -> &str {
        "1"
    }

    fn speaks(&self, _: &str) -> bool {
        true
    }

    fn speak(&self, ask: &SpeechAsk, call: &Call) -> Result<Answer<Speech>, Failure> {
        self.called("voice", call);
        let words: Vec<&str> = ask.text.split_whitespace().collect();
        let secs = words.len() as f64 * 0.3;
        let spans = words.iter().enumerate().map(|(i, word)| SpokenToken {
            text: (*word).to_owned(),
            start: i as f64 * 0.3,
            end: i as f64 * 0.3 + 0.25,
        });
        Ok(Answer::plain(Speech {
            file: beeps(secs),
            extension: "wav",
            secs,
            words: Some(spans.collect()),
        }))
    }
}

impl PictureProvider for Player {
    fn name(&self) -> &str {
        "player"
    }

    fn model(&self) -> &str {
        "1"
    }

    fn paint(
        &self,
        ask: &PictureAsk,
        _: &[Vec<u8>],
        call: &Call,
    ) -> Result<Answer<Picture>, Failure> {
        self.called("picture", call);
        let shade = ask.brief.len() as u8;
        let picture = image::RgbImage::from_fn(ask.width, ask.height, |x, y| {
            image::Rgb([x as u8, y as u8, shade])
        });
        let mut file = Cursor::new(Vec::new());
        picture
            .write_to(&mut file, image::ImageFormat::Png)
            .unwrap();
        Ok(Answer::plain(Picture {
            file: file.into_inner(),
            width: ask.width,
            height: ask.height,
        }))
    }
}

impl ClipProvider for Player {
    fn name(&self) -> &str {
        "player"
    }

    fn model(&self) -> &str {
        "1"
    }

    fn animate(
        &self,
        ask: &ClipAsk,
        picture: &Picture,
        call: &Call,
    ) -> Result<Answer<ClipFile>, Failure> {
        self.called("clip", call);
        Animator.animate(ask, picture, call)
    }
}

/// A WAV file in which every word is a beep.
pub fn beeps(secs: f64) -> Vec<u8> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 16_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    for i in 0..(secs * 16_000.0) as usize {
        let at = i as f64 / 16_000.0;
        let level = if at % 0.3 < 0.25 { 6_000.0 } else { 0.0 };
        writer
            .write_sample(((at * 1_800.0).sin() * level) as i16)
            .unwrap();
    }
    writer.finalize().unwrap();
    file.into_inner()
}
