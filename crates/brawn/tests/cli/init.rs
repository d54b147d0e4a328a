//! `brawn init`: what it writes into each kind of project, and that what others wrote stays as it was.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{Sandbox, base_image, buildah, built, fails, note, ok, redact};

/// Every file below a folder, with its bytes.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(tree(&path)),
            false => drop(files.insert(path.clone(), fs_err::read(&path).unwrap())),
        }
    }
    files
}

/// `brawn init` in a folder of the sandbox.
fn init(sandbox: &Sandbox, folder: &str, args: &[&str]) -> std::process::Command {
    let mut command = sandbox.brawn(&["init"]);
    command.arg(folder).args(args);
    command
}

fn report(command: &mut std::process::Command) -> Value {
    serde_json::from_str(&ok(command.args(["--message-format", "json"]))).unwrap()
}

/// The commands of the workflow's step.
fn commands(workflow: &str) -> String {
    let behind = workflow.lines().skip_while(|line| !line.ends_with("run: |")).skip(1);
    let lines = behind.take_while(|line| line.starts_with("          "));
    lines.map(|line| format!("{}\n", line.trim_start())).collect()
}

/// Runs the workflow's commands in the project's folder, without those that install tools.
fn follow(sandbox: &Sandbox, folder: &str) {
    let root = sandbox.path().join(folder);
    let workflow = fs_err::read_to_string(root.join(".github/workflows/brawn.yml")).unwrap();
    let commands = commands(&workflow);
    let own: Vec<&str> =
        commands.lines().filter(|line| !line.starts_with("pip ") && !line.starts_with("rustup ")).collect();
    assert!(!own.is_empty(), "{workflow}");
    let brawn = Path::new(env!("CARGO_BIN_EXE_brawn")).parent().unwrap();
    let path = format!("{}:{}", brawn.display(), std::env::var("PATH").unwrap());
    let mut shell = sandbox.command("bash");
    shell.env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/build"));
    ok(shell.args(["-euc", &own.join("\n")]).current_dir(root).env("PATH", path));
}

#[test]
fn a_rust_package_gets_settings_and_a_workflow_and_loses_them_again() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("app");
    // A comment, no line break at the end: all of it comes back.
    let manifest = fs_err::read_to_string(package.join("Cargo.toml")).unwrap() + "# the end";
    fs_err::write(package.join("Cargo.toml"), &manifest).unwrap();
    let before = tree(&package);

    let said = ok(&mut init(&sandbox, "app", &["--dry-run", "--malloc", "stock"]));
    assert!(said.contains("Cargo.toml: lines added\n") && said.contains("+malloc = \"stock\"\n"), "{said}");
    assert_eq!(tree(&package), before, "a dry run writes nothing");

    let written = report(&mut init(&sandbox, "app", &["--malloc", "stock"]));
    assert_eq!((&written["project"], &written["written"]), (&"cargo".into(), &true.into()), "{written}");
    let fresh = fs_err::read_to_string(package.join("Cargo.toml")).unwrap();
    assert!(fresh.starts_with(&manifest), "{fresh}");
    let once = tree(&package);
    // The second time there is nothing to do; with another wish what is ours is written anew.
    assert_eq!(report(&mut init(&sandbox, "app", &["--malloc", "stock"]))["written"], false);
    assert_eq!(tree(&package), once);
    let other = report(&mut init(&sandbox, "app", &["--preset", "small"]));
    assert_eq!(other["changes"][0]["action"], "renew", "{other}");
    ok(&mut init(&sandbox, "app", &["--malloc", "stock"]));
    assert_eq!(tree(&package), once);

    follow(&sandbox, "app");
    let built = format!("target/{}-unknown-linux-musl/release/app", std::env::consts::ARCH);
    assert_eq!(note(&package.join(built)).malloc, "stock");
    fs_err::remove_dir_all(package.join("target")).unwrap();
    let _ = fs_err::remove_file(package.join("Cargo.lock"));

    ok(&mut init(&sandbox, "app", &["--undo"]));
    assert_eq!(tree(&package), before);
    assert!(!package.join(".github").exists(), "nor is an empty folder left");
    let nothing = fails(&mut init(&sandbox, "app", &["--undo"]), 3);
    assert!(nothing.contains("`brawn init` has written nothing in"), "{nothing}");
}

