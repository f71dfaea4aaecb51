//! Steps are found again, replaced if broken, shared, and removed completely.

use std::collections::HashMap;
use std::sync::Mutex;

use super::*;

#[test]
fn a_step_is_found_again_by_what_was_asked() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(temp.path().join("work")).expect("a new folder");
    let key = StepKey::of(Stage::Voice, &("text", "slt"));
    assert_eq!(found::<f64>(&store, &key), None);
    let step = store
        .put(&key, 1.5, &[("voice.wav", b"RIFF")])
        .expect("room for it");
    assert_eq!(
        fs::read(step.folder.join("voice.wav")).expect("it is there"),
        b"RIFF"
    );
    assert_eq!(
        found(&Store::open(store.root()).expect("again"), &key),
        Some(step.clone())
    );
    // Making it again changes nothing; a different request has another key.
    assert_eq!(
        store
            .put(&key, 1.5, &[("voice.wav", b"RIFF")])
            .expect("again"),
        step
    );
    assert_ne!(StepKey::of(Stage::Voice, &("text", "rms")), key);
    assert_ne!(StepKey::of(Stage::Pictures, &("text", "slt")), key);
}

#[test]
fn a_broken_step_is_made_again() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(temp.path()).expect("a new folder");
    let key = StepKey::of(Stage::Script, &"prompt");
    let step = store.put(&key, vec![1, 2], &[]).expect("room for it");
    fs::write(step.folder.join(RESULT), "[1,").expect("it can be cut");
    assert_eq!(found::<Vec<i32>>(&store, &key), None);
    store.put(&key, vec![1, 2], &[]).expect("it is replaced");
    assert_eq!(
        found(&store, &key).map(|step: Step<Vec<i32>>| step.value),
        Some(vec![1, 2])
    );
    let left = fs::read_dir(temp.path().join("steps"))
        .expect("a folder")
        .count();
    assert_eq!(left, 1, "nothing unfinished is left");
}

#[test]
fn who_is_second_takes_what_the_first_made() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(temp.path()).expect("a new folder");
    let key = StepKey::of(Stage::Voice, &"text");
    let first = store
        .put(&key, 1.5, &[("a.wav", b"first")])
        .expect("room for it");
    let second = store
        .put(&key, 2.5, &[("a.wav", b"second")])
        .expect("it is there");
    assert_eq!(second, first);
    assert_eq!(
        fs::read(first.folder.join("a.wav")).expect("it is there"),
        b"first"
    );
}

#[test]
fn only_what_nobody_asked_for_lately_is_removed() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(temp.path()).expect("a new folder");
    let [asked, forgotten] = ["asked", "forgotten"].map(|ask| StepKey::of(Stage::Voice, &ask));
    let (hour, age) = (Duration::from_secs(3600), Duration::from_secs(60));
    for key in [&asked, &forgotten] {
        let step = store.put(key, 1, &[]).expect("room for it");
        let folder = File::open(&step.folder).expect("it is there");
        folder
            .set_modified(SystemTime::now() - hour)
            .expect("it is ours");
    }
    assert!(found::<i32>(&store, &asked).is_some());
    assert_eq!(store.remove_unused(age).expect("it can be read"), 1);
    assert!(found::<i32>(&store, &asked).is_some());
    assert_eq!(found::<i32>(&store, &forgotten), None);
}

#[test]
fn what_is_left_of_a_step_is_in_nobodys_way() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(temp.path()).expect("a new folder");
    let key = StepKey::of(Stage::Voice, &"text");
    let folder = store.folder(&key);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("voice.wav"), "RI").expect("a file without its result");
    assert_eq!(found::<f64>(&store, &key), None);
    let step = store.put(&key, 1.5, &[("voice.wav", b"RIFF")]);
    assert_eq!(step.map(|step| step.value), Ok(1.5));
    assert_eq!(fs::read(folder.join("voice.wav")).expect("whole"), b"RIFF");
}

