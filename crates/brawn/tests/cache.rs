//! Whose the cache is, what a record may run, and how the cache is shown, limited and cleared.

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Bench, fails, ok};

/// `brawn ARGS` with a cache of the test's own.
fn brawn(bench: &Bench, args: &[&str]) -> Command {
    let mut command = bench.brawn(args);
    command.env("BRAWN_CACHE_DIR", cache(bench)).env_remove("SUDO_UID");
    command
}

fn cache(bench: &Bench) -> PathBuf {
    bench.path().join("cache")
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
fn recorded(bench: &Bench) -> PathBuf {
    bench.write("hello.c", "#include <stdio.h>\nint main(void) { return puts(TEXT) < 0; }\n");
    ok(brawn(bench, &["cc", "-DTEXT=\"secret-word\"", "hello.c", "-o", "hello"]).env("HOME", bench.path()));
    let links = fs_err::read_dir(cache(bench).join("links")).unwrap().map(|entry| entry.unwrap().path());
    links.into_iter().find(|path| path.join("record.json").exists()).unwrap()
}

#[test]
fn a_cache_that_others_may_write_to_is_refused() {
    let bench = Bench::new();
    ok(&mut brawn(&bench, &["-q", "libc"]));
    assert_eq!(mode(&cache(&bench)), 0o700);
    for (folder, wrong) in [("", 0o770), ("", 0o703), ("overlays", 0o777)] {
        let folder = cache(&bench).join(folder);
        let before = mode(&folder);
        set_mode(&folder, wrong);
        let said = fails(&mut brawn(&bench, &["libc"]), 2);
        assert!(said.contains("is not trusted as a cache: others may write to"), "{said}");
        assert!(said.contains("chmod go-w"), "{said}");
        set_mode(&folder, before);
    }
    ok(&mut brawn(&bench, &["-q", "libc"]));
}

#[test]
fn a_cache_of_another_user_is_refused() {
    let bench = Bench::new();
    let theirs = if is_root() {
        let theirs = bench.path().join("theirs");
        fs_err::create_dir(&theirs).unwrap();
        std::os::unix::fs::chown(&theirs, Some(4321), None).unwrap();
        theirs
    } else {
        PathBuf::from("/usr")
    };
    for args in [&["libc"][..], &["cc", "-c", "x.c"], &["env"], &["relink", "/bin/true"], &["doctor", "--json"]] {
        let doctor = args[0] == "doctor";
        let output = bench.brawn(args).env("BRAWN_CACHE_DIR", &theirs).env_remove("SUDO_UID").output().unwrap();
        let said = String::from_utf8_lossy(if doctor { &output.stdout } else { &output.stderr });
        assert!(doctor || output.status.code() == Some(2), "{args:?}: {said}");
        assert!(said.contains("belongs to ") && said.contains("BRAWN_CACHE_DIR"), "{args:?}: {said}");
    }
    if is_root() {
        let said = fails(bench.brawn(&["libc"]).env("BRAWN_CACHE_DIR", &theirs).env("SUDO_UID", "4321"), 2);
        assert!(said.contains("belongs to user 4321, and this is root"), "{said}");
        assert!(said.contains("hint: sudo keeps"), "{said}");
        // A folder of root's in a place where another user may rename it.
        let said = fails(bench.brawn(&["libc"]).env("BRAWN_CACHE_DIR", theirs.join("made")), 2);
        assert!(said.contains(&format!("{} belongs to user 4321", theirs.display())), "{said}");
    }
}

#[test]
fn a_record_is_its_owners_alone_and_holds_no_definitions() {
    let bench = Bench::new();
    let record = recorded(&bench);
    assert_eq!(mode(&record), 0o700);
    for file in ["record.json", "id", "output", "overlay"] {
        assert_eq!(mode(&record.join(file)), 0o600, "{file}");
    }
    let text = fs_err::read_to_string(record.join("record.json")).unwrap();
    assert!(!text.contains("secret-word"), "{text}");
    set_mode(record.join("record.json"), 0o622);
    let said = fails(&mut brawn(&bench, &["relink", "hello", "--malloc", "stock"]), 2);
    assert!(said.contains("record.json is not trusted"), "{said}");
}

#[test]
fn a_records_linker_is_run_only_if_the_settings_would_choose_it() {
    let bench = Bench::new();
    let record = recorded(&bench).join("record.json");
    ok(&mut brawn(&bench, &["-q", "relink", "hello", "--malloc", "stock"]));
    let text = fs_err::read_to_string(&record).unwrap();
    let mut planted: serde_json::Value = serde_json::from_str(&text).unwrap();
    let linker = planted["linker"][0].as_str().unwrap().to_owned();
    let other = bench.write("other", format!("#!/bin/sh\ntouch ran\nexec {linker} \"$@\"\n"));
    set_mode(&other, 0o755);
    planted["linker"][0] = other.to_str().unwrap().into();
    fs_err::write(&record, planted.to_string()).unwrap();
    for args in [&["relink", "hello"][..], &["tune", "--exe", "hello", "--budget", "1s", "--", "x"]] {
        let said = fails(brawn(&bench, args).stdin(std::process::Stdio::null()), 3);
        assert!(said.contains(&format!("would run {}", other.display())), "{said}");
        assert!(said.contains("--trust-record"), "{said}");
        assert!(!bench.path().join("ran").exists());
    }
    // The same name, found elsewhere by the PATH of the record.
    planted["linker"][0] = Path::new(&linker).file_name().unwrap().to_str().unwrap().into();
    let folder = bench.path().join("bin");
    fs_err::create_dir(&folder).unwrap();
    fs_err::copy(&other, folder.join(Path::new(&linker).file_name().unwrap())).unwrap();
    for entry in planted["env"].as_array_mut().unwrap() {
        if entry[0] == "PATH" {
            entry[1] = format!("{}:{}", folder.display(), entry[1].as_str().unwrap()).into();
        }
    }
    let honest = planted.clone();
    fs_err::write(&record, honest.to_string()).unwrap();
    fails(brawn(&bench, &["relink", "hello"]).stdin(std::process::Stdio::null()), 3);
    assert!(!bench.path().join("ran").exists());
    planted["linker"][0] = other.to_str().unwrap().into();
    fs_err::write(&record, planted.to_string()).unwrap();
    ok(&mut brawn(&bench, &["-q", "relink", "hello", "--trust-record"]));
    assert!(bench.path().join("ran").exists());
}