#[test]
fn projects_of_meson_and_cmake_build_by_what_is_written() {
    let sandbox = Sandbox::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/meson");
    let cmake = "cmake_minimum_required(VERSION 3.18)\nproject(words C)\nset(THREADS_PREFER_PTHREAD_FLAG ON)\n\
                 find_package(Threads REQUIRED)\nadd_executable(count main.c words.c)\n\
                 target_link_libraries(count Threads::Threads)\n";
    for (tool, other) in [("meson", "CMakeLists.txt"), ("cmake", "meson.build")] {
        if sandbox.command(tool).arg("--version").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "no {tool}: `make setup` installs it");
            continue;
        }
        for entry in fs_err::read_dir(&sources).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{tool}/{}", entry.file_name().to_str().unwrap());
            sandbox.write(&name, fs_err::read(entry.path()).unwrap());
        }
        sandbox.write(&format!("{tool}/CMakeLists.txt"), cmake);
        fs_err::remove_file(sandbox.path().join(tool).join(other)).unwrap();
        ok(&mut init(&sandbox, tool, &[]));
        follow(&sandbox, tool);
        note(&sandbox.path().join(tool).join("build/count"));
    }
}

#[test]
fn each_kind_of_project_is_known() {
    let sandbox = Sandbox::new();
    for (folder, file, text, kind, line) in [
        ("m", "meson.build", "executable('tool', 'a.c')\n", "meson", "brawn verify build/tool"),
        ("c", "CMakeLists.txt", "add_executable(tool a.c)\n", "cmake", "brawn verify build/tool"),
        ("a", "Makefile.am", "bin_PROGRAMS = tool\n", "autotools", "brawn verify tool"),
        ("g", "go.mod", "module example.org/tool\n", "go", "brawn verify out/tool"),
        ("p", "pyproject.toml", "[build-system]\nrequires = ['maturin']\n", "maturin", "maturin build"),
    ] {
        sandbox.write(&format!("{folder}/{file}"), text);
        sandbox.write(
            &format!(
                "{folder}/{}",
                match kind {
                    "autotools" => "configure.ac",
                    "go" => "words/main.go",
                    _ => "other",
                }
            ),
            "import \"C\"\n",
        );
        if kind == "maturin" {
            sandbox.package(folder);
        }
        let report = report(&mut init(&sandbox, folder, &["--dry-run"]));
        assert_eq!(report["project"], kind, "{report}");
        assert!(report["changes"][0]["added"].as_str().unwrap().contains(line), "{report}");
    }
    // A workspace of Rust has no settings of a package's.
    sandbox.write("w/Cargo.toml", "[workspace]\nmembers = []\n");
    let report = report(&mut init(&sandbox, "w", &["--dry-run"]));
    assert!(report["changes"][0]["added"].as_str().unwrap().contains("\n[workspace.metadata.brawn]\n"));
}

