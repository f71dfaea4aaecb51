//! Catches panics where work begins and turns them into errors that name the bug, the code and the document part. A bug costs one render, not the process.
//!
//! Input: work. Output: its result, or an error of kind `Internal`. Prints nothing, unless `RUST_BACKTRACE` requests traces.
//!
//! Only the process's panic hook knows where in the code a panic occurred. The first guard therefore installs a hook in front of the existing one:
//! it records panics of guarded threads and passes all others on.

use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};

use crate::error::{Error, ErrorKind, Result};

/// Name prefixes of threads that run only guarded work.
const GUARDED_THREADS: [&str; 3] = ["kinora-", "pictures-", "clip"];
/// Maximum number of recorded panics not yet claimed by a guard.
const MOST_KEPT: usize = 16;

thread_local! {
    /// Number of guards this thread is inside.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The part of the document this thread works on, e.g. `shots` and 3.
    static PART: Cell<Option<(&'static str, usize)>> = const { Cell::new(None) };
}

/// The latest panics of guarded work. A guard may catch a panic from another thread, so panics are matched by message, not by thread.
static KEPT: Mutex<VecDeque<Kept>> = Mutex::new(VecDeque::new());

struct Kept {
    message: String,
    /// Location, e.g. `src/plan/shots.rs:283`.
    code: Option<String>,
    part: Option<(&'static str, usize)>,
}

/// Runs `work`. A panic on this thread, or on workers it waits for, becomes an error that says what broke and where.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(put_hook);
    DEPTH.set(DEPTH.get() + 1);
    // Callers discard the state of failed work.
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done.unwrap_or_else(|panic| Err(error_of(&*panic)))
}

/// While it exists, a panic on this thread names this part of the document.
pub(crate) struct WorkingOn(Option<(&'static str, usize)>);

/// Declares that this thread now works on an entry of one of the document's lists.
pub(crate) fn working_on(list: &'static str, index: usize) -> WorkingOn {
    WorkingOn(PART.replace(Some((list, index))))
}

impl Drop for WorkingOn {
    fn drop(&mut self) {
        PART.set(self.0);
    }
}

fn put_hook() {
    let behind = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_guarded() {
            return behind(info);
        }
        keep(info);
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted != "0") {
            behind(info);
        }
    }));
}

fn is_guarded() -> bool {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or_default();
    DEPTH.get() > 0 || GUARDED_THREADS.iter().any(|start| name.starts_with(start))
}

fn keep(info: &PanicHookInfo<'_>) {
    let code = info.location();
    let kept = Kept {
        message: message_of(info.payload()),
        code: code.map(|code| format!("{}:{}", code.file(), code.line())),
        part: PART.get(),
    };
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= MOST_KEPT {
        all.pop_front();
    }
    all.push_back(kept);
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned())
}

fn error_of(panic: &(dyn Any + Send)) -> Error {
    let message = message_of(panic);
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let newest = all.iter().rposition(|kept| kept.message == message);
    let kept = newest.and_then(|at| all.remove(at));
    drop(all);
    let (code, part) = kept.map_or((None, None), |kept| (kept.code, kept.part));
    let code = code.map_or(String::new(), |code| format!(" ({code})"));
    let text = format!("a bug in kinora: {message}{code}; please report it with the timeline");
    let error = Error::new(ErrorKind::Internal, text);
    match part {
        Some((list, index)) => error.at(format_args!("{list}[{index}]")),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    fn said<T: std::fmt::Debug>(work: impl FnOnce() -> Result<T>) -> String {
        let error = caught(work).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
        error.to_string()
    }

    #[test]
    fn a_panic_says_what_and_where() {
        let line = line!() + 1;
        let said_here = said(|| -> Result<()> { panic!("the shelf fell") });
        let place = format!("the shelf fell (src/caught.rs:{line})");
        assert!(said_here.contains(&place), "{said_here}");
        assert_eq!(caught(|| Ok(3)).unwrap(), 3);
        let own = caught(|| -> Result<()> { Err(Error::new(ErrorKind::Media, "no picture")) });
        assert_eq!(own.unwrap_err().kind(), ErrorKind::Media);
    }

    #[test]
    fn a_panic_names_the_part_of_the_document() {
        let inner = said(|| -> Result<()> {
            let _shot = working_on("shots", 3);
            drop(working_on("layers", 7));
            panic!("in a shot");
        });
        assert!(
            inner.starts_with("shots[3]: a bug in kinora: in a shot"),
            "{inner}"
        );
        let after = said(|| -> Result<()> { panic!("in none") });
        assert!(after.starts_with("a bug in kinora"), "{after}");
    }

    #[test]
    fn a_panic_of_a_worker_is_caught_where_it_is_waited_for() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .thread_name(|i| format!("kinora-tile-{i}"))
            .build()
            .unwrap();
        let pick = |i: i32| {
            if i == 777 {
                Option::<i32>::None
            } else {
                Some(i)
            }
        };
        let text = said(|| {
            let sum = || {
                (0..1000)
                    .into_par_iter()
                    .map(|i| pick(i).expect("all are there"))
                    .sum::<i32>()
            };
            Ok(pool.install(sum))
        });
        assert!(text.contains("all are there (src/caught.rs:"), "{text}");
    }
}
