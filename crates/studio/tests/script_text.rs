//! Cleaning, sentences, languages, scenes, briefs and lengths of texts, ordinary and hostile.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::time::{Duration, Instant};

use kinora_studio::providers::picture_prompt;
use kinora_studio::providers::{Figure, PictureAsk};
use kinora_studio::scene::{Line, Scene, Script};
use kinora_studio::script::{
    SceneOptions, briefs, fit, language_of, n_words, plain, scenes, sentences, speakable,
    spoken_secs,
};

#[test]
fn markup_and_directions_go_and_emoji_stay() {
    let rows = [
        ("**Bold** and *soft* text", "Bold and soft text"),
        ("# Title\nFirst line", "Title\n\nFirst line"),
        ("a [link](https://x.y/z) here", "a link here"),
        ("![alt](pic.png) seen", "seen"),
        ("[door slams] Hello", "Hello"),
        ("(whispering) Come here", "Come here"),
        (
            "It was late (about nine) already",
            "It was late (about nine) already",
        ),
        ("*sighs* Fine.", "Fine."),
        ("<b>Bold</b> &amp; <br/>new", "Bold & new"),
        ("- one\n- two", "one\ntwo"),
        ("> quoted", "quoted"),
        ("5 < 6 and 7 > 3", "5 < 6 and 7 > 3"),
        ("2 * 3 and 4*5", "2 * 3 and 4*5"),
        ("snake_case stays, _this_ not", "snake_case stays, this not"),
        ("family 👨‍👩‍👧 ok", "family 👨‍👩‍👧 ok"),
        ("zero\u{200b}width\u{feff}", "zerowidth"),
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ("one\n\n\n\ntwo", "one\n\ntwo"),
        ("`code` ~~gone~~", "code gone"),
        ("```\nlet x;\n```\nsaid", "said"),
        ("see https://a.b/c_d_e now", "see https://a.b/c_d_e now"),
    ];
    for (raw, expected) in rows {
        assert_eq!(plain(raw), expected, "{raw:?}");
    }
}

#[test]
fn sentences_of_many_languages() {
    let rows: &[(&str, &[&str])] = &[
        ("en", &["Dr. Smith met Mr. J. R. Jones.", "They talked."]),
        ("en", &["It costs 3.50 dollars.", "Really?", "Yes!"]),
        ("en", &["“Stop!” he said.", "Nobody moved."]),
        ("en", &["He said \"Stop.\"", "Then he left."]),
        ("en", &["Wait… what?", "Oh."]),
        ("en", &["The U.S. Army left.", "It rained."]),
        (
            "en",
            &["Apples, pears, etc. are fruit.", "The rest is not."],
        ),
        ("en", &["He was born in the U.S.", "The town was small."]),
        ("en", &["See example.com/a.b for more.", "Bye."]),
        ("en", &["hello there.", "this has no capitals.", "at all!"]),
        ("en", &["Plan B.", "It works."]),
        ("en", &["1. Wake up early.", "2. Drink water."]),
        ("en", &["Nice 😀!", "Good 🎉"]),
        (
            "de",
            &[
                "Am 3. Oktober war Dr. Weber da.",
                "Er ging, z. B. Hunde füttern.",
            ],
        ),
        ("es", &["¿Qué pasa?", "¡Nada!", "El Sr. López vino."]),
        ("fr", &["M. Dupont arrive.", "« Bonjour ! » dit-il."]),
        ("zh", &["你好。", "我很好！", "你呢？"]),
        ("ja", &["「行こう。」と彼は言った。", "雨が降る。"]),
        ("ar", &["كيف حالك؟", "أنا بخير."]),
        ("fa", &["سلام۔", "خوبم."]),
        ("hi", &["यह अच्छा है।", "हाँ!"]),
        ("el", &["Τι κάνεις;", "Καλά."]),
        ("ru", &["Это было в 1812 г. зимой.", "Потом пришла весна."]),
        ("hy", &["Բարեւ։", "Ինչպես ես։"]),
        ("am", &["ሰላም።", "ደህና።"]),
    ];
    for (language, expected) in rows {
        let unspaced = matches!(*language, "zh" | "ja");
        let text = expected.join(if unspaced { "" } else { " " });
        assert_eq!(sentences(&text, language), *expected, "{language}");
    }
    assert_eq!(sentences("one line\nAnother line", "en").len(), 2);
    assert_eq!(
        sentences("ภาษาไทยไม่มีเครื่องหมาย แต่มีช่องว่างระหว่างประโยค", "th").len(),
        2
    );
}

