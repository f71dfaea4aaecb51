//! Runs a property over many documents; what fails is made as plain as it can be, printed, and laid into a folder from which `kinora render` replays it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, Once};

use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::Value;

use crate::choices::Choices;
use crate::media::file_of;

/// Numbers of the largest case.
const MOST_NUMBERS: usize = 600;

thread_local! {
    /// Whether panics of this thread are kept instead of printed.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

static SAID: Mutex<String> = Mutex::new(String::new());

/// Names of threads whose panics are kept, too.
pub const QUIET_THREADS: &str = "anything-";

fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current();
            let is_worker = thread.name().is_some_and(|n| n.starts_with(QUIET_THREADS));
            if is_worker || IS_QUIET.get() {
                *SAID.lock().unwrap() = info.to_string();
            } else {
                usual(info);
            }
        }));
    });
    IS_QUIET.set(true);
}

/// `n`, or as many times more as the environment says: `KINORA_CASES=10 cargo test --test anything`.
fn n_cases(n: u32) -> u32 {
    let times = std::env::var("KINORA_CASES").ok();
    let times: f64 = times.map_or(1.0, |text| text.parse().expect("a factor"));
    ((f64::from(n) * times) as u32).max(1)
}

/// Another seed, other cases: `KINORA_SEED=7`.
fn rng() -> TestRng {
    let seed = std::env::var("KINORA_SEED").ok();
    let seed: u64 = seed.map_or(1, |text| text.parse().expect("a number"));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

/// Cases that held, and those that were refused as they should be.
#[derive(Default)]
pub struct Count {
    pub n_held: Cell<u32>,
    pub n_refused: Cell<u32>,
}

/// Checks `n` documents, more or fewer by the environment. `holds` panics where something does not hold, and says whether the document was accepted.
pub fn check(
    name: &str,
    n: u32,
    make: impl Fn(&mut Choices) -> Value,
    holds: impl Fn(&Value, &mut Choices) -> bool,
) {
    keep_panics();
    let count = Count::default();
    let config = Config {
        cases: n_cases(n),
        failure_persistence: None,
        max_shrink_iters: 30_000,
        max_shrink_time: 120_000,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, rng());
    let numbers = proptest::collection::vec(any::<u32>(), 0..MOST_NUMBERS);
    let run = |numbers: &[u32]| {
        let mut choices = Choices::new(numbers);
        let document = make(&mut choices);
        let accepted = catch_unwind(AssertUnwindSafe(|| holds(&document, &mut choices)));
        match accepted {
            Ok(true) => count.n_held.set(count.n_held.get() + 1),
            Ok(false) => count.n_refused.set(count.n_refused.get() + 1),
            Err(_) => return Err(TestCaseError::fail("does not hold")),
        }
        Ok(())
    };
    let done = runner.run(&numbers, |numbers| run(&numbers));
    if let Err(TestError::Fail(_, numbers)) = done {
        let document = make(&mut Choices::new(&numbers));
        let _ = run(&numbers);
        IS_QUIET.set(false);
        let said = SAID.lock().unwrap().clone();
        let folder = lay_out(name, &document);
        panic!(
            "{said}\nby {document:#}\nof {numbers:?}\nreplay: kinora render {}/timeline.json -o /tmp/replay.mp4\nOnce it holds, add the document to tests/anything/seen.jsonl.",
            folder.display()
        );
    }
    IS_QUIET.set(false);
    done.unwrap();
    let (n_held, n_refused) = (count.n_held.get(), count.n_refused.get());
    println!("{name}: {n_held} held, {n_refused} were refused");
    assert!(
        n_refused <= n_held / 4 + 2,
        "too many documents are refused"
    );
}

/// The document and its files in a folder.
fn lay_out(name: &str, document: &Value) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("timeline.json"), format!("{document:#}")).unwrap();
    for file in crate::media::names_in(document) {
        if let Some(bytes) = file_of(&file) {
            std::fs::write(folder.join(&file), bytes).unwrap();
        }
    }
    folder
}
