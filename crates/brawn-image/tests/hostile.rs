//! A registry that attacks: with delays, sizes, redirects and documents. What it can reach is an error within a moment.

mod common;
#[path = "common/hostile.rs"]
mod hostile;

use std::collections::HashMap;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use brawn_elf::Arch;
use brawn_image::registry::{Access, Event, Limits, Repository};
use brawn_image::sink;
use brawn_image::{Base, Error, Settings};
use common::Sandbox;
use hostile::{Hostile, Seen, chunks, flood, head, redirect, send, sha256, silence, trickle};
use serde_json::{Value, json};

const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// Access whose limits a test can wait for.
fn quick() -> Access {
    let milliseconds = Duration::from_millis;
    let limits = Limits { total: milliseconds(3000), stall: milliseconds(600), wait: milliseconds(200) };
    insecure(limits)
}

fn insecure(limits: Limits) -> Access {
    let mut access = Access::new(limits);
    access.insecure = true;
    access
}

fn pull(server: &Hostile, digest: &str) -> Result<Option<Base>, Error> {
    Base::open(&format!("{}/a@{digest}", server.address), &quick())
}

/// The error of something that must end soon.
fn soon<T: std::fmt::Debug>(what: impl FnOnce() -> Result<T, Error>) -> Error {
    let started = Instant::now();
    let error = what().unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}: {error}", started.elapsed());
    error
}

fn attack(answer: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static) -> (Hostile, Error) {
    let server = Hostile::start(move |_, _, to| answer(to));
    let error = soon(|| pull(&server, &sha256(b"x")));
    (server, error)
}

/// Documents and blobs by digest.
#[derive(Clone, Default)]
struct Shelf(HashMap<String, (String, Vec<u8>)>);

impl Shelf {
    /// Adds a document and gives its descriptor.
    fn put(&mut self, media_type: &str, value: &Value) -> Value {
        let bytes = serde_json::to_vec(value).unwrap();
        let digest = sha256(&bytes);
        let descriptor = json!({ "mediaType": media_type, "size": bytes.len(), "digest": digest });
        self.0.insert(digest, (media_type.to_owned(), bytes));
        descriptor
    }

    fn index(&mut self, entries: &[Value]) -> Value {
        self.put(INDEX, &json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": entries }))
    }

    fn manifest(&mut self, config: &Value, layers: &[Value]) -> Value {
        let manifest =
            json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers });
        self.put(MANIFEST, &manifest)
    }

    fn config(&mut self, layers: usize) -> Value {
        let diff_ids = vec![sha256(b"unpacked"); layers];
        let rootfs = json!({ "type": "layers", "diff_ids": diff_ids });
        self.put(CONFIG, &json!({ "architecture": "amd64", "os": "linux", "rootfs": rootfs }))
    }

    fn answer(&self, seen: &Seen, to: &mut TcpStream) -> io::Result<()> {
        match self.0.get(seen.target.rsplit('/').next().unwrap()) {
            Some((media_type, bytes)) => send(to, 200, &[("content-type", media_type)], bytes),
            None => send(to, 404, &[], b""),
        }
    }

    fn serve(self) -> Hostile {
        Hostile::start(move |_, seen, to| self.answer(seen, to))
    }
}

fn digest(descriptor: &Value) -> String {
    descriptor["digest"].as_str().unwrap().to_owned()
}

fn claim(size: u64, media_type: &str) -> Value {
    json!({ "mediaType": media_type, "size": size, "digest": sha256(b"never there") })
}

/// Builds upon a base for x86_64.
fn build(base: Option<Base>) -> Result<brawn_image::Bundle, Error> {
    let sandbox = Sandbox::new();
    let executables = [sandbox.executable(Arch::X86_64, &[])];
    let settings = Settings { sbom: Some(false), ..Settings::default() };
    brawn_image::build(&common::request(&executables, &settings, base.as_ref()))
}

#[test]
fn silence_ends_after_the_stall_limit() {
    let (before, error) = attack(silence);
    assert!(matches!(error, Error::Stalled { .. }), "{error}");
    assert!(
        error.to_string().contains("makes no progress for 0.6 s: GET /v2/a/manifests/sha256:"),
        "{error}"
    );
    assert_eq!(before.count("/"), 1, "a stall is no reason to try again");
    let (_, error) = attack(|to| head(to, 100).and_then(|()| silence(to)));
    assert!(matches!(error, Error::Stalled { .. }), "{error}");
}

