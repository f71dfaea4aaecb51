//! A server that answers as it is told, byte by byte, and remembers what it was asked.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub method: String,
    /// With its query.
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

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// What is done with a connection.
#[derive(Clone)]
pub enum Act {
    /// These bytes, then the end.
    Send(Vec<u8>),
    /// These bytes, then nothing, the connection open.
    Stall(Vec<u8>),
    /// These bytes one by one, this far apart.
    Drip(Vec<u8>, Duration),
    /// This again and again for ever.
    Endless(Vec<u8>, Vec<u8>),
    /// Torn down with an RST before the request is read.
    Reset,
}

/// The server.
#[derive(Clone)]
pub struct Stub {
    pub port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Stub {
    /// `serve` gets the request and how many came before it.
    pub fn start(serve: impl Fn(&Seen, usize) -> Act + Send + Sync + 'static) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stub = Stub {
            port: listener.local_addr().unwrap().port(),
            seen: Arc::default(),
        };
        let (seen, serve) = (stub.seen.clone(), Arc::new(serve));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, serve) = (seen.clone(), serve.clone());
                thread::spawn(move || serve_one(stream, &seen, &*serve));
            }
        });
        stub
    }

    /// Answers the first request with the first act, and so on; the last act again and again.
    pub fn script(acts: Vec<Act>) -> Stub {
        Stub::start(move |_, n| acts[n.min(acts.len() - 1)].clone())
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn n_seen(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

fn serve_one(mut stream: TcpStream, seen: &Mutex<Vec<Seen>>, serve: &dyn Fn(&Seen, usize) -> Act) {
    // Whether to reset is asked before anything is read: unread bytes make the close an RST.
    let mut peeked = [0; 1];
    if stream.peek(&mut peeked).unwrap_or(0) == 0 {
        return;
    }
    let n = seen.lock().unwrap().len();
    if matches!(serve(&Seen::default(), n), Act::Reset) {
        seen.lock().unwrap().push(Seen::default());
        return;
    }
    let Some(request) = read(&mut stream) else {
        return;
    };
    let n = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    let _ = act(&mut stream, serve(&request, n));
}

fn act(stream: &mut TcpStream, act: Act) -> std::io::Result<()> {
    match act {
        Act::Send(bytes) => stream.write_all(&bytes)?,
        Act::Stall(bytes) => {
            stream.write_all(&bytes)?;
            // Until the other side gives up.
            let _ = stream.read(&mut [0; 1]);
        }
        Act::Drip(bytes, gap) => {
            for byte in bytes {
                stream.write_all(&[byte])?;
                thread::sleep(gap);
            }
        }
        Act::Endless(head, again) => {
            stream.write_all(&head)?;
            loop {
                stream.write_all(&again)?;
            }
        }
        Act::Reset => {}
    }
    Ok(())
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
    let request = Seen {
        method,
        path,
        headers,
        body: Vec::new(),
    };
    assert!(
        request.header("transfer-encoding").is_none(),
        "bodies are sent with their length"
    );
    let len: usize = request
        .header("content-length")
        .map_or(0, |len| len.parse().unwrap());
    let mut body = bytes[end..].to_vec();
    while body.len() < len {
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            n => body.extend_from_slice(&buffer[..n]),
        }
    }
    Some(Seen { body, ..request })
}

/// A whole answer.
pub fn reply(status: u16, content_type: &str, extra: &str, body: &[u8]) -> Vec<u8> {
    let len = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {len}\r\n{extra}Connection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

pub fn send(status: u16, content_type: &str, body: &[u8]) -> Act {
    Act::Send(reply(status, content_type, "", body))
}

pub fn json(status: u16, body: &serde_json::Value) -> Act {
    send(status, "application/json", body.to_string().as_bytes())
}

pub fn redirect(to: &str) -> Act {
    Act::Send(reply(
        302,
        "text/plain",
        &format!("Location: {to}\r\n"),
        b"",
    ))
}
