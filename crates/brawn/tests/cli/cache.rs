//! Whose the cache is, what a record may run, and how the cache is shown, limited and cleared.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Sandbox, fails, ok};

/// `brawn ARGS` with a cache of the test's own.
fn brawn(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.brawn(args);
    command.env("BRAWN_CACHE_DIR", cache(sandbox)).env_remove("SUDO_UID");
    command
}

fn cache(sandbox: &Sandbox) -> PathBuf {
    sandbox.path().join("cache")
}

fn set_mode(path: impl AsRef<Path>, mode: u32) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A program that `brawn cc` linked, and the folder of its record.
fn recorded(sandbox: &Sandbox) -> PathBuf {
    sandbox.write("hello.c", "#include <stdio.h>\nint main(void) { return puts(TEXT) < 0; }\n");
    ok(brawn(sandbox, &["cc", "-DTEXT=\"secret-word\"", "hello.c", "-o", "hello"])
        .env("HOME", sandbox.path()));
    let links = fs_err::read_dir(cache(sandbox).join("links")).unwrap().map(|entry| entry.unwrap().path());
    links.into_iter().find(|path| path.join("record.json").exists()).unwrap()
}

#[test]
fn a_cache_that_others_may_write_to_is_refused() {
    let sandbox = Sandbox::new();
    ok(&mut brawn(&sandbox, &["-q", "libc"]));
    assert_eq!(mode(&cache(&sandbox)), 0o700);
    for (folder, wrong) in [("", 0o770), ("", 0o703), ("overlays", 0o777)] {
        let folder = cache(&sandbox).join(folder);
        let before = mode(&folder);
        set_mode(&folder, wrong);
        let said = fails(&mut brawn(&sandbox, &["libc"]), 2);
        assert!(said.contains("is not trusted as a cache: others may write to"), "{said}");
        assert!(said.contains("chmod go-w"), "{said}");
        set_mode(&folder, before);
    }
    ok(&mut brawn(&sandbox, &["-q", "libc"]));
}

#[test]
fn a_cache_of_another_user_is_refused() {
    let sandbox = Sandbox::new();
    let theirs = if is_root() {
        let theirs = sandbox.path().join("theirs");
        fs_err::create_dir(&theirs).unwrap();
        std::os::unix::fs::chown(&theirs, Some(4321), None).unwrap();
        theirs
    } else {
        PathBuf::from("/usr")
    };
    for args in
        [&["libc"][..], &["cc", "-c", "x.c"], &["env"], &["relink", "/bin/true"], &["doctor", "--json"]]
    {
        let doctor = args[0] == "doctor";
        let output =
            sandbox.brawn(args).env("BRAWN_CACHE_DIR", &theirs).env_remove("SUDO_UID").output().unwrap();
        let said = String::from_utf8_lossy(if doctor { &output.stdout } else { &output.stderr });
        assert!(doctor || output.status.code() == Some(2), "{args:?}: {said}");
        assert!(said.contains("belongs to ") && said.contains("BRAWN_CACHE_DIR"), "{args:?}: {said}");
    }
    if is_root() {
        let said = fails(sandbox.brawn(&["libc"]).env("BRAWN_CACHE_DIR", &theirs).env("SUDO_UID", "4321"), 2);
        assert!(said.contains("belongs to user 4321, and this is root"), "{said}");
        assert!(said.contains("hint: sudo keeps"), "{said}");
        // A folder of root's in a place where another user may rename it.
        let said = fails(sandbox.brawn(&["libc"]).env("BRAWN_CACHE_DIR", theirs.join("made")), 2);
        assert!(said.contains(&format!("{} belongs to user 4321", theirs.display())), "{said}");
    }
}

#[test]
fn a_record_is_its_owners_alone_and_holds_no_definitions() {
    let sandbox = Sandbox::new();
    let record = recorded(&sandbox);
    assert_eq!(mode(&record), 0o700);
    for file in ["record.json", "id", "output", "overlay"] {
        assert_eq!(mode(&record.join(file)), 0o600, "{file}");
    }
    let text = fs_err::read_to_string(record.join("record.json")).unwrap();
    assert!(!text.contains("secret-word"), "{text}");
    set_mode(record.join("record.json"), 0o622);
    let said = fails(&mut brawn(&sandbox, &["relink", "hello", "--malloc", "stock"]), 2);
    assert!(said.contains("record.json is not trusted"), "{said}");
}

