//! Who works without a network, a key or a cost: the writer, the voices, the illustrator, its moving pictures, and the ear that finds known words.

mod align;
mod clips;
mod drift;
mod paint;

pub use align::Ear;
pub use clips::Animator;
pub use paint::Illustrator;
