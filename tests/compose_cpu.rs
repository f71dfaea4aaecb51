//! The CPU back end draws exactly what the draw list means.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod compose_scenes;

#[test]
fn scenes_have_names_of_their_own() {
    let all = compose_scenes::scenes();
    let names: std::collections::BTreeSet<_> = all.iter().map(|s| s.name).collect();
    assert_eq!(names.len(), all.len());
}
