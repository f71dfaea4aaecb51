//! Providers without network, key or cost: the writer, the voices, the illustrator, its moving pictures, and the aligner of known words.

mod align;
mod clips;
mod drift;
mod measure;
mod paint;

pub use align::Ear;
pub use clips::Animator;
pub(crate) use measure::sheet as measured;
pub use paint::Illustrator;

/// Returns names and descriptions of the illustrator's styles.
pub fn picture_styles() -> impl Iterator<Item = (&'static str, &'static str)> {
    let styles = kinora_illustrator::styles().iter();
    styles.map(|style| (style.name, style.description))
}