#[test]
fn languages_are_told_apart() {
    let rows = [
        ("en", "The cat sat on the mat and it was happy with this."),
        (
            "es",
            "El gato se sentó en la alfombra y estaba muy contento.",
        ),
        ("de", "Die Katze saß auf der Matte und war sehr zufrieden."),
        (
            "fr",
            "Le chat est assis sur le tapis et il est très content.",
        ),
        ("pt", "O gato não estava em casa, mas a menina também não."),
        ("it", "Il gatto è sul tappeto e la bambina non è contenta."),
        ("nl", "De kat zit op de mat en het is een mooie dag."),
        ("ru", "Кошка сидела на ковре и была очень довольна."),
        (
            "uk",
            "Кішка сиділа на килимі і була дуже задоволена, її любили.",
        ),
        (
            "pl",
            "Kot siedział na dywanie i był bardzo zadowolony, że jest ciepło.",
        ),
        (
            "tr",
            "Kedi halının üzerinde oturuyordu ve çok mutlu bir gündü.",
        ),
        ("ar", "القطة تجلس على السجادة وهي سعيدة"),
        ("he", "החתול יושב על השטיח"),
        ("fa", "گربه روی فرش نشسته است و این خوب است"),
        ("hi", "बिल्ली चटाई पर बैठी है"),
        ("bn", "বিড়াল মাদুরে বসে আছে"),
        ("th", "แมวนั่งบนเสื่อ"),
        ("zh", "猫坐在垫子上，很高兴。"),
        ("ja", "猫はマットの上に座っている。"),
        ("ko", "고양이가 매트 위에 앉아 있다"),
        ("el", "Η γάτα κάθεται στο χαλί"),
        ("vi", "Con mèo ngồi trên tấm thảm và rất vui"),
        (
            "id",
            "Kucing itu duduk di atas tikar dan tidak mau pergi dari sana.",
        ),
        (
            "sv",
            "Katten sitter på mattan och den är mycket nöjd med det.",
        ),
        ("en", ""),
        ("en", "12345 !!!"),
    ];
    for (language, text) in rows {
        assert_eq!(language_of(text), language, "{text}");
    }
}

fn story() -> String {
    let text = "The old lighthouse stood above a stormy sea. Every evening the keeper climbed the narrow stairs and lit the lamp, because somewhere out there a small boat was looking for the harbor. He had done it for forty years. Nobody thanked him.\n\nOne night, the light went out. \"It cannot be,\" he whispered, and he ran.\n\nWhy does it matter? Because hope needs a place to stand.";
    text.to_string()
}

#[test]
fn scenes_are_four_to_eight_seconds_and_say_everything() {
    let options = SceneOptions::default();
    let found = scenes(&story(), "en", &options);
    let said: Vec<String> = found.iter().map(|s| s.lines[0].text.clone()).collect();
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(&said.join(" ")),
        words(&story()),
        "nothing is lost: {said:#?}"
    );
    for line in &said {
        let secs = spoken_secs(line, &options);
        assert!((1.5..=9.5).contains(&secs), "{secs} s: {line}");
    }
    assert!(
        said.iter()
            .any(|line| line.ends_with("Nobody thanked him.")),
        "a blank line is a cut: {said:#?}"
    );
    assert!(found.iter().all(|s| !s.brief.is_empty()));
    let one = scenes("Why?", "en", &options);
    assert_eq!(one.len(), 1);
    assert!(scenes("", "en", &options).is_empty());
    assert!(scenes(" \n\n ", "en", &options).is_empty());
}

#[test]
fn long_texts_make_at_most_150_scenes_and_fast() {
    let long = format!("{}\n\n", story()).repeat(150);
    assert!(long.len() >= 50_000);
    let before = Instant::now();
    let found = scenes(&long, "en", &SceneOptions::default());
    let took = before.elapsed();
    assert!(found.len() <= 150 && found.len() > 75, "{}", found.len());
    assert!(took < Duration::from_millis(1000), "{took:?}");
    println!("50,000 characters: {} scenes in {took:?}", found.len());
    let chinese = "海边有一座灯塔，守塔人每天晚上都点亮灯火，因为远方的船需要它。".repeat(20);
    for scene in scenes(&chinese, "zh", &SceneOptions::default()) {
        let secs = spoken_secs(&scene.lines[0].text, &SceneOptions::default());
        assert!(
            (2.0..=9.5).contains(&secs),
            "{secs}: {}",
            scene.lines[0].text
        );
    }
}

