//! Texts and programs that mean harm: a result or a typed failure, soon.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kinora_studio::failure::FailureKind;
use kinora_studio::providers::VoiceProvider;
use kinora_studio::voice::Espeak;

use super::{ask, call, check, espeak, flite};

/// xorshift64*.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

fn texts() -> Vec<(String, Option<FailureKind>)> {
    let bad = Some(FailureKind::BadInput);
    vec![
        (String::new(), bad),
        (" \n\t ".to_owned(), bad),
        ("... --- — !? \"\" ()".to_owned(), bad),
        ("\0\0\0".to_owned(), bad),
        ("x".repeat(1 << 20), bad),
        ("nine 9 ".repeat(20_000), bad),
        ("a\0b \u{1}v \u{202e}c\u{7}".to_owned(), None),
        (
            "<voice name='x'><break time=\"99s\"/>hello</voice>".to_owned(),
            None,
        ),
        ("[[h@'loU]] {} (a) \\ ` ~".to_owned(), None),
        (format!("a{}", "\u{301}".repeat(10_000)), None),
        ("word".repeat(400), None),
        ("%s%n%x $$$$ %% 1,,,2 1.2.3.4.5.6.7 -- -5".to_owned(), None),
        (
            "IIIIIIIIIIIIIIIIIIIIII MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM".to_owned(),
            None,
        ),
        (format!("hello{}", "!".repeat(5_000)), None),
        (format!("{}hello", "\"".repeat(5_000)), None),
    ]
}

#[test]
fn hostile_texts_end_in_a_result_or_a_failure() {
    let (flite, espeak) = (flite(), espeak());
    let flite = flite.as_ref().map(|f| f as &dyn VoiceProvider);
    let espeak = espeak.as_ref().map(|e| e as &dyn VoiceProvider);
    for provider in flite.into_iter().chain(espeak) {
        for (text, refused) in texts() {
            let began = Instant::now();
            let answer = provider.speak(&ask(&text, "en", ""), &call());
            let took = began.elapsed();
            let shown: String = text.chars().take(30).collect();
            match (&answer, refused) {
                (Ok(answer), None) => check(&answer.value, &text),
                (Err(failure), Some(kind)) => assert_eq!(failure.kind, kind, "{failure}"),
                _ => panic!("{} {shown:?}: {:?}", provider.name(), answer.err()),
            }
            assert!(took < Duration::from_secs(40), "{shown:?} took {took:?}");
        }
    }
}

/// Words that are read in special ways, parted by spaces.
const PARTS: &str = "a The well-known 142 1,000 $5 3.5% — - ... ' \" Dr. e.g. XIV King Henry VIII St. 12:30pm 555-1234 1998 1990s 3rd o'clock don't rock'n'roll AT&T C++ \
    x=y #1 @home U.S.A. 3/4 ½ naïve 你好 😀 http://a.b/c?d=e 007 0 -0 1e9 0x1F MP3 B2B ZZZZ qwrtp 's II. I. 2nd, 24/7 (yes) [no] {x} 10km 5GB \
    100000000000000 a.m. No. Louis Section IV 1-2-3 80-90 19th Jan. % $ & ii of the \u{301} , a,b a;b x.y";

#[test]
fn random_texts_never_confuse_the_words() {
    let (flite, espeak) = (flite(), espeak());
    let parts: Vec<&str> = PARTS.split(' ').filter(|p| !p.is_empty()).collect();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let n_rounds = std::env::var("ROUNDS").map_or(40, |n| n.parse().unwrap());
    for _ in 0..n_rounds {
        let words: Vec<&str> = (0..1 + dice.roll(30))
            .map(|_| parts[dice.roll(parts.len())])
            .collect();
        let joint = ["", " ", " ", " "];
        let text: String = words
            .iter()
            .flat_map(|w| [*w, joint[dice.roll(4)]])
            .collect();
        if let Some(flite) = &flite {
            match flite.speak(&ask(&text, "en", ""), &call()) {
                Ok(answer) => check(&answer.value, &text),
                Err(e) => assert_eq!(e.kind, FailureKind::BadInput, "{text:?}: {e}"),
            }
        }
        if let Some(espeak) = espeak.as_ref().filter(|_| dice.roll(4) == 0) {
            match espeak.speak(&ask(&text, "en", ""), &call()) {
                Ok(answer) => check(&answer.value, &text),
                Err(e) => assert_eq!(e.kind, FailureKind::BadInput, "{text:?}: {e}"),
            }
        }
    }
}

