//! Real programs with stock musl in them, before and after.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use brawn_graft::{Choice, Grafted, graft, restore};

const C: &str = include_str!("programs/calls.c");
const RUST: &str = include_str!("programs/panics.rs");

fn long() -> bool {
    std::env::var_os("BRAWN_TEST_LONG").is_some_and(|value| value != "0")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn done(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

fn here(command: &str) -> bool {
    let found = Command::new(command).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: {command} is not installed");
    }
    found
}

fn compiled(folder: &Path, name: &str, text: &str, compiler: &[&str]) -> PathBuf {
    let source = folder.join(name);
    fs_err::write(&source, text).unwrap();
    let to = folder.join("program");
    done(Command::new(compiler[0]).args(&compiler[1..]).arg(&source).arg("-o").arg(&to));
    to
}

/// Grafts, writes the new file beside the old, and proves that the old one can be had back.
fn grafted(program: &Path) -> (PathBuf, Grafted) {
    let data = fs_err::read(program).unwrap();
    let new = graft(&data, &Choice::default()).unwrap();
    assert!(restore(&new.file).unwrap() == data, "{program:?}");
    assert!(new.file.len() < data.len() + 200_000, "{} from {}", new.file.len(), data.len());
    let to = program.with_extension("new");
    fs_err::write(&to, &new.file).unwrap();
    fs_err::set_permissions(&to, std::fs::Permissions::from_mode(0o755)).unwrap();
    (to, new)
}

fn same(old: &Path, new: &Path, emulator: &[&str], args: &[&str]) -> Output {
    let run = |program: &Path| {
        let words: Vec<&str> = emulator.iter().copied().chain([program.to_str().unwrap()]).collect();
        Command::new(words[0]).args(&words[1..]).args(args).output().unwrap()
    };
    let (old, new) = (run(old), run(new));
    assert_eq!(old, new);
    new
}

/// What `readelf` says about all of a file on standard error.
fn complaints(program: &Path) -> String {
    let output = done(Command::new("readelf").arg("-aW").arg(program));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_c_program_does_the_same_with_the_new_functions() {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path(), "calls.c", C, &["musl-gcc", "-O1", "-fno-builtin", "-static"]);
    let (new, graft) = grafted(&program);
    let names: Vec<&str> = graft.report.grafted().flat_map(|row| &row.names).map(String::as_str).collect();
    for name in ["memcpy", "strlen", "qsort", "strtod", "strtol", "pow", "vsnprintf", "getenv", "strdup"] {
        assert!(names.contains(&name), "{name} of {names:?}: {:?}", graft.report);
    }
    let said = same(&program, &new, &[], &["work"]);
    assert!(said.status.success());
    let first = |program: &Path| String::from_utf8(done(Command::new(program).arg("first")).stdout).unwrap();
    assert!(!first(&program).contains("jump"), "stock musl");
    let lines = first(&new);
    assert_eq!(
        lines.lines().filter(|line| line.ends_with(" jump")).count(),
        lines.lines().count(),
        "{lines}"
    );
    assert_eq!(complaints(&new), "");
}

#[test]
fn stripped_programs_and_those_at_any_address_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let rustc = ["rustc", "-O", "--target", "x86_64-unknown-linux-musl"];
    let program = compiled(folder.path(), "panics.rs", RUST, &rustc);
    let (new, _) = grafted(&program);
    let said = same(&program, &new, &[], &[]);
    assert!(String::from_utf8_lossy(&said.stdout).contains("caught 3"), "{said:?}");
    // A backtrace finds its way through program headers.
    let trace = Command::new(&new).arg("end").env("RUST_BACKTRACE", "1").output().unwrap();
    assert!(String::from_utf8_lossy(&trace.stderr).contains("panics::main"), "{trace:?}");
    assert_eq!(trace.status.code(), Some(101));
    assert_eq!(complaints(&new), "");

    let stripped = folder.path().join("stripped");
    done(Command::new("strip").arg(&program).arg("-o").arg(&stripped));
    let (new, graft) = grafted(&stripped);
    assert!(
        graft.report.grafted().any(|row| row.names.iter().any(|name| name == "memcpy")),
        "{:?}",
        graft.report
    );
    same(&stripped, &new, &[], &[]);
    assert_eq!(complaints(&new), "");
}

