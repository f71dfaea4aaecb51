//! The door: connections with time limits, and what every request passes before a route sees it.
//!
//! Takes: a listener and a router. Gives: answers, each with a request id, each refusal in the interface's error envelope.
//! Never: knows a route, a key or a database.

mod accept;
mod body;
mod head;
mod headers;
mod layers;
mod socket;

pub use accept::serve;
pub use body::{BodyError, check_headers, read_whole};
pub use layers::{KeySlot, layered};
