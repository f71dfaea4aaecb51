//! A server behind a wire that can be cut: nothing comes through any more, and nobody is told. Or one that loses the answer to a commit.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Debug)]
pub struct Proxy {
    pub address: SocketAddr,
    is_cut: watch::Sender<bool>,
    loss: Arc<Loss>,
    task: tokio::task::JoinHandle<()>,
}

/// The commit whose answer is lost, once: of the first transaction that says something.
#[derive(Debug)]
struct Loss {
    said: &'static [u8],
    is_over: AtomicBool,
}

impl Proxy {
    pub async fn before(port: u16) -> Proxy {
        Proxy::that_loses(port, "").await
    }

    /// The commit of the first transaction that sends these bytes gets through, its answer does not: the connection ends. No bytes, no loss.
    pub async fn that_loses(port: u16, said: &'static str) -> Proxy {
        let loss = Arc::new(Loss {
            said: said.as_bytes(),
            is_over: AtomicBool::new(said.is_empty()),
        });
        let shared = Arc::clone(&loss);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (is_cut, state) = watch::channel(false);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                let (client_read, client_write) = client.into_split();
                let (server_read, server_write) = server.into_split();
                let wire = Wire {
                    is_cut: state.clone(),
                    loss: Arc::clone(&shared),
                    is_lost: Arc::default(),
                };
                tokio::spawn(wire.clone().forward(client_read, server_write, true));
                tokio::spawn(wire.forward(server_read, client_write, false));
            }
        });
        Proxy {
            address,
            is_cut,
            loss,
            task,
        }
    }

    /// Whether an answer was lost.
    pub fn has_lost(&self) -> bool {
        self.loss.is_over.load(Ordering::SeqCst)
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

/// One connection.
#[derive(Clone)]
struct Wire {
    is_cut: watch::Receiver<bool>,
    loss: Arc<Loss>,
    /// What the server says now is lost, and this connection with it.
    is_lost: Arc<AtomicBool>,
}

impl Wire {
    async fn forward(mut self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf, is_up: bool) {
        let mut buffer = vec![0; 1 << 14];
        let mut has_said = false;
        loop {
            let n = match from.read(&mut buffer).await {
                Ok(n) if n > 0 => n,
                _ => return,
            };
            if is_up {
                has_said |= holds(&buffer[..n], self.loss.said);
                if has_said && holds(&buffer[..n], b"COMMIT") {
                    has_said = false;
                    let was_over = self.loss.is_over.swap(true, Ordering::SeqCst);
                    self.is_lost.store(!was_over, Ordering::SeqCst);
                }
            } else if self.is_lost.load(Ordering::SeqCst) {
                return;
            }
            if self.is_cut.wait_for(|is_cut| !is_cut).await.is_err()
                || to.write_all(&buffer[..n]).await.is_err()
            {
                return;
            }
        }
    }
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    !part.is_empty() && bytes.windows(part.len()).any(|window| window == part)
}
