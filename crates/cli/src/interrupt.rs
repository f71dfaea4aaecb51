//! Ctrl-C and SIGTERM: the first asks the render to stop, so that no partial file stays; a second one ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use kinora::CancelToken;

use crate::console;
use crate::failure::Failure;

/// Cancels `token` on the first signal.
pub(crate) fn cancel_on_signal(token: CancelToken) -> Result<(), Failure> {
    let asked = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::SeqCst) {
            console::say("cancelled");
            std::process::exit(1);
        }
        token.cancel();
    })
    .map_err(|e| Failure::Io(format!("signals cannot be caught: {e}")))
}