#[test]
fn a_records_linker_is_run_only_if_the_settings_would_choose_it() {
    let sandbox = Sandbox::new();
    let record = recorded(&sandbox).join("record.json");
    ok(&mut brawn(&sandbox, &["-q", "relink", "hello", "--malloc", "stock"]));
    let text = fs_err::read_to_string(&record).unwrap();
    let mut planted: serde_json::Value = serde_json::from_str(&text).unwrap();
    let linker = brawn_link::toolchain::on_path(planted["linker"][0].as_str().unwrap()).unwrap();
    let name = linker.file_name().unwrap().to_str().unwrap();
    let other = sandbox.write("other", format!("#!/bin/sh\ntouch ran\nexec {} \"$@\"\n", linker.display()));
    set_mode(&other, 0o755);
    planted["linker"][0] = other.to_str().unwrap().into();
    fs_err::write(&record, planted.to_string()).unwrap();
    for args in [&["relink", "hello"][..], &["tune", "--exe", "hello", "--budget", "1s", "--", "x"]] {
        let said = fails(brawn(&sandbox, args).stdin(std::process::Stdio::null()), 3);
        assert!(said.contains(&format!("would run {}", other.display())), "{said}");
        assert!(said.contains("--trust-record"), "{said}");
        assert!(!sandbox.path().join("ran").exists());
    }
    // The same name, found elsewhere by the PATH of the record.
    planted["linker"][0] = name.into();
    fs_err::create_dir(sandbox.path().join("bin")).unwrap();
    fs_err::copy(&other, sandbox.path().join("bin").join(name)).unwrap();
    for entry in planted["env"].as_array_mut().unwrap() {
        if entry[0] == "PATH" {
            entry[1] = format!("{}/bin:{}", sandbox.path().display(), entry[1].as_str().unwrap()).into();
        }
    }
    fs_err::write(&record, planted.to_string()).unwrap();
    fails(brawn(&sandbox, &["relink", "hello"]).stdin(std::process::Stdio::null()), 3);
    assert!(!sandbox.path().join("ran").exists());
    ok(&mut brawn(&sandbox, &["-q", "relink", "hello", "--trust-record"]));
    assert!(sandbox.path().join("ran").exists());
}

fn shown(sandbox: &Sandbox) -> serde_json::Value {
    serde_json::from_str(&ok(&mut brawn(sandbox, &["cache", "--message-format", "json"]))).unwrap()
}

/// How many things of a kind the cache holds.
fn items(sandbox: &Sandbox, kind: &str) -> u64 {
    let document = shown(sandbox);
    let kinds = document["kinds"].as_array().unwrap();
    kinds.iter().find(|entry| entry["kind"] == kind).map_or(0, |entry| entry["items"].as_u64().unwrap())
}

#[test]
fn the_cache_is_shown_limited_and_cleared() {
    let sandbox = Sandbox::new();
    let make = |malloc: &str, limit: &str| {
        let mut command = brawn(&sandbox, &["-q", "libc", "--malloc", malloc]);
        PathBuf::from(ok(command.env("BRAWN_CACHE_LIMIT", limit)).trim())
    };
    let made = ["stock", "mimalloc", "mimalloc2"].map(|malloc| make(malloc, "none"));
    assert_eq!(items(&sandbox, "overlays"), 3);
    assert!(shown(&sandbox)["size"].as_u64().unwrap() > 3_000_000);
    assert_eq!(shown(&sandbox)["limit"], 500_000_000);
    let said = ok(&mut brawn(&sandbox, &["cache"]));
    assert!(said.contains("overlays ") && said.contains("limit 476.8 MiB"), "{said}");
    // The first is used once more, and so outlives the second.
    make("stock", "none");
    let whole = shown(&sandbox)["size"].as_u64().unwrap();
    let last = make("jemalloc", &whole.to_string());
    assert_eq!([0, 1].map(|n: usize| made[n].exists()), [true, false]);
    assert!(last.exists());
    // What a command has just made stays, whatever the limit.
    let last = make("rpmalloc", "0");
    assert!(last.exists());
    assert_eq!(items(&sandbox, "overlays"), 1);
    ok(&mut brawn(&sandbox, &["cache", "clear", "--dry-run"]));
    assert!(last.exists());
    ok(&mut brawn(&sandbox, &["cache", "clear", "facts"]));
    assert!(last.exists());
    ok(&mut brawn(&sandbox, &["cache", "trim", "--limit", "1"]));
    assert_eq!(items(&sandbox, "overlays"), 0);
    make("stock", "none");
    ok(&mut brawn(&sandbox, &["cache", "clear"]));
    assert_eq!(shown(&sandbox)["kinds"].as_array().unwrap().len(), 0);
}

