//! What a hostile registry learns, and how long it can hold the command.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::attacks::{Hostile, Seen, challenge, head, redirect, send, silence, trickle};
use super::{hello, text, tls};
use crate::common::{Sandbox, fails};

/// A push as a user who is logged in at this address.
fn push(sandbox: &Sandbox, address: &str, login: &str) -> Command {
    sandbox.write(".docker/config.json", format!("{{\"auths\": {{\"{address}\": {login}}}}}"));
    let mut command = sandbox.brawn(&["image", text(hello()), "--no-sbom", "--push"]);
    command.arg(format!("{address}/team/app:1")).env("HOME", sandbox.path());
    for name in ["REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "DOCKER_CONFIG"] {
        command.env_remove(name);
    }
    command
}

fn password() -> String {
    format!("{{\"auth\": \"{}\"}}", STANDARD.encode("me:hunter2"))
}

const IDENTITY: &str = "{\"identitytoken\": \"long-lived\"}";

/// Fails as a registry's fault, within a moment.
fn soon(command: &mut Command) -> String {
    let started = Instant::now();
    let message = fails(command, 7);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}: {message}", started.elapsed());
    message
}

#[test]
fn a_realm_in_clear_text_or_elsewhere_gets_no_password() {
    for (realm, what) in [
        ("HTTP://192.0.2.1/token", "leads to http://192.0.2.1, where nothing is encrypted"),
        ("hTTp://192.0.2.1/token", "leads to http://192.0.2.1, where nothing is encrypted"),
        ("//192.0.2.1/token", "leads to http://192.0.2.1, where nothing is encrypted"),
        ("http://[::1]@192.0.2.1/token", "an address with a user name in it"),
        ("https://192.0.2.1/token", "asks for the login to be sent to 192.0.2.1"),
    ] {
        let sandbox = Sandbox::new();
        let server = Hostile::start(move |_, _, to| challenge(to, realm));
        for login in [password().as_str(), IDENTITY] {
            let message = soon(push(&sandbox, &server.address, login).arg("--insecure"));
            assert!(message.contains(what), "{realm}: {message}");
        }
        assert!(!server.knows(), "{realm}");
    }
}

/// A registry that takes the login and then leads elsewhere, where everything is written down.
fn leading(attack: &'static str, elsewhere: &Hostile) -> Hostile {
    let other = elsewhere.address.clone();
    Hostile::start(move |own, seen, to| {
        let path = seen.target.split('?').next().unwrap();
        let away = format!("http://{other}{path}");
        match (attack, path) {
            ("login", "/token") => redirect(to, &away),
            (_, "/token") => send(to, 200, &[], b"{\"token\":\"sesame\"}"),
            _ if !seen.headers.contains_key("authorization") => challenge(to, &format!("http://{own}/token")),
            ("blob", _) if seen.method == "HEAD" => redirect(to, &away),
            ("upload", _) if seen.method == "POST" => send(to, 202, &[("location", &away)], b""),
            _ => send(to, 404, &[], b""),
        }
    })
}

#[test]
fn no_login_goes_where_a_registry_leads() {
    // The other host asks for a login as well, and offers a place for it.
    let ask = |_: &str, seen: &Seen, to: &mut TcpStream| match seen.method.as_str() {
        "PUT" => send(to, 403, &[], b""),
        _ => challenge(to, "/token"),
    };
    for attack in ["login", "blob", "upload"] {
        for login in [password().as_str(), IDENTITY] {
            let sandbox = Sandbox::new();
            let elsewhere = Hostile::start(ask);
            let server = leading(attack, &elsewhere);
            let message = soon(push(&sandbox, &server.address, login).arg("--insecure"));
            assert!(server.knows(), "{attack}: the registry itself got the login: {message}");
            assert!(!elsewhere.knows(), "{attack}: {:?}", elsewhere.seen.lock().unwrap());
            // An identity token travels in a body, and a body is not sent on.
            let reached = !(attack == "login" && login == IDENTITY);
            assert_eq!(elsewhere.count("/") > 0, reached, "{attack} {login}: {message}");
        }
    }
}

/// A registry behind TLS that answers everything with these lines.
fn secure(answer: impl Fn(u16) -> String + Send + Sync + 'static) -> (u16, String) {
    let (config, authority) = tls::server();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = move |socket: TcpStream| -> io::Result<()> {
        let connection = rustls::ServerConnection::new(Arc::clone(&config)).map_err(io::Error::other)?;
        let mut reader = BufReader::new(rustls::StreamOwned::new(connection, socket));
        let mut line = String::new();
        while reader.read_line(&mut line)? > 2 {
            line.clear();
        }
        let stream = reader.get_mut();
        write!(stream, "HTTP/1.1 {}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", answer(port))?;
        stream.conn.send_close_notify();
        stream.flush()
    };
    std::thread::spawn(move || listener.incoming().for_each(|socket| drop(serve(socket.unwrap()))));
    (port, authority)
}

#[test]
fn tls_is_not_left_for_clear_text() {
    for attack in ["realm", "redirect", "location"] {
        let sandbox = Sandbox::new();
        let plain = Hostile::start(|_, _, to| send(to, 404, &[], b""));
        let address = plain.address.clone();
        let (port, authority) = secure(move |_| match attack {
            "realm" => format!("401 x\r\nwww-authenticate: Bearer realm=\"hTTp://{address}/token\""),
            "redirect" => format!("307 x\r\nlocation: HTTP://{address}/x"),
            _ => format!("202 x\r\nlocation: http://{address}/x"),
        });
        let authority = sandbox.write("authority.pem", authority);
        let registry = format!("localhost:{port}");
        let message = soon(push(&sandbox, &registry, &password()).env("SSL_CERT_FILE", authority));
        let what = format!("{registry} leads to http://{}, where nothing is encrypted", plain.address);
        assert!(message.contains(&what), "{attack}: {message}");
        assert_eq!(plain.count("/"), 0, "{attack}");
    }
}

#[test]
fn a_limit_for_everything_is_kept() {
    let sandbox = Sandbox::new();
    let slow =
        Hostile::start(|_, _, to| head(to, 1 << 20).and_then(|()| trickle(to, Duration::from_millis(100))));
    let digest = format!("sha256:{}", "a".repeat(64));
    let base = format!("{}/a@{digest}", slow.address);
    let pull = ["image", text(hello()), "--insecure", "--timeout", "1s", "--base", &base, "-o", "x"];
    let message = soon(&mut sandbox.brawn(&pull));
    assert!(message.contains("takes longer than the limit of 1 s"), "{message}");
    assert!(message.contains("hint: if it only needs longer, say --timeout 4m"), "{message}");
    let silent = Hostile::start(|_, _, to| silence(to));
    let message =
        soon(push(&sandbox, &silent.address, &password()).args(["--insecure", "--timeout", "500ms"]));
    assert!(message.contains("takes longer than the limit of 0.5 s"), "{message}");
    let busy = Hostile::start(|_, _, to| send(to, 429, &[("retry-after", "1")], b""));
    let message = soon(push(&sandbox, &busy.address, &password()).arg("--insecure"));
    assert!(
        message.contains(&format!("{} asks to wait for 1 s before another attempt", busy.address)),
        "{message}"
    );
}
