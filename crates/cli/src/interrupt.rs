//! Ctrl-C and SIGTERM: the first signal asks the render to stop, so that no partial file remains; a second signal, or two seconds, end the program immediately.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kinora::CancelToken;

use crate::console;
use crate::failure::Failure;

/// How long a cancelled render may take to stop. A library call may never return.
const PATIENCE: Duration = Duration::from_millis(1700);

/// Cancels `token` on the first signal.
pub(crate) fn cancel_on_signal(token: CancelToken) -> Result<(), Failure> {
    let asked = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::SeqCst) {
            end();
        }
        token.cancel();
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            end();
        });
    })
    .map_err(|e| Failure::Io(format!("signals cannot be caught: {e}")))
}

/// Ends the program without waiting for its threads.
fn end() -> ! {
    kinora::remove_unfinished_files();
    console::say("cancelled");
    std::process::exit(1);
}
