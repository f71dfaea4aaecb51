//! What pictures and clips of a script are told: a script provider's briefs, else whole sentences, and the illustrator's keywords for the illustrator alone.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod cast;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use kinora_studio::failure::{Failure, FailureKind, Stage};
use kinora_studio::offline::Illustrator;
use kinora_studio::providers::CostClass;
use kinora_studio::providers::chain::Chain;
use kinora_studio::providers::{
    Answer, BriefAsk, Call, Picture, PictureAsk, PictureProvider, ScriptAsk, ScriptProvider,
};
use kinora_studio::scene::Script;
use kinora_studio::stages::{Brief, Character, Source, Studio, Watch};

const SCRIPT: &str = "Your memory falls apart. So tonight, put the phone away. The captain counted wave by wave. He heard the bells of the village.";

/// Says what is seen, or fails, or cannot.
struct Writer {
    briefs: Result<Option<&'static str>, FailureKind>,
    asked: Mutex<Vec<BriefAsk>>,
}

impl Writer {
    fn new(briefs: Result<Option<&'static str>, FailureKind>) -> Arc<Writer> {
        Arc::new(Writer {
            briefs,
            asked: Mutex::default(),
        })
    }

    fn n_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl ScriptProvider for Writer {
    fn name(&self) -> &str {
        "writer"
    }

    fn model(&self) -> &str {
        "1"
    }

    fn write(&self, _: &ScriptAsk, _: &Call) -> Result<Answer<Script>, Failure> {
        panic!("the script is there")
    }

    fn rewrite(&self, _: &str, _: &Call) -> Result<Option<String>, Failure> {
        Ok(None)
    }

    fn brief(&self, ask: &BriefAsk, _: &Call) -> Result<Option<Answer<Vec<String>>>, Failure> {
        self.asked.lock().unwrap().push(ask.clone());
        match self.briefs {
            Ok(Some(word)) => {
                let briefs = (1..=ask.scenes.len()).map(|i| format!("{word} {i}"));
                Ok(Some(Answer::plain(briefs.collect())))
            }
            Ok(None) => Ok(None),
            Err(kind) => Err(Failure::new(Stage::Scenes, kind, "it is down")),
        }
    }
}

/// Remembers what it was told, and paints only while it is up.
#[derive(Default)]
struct Painter {
    asked: Mutex<Vec<PictureAsk>>,
    n_left: AtomicUsize,
}

impl PictureProvider for Painter {
    fn name(&self) -> &str {
        "painter"
    }

    fn model(&self) -> &str {
        "1"
    }

