//! A server behind a wire that can be cut: nothing comes through any more, and nobody is told.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Debug)]
pub struct Proxy {
    pub address: SocketAddr,
    is_cut: watch::Sender<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    pub async fn before(port: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (is_cut, state) = watch::channel(false);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                let (client_read, client_write) = client.into_split();
                let (server_read, server_write) = server.into_split();
                tokio::spawn(forward(client_read, server_write, state.clone()));
                tokio::spawn(forward(server_read, client_write, state.clone()));
            }
        });
        Proxy {
            address,
            is_cut,
            task,
        }
    }

    /// Cuts the wire: what is on its way waits.
    pub fn cut(&self) {
        self.is_cut.send_replace(true);
    }

    /// Mends it.
    pub fn mend(&self) {
        self.is_cut.send_replace(false);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut is_cut: watch::Receiver<bool>,
) {
    let mut buffer = vec![0; 1 << 14];
    loop {
        let n = match from.read(&mut buffer).await {
            Ok(n) if n > 0 => n,
            _ => return,
        };
        if is_cut.wait_for(|is_cut| !is_cut).await.is_err()
            || to.write_all(&buffer[..n]).await.is_err()
        {
            return;
        }
    }
}
