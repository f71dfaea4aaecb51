//! A PostgreSQL server for one test program: in a temporary folder, on a free port, stopped when the program ends however it ends.

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection, PgConnection};

#[derive(Debug)]
pub struct Server {
    pub port: u16,
    /// Its input is open as long as this program lives.
    _keeper: Child,
    n_databases: AtomicU32,
}

/// The server of this program; `None`, said in a line, where PostgreSQL is not installed.
pub fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let programs = programs();
        if programs.is_none() {
            eprintln!("skipped: no PostgreSQL here (initdb and postgres on PATH or in /usr/lib/postgresql)");
        }
        programs.map(|programs| Server::start(&programs))
    });
    server.as_ref()
}

/// The folder that holds `initdb` and `postgres`.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        let versions = versions.flatten().map(|version| version.path().join("bin"));
        folders.extend(versions);
    }
    let mut folders = folders.into_iter();
    folders.find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

impl Server {
    fn start(programs: &Path) -> Server {
        let folder = tempfile::tempdir().unwrap().keep();
        let user = plain_user();
        if let Some((uid, gid)) = user {
            std::os::unix::fs::chown(&folder, Some(uid), Some(gid)).unwrap();
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = port.local_addr().unwrap().port();
        // It ends with us: its shell waits for the end of our side of a pipe.
        let script = r#"
            "$1/initdb" -D "$2/data" -U kinora -A trust -E UTF8 --no-locale --no-sync >"$2/log" 2>&1 || exit 1
            "$1/postgres" -D "$2/data" -p "$3" -k "$2" -c listen_addresses=127.0.0.1 -c fsync=off \
                -c max_connections=300 -c autovacuum=off >>"$2/log" 2>&1 &
            cat >/dev/null
            kill -QUIT $!
            wait
            rm -rf "$2/data" "$2/log"; rmdir "$2" 2>/dev/null
        "#;
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]);
        command.args([programs, &folder]).arg(port.to_string());
        command.current_dir(&folder).stdin(Stdio::piped());
        // A signal to this program's group, as by Ctrl-C, is not for it: it ends by itself.
        command.process_group(0);
        if let Some((uid, gid)) = user {
            command.uid(uid).gid(gid);
        }
        let keeper = command.spawn().unwrap();
        let begun = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = || std::fs::read_to_string(folder.join("log"));
            assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
        Server {
            port,
            _keeper: keeper,
            n_databases: AtomicU32::new(0),
        }
    }

    /// The URL of an empty database.
    pub async fn new_database(&self) -> String {
        let name = format!("test_{}", self.n_databases.fetch_add(1, Ordering::Relaxed));
        let mut connection = self.admin().await;
        let sql = AssertSqlSafe(format!("CREATE DATABASE {name}"));
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        format!("postgres://kinora@127.0.0.1:{}/{name}", self.port)
    }

    /// It may still be starting.
    async fn admin(&self) -> PgConnection {
        let url = format!("postgres://kinora@127.0.0.1:{}/postgres", self.port);
        for _ in 0..200 {
            if let Ok(connection) = PgConnection::connect(&url).await {
                return connection;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("PostgreSQL does not answer");
    }
}

/// Who it runs as where we are root, which it refuses: user and group `postgres` or `nobody`.
fn plain_user() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    if std::fs::metadata("/proc/self").ok()?.uid() != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let of_name = |name: &str| {
        let line = users
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    of_name("postgres").or_else(|| of_name("nobody"))
}
