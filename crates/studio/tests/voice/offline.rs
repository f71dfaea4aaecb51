//! The chooser: who speaks what, and what is said when nothing is installed.

use std::time::Duration;

use kinora_studio::failure::FailureKind;
use kinora_studio::providers::VoiceProvider;
use kinora_studio::voice::{Espeak, Offline};

use super::{ask, call, espeak, flite, spoken};

fn rate_hz(file: &[u8]) -> u32 {
    hound::WavReader::new(file).unwrap().spec().sample_rate
}

#[test]
fn english_goes_to_flite_and_the_rest_to_espeak() {
    let (Some(_), Some(espeak)) = (flite(), espeak()) else {
        return;
    };
    let offline = Offline::new().with_espeak(espeak);
    assert!(offline.speaks("en") && offline.speaks("es") && !offline.speaks("tlh"));
    for (text, language, voice, hz) in [
        ("Good morning.", "en", "", 16_000),
        ("Good morning.", "en-GB", "flite:awb", 16_000),
        ("Good morning.", "en", "espeak:en-gb+f2", 22_050),
        ("Buenos días.", "es", "", 22_050),
        ("Buenos días.", "es", "flite:slt", 22_050),
        ("你好。", "en", "", 22_050),
    ] {
        let speech = spoken(&offline, &ask(text, language, voice));
        assert_eq!(rate_hz(&speech.file), hz, "{text} {voice}");
    }
    assert!(offline.voices().len() > 100);
    println!("{}", offline.model());
}

#[test]
fn what_is_missing_is_named() {
    let nowhere = Espeak::at("/nonexistent/kinora-espeak", Duration::from_secs(5));
    let offline = Offline::new().with_espeak(nowhere);
    let missing = offline.speak(&ask("Hola.", "es", ""), &call()).unwrap_err();
    assert_eq!(missing.kind, FailureKind::NotConfigured, "{missing}");
    assert!(offline.speaks("es"), "it would, if it were installed");
    if flite().is_none() {
        let missing = offline
            .speak(&ask("Hello.", "en", ""), &call())
            .unwrap_err();
        assert!(
            missing.message.contains("apt-get install libflite1"),
            "{missing}"
        );
    }
}
