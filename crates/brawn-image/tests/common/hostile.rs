//! A server that does what no registry should: a test says how it answers, and sees what it was told.

// Two crates' tests use some of this each.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::{Digest, Sha256};

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub method: String,
    /// With the query.
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Seen {
    /// Whether anything in it is a secret of the tests.
    pub fn tells(&self) -> bool {
        let everything = format!("{self:?}");
        self.headers.contains_key("authorization") || SECRETS.iter().any(|secret| everything.contains(secret))
    }
}

/// The token, the password, the identity token, and the password as `Basic` has it.
pub const SECRETS: [&str; 4] = ["sesame", "hunter2", "long-lived", "bWU6aHVudGVyMg=="];

#[derive(Clone)]
pub struct Hostile {
    pub address: String,
    pub seen: Arc<Mutex<Vec<Seen>>>,
}

impl Hostile {
    /// Answers every request with `answer`, which is given the server's own address, and closes the connection.
    pub fn start(
        answer: impl Fn(&str, &Seen, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Hostile {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Hostile { address: listener.local_addr().unwrap().to_string(), seen: Arc::default() };
        let (served, answer) = (server.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (served, answer) = (served.clone(), answer.clone());
                std::thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    if let Some(seen) = read(&stream) {
                        served.seen.lock().unwrap().push(seen.clone());
                        // That the client has had enough is what most tests want.
                        let _ = answer(&served.address, &seen, &mut stream);
                    }
                });
            }
        });
        server
    }

    /// How many requests came for a path that begins so.
    pub fn count(&self, start: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|seen| seen.target.starts_with(start)).count()
    }

    /// Whether it was told a secret.
    pub fn knows(&self) -> bool {
        self.seen.lock().unwrap().iter().any(Seen::tells)
    }
}

fn read(stream: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split(' ');
    let mut seen =
        Seen { method: words.next()?.to_owned(), target: words.next()?.to_owned(), ..Seen::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        seen.headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = seen.headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body).ok()?;
    seen.body = String::from_utf8_lossy(&body).into_owned();
    Some(seen)
}

pub fn sha256(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// A whole answer.
pub fn send(to: &mut TcpStream, status: u16, headers: &[(&str, &str)], body: &[u8]) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    to.write_all(head.as_bytes())?;
    to.write_all(body)
}

/// An answer that leads elsewhere.
pub fn redirect(to: &mut TcpStream, location: &str) -> io::Result<()> {
    send(to, 307, &[("location", location)], b"")
}

/// A challenge with this realm.
pub fn challenge(to: &mut TcpStream, realm: &str) -> io::Result<()> {
    let challenge = format!("Bearer realm=\"{realm}\",service=\"s\"");
    send(to, 401, &[("www-authenticate", &challenge)], b"")
}

/// The head of an answer of `length` bytes, of which none follows.
pub fn head(to: &mut TcpStream, length: u64) -> io::Result<()> {
    write!(to, "HTTP/1.1 200 x\r\ncontent-length: {length}\r\n\r\n")
}

/// A byte, a pause, a byte, …
pub fn trickle(to: &mut TcpStream, pause: Duration) -> io::Result<()> {
    loop {
        to.write_all(b" ")?;
        to.flush()?;
        std::thread::sleep(pause);
    }
}

/// Bytes as fast as they go, without end.
pub fn flood(to: &mut TcpStream) -> io::Result<()> {
    loop {
        to.write_all(&[b' '; 64 << 10])?;
    }
}

/// Chunks as fast as they go, without end.
pub fn chunks(to: &mut TcpStream, status: u16) -> io::Result<()> {
    write!(to, "HTTP/1.1 {status} x\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    loop {
        to.write_all(chunk.as_bytes())?;
    }
}

/// Nothing, until the client goes away, but no longer than a test may take.
pub fn silence(to: &mut TcpStream) -> io::Result<()> {
    to.set_read_timeout(Some(Duration::from_secs(20)))?;
    to.read(&mut [0]).map(drop)
}
