//! What goes wrong: a clear message, nothing half-written, an exit code from the list.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use super::{hello, text};
use crate::common::{Sandbox, fails, ok, redact};

/// The files in the sandbox's folder, sorted.
fn names(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs_err::read_dir(sandbox.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_full_disk_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    for output in ["image.tar", "layout"] {
        // A limit on the size of files stands for the disk; the signal that comes with it is ignored, as it is by a disk.
        let mut command = sandbox.command("sh");
        command.arg("-c").arg("trap '' XFSZ; ulimit -f 32; exec \"$0\" \"$@\"");
        command.arg(env!("CARGO_BIN_EXE_brawn"));
        command.args(["-q", "image", text(hello()), "--with", "certificates", "-o", output]);
        let message = fails(&mut command, 5);
        assert!(message.starts_with(&format!("error: cannot write {output}\n  caused by:")), "{message}");
        assert_eq!(names(&sandbox), Vec::<String>::new());
    }
}

#[test]
fn a_place_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    sandbox.write("mine/thesis", "years of work");
    let message = fails(&mut sandbox.brawn(&["-q", "image", text(hello()), "-o", "mine"]), 5);
    assert_eq!(
        message,
        "error: mine is there already, and it is not an OCI layout\n\
         hint: name a folder that does not exist yet, or remove this one\n"
    );
    let message = fails(&mut sandbox.brawn(&["-q", "image", text(hello()), "-o", "no/such/image.tar"]), 5);
    assert!(message.starts_with("error: cannot write no/such/image.tar\n  caused by: "), "{message}");
    assert_eq!(names(&sandbox), ["mine"]);
}

