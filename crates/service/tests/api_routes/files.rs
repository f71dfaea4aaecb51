//! Files in and out: uploads and pictures are checked by what they hold and written anew; media open by their names only.

use std::io::Cursor;

use axum::body::Body;
use axum::http::Request;
use image::{ImageFormat, RgbImage};

use crate::client::{Reply, Service};

pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let picture = RgbImage::from_fn(width, height, |x, y| image::Rgb([x as u8, y as u8, 90]));
    picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// A tone at 8 kHz.
pub fn wav(secs: f64) -> Vec<u8> {
    let samples: Vec<u8> = (0..(secs * 8000.0) as u32)
        .flat_map(|i| (((f64::from(i) * 0.35).sin() * 9000.0) as i16).to_le_bytes())
        .collect();
    wav_of(&samples, samples.len() as u32)
}

fn wav_of(samples: &[u8], told: u32) -> Vec<u8> {
    let mut wav = b"RIFF".to_vec();
    wav.extend((told.saturating_add(36)).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data");
    wav.extend(told.to_le_bytes());
    wav.extend(samples);
    wav
}

async fn fetch(service: &Service, method: &str, url: &str, headers: &[(&str, &str)]) -> Reply {
    let path = url.strip_prefix("https://video.example.org").unwrap_or(url);
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    service.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn audio_is_decoded_and_written_anew_and_never_public() {
    let service = Service::new().await;
    let reply = service
        .form(
            "creator",
            "/uploads",
            ("file", "../../my voice.mp3", &wav(2.0)),
        )
        .await;
    assert!(reply.status.is_success(), "{:?}", reply.body);
    assert!(reply.text("/data/key").starts_with("aud_"));
    let secs = reply.at("/data/duration").as_f64().unwrap();
    assert!((1.99..2.01).contains(&secs), "{secs}");
    assert_eq!(reply.text("/data/name"), "my voice.mp3");
    let account = &service.account("creator").id;
    let upload = service.app.db.uploads(account).await.unwrap().remove(0);
    assert!(
        upload.object.starts_with("audio/") && upload.object.ends_with(".m4a"),
        "{}",
        upload.object
    );
    // No URL opens it, and none what machines share with each other.
    let media = &service.app.media;
    let step = media.publish_bytes("steps", "tar", "a step".into()).await;
    for object in [&upload.object, &step.unwrap()] {
        for path in [format!("/media/{object}"), media.signed_url(object)] {
            let at = path.find("/media/").unwrap();
            fetch(&service, "GET", &path[at..], &[])
                .await
                .assert_refused(404, "BIZ_RESOURCE_NOT_FOUND");
        }
    }
    // It is billed by its own length, and its run keeps it.
    let body = format!(r#"{{"voiceoverKey": "{}"}}"#, reply.text("/data/key"));
    let made = service.post("/universe/noir/create", &body).await;
    assert_eq!(made.at("/data/estimatedDuration"), 2.0);
    said_lengths_are_compared(&service, &reply.text("/data/key")).await;
    let gone = service
        .call(
            "creator",
            &format!("DELETE /uploads/{}", reply.text("/data/key")),
            "",
        )
        .await;
    assert_eq!(gone.status.as_u16(), 204);
    assert!(service.app.media.known(&upload.object).await.is_ok());
}

/// What a request says of a recording's length has no effect beside the recording, and is told where it differs.
async fn said_lengths_are_compared(service: &Service, key: &str) {
    for (said, is_told) in [("2.4", false), ("300", true)] {
        let body = format!(r#"{{"voiceoverKey": "{key}", "voiceoverDuration": {said}}}"#);
        let reply = service.post("/universe/noir/estimate", &body).await;
        assert_eq!(reply.at("/data/estimatedDuration"), 2.0);
        let field = reply.text("/data/warnings/0/field");
        assert_eq!(field == "voiceoverDuration", is_told, "{:?}", reply.body);
    }
}

#[tokio::test]
async fn what_is_no_picture_is_refused() {
    let service = Service::new().await;
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0".repeat(100);
    let eicar = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*";
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
    let mut bomb = png(8, 8);
    // 65,535 px a side.
    bomb[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    let mut jpeg = Cursor::new(Vec::new());
    RgbImage::new(64, 64)
        .write_to(&mut jpeg, ImageFormat::Jpeg)
        .unwrap();
    let jpeg = jpeg.into_inner();
    let wide = png(8200, 1);
    let cases: Vec<(&str, &[u8])> = vec![
        ("a.png", b""),
        ("a.png", b"\x89PNG\r\n\x1a\n"),
        ("a.png", &gzip),
        ("a.png", eicar),
        ("a.svg", svg),
        ("a.png", b"<!DOCTYPE html><script>alert(1)</script>"),
        ("a.png", b"GIF89a\x01\0\x01\0\0\0\0;"),
        ("a.png", &bomb),
        ("a.png", &wide),
        ("a.jpg", &jpeg[..jpeg.len() / 2]),
        ("a.webp", b"RIFF\xff\xff\xff\xffWEBPVP8 \xff\xff\xff\xff"),
        ("a.bmp", b"BM\xff\xff\xff\x7f"),
    ];
    for (name, bytes) in cases {
        let reply = service
            .form("creator", "/characters", ("image", name, bytes))
            .await;
        assert_eq!(reply.status.as_u16(), 400, "{name} {:?}", reply.body);
        assert_eq!(reply.text("/error/details/field"), "image", "{name}");
    }
}

#[tokio::test]
async fn what_is_no_audio_is_refused_and_leaves_nothing() {
    let service = Service::new().await;
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0".repeat(100);
    let eicar = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*";
    let picture = png(8, 8);
    let lying = wav_of(&[0; 64], u32::MAX - 40);
    let id3 = [b"ID3\x04\0\0\x7f\x7f\x7f\x7f".as_slice(), &[0; 200]].concat();
    let flac = [b"fLaC".as_slice(), &[0xff; 300]].concat();
    let silence = wav_of(&vec![0; 16_000 * 901], 16_000 * 901);
    let cases: Vec<(&str, &[u8])> = vec![
        ("a.wav", b""),
        ("a.wav", b"RIFF\0\0\0\0WAVE"),
        ("a.wav", eicar),
        ("a.wav", &picture),
        ("a.wav", &gzip),
        ("a.mp3", &id3),
        ("a.flac", &flac),
        ("a.ogg", b"OggS\0\x02\0\0\0\0\0\0\0\0"),
        ("a.m4a", b"\0\0\0\x20ftypM4A \0\0\0\0"),
        ("a.wav", &lying),
        ("a.wav", &silence),
    ];
    for (name, bytes) in cases {
        let reply = service
            .form("creator", "/uploads", ("file", name, bytes))
            .await;
        assert_eq!(reply.status.as_u16(), 400, "{name} {:?}", reply.body);
        assert_eq!(reply.text("/error/details/field"), "file", "{name}");
    }
    let left = std::fs::read_dir(service.app.arrivals.path())
        .unwrap()
        .count();
    assert_eq!(left, 0, "files of refused uploads");
}

#[tokio::test]
async fn forms_have_limits() {
    let service = Service::with(|config| {
        config.server.max_image = 10_000;
        config.server.max_audio = 10_000;
    })
    .await;
    let large = vec![0; 10_001];
    let larger = vec![0; 2 << 20];
    for bytes in [&large, &larger] {
        let reply = service
            .form("creator", "/characters", ("image", "a.png", bytes))
            .await;
        reply.assert_refused(413, "VAL_INVALID_FORMAT");
        let reply = service
            .form("creator", "/uploads", ("file", "a.wav", bytes))
            .await;
        reply.assert_refused(413, "VAL_INVALID_FORMAT");
    }
    let reply = service
        .form("creator", "/uploads", ("picture", "a.wav", b"RIFF"))
        .await;
    reply.assert_refused(400, "VAL_MISSING_FIELD");
    let part = "--edge\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\ny\r\n";
    let bodies = [
        (part.repeat(10_000) + "--edge--\r\n", 413),
        (part.repeat(100) + "--edge--\r\n", 400),
        (part.to_owned(), 400),
        ("--other--\r\n".to_owned(), 400),
        (String::new(), 400),
    ];
    for (body, status) in bodies {
        let request = Request::post("/api/v1/characters")
            .header("x-api-key", service.key("creator"))
            .header("content-type", "multipart/form-data; boundary=edge")
            .body(Body::from(body))
            .unwrap();
        let reply = service.send(request).await;
        assert_eq!(reply.status.as_u16(), status, "{:?}", reply.body);
    }
}

#[tokio::test]
async fn characters_are_made_of_a_picture_and_have_a_signed_url() {
    let service = Service::new().await;
    let reply = service
        .form(
            "creator",
            "/characters",
            ("image", "Anna <b>.png", &png(300, 400)),
        )
        .await;
    assert!(reply.status.is_success(), "{:?}", reply.body);
    let character = reply.at("/data/characters/0");
    assert_eq!(character["name"], "Anna b");
    for field in ["description", "appearance", "clothing", "characterPrompt"] {
        assert!(character[field].is_string(), "{field}: {character}");
    }
    let url = character["imageUrl"].as_str().unwrap();
    let picture = fetch(&service, "GET", url, &[]).await;
    assert_eq!(picture.header("content-type"), "image/jpeg");
    assert!(image::load_from_memory(&picture.body).is_ok());
    assert_opens_as_signed_only(&service, url).await;
    // In a request, with a voice, and gone.
    let id = character["id"].as_str().unwrap();
    let path = format!("/characters/{id}");
    let voiced = service
        .call(
            "creator",
            &format!("PATCH {path}"),
            r#"{"voiceId": "flite:slt"}"#,
        )
        .await;
    assert_eq!(voiced.text("/data/voiceId"), "flite:slt");
    assert_changes(&service, &path).await;
    let body = format!(r#"{{"prompt": "A", "characters": ["{id}"]}}"#);
    assert!(
        service
            .post("/universe/noir/estimate", &body)
            .await
            .status
            .is_success()
    );
    assert_eq!(
        service
            .call("creator", &format!("DELETE {path}"), "")
            .await
            .status
            .as_u16(),
        204
    );
    assert_eq!(
        service
            .post("/universe/noir/estimate", &body)
            .await
            .status
            .as_u16(),
        400
    );
    assert_eq!(fetch(&service, "GET", url, &[]).await.status.as_u16(), 404);
}

/// What is said of a character can be changed, field by field.
async fn assert_changes(service: &Service, path: &str) {
    let patch = async |body: &str| {
        service
            .call("creator", &format!("PATCH {path}"), body)
            .await
    };
    let changed =
        patch(r#"{"name": "Anna Sol", "description": "A \n captain.", "clothing": ""}"#).await;
    let changed = changed.at("/data");
    assert_eq!(
        (
            &changed["name"],
            &changed["description"],
            &changed["voiceId"]
        ),
        (
            &"Anna Sol".into(),
            &"A captain.".into(),
            &"flite:slt".into()
        )
    );
    let prompt = format!("A captain; {}", changed["appearance"].as_str().unwrap());
    assert_eq!(changed["characterPrompt"], prompt);
    for (body, field) in [
        ("{}", "body"),
        (r#"{"name": " \n"}"#, "name"),
        (r#"{"name": 7}"#, "name"),
        (r#"{"voiceId": "no voice"}"#, "voiceId"),
    ] {
        let refused = patch(body).await;
        assert_eq!(
            (
                refused.status.as_u16(),
                refused.text("/error/details/field")
            ),
            (400, field.to_owned())
        );
    }
    assert_eq!(
        patch(r#"{"voiceId": null}"#).await.at("/data")["voiceId"],
        serde_json::Value::Null
    );
}

/// What a sandbox key makes has a watermark whatever it asks for; it is told so.
#[tokio::test]
async fn a_sandbox_key_is_told_of_its_watermark() {
    let service = Service::new().await;
    let key = service.sandbox_key_of("creator").await;
    let request = Request::post("/api/v1/universe/noir/create")
        .header("x-api-key", &key)
        .header("content-type", "application/json")
        .body(Body::from(r#"{"prompt": "A", "removeWatermark": true}"#))
        .unwrap();
    let reply = service.send(request).await;
    assert_eq!(reply.text("/data/warnings/0/field"), "removeWatermark");
}

/// Any byte of it counts, and without the signature it does not open.
async fn assert_opens_as_signed_only(service: &Service, url: &str) {
    let from = url.find("/media").unwrap();
    for at in (from + 1..url.len()).filter(|at| url.as_bytes()[*at].is_ascii_alphanumeric()) {
        let mut changed = url.as_bytes().to_vec();
        changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
        let changed = String::from_utf8(changed).unwrap();
        let reply = fetch(service, "GET", &changed, &[]).await;
        assert!(
            [403, 404].contains(&reply.status.as_u16()),
            "{changed}: {}",
            reply.status
        );
    }
    let unsigned = url.replace("/signed", "");
    assert_eq!(
        fetch(service, "GET", &unsigned, &[]).await.status.as_u16(),
        404
    );
}

#[tokio::test]
async fn videos_open_by_name_in_parts_and_as_a_whole() {
    let service = Service::new().await;
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let media = &service.app.media;
    let name = media
        .publish_bytes("videos", "mp4", bytes.clone().into())
        .await
        .unwrap();
    let url = media.url(&name);
    let whole = fetch(&service, "GET", &url, &[]).await;
    assert_eq!(whole.body, bytes);
    for (name, value) in [
        ("content-type", "video/mp4"),
        ("content-length", "100000"),
        ("accept-ranges", "bytes"),
        ("cache-control", "public, max-age=31536000, immutable"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(whole.header(name), value);
    }
    let head = fetch(&service, "HEAD", &url, &[]).await;
    assert!(head.body.is_empty());
    assert_eq!(head.header("content-length"), "100000");
    let etag = whole.header("etag");
    let part = fetch(
        &service,
        "GET",
        &url,
        &[("range", "bytes=10-19"), ("if-range", etag)],
    )
    .await;
    assert_eq!(part.status.as_u16(), 206);
    assert_eq!(part.body, &bytes[10..20]);
    assert_eq!(part.header("content-range"), "bytes 10-19/100000");
    let end = fetch(&service, "GET", &url, &[("range", "bytes=-5")]).await;
    assert_eq!(end.body, &bytes[99_995..]);
    let other = fetch(
        &service,
        "GET",
        &url,
        &[("range", "bytes=0-1"), ("if-range", "\"other\"")],
    )
    .await;
    assert_eq!((other.status.as_u16(), other.body.len()), (200, 100_000));
    let outside = fetch(&service, "GET", &url, &[("range", "bytes=100000-")]).await;
    outside.assert_refused(416, "VAL_INVALID_FORMAT");
    assert_eq!(outside.header("content-range"), "bytes */100000");
    let same = fetch(&service, "GET", &url, &[("if-none-match", etag)]).await;
    assert_eq!((same.status.as_u16(), same.body.len()), (304, 0));
}

#[tokio::test]
async fn paths_lead_nowhere_else() {
    let service = Service::new().await;
    let canary = service.app.config.data.join("canary.txt");
    std::fs::write(&canary, "canary").unwrap();
    let absolute = canary.display().to_string();
    for path in [
        "/media",
        "/media/",
        "/media/videos",
        "/media/videos/",
        "/media/videos/..",
        "/media/..%2fcanary.txt",
        "/media/videos/..%2f..%2fcanary.txt",
        "/media/videos/%2e%2e/%2e%2e/canary.txt",
        "/media/videos/....//....//canary.txt",
        "/media/videos/..%5c..%5ccanary.txt",
        "/media/videos/..%252f..%252fcanary.txt",
        "/media/videos/%00",
        "/media/%c0%ae%c0%ae/canary.txt",
        "/media/signed/videos/..%2f..%2fcanary.txt?expires=99999999999&signature=0",
        "/api/v1/../../canary.txt",
        &format!("/media/videos/{}", absolute.replace('/', "%2f")),
        &format!("/media/{}", absolute),
    ] {
        let reply = fetch(&service, "GET", path, &[]).await;
        assert!(
            [400, 401, 404].contains(&reply.status.as_u16()),
            "{path}: {}",
            reply.status
        );
        assert!(
            !reply.body.windows(6).any(|part| part == b"canary"),
            "{path}"
        );
    }
}
