//! Forms that send files: recordings and pictures of characters, as a browser sends them.

use axum::http::StatusCode;

use crate::client::{Client, Page, Service};

/// A second of a tone.
fn wav() -> Vec<u8> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 8000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut bytes, spec).unwrap();
    for i in 0..8000 {
        let tone = (f64::from(i) * 0.35).sin() * 9000.0;
        writer.write_sample(tone as i16).unwrap();
    }
    writer.finalize().unwrap();
    bytes.into_inner()
}

fn png() -> Vec<u8> {
    let picture = image::RgbImage::from_fn(300, 400, |x, y| image::Rgb([x as u8, y as u8, 90]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

/// What a page says is wrong with a form.
fn problem(page: &Page) -> &str {
    assert_eq!(
        page.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{}",
        page.text
    );
    let (_, rest) = page.text.split_once("role=\"alert\"").unwrap();
    rest.split_once('>').unwrap().1.split('<').next().unwrap()
}

/// The first of the paths `/KIND/ID` in a page, whose ids begin so.
fn path_in(page: &Page, begin: &str) -> String {
    let (_, rest) = page
        .text
        .split_once(begin)
        .unwrap_or_else(|| panic!("no {begin}: {}", page.text));
    let id: String = rest
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    format!("{begin}{id}")
}

async fn deleted(client: &mut Client, page: &Page, path: &str) -> Page {
    client.send(&format!("{path}/delete"), page, &[]).await
}

#[tokio::test]
async fn a_recording_is_uploaded_listed_and_deleted() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/uploads").await;
    assert!(page.text.contains("No recordings yet."));
    let file = ("file", "my <voice>.wav", wav());
    let stale = client
        .send_file("/uploads", "another token", &[], &file)
        .await;
    assert_eq!(stale.status, StatusCode::FORBIDDEN, "{}", stale.text);
    let csrf = page.hidden("csrf");
    let none = ("file", "voice.wav", b"no sound at all".to_vec());
    let text = [("text", "What is said.")];
    let refused = client.send_file("/uploads", &csrf, &text, &none).await;
    assert!(problem(&refused).contains("is not WAV"), "{}", refused.text);
    assert!(
        refused.text.contains("\nWhat is said.</textarea>"),
        "{}",
        refused.text
    );

    let saved = client.send_file("/uploads", &csrf, &text, &file).await;
    assert_eq!(
        saved.location(),
        "/uploads?done=upload-saved",
        "{}",
        saved.text
    );
    let page = client.get(saved.location()).await;
    for shown in ["my &lt;voice&gt;.wav", "Known", "The recording was saved."] {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    let path = path_in(&page, "/uploads/aud_");
    // It is nobody else's, and may be chosen for a video.
    let mut other = service.member("eve@example.org").await;
    let theirs = other.get("/uploads").await;
    assert!(theirs.text.contains("No recordings yet."));
    let foreign = deleted(&mut other, &theirs, &path).await;
    assert_eq!(foreign.status, StatusCode::NOT_FOUND);
    let form = client.get("/universes/storybook/new").await;
    let key = path.trim_start_matches("/uploads/");
    assert!(form.text.contains(key), "{}", form.text);
    let gone = deleted(&mut client, &page, &path).await;
    assert_eq!(gone.location(), "/uploads?done=upload-deleted");
    let page = client.get("/uploads").await;
    assert!(page.text.contains("No recordings yet."));
}

#[tokio::test]
async fn a_picture_becomes_a_character_with_a_voice() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/characters").await;
    let csrf = page.hidden("csrf");
    let none = ("image", "ada.png", b"<svg/>".to_vec());
    let refused = client.send_file("/characters", &csrf, &[], &none).await;
    assert!(problem(&refused).contains("not a PNG, JPEG or WebP"));
    let picture = ("image", "ada.png", png());
    let saved = client.send_file("/characters", &csrf, &[], &picture).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.text);
    let page = client.get(saved.location()).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let path = saved.location().split('?').next().unwrap().to_owned();
    let voice = client
        .send(
            &format!("{path}/voice"),
            &page,
            &[("voice", "cast:1:woman")],
        )
        .await;
    assert_eq!(voice.status, StatusCode::SEE_OTHER, "{}", voice.text);
    let page = client.get(&path).await;
    assert!(page.text.contains("cast:1:woman"), "{}", page.text);
    for (voice, told) in [
        ("narrator-2", "No voice of this service"),
        ("no voice", "visible ASCII"),
    ] {
        let path = format!("{path}/voice");
        let wrong = client.send(&path, &page, &[("voice", voice)]).await;
        assert!(problem(&wrong).contains(told), "{}", wrong.text);
        assert!(wrong.text.contains(&format!("value=\"{voice}\"")));
    }
    let typed = [
        ("name", "Ada"),
        ("description", "A captain"),
        ("appearance", "gray hair"),
        ("clothing", ""),
    ];
    let changed = client.send(&path, &page, &typed).await;
    assert_eq!(changed.location(), format!("{path}?done=character-changed"));
    let page = client.get(&path).await;
    assert!(
        page.text.contains("A captain; gray hair") && page.text.contains("cast:1:woman"),
        "{}",
        page.text
    );
    let wrong = client
        .send(
            &path,
            &page,
            &[("name", " "), ("description", "kept words")],
        )
        .await;
    assert_eq!(problem(&wrong), "A name is required.");
    assert!(wrong.text.contains("kept words"));
    let gone = deleted(&mut client, &page, &path).await;
    assert_eq!(gone.status, StatusCode::SEE_OTHER, "{}", gone.text);
    assert_eq!(client.get(&path).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_voice_can_be_heard() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let unknown = client.get("/voices/nobody/sample.wav").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    let voices = kinora_studio::voice::voices();
    let Some(voice) = voices.first() else {
        println!("skipped: no voice is installed");
        return;
    };
    let path = format!("/voices/{}/sample.wav", voice.id);
    let sample = client.get(&path).await;
    assert_eq!(sample.status, StatusCode::OK, "{}", sample.text);
    assert_eq!(sample.headers["content-type"], "audio/wav");
    assert!(sample.text.starts_with("RIFF"));
    // Strangers do not make this machine speak.
    let stranger = service.visitor().get(&path).await;
    assert_eq!(stranger.status, StatusCode::SEE_OTHER);
}
