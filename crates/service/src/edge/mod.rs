//! The front of the server: connections with time limits, and layers that every request passes before a route.
//!
//! Takes a listener and a router. Gives answers, each with a request id, each error in the interface's envelope. It knows no routes, keys or database.

mod accept;
mod body;
mod head;
mod headers;
mod layers;
mod socket;

pub use accept::serve;
pub use body::{BodyError, check_headers, read_whole};
pub use layers::{KeySlot, layered};
