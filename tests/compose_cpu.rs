//! The CPU back end draws exactly what the draw list means.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod compose_scenes;

#[test]
fn scenes_have_names_of_their_own() {
    let all = compose_scenes::scenes();
    let names: std::collections::BTreeSet<_> = all.iter().map(|s| s.name).collect();
    assert_eq!(names.len(), all.len());
}

#[test]
fn dump() {
    use kinora::compose::cpu::Compositor;
    let Ok(dir) = std::env::var("DUMP") else { return };
    for s in compose_scenes::scenes() {
        let fonts = kinora::text::Fonts::default();
        let mut c = Compositor::new(s.size, &fonts);
        let f = c.draw(&s.list, &s.pictures, kinora::frame::Frame::black(s.size)).unwrap();
        println!("{} {}x{}", s.name, s.size.width, s.size.height);
        std::fs::write(format!("{dir}/{}_{}x{}.yuv", s.name, s.size.width, s.size.height), f.as_bytes()).unwrap();
    }
}