#[test]
fn a_damaged_base() {
    let sandbox = Sandbox::new();
    ok(&mut sandbox.brawn(&["-q", "image", text(hello()), "-o", "base", "--no-sbom"]));
    let largest = fs_err::read_dir(sandbox.path().join("base/blobs/sha256"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let largest = largest.max_by_key(|path| fs_err::metadata(path).unwrap().len()).unwrap();
    let mut bytes = fs_err::read(&largest).unwrap();
    bytes[1000] ^= 1;
    fs_err::write(&largest, bytes).unwrap();
    let upon = |base: &str| {
        fails(&mut sandbox.brawn(&["-q", "image", text(hello()), "--base", base, "-o", "new"]), 3)
    };
    let message = upon("base");
    assert!(
        message.starts_with("error: ") && message.contains("should have the digest sha256:"),
        "{message}"
    );
    sandbox.write("base/index.json", "{}");
    let message = upon("base");
    assert!(message.starts_with("error: base is damaged, or not an OCI image: index.json: "), "{message}");
    assert_eq!(names(&sandbox), ["base"]);
}

#[test]
fn a_helper_that_fails_is_quoted() {
    let sandbox = Sandbox::new();
    let helper = sandbox.write(
        "bin/docker-credential-broken",
        "#!/bin/sh\ncat >/dev/null\necho 'the vault is locked' >&2\nexit 1\n",
    );
    fs_err::set_permissions(&helper, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.write("docker/config.json", r#"{"credsStore": "broken"}"#);
    let path = format!("{}:{}", sandbox.path().join("bin").display(), std::env::var("PATH").unwrap());
    let push = |config: &str| {
        let mut command =
            sandbox.brawn(&["-q", "image", text(hello()), "--push", "localhost:9/a", "--insecure"]);
        command.env("PATH", &path).env("DOCKER_CONFIG", sandbox.path().join(config));
        command.env_remove("REGISTRY_AUTH_FILE").env_remove("XDG_RUNTIME_DIR");
        redact(&sandbox, &fails(&mut command, 7))
    };
    let message = push("docker");
    assert!(
        message.starts_with(
            "error: the credentials for localhost:9 cannot be had from [DIR]/docker/config.json\n"
        ),
        "{message}"
    );
    assert!(message.contains("the vault is locked"), "{message}");
    sandbox.write("other/config.json", r#"{"credHelpers": {"localhost:9": "missing"}}"#);
    let message = push("other");
    assert!(message.contains("a helper that it names must be on PATH"), "{message}");
    sandbox.write("damaged/config.json", "{");
    assert!(push("damaged").contains("cannot be had from [DIR]/damaged/config.json"));
}

#[test]
fn a_registry_that_is_not_there() {
    let sandbox = Sandbox::new();
    let message = fails(
        &mut sandbox.brawn(&["-q", "image", text(hello()), "--push", "127.0.0.1:9/a", "--insecure"]),
        7,
    );
    assert!(
        message.starts_with("error: 127.0.0.1:9 does not answer as it should: HEAD /v2/a/blobs/sha256:"),
        "{message}"
    );
    let message = fails(
        &mut sandbox.brawn(&["-q", "image", text(hello()), "--push", "example.com/a", "--insecure"]),
        2,
    );
    assert_eq!(
        message,
        "error: example.com is not on this machine, and --insecure is only for registries that are\n\
         hint: leave --insecure away: registries elsewhere are spoken to with TLS\n"
    );
}

#[test]
fn a_dynamic_program_needs_a_base() {
    let sandbox = Sandbox::new();
    let message = fails(&mut sandbox.brawn(&["image", env!("CARGO_BIN_EXE_brawn"), "-o", "image.tar"]), 3);
    assert!(message.contains("brawn is not static: it needs /lib"), "{message}");
    assert!(message.contains("hint: link it statically"), "{message}");
    assert_eq!(names(&sandbox), Vec::<String>::new());
}

#[test]
fn wrong_arguments() {
    let sandbox = Sandbox::new();
    let file = text(hello());
    for (args, message) in [
        (&["--with", "certs", "-o", "x"][..], "there are: certificates, zones, users, tmp, nsswitch, resolv"),
        (&["--port", "http", "-o", "x"], "'http' is no port"),
        (&["--workdir", "data", "-o", "x"], "the working directory 'data' is not absolute"),
        (&["--push", "Upper/case"], "names of repositories are lower case"),
        (&["--base", "./nothing", "-o", "x"], "there is no base image ./nothing"),
        (&[], "say where the image goes"),
        (&["-o", "x", "--push", "y"], "cannot be used with"),
    ] {
        let shown = fails(sandbox.brawn(&["image", file]).args(args), 2);
        assert!(shown.contains(message), "{args:?}: {shown}");
    }
    let shown = fails(sandbox.brawn(&["image", file, "-o", "x"]).env("SOURCE_DATE_EPOCH", "today"), 2);
    assert!(shown.contains("SOURCE_DATE_EPOCH is 'today'"), "{shown}");
    sandbox.write("key.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    let shown = fails(&mut sandbox.brawn(&["image", file, "--certificate", "key.pem", "-o", "x"]), 2);
    assert!(shown.contains("key.pem holds a key, and not only certificates"), "{shown}");
    assert_eq!(names(&sandbox), ["key.pem"]);
}

#[test]
fn a_name_that_breaks_the_image_is_refused() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path().join("programs");
    fs_err::create_dir(&folder).unwrap();
    for (name, reason) in [
        (&b".wh.foo"[..], "in a layer that removes a file of the layers below"),
        (b".wh..wh..opq", "in a layer that removes a file of the layers below"),
        (b"etc", "that is a folder of every system"),
        (b"tmp", "that is a folder of every system"),
        (b"a\nb", "it holds a control character"),
    ] {
        let file = folder.join(std::ffi::OsStr::from_bytes(name));
        fs_err::copy(hello(), &file).unwrap();
        let message = fails(sandbox.brawn(&["image", "-o", "x"]).arg(&file), 2);
        assert!(message.contains(reason), "{message}");
        assert!(message.contains("hint: give it another one with --name"), "{message}");
        ok(sandbox.brawn(&["-q", "--dry-run", "image", "--name", "app"]).arg(&file));
    }
    let file = text(hello());
    for name in ["", ".", "..", "a/b", "usr", "\u{1b}[31m", &"n".repeat(256)] {
        let message = fails(&mut sandbox.brawn(&["image", file, "--name", name, "-o", "x"]), 2);
        assert!(message.contains("cannot be the name of the program"), "{message}");
        assert!(!message.contains('\u{1b}'), "{message:?}");
    }
    for (option, path) in [("--volume", "/hello"), ("--volume", "/hello/data"), ("--workdir", "//hello")] {
        let message = fails(&mut sandbox.brawn(&["image", file, option, path, "-o", "x"]), 2);
        assert!(message.contains(&format!("{path} is where the program is: /hello")), "{message}");
    }
    assert_eq!(names(&sandbox), ["programs"]);
}

#[test]
fn a_dry_run_writes_nothing_and_says_the_digest() {
    let sandbox = Sandbox::new();
    let digest = ok(&mut sandbox.brawn(&["-q", "--dry-run", "image", text(hello()), "-o", "x"]));
    assert!(digest.starts_with("sha256:"), "{digest}");
    assert_eq!(names(&sandbox), Vec::<String>::new());
    ok(&mut sandbox.brawn(&["-q", "image", text(hello()), "-o", "x"]));
    let index = fs_err::read_to_string(sandbox.path().join("x/index.json")).unwrap();
    assert!(index.contains(digest.trim()));
}