#[test]
fn a_trickle_ends_however_it_comes() {
    let pause = Duration::from_millis(50);
    let (_, error) = attack(move |to| head(to, 1 << 20).and_then(|()| trickle(to, pause)));
    assert!(matches!(error, Error::Stalled { .. }), "of the body: {error}");
    let (_, error) = attack(move |to| {
        to.write_all(b"HTTP/1.1 200 x\r\nx: ")?;
        trickle(to, pause)
    });
    assert!(matches!(error, Error::Stalled { .. }), "of the head: {error}");
    let (_, error) = attack(move |to| {
        to.write_all(b"HTTP/1.1 403 x\r\ncontent-length: 100000\r\n\r\n")?;
        trickle(to, pause)
    });
    assert!(matches!(error, Error::Refused { status: 403, .. }), "of a message: {error}");
}

#[test]
fn what_is_steady_and_endless_ends_with_the_whole_limit() {
    let mut shelf = Shelf::default();
    let config = shelf.config(1);
    // Room for it is asked for first, and a machine may have little.
    const CLAIMED: u64 = 64 << 20;
    let layer = claim(CLAIMED, LAYER);
    let top = shelf.manifest(&config, std::slice::from_ref(&layer));
    let never_there = digest(&layer);
    let server = Hostile::start(move |_, seen, to| {
        if !seen.target.ends_with(&never_there) {
            return shelf.answer(seen, to);
        }
        head(to, CLAIMED)?;
        loop {
            to.write_all(&[0; 4096])?;
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let bundle = build(pull(&server, &digest(&top)).unwrap()).unwrap();
    let error = soon(|| bundle.images[0].layers[0].read());
    assert!(matches!(error, Error::OutOfTime { .. }), "{error}");
    assert!(error.to_string().ends_with("takes longer than the limit of 3 s"), "{error}");
}

#[test]
fn a_registry_may_not_ask_to_wait_for_days() {
    let (server, error) = attack(|to| send(to, 429, &[("retry-after", "1000000")], b""));
    assert!(error.to_string().ends_with("is busy, and asks to wait for 1000000 s"), "{error}");
    assert_eq!(server.count("/"), 1);
    // Waits that are granted are told, and no longer than everything may take.
    let told = Arc::new(Mutex::new(0));
    let counted = told.clone();
    let server = Hostile::start(|_, _, to| send(to, 503, &[("retry-after", "1")], b""));
    let limits =
        Limits { total: Duration::from_millis(1500), wait: Duration::from_secs(2), ..Limits::default() };
    let reporter = Arc::new(move |event: &Event| {
        *counted.lock().unwrap() += u32::from(matches!(event, Event::Waiting { .. }));
    });
    let mut access = insecure(limits);
    access.reporter = reporter;
    let name = format!("{}/a@{}", server.address, sha256(b"x"));
    let error = soon(|| Base::open(&name, &access));
    assert!(matches!(error, Error::OutOfTime { .. }), "{error}");
    assert_eq!((*told.lock().unwrap(), server.count("/")), (1, 2));
}

#[test]
fn answers_without_end_are_cut() {
    let (_, error) = attack(|to| head(to, 1 << 40).and_then(|()| flood(to)));
    assert!(
        error.to_string().contains("a manifest has 1099511627776 bytes, and the limit is 4194304"),
        "{error}"
    );
    let (_, error) = attack(|to| chunks(to, 200));
    assert!(error.to_string().contains("a manifest has more than 4194304 bytes"), "{error}");
    let (_, error) = attack(|to| {
        to.write_all(b"HTTP/1.1 200 x\r\n\r\n")?;
        flood(to)
    });
    assert!(error.to_string().contains("a manifest has more than 4194304 bytes"), "{error}");
    let (_, error) = attack(|to| chunks(to, 403));
    assert!(matches!(error, Error::Refused { status: 403, .. }), "{error}");
    for line in ["x: y\r\n", "x"] {
        let (_, error) = attack(move |to| {
            to.write_all(b"HTTP/1.1 200 x\r\n")?;
            loop {
                to.write_all(line.repeat(1000).as_bytes())?;
            }
        });
        assert!(matches!(error, Error::Transport { .. }), "{error}");
    }
}

#[test]
fn redirects_end() {
    let (server, error) = attack(|to| redirect(to, "/v2/a/again"));
    assert!(error.to_string().contains("it leads elsewhere more than 5 times"), "{error}");
    assert_eq!(server.count("/"), 6);
    let (_, error) = attack(|to| send(to, 307, &[], b""));
    assert!(error.to_string().contains("does not say where"), "{error}");
    for (location, what) in [
        ("HTTP://192.0.2.1/x", "leads to http://192.0.2.1, where nothing is encrypted"),
        ("//192.0.2.1/x", "leads to http://192.0.2.1, where nothing is encrypted"),
        ("http://[::1]@192.0.2.1/x", "an address with a user name in it"),
        ("file:///etc/passwd", "an address of the scheme file"),
    ] {
        let (_, error) = attack(move |to| redirect(to, location));
        assert!(error.to_string().contains(what), "{location}: {error}");
    }
}

#[test]
fn a_document_larger_than_any_is_not_fetched() {
    let mut shelf = Shelf::default();
    let manifest = shelf.manifest(&claim(1 << 40, CONFIG), &[]);
    let index = shelf.index(&[claim(5 << 20, INDEX)]);
    let config = shelf.config(1);
    let layer = shelf.manifest(&config, &[claim(1 << 60, LAYER)]);
    let many = shelf.manifest(&config, &vec![claim(1, LAYER); 513]);
    let other = json!({ "mediaType": LAYER, "size": 1, "digest": format!("sha512:{}", "a".repeat(128)) });
    let other = shelf.manifest(&config, &[other]);
    let server = shelf.serve();
    for (top, what) in [
        (&manifest, "has 1099511627776 bytes, and the limit is 4194304"),
        (&index, "has 5242880 bytes, and the limit is 4194304"),
        (&layer, "has 1152921504606846976 bytes, and the limit is 17179869184"),
        (&many, "an image has 513 layers, and the limit is 512"),
        (&other, "is not a sha256 digest"),
    ] {
        let error = soon(|| pull(&server, &digest(top)).and_then(build));
        assert!(error.to_string().contains(what), "{error}");
    }
    assert_eq!(server.count("/v2/a/blobs/"), 2, "the configuration, for those two that get so far");
}

#[test]
fn no_more_is_written_than_was_announced() {
    for (length, what) in
        [(Some(1 << 30), "should be 10 bytes, and comes as 1073741824"), (None, "more than 10")]
    {
        let mut shelf = Shelf::default();
        let config = shelf.config(1);
        let layer = claim(10, LAYER);
        let top = shelf.manifest(&config, std::slice::from_ref(&layer));
        let never_there = digest(&layer);
        let server = Hostile::start(move |_, seen, to| match length {
            _ if !seen.target.ends_with(&never_there) => shelf.answer(seen, to),
            Some(length) => head(to, length).and_then(|()| flood(to)),
            None => chunks(to, 200),
        });
        let bundle = build(pull(&server, &digest(&top)).unwrap()).unwrap();
        let error = soon(|| bundle.images[0].layers[0].read());
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn a_layer_that_does_not_fit_is_not_begun() {
    let mut shelf = Shelf::default();
    let config = shelf.config(1);
    let top = shelf.manifest(&config, &[claim(16 << 30, LAYER)]);
    let server = shelf.serve();
    let bundle = build(pull(&server, &digest(&top)).unwrap()).unwrap();
    let room = rustix::fs::statvfs(std::env::temp_dir()).unwrap();
    let error = soon(|| bundle.images[0].layers[0].read());
    if room.f_bavail * room.f_frsize < 16 << 30 {
        assert!(matches!(error, Error::NoRoom { needed: 17179869184, .. }), "{error}");
    } else {
        assert!(matches!(error, Error::Refused { status: 404, .. }), "{error}");
    }
}

#[test]
fn an_index_of_few_documents_is_walked_once() {
    let mut shelf = Shelf::default();
    let mut top = shelf.index(&[]);
    for _ in 0..4 {
        top = shelf.index(&vec![top; 60]);
    }
    let server = shelf.serve();
    let error = soon(|| pull(&server, &digest(&top)));
    assert!(error.to_string().contains("indexes are nested deeper than 4"), "{error}");
    assert!(server.count("/") <= 5, "{} requests", server.count("/"));

    let mut shelf = Shelf::default();
    let config = shelf.config(0);
    let manifest = shelf.manifest(&config, &[]);
    let mut top = shelf.index(&vec![manifest; 60]);
    for _ in 0..3 {
        top = shelf.index(&vec![top; 60]);
    }
    let server = shelf.serve();
    let base = pull(&server, &digest(&top)).unwrap();
    assert_eq!(server.count("/"), 4);
    // Four indexes, one manifest, one configuration, whatever is made of them.
    build(base).unwrap();
    assert_eq!(server.count("/"), 6);

    let mut shelf = Shelf::default();
    let lists: Vec<Value> = (0..20)
        .map(|number| {
            let entry = json!({ "mediaType": MANIFEST, "size": number, "digest": sha256(b"x") });
            shelf.index(&vec![entry; 60])
        })
        .collect();
    let top = shelf.index(&lists);
    let error = soon(|| pull(&shelf.serve(), &digest(&top)));
    assert!(error.to_string().contains("entries, and the limit is 1000"), "{error}");
}

#[test]
fn a_layer_is_fetched_once() {
    let mut shelf = Shelf::default();
    let config = shelf.config(2);
    let layer = shelf.put(LAYER, &json!("no archive, but bytes"));
    let top = shelf.manifest(&config, &[layer.clone(), layer.clone()]);
    let server = shelf.serve();
    let bundle = build(pull(&server, &digest(&top)).unwrap()).unwrap();
    for _ in 0..3 {
        assert_eq!(bundle.images[0].layers[0].read().unwrap(), b"\"no archive, but bytes\"");
        assert_eq!(bundle.images[0].layers[1].read().unwrap().len(), 23);
    }
    assert_eq!(server.count(&format!("/v2/a/blobs/{}", digest(&layer))), 1);
}

/// Pushes to a registry that has nothing and answers uploads like this.
fn push(answer: impl Fn(&str, &Seen, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Error {
    let server = Hostile::start(answer);
    let reference: brawn_image::registry::Reference = format!("{}/a:1", server.address).parse().unwrap();
    let repository = Repository::open(&reference, &quick()).unwrap();
    let bundle = Sandbox::new().bundle(&Settings { sbom: Some(false), ..Settings::default() });
    soon(|| sink::push(&bundle, &repository, &reference, &[]))
}

#[test]
fn an_upload_goes_nowhere_in_clear_text_and_ends() {
    for (location, what) in [
        ("HTTP://192.0.2.1/x", "leads to http://192.0.2.1, where nothing is encrypted"),
        ("hTTp://192.0.2.1/x", "leads to http://192.0.2.1, where nothing is encrypted"),
        ("//192.0.2.1/x", "leads to http://192.0.2.1, where nothing is encrypted"),
        ("http://[::1]@192.0.2.1/x", "an address with a user name in it"),
        ("gopher://127.0.0.1/x", "an address of the scheme gopher"),
        ("http://127.0.0.1:0x50/x", "an address that is none"),
    ] {
        let error = push(move |_, seen, to| match seen.method.as_str() {
            "POST" => send(to, 202, &[("location", location)], b""),
            _ => send(to, 404, &[], b""),
        });
        assert!(error.to_string().contains(what), "{location}: {error}");
    }
    let begin = |seen: &Seen, to: &mut TcpStream| match seen.method.as_str() {
        "POST" => send(to, 202, &[("location", "/up")], b""),
        _ => send(to, 404, &[], b""),
    };
    let error = push(move |_, seen, to| if seen.method == "PUT" { chunks(to, 500) } else { begin(seen, to) });
    assert!(matches!(error, Error::Refused { status: 500, .. }), "{error}");
    let error = push(move |_, seen, to| if seen.method == "PUT" { silence(to) } else { begin(seen, to) });
    assert!(matches!(error, Error::Stalled { .. }), "{error}");
    let error = push(move |_, seen, to| match seen.method.as_str() {
        "PUT" => redirect(to, "http://127.0.0.1:1/elsewhere"),
        _ => begin(seen, to),
    });
    assert!(
        matches!(error, Error::Refused { status: 307, .. }),
        "what was sent is not sent elsewhere: {error}"
    );
}
