//! A registry in a thread: enough of the distribution specification, and whatever can go wrong.

// Two crates' tests use some of this each.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use brawn_image::registry::{Access, Reference, Repository};
use sha2::{Digest, Sha256};

/// What goes wrong, and how often.
#[derive(Default)]
pub struct Faults {
    /// Uploads that are cut off in the middle.
    pub cut_uploads: u32,
    /// Downloads of blobs that are cut off in the middle.
    pub cut_downloads: u32,
    /// Requests that are answered with 503.
    pub busy: u32,
    /// Whether blobs come with a byte changed.
    pub corrupt: bool,
    /// Whether a manifest is said to have another digest.
    pub other_digest: bool,
}

/// What the registry holds and remembers.
#[derive(Default)]
pub struct State {
    /// By repository and digest.
    pub blobs: BTreeMap<(String, String), Vec<u8>>,
    /// By repository and tag or digest: media type and bytes.
    pub manifests: BTreeMap<(String, String), (String, Vec<u8>)>,
    /// `METHOD path`, in order.
    pub log: Vec<String>,
    pub faults: Faults,
    /// User and password that are asked for.
    pub login: Option<(String, String)>,
    /// An identity token that is taken instead.
    pub identity: Option<String>,
    /// Whether subjects of manifests are understood.
    pub referrers: bool,
}

#[derive(Clone)]
pub struct Stub {
    pub address: String,
    pub state: Arc<Mutex<State>>,
}

struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

