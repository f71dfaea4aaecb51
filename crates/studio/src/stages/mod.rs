//! The stages of a run with their checkpoints.