    fn paint(
        &self,
        ask: &PictureAsk,
        references: &[Vec<u8>],
        call: &Call,
    ) -> Result<Answer<Picture>, Failure> {
        self.asked.lock().unwrap().push(ask.clone());
        let left = self.n_left.fetch_sub(1, Ordering::SeqCst);
        if left == 0 || left > 100 {
            self.n_left.store(0, Ordering::SeqCst);
            return Err(Failure::new(
                Stage::Pictures,
                FailureKind::Unavailable,
                "down",
            ));
        }
        let painted = Illustrator.paint(ask, references, call)?;
        Ok(Answer {
            class: None,
            ..painted
        })
    }
}

fn up() -> Arc<Painter> {
    let painter = Painter::default();
    painter.n_left.store(100, Ordering::SeqCst);
    Arc::new(painter)
}

fn studio(work: &Path, writer: &Arc<Writer>, painter: &Arc<Painter>) -> Studio {
    let mut studio = cast::studio(work);
    studio.script = writer.clone();
    studio.pictures = Arc::new(Chain::<dyn PictureProvider>::of(vec![
        painter.clone(),
        Arc::new(Illustrator),
    ]));
    studio
}

fn brief() -> Brief {
    let mut brief = Brief::new(Source::Script(SCRIPT.into()));
    brief.size = [64, 112];
    brief.pictures.style = "CINEMATIC".into();
    brief.characters = vec![Character {
        name: "Captain".into(),
        descriptor: "an old man in a blue coat".into(),
        voice: None,
        reference: None,
        is_measured: false,
    }];
    brief
}

fn told(painter: &Painter) -> Vec<String> {
    let asked = painter.asked.lock().unwrap();
    asked.iter().map(|ask| ask.brief.clone()).collect()
}

#[test]
fn one_call_says_what_is_seen_in_all_scenes_and_is_kept() {
    let temp = tempfile::tempdir().unwrap();
    let (writer, painter) = (Writer::new(Ok(Some("A harbor"))), up());
    let studio = studio(temp.path(), &writer, &painter);
    let production = studio.produce(&brief(), &Watch::default()).unwrap();
    let n = production.script.scenes.len();
    assert!(n > 1, "{n} scenes");
    let due: Vec<String> = (1..=n).map(|i| format!("A harbor {i}")).collect();
    assert_eq!(told(&painter), due);
    assert!(production.makers.iter().all(|makers| makers.briefs));
    let other = Brief {
        captions: None,
        ..brief()
    };
    studio.produce(&other, &Watch::default()).unwrap();
    assert_eq!(writer.n_asked(), 1, "one call for all scenes, kept for all");
    let asked = writer.asked.lock().unwrap()[0].clone();
    assert_eq!(asked.scenes.join(" "), SCRIPT);
    assert_eq!(asked.characters, ["Captain: an old man in a blue coat"]);
    assert_eq!(asked.style, "cinematic");
}

#[test]
fn without_one_who_can_the_whole_sentences_are_told() {
    for briefs in [Ok(None), Err(FailureKind::Unavailable)] {
        let temp = tempfile::tempdir().unwrap();
        let (writer, painter) = (Writer::new(briefs), up());
        let studio = studio(temp.path(), &writer, &painter);
        let production = studio.produce(&brief(), &Watch::default()).unwrap();
        let told = told(&painter);
        for (scene, told) in production.script.scenes.iter().zip(&told) {
            assert!(told.contains(&scene.lines[0].text), "{told}");
        }
        assert!(
            told.last().unwrap().contains("captain counted"),
            "what was said before tells who he is: {told:?}"
        );
        let is_noted = production
            .notes
            .iter()
            .any(|note| note.contains("it is down"));
        assert_eq!(is_noted, briefs.is_err(), "{:?}", production.notes);
        assert!(production.makers.iter().all(|makers| !makers.briefs));
        // The same run goes on with the pictures that are paid for.
        studio.produce(&brief(), &Watch::default()).unwrap();
        assert_eq!(writer.n_asked(), 1);
    }
}

#[test]
fn the_illustrator_keeps_its_words_where_it_stands_in() {
    let temp = tempfile::tempdir().unwrap();
    let (writer, painter) = (Writer::new(Ok(Some("A harbor"))), Arc::default());
    let chained = studio(&temp.path().join("a"), &writer, &painter);
    let production = chained.produce(&brief(), &Watch::default()).unwrap();
    let mut alone = studio(&temp.path().join("b"), &writer, &painter);
    alone.pictures = Arc::new(Illustrator);
    let n_before = writer.n_asked();
    let offline = alone.produce(&brief(), &Watch::default()).unwrap();
    assert_eq!(
        writer.n_asked(),
        n_before,
        "nobody who reads sentences is there"
    );
    let pictures = |folder: &Path| {
        let mut files: Vec<Vec<u8>> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "jpg"))
            .map(|path| std::fs::read(path).unwrap())
            .collect();
        files.sort();
        files
    };
    assert_eq!(pictures(&production.folder), pictures(&offline.folder));
    assert!(!pictures(&offline.folder).is_empty());
}

#[test]
fn each_scene_says_who_made_it() {
    let temp = tempfile::tempdir().unwrap();
    let (writer, painter) = (Writer::new(Ok(None)), up());
    painter.n_left.store(1, Ordering::SeqCst);
    let studio = studio(temp.path(), &writer, &painter);
    let production = studio.produce(&brief(), &Watch::default()).unwrap();
    let classes: Vec<Option<CostClass>> = production
        .makers
        .iter()
        .map(|makers| makers.pictures)
        .collect();
    assert_eq!(classes[0], None, "as it was asked for");
    assert!(
        classes[1..]
            .iter()
            .all(|class| *class == Some(CostClass::Offline))
            && classes.len() > 1,
        "{classes:?}"
    );
}