#[test]
fn what_others_wrote_is_not_touched() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("app");
    let refused = |folder: &str, args: &[&str], code| {
        let before = tree(sandbox.path());
        let message = redact(&sandbox, &fails(&mut init(&sandbox, folder, args), code));
        assert_eq!(tree(sandbox.path()), before, "nothing is half written: {message}");
        message.split("\n\nUsage").next().unwrap().trim_end().to_owned()
    };
    sandbox.write("app/Dockerfile", "FROM scratch\n");
    assert_snapshot!(refused("app", &["--with", "github,dockerfile"], 3), @r"
    error: [DIR]/app/Dockerfile is there already, and not by `brawn init`
    hint: choose others than 'dockerfile' by --with, or move it away first
    ");
    ok(&mut init(&sandbox, "app", &[]));
    let path = package.join("Cargo.toml");
    let changed = fs_err::read_to_string(&path).unwrap().replace("preset = \"", "preset = \"x");
    fs_err::write(&path, &changed).unwrap();
    assert_snapshot!(refused("app", &["--undo"], 3), @r"
    error: [DIR]/app/Cargo.toml was changed after `brawn init` wrote it
    hint: take out by hand what is not wanted; its first line may stay or go
    ");
    assert!(refused("app", &[], 3).contains("was changed after `brawn init` wrote it"));
    // Settings that somebody wrote stay, and where a table could not be read none is added.
    sandbox
        .write("own/Cargo.toml", "[package]\nname = \"a\"\n[package.metadata.brawn]\npreset = \"small\"\n");
    let report = report(&mut init(&sandbox, "own", &["--with", "settings"]));
    assert_eq!((&report["changes"][0]["action"], &report["written"]), (&"keep".into(), &false.into()));
    sandbox.write("inline/Cargo.toml", "[package]\nname = \"a\"\nmetadata = { x = 1 }\n");
    let message = refused("inline", &["--with", "settings"], 3);
    assert!(message.contains("nothing can be added to [DIR]/inline/Cargo.toml"), "{message}");
    sandbox.write("broken/Cargo.toml", "[package\n");
    assert!(refused("broken", &[], 3).contains("Cargo.toml cannot be read"));
    sandbox.write("go/go.mod", "module x\n");
    assert!(refused("go", &[], 3).contains("calls no C"));
    sandbox.write("nameless/CMakeLists.txt", "project(p)\n");
    assert_snapshot!(refused("nameless", &[], 2), @r"
    error: which executable cmake builds is not known
    hint: name it: --bin NAME
    ");
    ok(&mut init(&sandbox, "nameless", &["--bin", "src/tool"]));
    assert!(refused("nameless", &["--bin", "a;b"], 2).contains("is no name of an executable"));
    assert!(refused("nameless", &["--with", "settings"], 2).contains("nothing for a project of cmake"));
    sandbox.write("none/readme", "");
    assert!(refused("none", &[], 3).contains("holds no project that is known here"));
    assert!(refused("none", &["--undo", "--preset", "small"], 2).contains("does not use --preset here"));
    std::os::unix::fs::symlink(&path, sandbox.path().join("none/Cargo.toml")).unwrap();
    assert!(refused("none", &["--with", "settings"], 3).contains("is a symbolic link"));
}

#[test]
fn a_write_that_fails_takes_back_what_was_written() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("app");
    // The second file cannot be written, whoever asks: its folder is a file.
    sandbox.write("app/.github/workflows", "");
    let before = tree(&package);
    let message = fails(&mut init(&sandbox, "app", &[]), 5);
    assert!(message.contains(".github/workflows"), "{message}");
    assert_eq!(tree(&package), before);
}

#[test]
fn the_image_is_made_of_the_same_commands() {
    let sandbox = Sandbox::new();
    sandbox.package("app");
    ok(&mut init(&sandbox, "app", &["--with", "github,dockerfile"]));
    let read = |name: &str| fs_err::read_to_string(sandbox.path().join("app").join(name)).unwrap();
    let (workflow, dockerfile) = (read(".github/workflows/brawn.yml"), read("Dockerfile"));
    for command in commands(&workflow).lines() {
        assert!(dockerfile.contains(command), "{command} in\n{dockerfile}");
    }
    assert!(dockerfile.ends_with("FROM scratch\nCOPY --from=build /out/app /app\nENTRYPOINT [\"/app\"]\n"));
}

/// Built by buildah, with stand-ins for what registries have: busybox for Alpine, and for brawn a script that brings a program
/// which Brawn made.
#[test]
fn a_builder_makes_the_image() {
    let found = |name: &str| {
        let path = std::env::var_os("PATH").unwrap();
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.exists())
    };
    let (Some(busybox), Some(_)) = (found("busybox"), found("buildah")) else {
        assert!(std::env::var_os("CI").is_none(), "`make setup` installs buildah and busybox");
        eprintln!("left out: there is no buildah or no busybox");
        return;
    };
    let sandbox = Sandbox::new();
    let program = |name: &str, text: &str| {
        let path = sandbox.write(name, text);
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    sandbox.write("alpine/tmp/keep", "");
    sandbox.write("alpine/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n");
    for name in ["sh", "mkdir", "cp", "uname"] {
        fs_err::create_dir_all(sandbox.path().join("alpine/bin")).unwrap();
        fs_err::copy(&busybox, sandbox.path().join("alpine/bin").join(name)).unwrap();
    }
    program("alpine/bin/apk", "#!/bin/sh\n");
    program("alpine/bin/rustup", "#!/bin/sh\n");
    fs_err::copy(built("init-app"), sandbox.path().join("alpine/program")).unwrap();
    base_image(&sandbox, "alpine", "/usr/local/bin:/bin", "docker.io/library/rust:1-alpine");
    let to = "target/$(uname -m)-unknown-linux-musl/release";
    program(
        "brawn/brawn",
        &format!("#!/bin/sh\nset -e\n[ \"$*\" = 'build --release' ]\nmkdir -p {to}\ncp /program {to}/app\n"),
    );
    base_image(&sandbox, "brawn", "/", concat!("docker.io/library/brawn:", env!("CARGO_PKG_VERSION")));

    sandbox.package("app");
    ok(&mut init(&sandbox, "app", &["--with", "dockerfile"]));
    ok(&mut buildah(&sandbox, &["bud", "--pull-never", "--quiet", "--tag", "made", "app"]));
    let container = ok(&mut buildah(&sandbox, &["from", "--pull-never", "made"])).trim().to_owned();
    assert_eq!(ok(&mut buildah(&sandbox, &["run", &container, "--", "/app"])), "1 2 3\n");
    // Nothing else is in it.
    fails(&mut buildah(&sandbox, &["run", &container, "--", "/bin/sh"]), 1);
}
