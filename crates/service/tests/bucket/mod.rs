//! An S3-compatible server that is not ours (moto, from PyPI), for tests that want one.
#![allow(clippy::unwrap_used, dead_code)]

use std::net::TcpListener;
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
        let address = self.endpoint.trim_start_matches("http://");
        let Ok(mut stream) = std::net::TcpStream::connect(address) else {
            return false;
        };
        use std::io::{Read, Write};
        let authorization = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";
        let request = format!(
            "PUT /kinora HTTP/1.1\r\nhost: {address}\r\nauthorization: {authorization}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
        let mut answer = String::new();
        stream.write_all(request.as_bytes()).is_ok()
            && stream.read_to_string(&mut answer).is_ok()
            && answer.starts_with("HTTP/1.1 200")
    }
}

impl Drop for BucketServer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
