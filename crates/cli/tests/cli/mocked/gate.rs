//! A gate in front of a mock server of somebody else's: it remembers every request as it came, and hands it on.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Names the program where it is not on PATH.
const PROGRAM_ENV: &str = "KINORA_LLMOCK";
/// Where the vendor's queue of jobs is, in the mock server's answers.
const QUEUE: &str = "https://queue.fal.run";
/// What stands for it here.
const QUEUE_PATH: &str = "/queue";
/// Where the files of its results are.
const MEDIA_PATH: &str = "/queue/media/";

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Names of a form's fields, each as often as it comes.
    pub fn form_names(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.body);
        let names = text.split("form-data; name=\"").skip(1);
        names
            .filter_map(|rest| rest.split('"').next())
            .map(str::to_owned)
            .collect()
    }
}

/// The mock server with the gate before it; ends with the test.
pub struct Mock {
    child: Child,
    port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Mock {
    /// Starts it with these answers, and these files in its queue's folder `media`; `None`, with a printed line, where the program is absent.
    pub fn start(answers: &[Value], files: Vec<(&'static str, Vec<u8>)>) -> Option<Mock> {
        let Some(program) = program() else {
            println!("skipped: no llmock on PATH or in {PROGRAM_ENV}");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers.json");
        std::fs::write(&path, json!({ "fixtures": answers }).to_string()).unwrap();
        let inner = free_port();
        let child = Command::new(program)
            .args([
                "--strict",
                "--log-level",
                "warn",
                "-p",
                &inner.to_string(),
                "-f",
            ])
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mock = Mock {
            child,
            port: listener.local_addr().unwrap().port(),
            seen: Arc::default(),
        };
        await_port(inner);
        let (seen, port, files) = (mock.seen.clone(), mock.port, Arc::new(files));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, files) = (seen.clone(), files.clone());
                thread::spawn(move || serve(stream, (inner, port), &seen, &files));
            }
        });
        Some(mock)
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The address under which the queue of jobs is found.
    pub fn queue_url(&self) -> String {
        self.url(QUEUE_PATH)
    }

    /// Requests whose path begins so.
    pub fn seen(&self, path: &str) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap();
        let found = seen.iter().filter(|seen| seen.path.starts_with(path));
        found.cloned().collect()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(PROGRAM_ENV) {
        return Some(PathBuf::from(path));
    }
    let folders = std::env::var_os("PATH")?;
    let mut paths = std::env::split_paths(&folders).map(|folder| folder.join("llmock"));
    paths.find(|path| path.is_file())
}

pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn await_port(port: u16) {
    let end = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "the mock server did not start");
        thread::sleep(Duration::from_millis(50));
    }
}

fn serve(
    mut stream: TcpStream,
    (inner, port): (u16, u16),
    seen: &Mutex<Vec<Seen>>,
    files: &[(&'static str, Vec<u8>)],
) {
    let Some(request) = read(&mut stream) else {
        return;
    };
    seen.lock().unwrap().push(request.clone());
    let file = request.path.strip_prefix(MEDIA_PATH);
    let file = file.and_then(|name| files.iter().find(|(known, _)| *known == name));
    let answer = match file {
        Some((name, bytes)) => {
            let kind = if name.ends_with("mp4") {
                "video/mp4"
            } else {
                "image/png"
            };
            whole(200, kind, bytes)
        }
        None => handed_on(&request, inner, port),
    };
    let _ = stream.write_all(&answer);
}

fn whole(status: u16, kind: &str, body: &[u8]) -> Vec<u8> {
    let len = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// What the mock server answers. Its queue is told apart by a header (it stands for several hosts), and its own addresses lead back here.
fn handed_on(request: &Seen, inner: u16, port: u16) -> Vec<u8> {
    let queued = request.path.strip_prefix(QUEUE_PATH);
    let path = queued.map_or_else(|| request.path.clone(), |rest| format!("/fal{rest}"));
    // Version 1.0, so that the answer comes in one piece.
    let mut head = format!("{} {path} HTTP/1.0\r\n", request.method);
    for (name, value) in &request.headers {
        if name != "connection" {
            head += &format!("{name}: {value}\r\n");
        }
    }
    if queued.is_some() {
        head += "x-fal-target-host: queue.fal.run\r\n";
    }
    let mut stream = TcpStream::connect(("127.0.0.1", inner)).unwrap();
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    stream.write_all(&request.body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    if queued.is_none() {
        return answer;
    }
    let text = String::from_utf8(answer).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = body.replace(QUEUE, &format!("http://127.0.0.1:{port}{QUEUE_PATH}"));
    whole(status, "application/json", body.as_bytes())
}

fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 65536];
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            n => bytes.extend_from_slice(&buffer[..n]),
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers: Vec<(String, String)> = headers
        .map(|(n, v)| (n.to_lowercase(), v.to_owned()))
        .collect();
    let len = headers.iter().find(|(name, _)| name == "content-length");
    let len: usize = len.map_or(0, |(_, len)| len.parse().unwrap());
    let mut body = bytes[end..].to_vec();
    while body.len() < len {
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            n => body.extend_from_slice(&buffer[..n]),
        }
    }
    Some(Seen {
        method,
        path,
        headers,
        body,
    })
}