/// Binutils write program headers at the beginning, and make segments of sections.
#[test]
fn grafted_programs_can_be_stripped_and_debugged() {
    let folder = tempfile::tempdir().unwrap();
    let rust = ["rustc", "-O", "--target", "x86_64-unknown-linux-musl"];
    let noted = ["rustc", "-O", "--target", "x86_64-unknown-linux-musl", "-Clink-arg=-Wl,--build-id=sha1"];
    let lld = ["rustc", "-O", "--target", "x86_64-unknown-linux-musl", "-Clinker=rust-lld"];
    let fixed = [&lld[..], &["-Crelocation-model=static"]].concat();
    let c = ["musl-gcc", "-O1", "-fno-builtin", "-static", "-Wl,--build-id=sha1"];
    for (name, text, compiler) in [
        ("panics.rs", RUST, &rust[..]),
        ("panics.rs", RUST, &noted),
        ("panics.rs", RUST, &lld),
        ("panics.rs", RUST, &fixed),
        ("calls.c", C, &c),
    ] {
        let program = compiled(folder.path(), name, text, compiler);
        let (new, _) = grafted(&program);
        let other = folder.path().join("other");
        for tool in [&["strip"][..], &["strip", "-g"], &["objcopy", "--remove-section=.comment"]] {
            done(
                Command::new(tool[0])
                    .args(&tool[1..])
                    .arg(&new)
                    .arg(if tool[0] == "strip" { "-o" } else { "--" })
                    .arg(&other),
            );
            let args: &[&str] = if name == "calls.c" { &["work"] } else { &[] };
            same(&program, &other, &[], args);
            assert_eq!(complaints(&other), "", "{compiler:?} {tool:?}");
        }
        if here("gdb") {
            let script = ["break memcpy.brawn", "run work", "backtrace"].map(|line| ["-ex", line]).concat();
            let said = done(Command::new("gdb").arg("-batch").args(script).arg(&new));
            let said = String::from_utf8_lossy(&said.stdout);
            // Its first caller, in C before main.
            let caller = said.contains("main ()") || said.contains("__init_ssp ()");
            assert!(said.contains("#0") && caller, "{compiler:?} {said}");
        }
    }
}

#[test]
fn programs_for_aarch64_as_well() {
    if !here("qemu-aarch64-static") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let rustc = ["rustc", "-O", "--target", "aarch64-unknown-linux-musl", "-Clinker=rust-lld"];
    for model in ["-Crelocation-model=pie", "-Crelocation-model=static"] {
        let rustc = [&rustc[..], &[model]].concat();
        let program = compiled(folder.path(), "panics.rs", RUST, &rustc);
        let (new, graft) = grafted(&program);
        assert!(
            graft.report.grafted().any(|row| row.names.iter().any(|name| name == "memcpy")),
            "{:?}",
            graft.report
        );
        let said = same(&program, &new, &["qemu-aarch64-static"], &[]);
        assert!(String::from_utf8_lossy(&said.stdout).contains("caught 3"), "{said:?}");
    }
}

