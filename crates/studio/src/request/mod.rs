//! Requests as the interface writes them: the bodies of Short and Universe runs, checked whole.