#[test]
fn the_users_file_sets_the_limit_and_no_package_does() {
    let sandbox = Sandbox::new();
    sandbox.write("config/brawn/config.toml", "cache-limit = \"3MB\"\n");
    assert_eq!(shown(&sandbox)["limit"], 3_000_000);
    let wrong = |value: &str| fails(brawn(&sandbox, &["cache"]).env("BRAWN_CACHE_LIMIT", value), 2);
    assert!(wrong("big").contains("BRAWN_CACHE_LIMIT: 'big' is no size"), "{}", wrong("big"));
    let package = sandbox.package("modest");
    let manifest = package.join("Cargo.toml");
    let text = fs_err::read_to_string(&manifest).unwrap();
    fs_err::write(&manifest, format!("{text}[package.metadata.brawn]\ncache-limit = \"0\"\n")).unwrap();
    let said = fails(brawn(&sandbox, &["build"]).current_dir(package), 2);
    assert!(said.contains("unknown key 'cache-limit'"), "{said}");
}

#[test]
fn a_cleared_cache_costs_time_and_nothing_else() {
    let sandbox = Sandbox::new();
    let record = recorded(&sandbox);
    ok(&mut brawn(&sandbox, &["cache", "clear"]));
    assert!(record.join("record.json").exists(), "what an executable carries stays known");
    let said = fails(&mut brawn(&sandbox, &["relink", "hello"]), 3);
    assert!(said.contains("is no longer in the cache") && said.contains("build it again"), "{said}");
    recorded(&sandbox);
    ok(&mut brawn(&sandbox, &["-q", "relink", "hello", "--malloc", "stock"]));
    fs_err::remove_file(sandbox.path().join("hello")).unwrap();
    ok(&mut brawn(&sandbox, &["cache", "clear"]));
    assert!(!record.exists(), "there is no executable any more");

    let package = sandbox.package("cleared");
    let build = |args: &[&str]| ok(brawn(&sandbox, &["build"]).args(args).current_dir(&package));
    build(&[]);
    ok(&mut brawn(&sandbox, &["cache", "clear"]));
    assert!(build(&[]).contains("up to date"));
    let said = build(&["--malloc", "stock"]);
    assert!(said.contains("malloc stock"), "{said}");
}

#[test]
fn links_at_once_do_not_take_each_others_overlays() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.c", "int main(void) { return 0; }\n");
    let children: Vec<_> = ["stock", "mimalloc", "mimalloc2", "jemalloc", "stock", "mimalloc"]
        .iter()
        .enumerate()
        .map(|(n, malloc)| {
            let output = format!("out{n}");
            let mut command = brawn(&sandbox, &["--malloc", malloc, "cc", "empty.c", "-o", &output]);
            command.env("BRAWN_CACHE_LIMIT", "0").spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert!(items(&sandbox, "overlays") <= 4);
}

#[test]
fn the_first_use_of_cxx_says_what_takes_long() {
    let sandbox = Sandbox::new();
    // It takes its time when it is asked what it would link with.
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *' -static -v '*) sleep 3;; esac\nexec {} \"$@\"\n",
        real.display()
    );
    let zig = sandbox.write("zig", script);
    set_mode(&zig, 0o755);
    sandbox.write("x.cc", "int main() {}\n");
    let mut command = brawn(&sandbox, &["c++", "x.cc", "-o", "x"]);
    let output = command.env("BRAWN_CXX", format!("{} c++", zig.display())).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("zig compiles its C++ library, once on this machine"), "{said}");
    assert!(said.contains("done after "), "{said}");
    assert!(output.status.success(), "{said}");
}