/// For its first C++ program zig compiles a C++ library, which takes minutes; panics above take the same way.
#[test]
fn what_programs_throw_is_caught() {
    if !long() {
        return;
    }
    let text = "#include <stdexcept>\n#include <cstdio>\n#include <string>\n#include <cstring>\n\
        static void __attribute__((noinline)) thrower(int n) { std::string s(n, 'x'); throw std::runtime_error(s); }\n\
        int main() { for (int i = 1; i < 300; i += 97) try { thrower(i); } catch (const std::exception &e) \
        { std::printf(\"%zu\\n\", std::strlen(e.what())); } }\n";
    let zig = repository().join(".tools/zig/ziglang/zig");
    if !zig.exists() {
        eprintln!("skipped: no zig in .tools");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let compiler = [zig.to_str().unwrap(), "c++", "-target", "x86_64-linux-musl", "-O1", "-static"];
    let program = compiled(folder.path(), "throws.cc", text, &compiler);
    let (new, _) = grafted(&program);
    let said = same(&program, &new, &[], &[]);
    assert_eq!(String::from_utf8_lossy(&said.stdout), "1\n98\n195\n292\n");
}

/// The programs that every heap must pass, here on musl's own, before and after. By day a few of them.
#[test]
fn the_programs_of_the_heaps_pass() {
    let sources = repository().join("tests/libc");
    let table = fs_err::read_to_string(sources.join("tests.toml")).unwrap();
    let table: toml::Table = table.parse().unwrap();
    let mut ran = 0;
    for test in table["test"].as_array().unwrap() {
        let text = |key: &str| test.get(key).and_then(toml::Value::as_str);
        let words = |key: &str| -> Vec<&str> {
            let all = test.get(key).and_then(toml::Value::as_array);
            all.into_iter().flatten().filter_map(toml::Value::as_str).collect()
        };
        let name = text("name").unwrap();
        let brief = ["fork-threads", "signals", "containers", "stacks"].contains(&name);
        if !(long() || brief) || test.get("rustup").is_some() || test.get("page").is_some() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join(name);
        let mut compile = Command::new("musl-gcc");
        compile.args(["-O2", "-fno-builtin", "-static", "-pthread"]).arg("-I").arg(&sources);
        compile
            .arg(sources.join(text("file").unwrap()))
            .args(words("link"))
            .arg("-lm")
            .arg("-o")
            .arg(&program);
        if !compile.output().unwrap().status.success() {
            eprintln!("{name}: is for another compiler");
            continue;
        }
        let (new, graft) = grafted(&program);
        let run = |program: &Path| {
            Command::new(program).args(words("quick")).current_dir(folder.path()).output().unwrap()
        };
        if run(&program).status.success() {
            let said = run(&new);
            assert!(said.status.success(), "{name}: {said:?} {:?}", graft.report);
            ran += 1;
        } else {
            eprintln!("{name}: fails on stock musl");
        }
    }
    assert!(ran >= if long() { 25 } else { 3 }, "{ran}");
}

/// A program that brings its own malloc, and holds musl's as well, for libc itself.
#[test]
fn what_allocates_goes_on_with_the_heap_that_it_called() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nstatic char arena[1 << 20], *next = arena;\n\
        void *malloc(size_t n) { char *at = next; next += (n + 31) / 16 * 16; return at; }\n\
        void free(void *block) {}\nvoid *realloc(void *block, size_t n) { return malloc(n); }\n\
        void *calloc(size_t n, size_t m) { return malloc(n * m); }\n\
        static void last(void) { puts(\"end\"); }\n\
        int main(int n, char **v) { for (int i = 0; i < 40; i++) atexit(last); char *copy = strdup(v[0]); \
        printf(\"%d %zu\\n\", copy >= arena && copy < arena + sizeof arena, strlen(copy)); return 0; }\n";
    let folder = tempfile::tempdir().unwrap();
    for strip in ["-g0", "-s"] {
        let compiler = ["musl-gcc", "-O1", "-fno-builtin", "-static", strip];
        let program = compiled(folder.path(), "own.c", text, &compiler);
        let (new, _) = grafted(&program);
        let said = done(&mut Command::new(&new));
        assert!(String::from_utf8_lossy(&said.stdout).starts_with("1 "), "{said:?}");
        assert_eq!(complaints(&new), "");
    }
}