#[test]
fn what_was_shared_and_finds_no_room_here_is_not_made_again() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let shelf = Arc::new(Shelf::default());
    let [here, there] = ["here", "there"].map(|name| machine(&temp, name, &shelf));
    let key = StepKey::of(Stage::Voice, &"text");
    here.put(&key, 1.5, &[]).expect("room for it");
    // A file in place of the stage's folder.
    fs::write(
        there.root().join("steps").join(Stage::Voice.to_string()),
        "",
    )
    .expect("a file");
    let failure = there.get::<f64>(&key).expect_err("it cannot be written");
    assert_eq!(failure.kind, FailureKind::Storage);
}

#[test]
fn what_was_made_once_more_elsewhere_is_taken_before_what_a_substitute_made() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let shelf = Arc::new(Shelf::default());
    let [here, there] = ["here", "there"]
        .map(|name| machine(&temp, name, &shelf).of_run("run_1", &temp.path().join(name)));
    let key = StepKey::of(Stage::Voice, &"text");
    let (name, who) = here.stand_in("second");
    here.put(&key, 2, &[(name, &who)]).expect("room for it");
    let taken = there
        .newest::<i32>(&key)
        .expect("readable")
        .expect("shared");
    assert_eq!(
        (taken.value, there.stood_in(&taken)),
        (2, None),
        "one run on two machines"
    );
    let other = there.of_run("run_2", temp.path());
    assert_eq!(other.stood_in(&taken).as_deref(), Some("second"));
    here.put(&key.again(), 1, &[]).expect("room for it");
    let newest = other.newest::<i32>(&key).expect("readable");
    assert_eq!(newest.map(|step| step.value), Some(1));
}

fn found<T: DeserializeOwned>(store: &Store, key: &StepKey) -> Option<Step<T>> {
    store.get(key).expect("it can be read")
}

/// The store of one of the machines that share a shelf.
fn machine(temp: &tempfile::TempDir, name: &str, shelf: &Arc<Shelf>) -> Store {
    let store = Store::open(temp.path().join(name)).expect("a new folder");
    store.shared(Arc::clone(shelf) as Arc<dyn Remote>)
}

/// The shared store, in memory.
#[derive(Debug, Default)]
struct Shelf(Mutex<HashMap<String, Vec<u8>>>);

impl Remote for Shelf {
    fn fetch(&self, name: &str) -> Option<Vec<u8>> {
        self.0.lock().expect("no panic").get(name).cloned()
    }

    fn keep(&self, name: &str, packed: Vec<u8>) {
        let mut kept = self.0.lock().expect("no panic");
        kept.insert(name.to_owned(), packed);
    }
}

#[test]
fn another_machine_goes_on_with_what_was_shared() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let shelf = Arc::new(Shelf::default());
    let [here, there] = ["here", "there"].map(|name| machine(&temp, name, &shelf));
    let key = StepKey::of(Stage::Voice, &"text");
    assert_eq!(found::<f64>(&there, &key), None);
    here.put(&key, 1.5, &[("voice.wav", b"RIFF")])
        .expect("room for it");
    let step = found::<f64>(&there, &key).expect("it was shared");
    assert_eq!(step.value, 1.5);
    assert!(step.folder.starts_with(there.root()));
    assert_eq!(
        fs::read(step.folder.join("voice.wav")).expect("it came along"),
        b"RIFF"
    );
    // It stays when it is no longer shared; an unreadable archive counts as missing; music is not shared.
    let name = key.shared_name().expect("voices are shared");
    shelf.keep(&name, b"no archive".to_vec());
    assert_eq!(found::<f64>(&there, &key), Some(step));
    let third = machine(&temp, "third", &shelf);
    assert_eq!(found::<f64>(&third, &key), None);
    let music = StepKey::of(Stage::Timeline, &"music");
    here.put(&music, (), &[("music.wav", b"RIFF")])
        .expect("room for it");
    assert_eq!(found::<()>(&there, &music), None);
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let file = temp.path().join("file");
    fs::write(&file, "").expect("a file");
    let failure = Store::open(file.join("work")).expect_err("a file is no folder");
    assert_eq!(failure.kind, FailureKind::Storage);
    assert!(failure.message.contains("file/work"), "{failure}");
}
