//! An S3-compatible server that is not ours (moto, from PyPI), for tests that want one.
#![allow(clippy::unwrap_used, dead_code)]

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server with a bucket named `kinora`; ends when dropped.
pub struct BucketServer {
    server: Child,
    pub endpoint: String,
}

impl BucketServer {
    /// `None`, with a line that says so, where `moto_server` is not installed.
    pub fn start() -> Option<BucketServer> {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let server = Command::new("moto_server")
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(server) = server else {
            println!("skipped: moto_server is not installed (pip install 'moto[server]')");
            return None;
        };
        let endpoint = format!("http://127.0.0.1:{port}");
        let server = BucketServer { server, endpoint };
        let start = Instant::now();
        while !server.make_bucket() {
            if start.elapsed() > Duration::from_secs(60) {
                println!("skipped: moto_server does not answer");
                return None;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Some(server)
    }

    /// What a process has to have in its environment to find it.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("AWS_ENDPOINT_URL", self.endpoint.clone()),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_REGION", "us-east-1".into()),
            ("AWS_ACCESS_KEY_ID", "test".into()),
            ("AWS_SECRET_ACCESS_KEY", "test".into()),
        ]
    }

    fn make_bucket(&self) -> bool {
        self.ask("PUT /kinora")
            .is_some_and(|answer| answer.split(' ').nth(1) == Some("200"))
    }

    /// How many objects have names that begin so.
    pub fn objects_under(&self, prefix: &str) -> usize {
        let names = self.objects();
        names.iter().filter(|name| name.starts_with(prefix)).count()
    }

    /// The names of all objects but those that begin so.
    pub fn objects_outside(&self, prefix: &str) -> BTreeSet<String> {
        let mut names = self.objects();
        names.retain(|name| !name.starts_with(prefix));
        names
    }

    /// The names of all objects.
    pub fn objects(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        loop {
            // Page by page: an answer holds 1000 at most.
            let last = names.last().cloned().unwrap_or_default();
            let answer = self.ask(&format!("GET /kinora?list-type=2&start-after={last}"));
            let answer = answer.unwrap();
            let parts = answer.split("<Key>").skip(1);
            let found = parts.filter_map(|part| part.split('<').next());
            names.extend(found.map(str::to_owned));
            if !answer.contains("<IsTruncated>true") {
                return names;
            }
        }
    }

    /// What it answers, as it comes; `None` where it does not.
    fn ask(&self, what: &str) -> Option<String> {
        let address = self.endpoint.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).ok()?;
        let authorization = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";
        let request = format!(
            "{what} HTTP/1.0\r\nhost: {address}\r\nauthorization: {authorization}\r\ncontent-length: 0\r\n\r\n"
        );
        let mut answer = String::new();
        stream.write_all(request.as_bytes()).ok()?;
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }
}

impl Drop for BucketServer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