pub fn sha256(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

impl Stub {
    pub fn start(state: State) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stub =
            Stub { address: listener.local_addr().unwrap().to_string(), state: Arc::new(Mutex::new(state)) };
        let served = stub.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { break };
                let served = served.clone();
                std::thread::spawn(move || served.serve(stream));
            }
        });
        stub
    }

    pub fn reference(&self, name: &str) -> Reference {
        format!("{}/{name}", self.address).parse().unwrap()
    }

    pub fn repository(&self, name: &str) -> Arc<Repository> {
        Arc::new(Repository::open(&self.reference(name), &Access::insecure()).unwrap())
    }

    /// How many requests began so.
    pub fn count(&self, start: &str) -> usize {
        self.state.lock().unwrap().log.iter().filter(|line| line.starts_with(start)).count()
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        while let Some(request) = self.read(&mut reader) {
            if self.answer(&request, &mut stream).is_none() {
                return;
            }
        }
    }

    /// Reads a request; nothing if the connection ends, or is to be cut.
    fn read(&self, reader: &mut BufReader<TcpStream>) -> Option<Request> {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let query = query.split('&').filter_map(|pair| pair.split_once('='));
        let query = query
            .map(|(key, value)| (key.to_owned(), value.replace("%3A", ":").replace("%2F", "/")))
            .collect();
        self.state.lock().unwrap().log.push(format!("{method} {path}"));
        let length: usize = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        if method == "PUT" && path.contains("/uploads/") {
            let cut = &mut self.state.lock().unwrap().faults.cut_uploads;
            if *cut > 0 {
                *cut -= 1;
                let _ = reader.read_exact(&mut body[..length / 2]);
                return None;
            }
        }
        reader.read_exact(&mut body).ok()?;
        Some(Request { method, path: path.to_owned(), query, headers, body })
    }

    fn allowed(state: &State, request: &Request) -> bool {
        let Some((user, password)) = &state.login else { return true };
        let authorization = request.headers.get("authorization").map(String::as_str).unwrap_or_default();
        let basic = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        if request.path != "/token" {
            return authorization == "Bearer sesame";
        }
        let form = String::from_utf8_lossy(&request.body).into_owned();
        let identity = state.identity.as_ref().is_some_and(|token| {
            form.contains("grant_type=refresh_token") && form.contains(&format!("refresh_token={token}&"))
        });
        authorization == basic || identity
    }

    /// Answers; nothing if the connection is to be closed.
    fn answer(&self, request: &Request, stream: &mut TcpStream) -> Option<()> {
        let mut state = self.state.lock().unwrap();
        let mut send = |status: u16, headers: &[(&str, String)], body: &[u8]| {
            let mut head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            head.push_str("\r\n");
            let body = if request.method == "HEAD" { &[] } else { body };
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).ok()
        };
        if state.faults.busy > 0 {
            state.faults.busy -= 1;
            return send(503, &[("retry-after", "0".into())], b"{\"errors\":[{\"message\":\"busy\"}]}");
        }
        if !Self::allowed(&state, request) {
            let challenge = format!("Bearer realm=\"http://{}/token\",service=\"stub\"", self.address);
            return send(
                401,
                &[("www-authenticate", challenge)],
                b"{\"errors\":[{\"code\":\"UNAUTHORIZED\"}]}",
            );
        }
        if request.path == "/token" {
            return send(200, &[], b"{\"token\":\"sesame\"}");
        }
        let rest = request.path.strip_prefix("/v2/").unwrap_or_default().to_owned();
        if let Some((name, digest)) = rest.split_once("/blobs/sha256:") {
            let digest = format!("sha256:{digest}");
            let Some(bytes) = state.blobs.get(&(name.to_owned(), digest)).cloned() else {
                return send(404, &[], b"");
            };
            let mut bytes = bytes;
            if state.faults.corrupt {
                bytes[0] ^= 1;
            }
            if state.faults.cut_downloads > 0 && request.method == "GET" {
                state.faults.cut_downloads -= 1;
                let head = format!("HTTP/1.1 200 x\r\ncontent-length: {}\r\n\r\n", bytes.len());
                let _ = stream.write_all(head.as_bytes());
                let _ = stream.write_all(&bytes[..bytes.len() / 2]);
                let _ = stream.shutdown(std::net::Shutdown::Both);
                return None;
            }
            return send(200, &[], &bytes);
        }
        if let Some((name, session)) = rest.split_once("/blobs/uploads/") {
            if request.method == "POST" {
                if let (Some(digest), Some(from)) = (request.query.get("mount"), request.query.get("from"))
                    && let Some(bytes) = state.blobs.get(&(from.clone(), digest.clone())).cloned()
                {
                    state.blobs.insert((name.to_owned(), digest.clone()), bytes);
                    return send(201, &[], b"");
                }
                return send(202, &[("location", format!("/v2/{name}/blobs/uploads/7?state=x"))], b"");
            }
            let digest = request.query.get("digest").cloned().unwrap_or_default();
            assert_eq!((session, request.query.get("state").map(String::as_str)), ("7", Some("x")));
            if digest != sha256(&request.body) {
                return send(400, &[], b"{\"errors\":[{\"message\":\"digest invalid\"}]}");
            }
            state.blobs.insert((name.to_owned(), digest), request.body.clone());
            return send(201, &[], b"");
        }
        if let Some((name, reference)) = rest.split_once("/manifests/") {
            let key = (name.to_owned(), reference.to_owned());
            if request.method == "GET" {
                return match state.manifests.get(&key) {
                    Some((media_type, bytes)) => send(200, &[("content-type", media_type.clone())], bytes),
                    None => send(404, &[], b"{\"errors\":[{\"message\":\"manifest unknown\"}]}"),
                };
            }
            let digest = sha256(&request.body);
            let value: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
            let media_type = request.headers["content-type"].clone();
            assert_eq!(value["mediaType"], media_type.as_str());
            // A manifest may only name what is there.
            for layer in value["layers"].as_array().into_iter().flatten().chain(value.get("config")) {
                let needed = (name.to_owned(), layer["digest"].as_str().unwrap().to_owned());
                assert!(
                    state.blobs.contains_key(&needed),
                    "{reference} names {needed:?}, which is not there yet"
                );
            }
            for inner in value["manifests"].as_array().into_iter().flatten() {
                let needed = (name.to_owned(), inner["digest"].as_str().unwrap().to_owned());
                assert!(
                    state.manifests.contains_key(&needed),
                    "{reference} names {needed:?}, which is not there yet"
                );
            }
            for key in [key, (name.to_owned(), digest.clone())] {
                state.manifests.insert(key, (media_type.clone(), request.body.clone()));
            }
            let said = if state.faults.other_digest { sha256(b"other") } else { digest };
            let mut headers = vec![("docker-content-digest", said)];
            if let (true, Some(subject)) = (state.referrers, value["subject"]["digest"].as_str()) {
                headers.push(("oci-subject", subject.to_owned()));
            }
            return send(201, &headers, b"");
        }
        send(404, &[], b"")
    }
}
