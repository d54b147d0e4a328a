//! What services run of `examples/release`: the steps of its workflow, the script of GitLab, its Dockerfile. Each has the
//! brawn that `make brawn` built, as a release's users get it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use brawn_elf::Arch;

use super::executable::released;
use super::install::Server;
use super::{repository, script};
use crate::common::{Sandbox, base_image, buildah, fails, note, ok};

/// A copy of the example in `work`, and a file of it.
fn example(file: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let from = repository().join("examples/release");
    for name in [
        "Cargo.toml",
        "Cargo.lock",
        "src/main.rs",
        "Dockerfile",
        ".gitlab-ci.yml",
        ".github/workflows/static.yml",
    ] {
        sandbox.write(&format!("work/{name}"), fs_err::read(from.join(name)).unwrap());
    }
    let text = fs_err::read_to_string(from.join(file)).unwrap();
    (sandbox, text)
}

/// The files of a container archive's program, its lists of what is inside among them.
fn listed(sandbox: &Sandbox, image: &str) {
    for end in ["spdx.json", "cdx.json"] {
        let names = fs_err::read_dir(sandbox.path().join("work")).unwrap();
        let lists: Vec<PathBuf> = names.map(|entry| entry.unwrap().path()).collect();
        let mut lists = lists.iter().filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with(image) && name.ends_with(end)
        });
        assert!(fs_err::read_to_string(lists.next().unwrap()).unwrap().contains("words"), "{image}: {end}");
    }
}

#[test]
fn the_workflow_builds_what_it_uploads() {
    let Some(brawn) = released("brawn") else { return };
    let (sandbox, workflow) = example(".github/workflows/static.yml");
    let step: Vec<&str> = workflow
        .lines()
        .skip_while(|line| !line.ends_with("- run: |"))
        .skip(1)
        .map_while(|line| line.strip_prefix("          "))
        .collect();
    assert!(step.len() > 3 && !step.concat().contains("${{"), "{step:?}");
    let path = format!("{}:{}", brawn.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let work = sandbox.path().join("work");
    let mut shell = sandbox.command("bash");
    ok(shell.args(["-euo", "pipefail", "-c", &step.join("\n")]).env("PATH", path).current_dir(&work));
    let arch = Arch::host().unwrap();
    ok(sandbox.command("sha256sum").args(["-c", &format!("SHA256SUMS-{arch}")]).current_dir(&work));
    ok(sandbox.command("tar").args(["-xzf", &format!("work/words-{arch}-linux.tar.gz")]));
    note(&sandbox.path().join("words"));
    listed(&sandbox, &format!("words-{arch}-image.tar"));
    // What it uploads are these names, and what it compares is where it was built.
    assert!(workflow.contains("            words-*\n            SHA256SUMS-*\n"));
    let compared = workflow.split("file: ").nth(1).unwrap().lines().next().unwrap();
    assert!(work.join(compared.replace("${{ matrix.arch }}", &arch.to_string())).is_file(), "{compared}");
}

#[test]
fn gitlab_installs_brawn_and_builds_for_both_architectures() {
    if released("brawn").is_none() {
        return;
    }
    let (sandbox, service) = example(".gitlab-ci.yml");
    let dist = sandbox.path().join("dist");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut archives = script(&sandbox, "release");
    archives.args(["archives", &Arch::host().unwrap().to_string()]).env("CARGO_TARGET_DIR", target);
    ok(archives.env("BRAWN_DIST", &dist).env("BRAWN_DRIVER", env!("CARGO_BIN_EXE_brawn")));
    let server = Server::of(&dist);
    let script: Vec<&str> = service
        .lines()
        .skip_while(|line| *line != "  script:")
        .skip(1)
        .map_while(|line| line.strip_prefix("    - "))
        .collect();
    assert_eq!(script.len(), 4, "{service}");
    let mut shell = sandbox.command("bash");
    shell.args(["-euo", "pipefail", "-c", &script.join("\n")]).env("BRAWN_FROM", &server.1);
    ok(shell.current_dir(sandbox.path().join("work")));
    for arch in Arch::ALL {
        note(&sandbox.path().join("work/target").join(arch.musl_triple()).join("release/words"));
    }
    listed(&sandbox, "words.tar");
}

/// The image of brawn is one that brawn makes, as a release's is. That of Rust is this machine's, mounted.
#[test]
fn the_dockerfile_copies_brawn_from_its_image() {
    let found = |name: &str| {
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|folder| folder.join(name).exists())
    };
    let (Some(brawn), true, true) = (released("brawn"), found("buildah"), found("rustup")) else {
        assert!(std::env::var_os("CI").is_none(), "`make setup` installs buildah");
        eprintln!("left out: there is no buildah, no rustup, or no brawn that `make brawn` built");
        return;
    };
    let (sandbox, _) = example("Dockerfile");
    let image = concat!("brawn:", env!("CARGO_PKG_VERSION"));
    let brawn = brawn.to_str().unwrap();
    ok(&mut sandbox.brawn(&["-q", "image", brawn, "--tag", image, "-o", "brawn.tar"]));
    ok(&mut buildah(&sandbox, &["pull", "--quiet", "docker-archive:brawn.tar"]));

    let home = std::env::var("HOME").unwrap();
    let folder = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| format!("{home}/{usual}"));
    let (rustup, cargo) = (folder("RUSTUP_HOME", ".rustup"), folder("CARGO_HOME", ".cargo"));
    fs_err::create_dir_all(sandbox.path().join("root/usr")).unwrap();
    fs_err::create_dir_all(sandbox.path().join("root/tmp")).unwrap();
    let mut volumes = vec!["/etc".to_owned(), rustup, cargo];
    for name in ["bin", "lib", "lib64"] {
        symlink(format!("usr/{name}"), sandbox.path().join("root").join(name)).unwrap();
        volumes.push(format!("/usr/{name}"));
    }
    let path = format!("/usr/local/bin:{}/bin:/usr/bin", volumes[2]);
    base_image(&sandbox, "root", &path, "docker.io/library/rust:1");
    let container = ok(&mut buildah(&sandbox, &["from", "--pull-never", "rust:1"])).trim().to_owned();
    for home in [format!("RUSTUP_HOME={}", volumes[1]), format!("CARGO_HOME={}", volumes[2])] {
        ok(&mut buildah(&sandbox, &["config", "--env", &home, &container]));
    }
    ok(&mut buildah(&sandbox, &["commit", "--quiet", &container, "docker.io/library/rust:1"]));
    let mut build = buildah(&sandbox, &["bud", "--pull-never", "--quiet", "--tag", "made"]);
    for volume in volumes.iter().filter(|volume| Path::new(volume).exists()) {
        build.args(["--volume", &format!("{volume}:{volume}:ro")]);
    }
    ok(build.arg("work"));
    let container = ok(&mut buildah(&sandbox, &["from", "--pull-never", "made"])).trim().to_owned();
    ok(&mut buildah(&sandbox, &["run", &container, "--", "/words"]));
    // Nothing else is in it.
    fails(&mut buildah(&sandbox, &["run", &container, "--", "/bin/sh"]), 1);
    let root = ok(&mut buildah(&sandbox, &["mount", &container]));
    note(&Path::new(root.trim()).join("words"));
}
