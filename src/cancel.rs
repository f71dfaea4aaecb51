//! Stopping work from another thread.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Stops a render from another thread. Clones stop the same render.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Requests that the render stop; it returns [`ErrorKind::Cancelled`] within a few frames.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether [`CancelToken::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an error once [`CancelToken::cancel`] was called.
    pub(crate) fn check(&self) -> Result<()> {
        match self.is_cancelled() {
            true => Err(Error::new(ErrorKind::Cancelled, "the render was cancelled")),
            false => Ok(()),
        }
    }

    /// Does the same for code that reports I/O errors.
    pub(crate) fn check_io(&self) -> io::Result<()> {
        match self.is_cancelled() {
            true => Err(io::Error::new(io::ErrorKind::Interrupted, "was cancelled")),
            false => Ok(()),
        }
    }
}