/// A program of shell script; it stays until the test's folder goes.
fn fake(folder: &tempfile::TempDir, name: &str, body: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_program_that_misbehaves_is_stopped_and_told() {
    use FailureKind::{BadAnswer, NotConfigured, TimedOut};
    let folder = tempfile::tempdir().unwrap();
    let voices =
        r#"{"version":"1.51","voices":[{"voice":"es","name":"S","languages":[["es",5]]}]}"#;
    let then =
        |body: &str| format!("if [ \"$1\" = --voices ]; then echo '{voices}'; exit 0; fi\n{body}");
    let cases = [
        ("hangs", "exec sleep 100".to_owned(), TimedOut),
        ("hangs-later", then("exec sleep 100"), TimedOut),
        ("garbage", "echo garbage".to_owned(), BadAnswer),
        ("silent", "exit 0".to_owned(), BadAnswer),
        ("crashes", then("kill -SEGV $$"), BadAnswer),
        ("floods", "exec yes".to_owned(), BadAnswer),
        ("floods-a-line", "exec tr '\\0' x < /dev/zero".to_owned(), BadAnswer),
        ("promises-much", then("echo '{\"wav_bytes\": 99999999999}'; exec cat /dev/zero"), BadAnswer),
        ("promises-more", then("echo '{\"wav_bytes\": 500, \"words\": []}'; echo x"), BadAnswer),
        ("no-wav", then("echo '{\"wav_bytes\": 4, \"words\": []}'; printf abcd"), BadAnswer),
        ("no-library", "echo '{\"error\":{\"kind\":\"no_library\",\"message\":\"libespeak-ng.so.1\"}}'; exit 1".to_owned(), NotConfigured),
    ];
    for (name, body, kind) in cases {
        let espeak = Espeak::at(fake(&folder, name, &body), Duration::from_millis(800));
        let began = Instant::now();
        let failure = espeak
            .speak(&ask("Hola mundo.", "es", ""), &call())
            .unwrap_err();
        println!("{name}: {failure} ({:?})", began.elapsed());
        assert_eq!(failure.kind, kind, "{name}: {failure}");
        assert!(began.elapsed() < Duration::from_secs(4), "{name}");
    }
    let not_a_program = folder.path().join("text");
    std::fs::write(&not_a_program, "x").unwrap();
    let failure = Espeak::at(not_a_program, Duration::from_secs(1))
        .check()
        .unwrap_err();
    assert_eq!(failure.kind, NotConfigured, "{failure}");
}

#[test]
fn a_program_that_hung_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let voices = r#"{"version":"1.51","voices":[]}"#;
    let body = format!(
        "[ -e \"$0.again\" ] && echo '{voices}' && exit 0\n: > \"$0.again\"\nexec sleep 100"
    );
    let espeak = Espeak::at(
        fake(&folder, "hangs-once", &body),
        Duration::from_millis(500),
    );
    espeak.check().unwrap();
}

#[test]
fn a_cancelled_call_stops_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let program = fake(&folder, "hangs", "echo $$ > \"$0.pid\"\nexec sleep 100");
    let espeak = Espeak::at(&program, Duration::from_secs(60));
    let call = call();
    let cancel = call.cancel.clone();
    let began = Instant::now();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        cancel.cancel();
    });
    let failure = espeak.speak(&ask("Hola.", "es", ""), &call).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Cancelled, "{failure}");
    assert!(began.elapsed() < Duration::from_secs(3));
    let pid = std::fs::read_to_string(program.with_extension("pid")).unwrap();
    assert!(
        !PathBuf::from(format!("/proc/{}", pid.trim())).exists(),
        "it still runs"
    );
}

#[test]
fn a_call_without_time_says_so() {
    let call = || {
        let mut call = call();
        call.deadline = Instant::now();
        call
    };
    let nowhere = Espeak::at("/nonexistent", Duration::from_secs(5));
    let failure = nowhere.speak(&ask("Hola.", "es", ""), &call()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure}");
    let Some(flite) = flite() else { return };
    let failure = flite.speak(&ask("Hello.", "en", ""), &call()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure}");
}
