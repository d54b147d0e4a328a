//! Whose credentials are used, and what a registry says to wrong ones.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::stub::{State, Stub};
use super::{hello, text};
use crate::common::{Sandbox, fails, ok};

fn registry() -> Stub {
    let login = Some(("me".to_owned(), "hunter2".to_owned()));
    Stub::start(State { login, identity: Some("long-lived".to_owned()), ..State::default() })
}

/// A push as a user whose files are all in the sandbox's folder.
fn push(sandbox: &Sandbox, stub: &Stub) -> Command {
    let mut command = sandbox.brawn(&["-q", "image", text(hello()), "--insecure", "--push"]);
    command.arg(format!("{}/team/app:1", stub.address));
    for name in ["REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "DOCKER_CONFIG"] {
        command.env_remove(name);
    }
    command.env("HOME", sandbox.path());
    command
}

fn auths(stub: &Stub, entry: &str) -> String {
    format!("{{\"auths\": {{\"{}\": {entry}}}}}", stub.address)
}

fn basic(user: &str, password: &str) -> String {
    format!("{{\"auth\": \"{}\"}}", STANDARD.encode(format!("{user}:{password}")))
}

#[test]
fn docker_login_is_enough() {
    let sandbox = Sandbox::new();
    let stub = registry();
    sandbox.write(".docker/config.json", auths(&stub, &basic("me", "hunter2")));
    let line = ok(&mut push(&sandbox, &stub));
    assert!(line.starts_with(&format!("{}/team/app@sha256:", stub.address)), "{line}");
    assert!(stub.count("GET /token") >= 1);
}

#[test]
fn podmans_file_comes_before_dockers() {
    let sandbox = Sandbox::new();
    let stub = registry();
    sandbox.write(".docker/config.json", auths(&stub, &basic("me", "wrong")));
    let file = sandbox.write("podman.json", auths(&stub, &basic("me", "hunter2")));
    ok(push(&sandbox, &stub).env("REGISTRY_AUTH_FILE", file));
}

#[test]
fn a_helper_is_asked() {
    let sandbox = Sandbox::new();
    let stub = registry();
    let helper = sandbox.write(
        "bin/docker-credential-vault",
        format!(
            "#!/bin/sh\nread server\n[ \"$1 $server\" = 'get {}' ] || exit 1\n\
             echo '{{\"ServerURL\": \"x\", \"Username\": \"me\", \"Secret\": \"hunter2\"}}'\n",
            stub.address
        ),
    );
    fs_err::set_permissions(&helper, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.write(".docker/config.json", format!("{{\"credHelpers\": {{\"{}\": \"vault\"}}}}", stub.address));
    let path = format!("{}:{}", sandbox.path().join("bin").display(), std::env::var("PATH").unwrap());
    ok(push(&sandbox, &stub).env("PATH", path));
}

#[test]
fn a_helper_that_never_answers_is_not_waited_for() {
    let sandbox = Sandbox::new();
    let stub = registry();
    let helper = sandbox.write("bin/docker-credential-vault", "#!/bin/sh\nexec sleep 30\n");
    fs_err::set_permissions(&helper, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.write(".docker/config.json", format!("{{\"credHelpers\": {{\"{}\": \"vault\"}}}}", stub.address));
    let path = format!("{}:{}", sandbox.path().join("bin").display(), std::env::var("PATH").unwrap());
    let begun = std::time::Instant::now();
    let message = fails(push(&sandbox, &stub).env("PATH", path).args(["--timeout", "1s"]), 7);
    assert!(
        message.contains("gave no answer within 1s") && message.contains("hint: run it by hand"),
        "{message}"
    );
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn an_identity_token_is_exchanged() {
    let sandbox = Sandbox::new();
    let stub = registry();
    sandbox.write(".docker/config.json", auths(&stub, "{\"identitytoken\": \"long-lived\"}"));
    ok(&mut push(&sandbox, &stub));
    assert!(stub.count("POST /token") >= 1);
}

#[test]
fn wrong_credentials_and_none() {
    let sandbox = Sandbox::new();
    let stub = registry();
    let refused = || fails(&mut push(&sandbox, &stub), 7);
    let hint = format!("hint: log in with `docker login {0}` or `podman login {0}`", stub.address);
    let message = refused();
    assert!(message.contains(&hint), "{message}");
    sandbox.write(".docker/config.json", auths(&stub, &basic("me", "wrong")));
    let message = refused();
    assert!(message.starts_with(&format!("error: {} refuses GET /token: 401", stub.address)), "{message}");
    assert!(message.contains(&hint), "{message}");
    assert!(!message.contains("wrong"), "no password in a message: {message}");
    assert!(stub.state.lock().unwrap().manifests.is_empty());
}
