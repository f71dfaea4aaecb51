//! routes.