#[test]
fn briefs_name_what_can_be_seen_and_carry_the_setting() {
    let texts = [
        "The old lighthouse stood above a stormy sea at dusk.",
        "Marie Curie climbs the narrow stairs with a lantern.",
        "She lights the lamp.",
        "Nothing would ever be the same.",
        "In the kitchen, a small dog sleeps under the table.",
    ];
    let found = briefs(&texts, "en");
    println!("{found:#?}");
    assert!(
        found[0].contains("old lighthouse above a stormy sea"),
        "{}",
        found[0]
    );
    assert!(
        found[1].contains("Marie Curie climbing narrow stairs with a lantern"),
        "{}",
        found[1]
    );
    assert!(
        found[2].contains("Marie Curie") && found[2].contains("lamp"),
        "{}",
        found[2]
    );
    assert!(
        found[3].contains("Marie Curie") && found[3].contains("dusk"),
        "{}",
        found[3]
    );
    assert!(
        found[4].contains("small dog sleeping under table"),
        "{}",
        found[4]
    );
    assert!(found.iter().all(|b| !b.is_empty()));
}

#[test]
fn a_picture_prompt_holds_descriptors_word_for_word() {
    let ask = PictureAsk {
        brief: "a girl on a pier".into(),
        keywords: String::new(),
        notes: Some("low camera".into()),
        model: "flux_schnell".into(),
        style: "Watercolor".into(),
        figures: vec![Figure {
            name: "Mia".into(),
            descriptor: "A 9-year-old with a RED coat; freckles".into(),
            reference: None,
            is_measured: false,
        }],
        width: 1080,
        height: 1920,
        seed: 1,
        place: String::new(),
    };
    let text = picture_prompt(&ask);
    assert!(
        text.starts_with("Watercolor style: a girl on a pier."),
        "{text}"
    );
    for part in [
        "A 9-year-old with a RED coat; freckles",
        "low camera",
        "Vertical",
        "No text",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let wide = picture_prompt(&PictureAsk {
        width: 1920,
        height: 1080,
        ..ask
    });
    assert!(wide.contains("Horizontal"));
}

#[test]
fn fitting_drops_the_middle_and_says_how_far_it_is_off() {
    let lines = story().split("\n\n").map(Line::narrated).collect();
    let script = Script {
        language: "en".into(),
        scenes: vec![Scene {
            lines,
            ..Scene::default()
        }],
        ..Script::default()
    };
    let total: usize = script.scenes[0]
        .lines
        .iter()
        .map(|l| n_words(&l.text))
        .sum();
    let same = fit(&script, total + 20);
    assert_eq!((same.n_dropped, same.off_by), (0, -20));
    assert_eq!(same.script, script);
    let shorter = fit(&script, total - 15);
    assert!(shorter.n_dropped > 0 && shorter.off_by <= 0, "{shorter:?}");
    let said: Vec<String> = shorter.script.scenes[0]
        .lines
        .iter()
        .map(|l| l.text.clone())
        .collect();
    let said = said.join(" ");
    assert!(
        said.starts_with("The old lighthouse") && said.ends_with("place to stand."),
        "{said}"
    );
    assert_eq!(n_words(&said) as i64, total as i64 - 15 + shorter.off_by);
}

#[test]
fn hostile_texts_neither_panic_nor_take_long() {
    let texts = [
        format!("a{}", "\u{301}".repeat(10_000)),
        "x".repeat(1_000_000),
        "שלום hello ١٢٣ مرحبا\u{202e}abc ".repeat(2000),
        "😀🎉👨‍👩‍👧🏽".repeat(5000),
        "😀\n\n".repeat(20_000),
        "?!.,;:—…".repeat(10_000),
        ". ".repeat(50_000),
        "**_`[(<#".repeat(20_000),
        "[[[[[((((<<<<".repeat(20_000),
        "~".repeat(200_000),
        "# \n> - * **\n```\n".repeat(5000),
        "\"".repeat(100_000),
        "1/2-3:4$5%".repeat(5000),
        "9".repeat(100_000),
        "\u{0}\u{1}\u{feff}\u{200b}".repeat(10_000),
        "海".repeat(200_000),
        "A. ".repeat(50_000),
        "$ % € 1- -1 1: :1 / 1/ /1 #1 @ & .5 5. 1,2,3 1.2.3 '' 's I X MCM -- 00 0 +1 ½ 1½ 1e9 0x1F ".repeat(200),
    ];
    for text in &texts {
        let name: String = text.chars().take(12).collect();
        for language in ["en", "de", "th", ""] {
            let before = Instant::now();
            let shown = plain(text);
            let _ = sentences(&shown, language);
            let tokens = speakable(&shown, language);
            assert_eq!(tokens.len(), shown.split_whitespace().count());
            let found = scenes(text, language, &SceneOptions::default());
            assert!(found.len() <= 150, "{name}: {} scenes", found.len());
            let _ = language_of(text);
            let _ = n_words(text);
            let took = before.elapsed();
            assert!(
                took < Duration::from_secs(8),
                "{name:?} in {language}: {took:?}"
            );
        }
    }
}
