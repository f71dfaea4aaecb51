//! A server with certificates of an authority of its own: believed where the operator says so, and told apart by what is wrong.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kinora_studio::failure::{Failure, FailureKind};
use kinora_studio::providers::openai::OpenAiSettings;
use kinora_studio::providers::{PictureProvider, ScriptProvider};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use reqwest::Url;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use tempfile::TempDir;

use crate::faults::{chat, script};
use crate::files::png;
use crate::setup::{Setup, picture_ask, script_ask, table};
use crate::stub::{Stub, reply};

/// An authority whose certificate lies in a file.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), certificate.pem()).unwrap();
        Authority {
            issuer: Issuer::new(params, key),
            folder,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }
}

/// A server at `localhost` whose certificate is for `name` in these years.
struct Server {
    port: u16,
    n_asked: Arc<AtomicUsize>,
}

impl Server {
    fn start(authority: &Authority, name: &str, years: [i32; 2]) -> Server {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(years[0], 1, 1);
        params.not_after = date_time_ymd(years[1], 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &authority.issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server {
            port,
            n_asked: Arc::default(),
        };
        let (config, n_asked) = (Arc::new(config), server.n_asked.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                n_asked.fetch_add(1, Ordering::SeqCst);
                let config = config.clone();
                thread::spawn(move || serve(stream, config, port));
            }
        });
        server
    }

    fn settings(&self, setup: &Setup, ca_file: Option<PathBuf>) -> OpenAiSettings {
        let mut settings = setup.openai(&Stub::script(Vec::new()));
        let url = format!("https://localhost:{}/v1", self.port);
        settings.endpoint.base_url = Url::parse(&url).unwrap();
        settings.endpoint.ca_file = ca_file;
        settings
    }
}

/// One request, one answer by its path.
fn serve(stream: TcpStream, config: Arc<ServerConfig>, port: u16) {
    let connection = ServerConnection::new(config).unwrap();
    let mut stream = StreamOwned::new(connection, stream);
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    while !bytes.windows(4).any(|w| w == b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(n) if n > 0 => bytes.extend_from_slice(&buffer[..n]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&bytes).into_owned();
    let path = request.split(' ').nth(1).unwrap();
    let (kind, body) = match path {
        "/v1/chat/completions" => ("application/json", chat(&script()).to_string().into_bytes()),
        "/picture.png" => ("image/png", png(512, 512)),
        _ => {
            let url = format!("https://localhost:{port}/picture.png");
            let data = json!({ "data": [{ "url": url }] });
            ("application/json", data.to_string().into_bytes())
        }
    };
    let _ = stream.write_all(&reply(200, kind, "", &body));
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

fn refused(server: &Server, ca_file: Option<PathBuf>) -> Failure {
    let setup = Setup::new();
    let writer = server.settings(&setup, ca_file).writer(&setup.http);
    writer.write(&script_ask(), &setup.call()).unwrap_err()
}

#[test]
fn an_authority_of_ones_own_is_believed_where_it_is_named() {
    let authority = Authority::new();
    let server = Server::start(&authority, "localhost", [2020, 2090]);
    let setup = Setup::new();
    let settings = server.settings(&setup, Some(authority.file()));
    let writer = settings.writer(&setup.http);
    let answer = writer.write(&script_ask(), &setup.call()).unwrap();
    assert_eq!(answer.value.scenes.len(), 2);
    // Files on the same host too.
    let painter = settings.painter(&setup.http, table());
    let picture = painter
        .paint(&picture_ask("flux_schnell"), &[], &setup.call())
        .unwrap();
    assert_eq!((picture.value.width, picture.value.height), (512, 512));
}

#[test]
fn what_is_wrong_with_a_certificate_is_told_and_not_tried_again() {
    let authority = Authority::new();
    let stranger = Authority::new();
    let believed = Some(authority.file());
    let rows = [
        (
            "localhost",
            [2020, 2090],
            None,
            "signed by an unknown authority",
        ),
        (
            "localhost",
            [2020, 2090],
            Some(stranger.file()),
            "signed by an unknown authority",
        ),
        (
            "other.test",
            [2020, 2090],
            believed.clone(),
            "for another name: check base_url",
        ),
        ("localhost", [2000, 2001], believed.clone(), "has expired"),
        ("localhost", [2080, 2090], believed, "not valid yet"),
    ];
    for (name, years, ca_file, said) in rows {
        let server = Server::start(&authority, name, years);
        let failure = refused(&server, ca_file);
        assert_eq!(failure.kind, FailureKind::Unavailable, "{failure}");
        assert!(failure.message.contains(said), "{said}: {failure}");
        assert_eq!(failure.provider.as_deref(), Some("openai"));
        assert_eq!(
            server.n_asked.load(Ordering::SeqCst),
            1,
            "{said}: asked once"
        );
    }
}

#[test]
fn a_server_without_tls_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server {
        port: listener.local_addr().unwrap().port(),
        n_asked: Arc::default(),
    };
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let failure = refused(&server, None);
    assert_eq!(failure.kind, FailureKind::Unavailable);
    assert!(failure.message.contains("does not speak TLS"), "{failure}");
}

#[test]
fn a_file_without_certificates_is_told_before_anything_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, "no certificate").unwrap();
    let authority = Authority::new();
    let server = Server::start(&authority, "localhost", [2020, 2090]);
    for (path, said) in [
        (file, "contains no PEM certificate"),
        (folder.path().join("none.pem"), "cannot be read"),
    ] {
        let failure = refused(&server, Some(path));
        assert_eq!(failure.kind, FailureKind::NotConfigured);
        assert!(
            failure.message.contains(said) && failure.message.contains("ca_file"),
            "{failure}"
        );
    }
    assert_eq!(server.n_asked.load(Ordering::SeqCst), 0);
}
