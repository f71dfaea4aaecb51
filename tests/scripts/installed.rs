//! Scripts that come from installed fonts: Chinese, Japanese, Korean, and emoji in color, on both back ends.

use kinora::compose::Backend;
use kinora::frame::Frame;
use serde_json::json;

use super::fixture::{document, job, still};

const SIZE: [u32; 2] = [360, 640];

/// The frame of words in a style; `None`, with a printed line, where their fonts are not installed.
fn frame(style: &str, words: &[&str], backend: Backend) -> Option<Frame> {
    let job = job(&document(&json!(style), words, SIZE)).unwrap();
    let missing = job.warnings().iter().find(|w| w.code == "missing_glyph");
    if let Some(warning) = missing {
        assert!(warning.message.contains("fonts-noto-"), "{warning}");
        println!("skipped {words:?}: {warning}");
        return None;
    }
    assert_eq!(job.warnings(), []);
    match still(&job, 0.25, backend) {
        Ok(frame) => Some(frame),
        Err(e) if backend == Backend::Gpu => {
            println!("skipped on the GPU: {e}");
            None
        }
        Err(e) => panic!("{e}"),
    }
}

/// The largest difference of chroma from gray, and how many samples are colorful.
fn color(frame: &Frame) -> (u8, usize) {
    let samples = frame.planes()[1].iter().chain(frame.planes()[2]);
    let off = samples.map(|v| v.abs_diff(128));
    (off.clone().max().unwrap(), off.filter(|v| *v > 20).count())
}

#[test]
fn east_asian_words_are_drawn() {
    for words in [
        ["今天我们", "学习"],
        ["東京で", "コーヒー"],
        ["안녕하세요", "여러분"],
    ] {
        if let Some(frame) = frame("minimal", &words, Backend::Cpu) {
            let bright = frame.planes()[0].iter().filter(|y| **y > 200).count();
            assert!(bright > 100, "{words:?}: {bright} bright samples");
        }
    }
}

#[test]
fn emoji_are_in_color_and_the_same_on_both_back_ends() {
    let words = ["👍🏽❤️", "🇩🇪1️⃣"];
    let Some(cpu) = frame("minimal", &words, Backend::Cpu) else {
        return;
    };
    let (most, n) = color(&cpu);
    assert!(most > 60 && n > 200, "{most} {n}");
    let Some(gpu) = frame("minimal", &words, Backend::Gpu) else {
        return;
    };
    for (a, b) in cpu.planes().into_iter().zip(gpu.planes()) {
        let off = a.iter().zip(b).filter(|(a, b)| a.abs_diff(**b) > 6);
        assert!(off.count() * 200 < a.len());
    }
}
