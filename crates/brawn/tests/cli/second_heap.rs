//! Rust programs that bring a heap of their own: they build and run, the user is told, and the gate says what is so.

use std::path::{Path, PathBuf};

use crate::common::{Bench, DEFAULT_MALLOC, fails, note, ok};

fn projects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn-elf/tests/projects")
}

/// Kept between runs: jemalloc takes a minute to compile.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("second-heap")
}

#[test]
fn a_global_allocator_is_said_refused_or_allowed() {
    let bench = Bench::new();
    let mut command = bench.brawn(&["build", "--workspace", "--target-dir"]);
    let output = command.arg(target()).current_dir(projects()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert_eq!(summary.matches("verified: static, two heaps: ").count(), 2, "{summary}");
    assert_eq!(summary.matches("verified: static, one heap: ").count(), 1, "{summary}");

    for (name, second) in [("mimalloc", Some("mimalloc")), ("jemalloc", Some("jemalloc")), ("plain", None)] {
        let program = target().join("x86_64-unknown-linux-musl/debug").join(format!("{name}-program"));
        assert_eq!(ok(bench.command(program.to_str().unwrap()).args(["a", "b"])), "3\n");
        // Linkers merge the texts of two copies, and stripping takes the names: the tables tell it all the same.
        let bare = bench.path().join(format!("{name}-stripped"));
        ok(bench.command("strip").arg("--strip-all").arg("-o").arg(&bare).arg(&program));
        let kit = note(&program).malloc_version.unwrap();
        for path in [&program, &bare] {
            let shown = ok(bench.brawn(&["inspect", "--json"]).arg(path));
            assert_eq!(shown.contains("\"second-heap\""), second.is_some(), "{}: {shown}", path.display());
            let Some(second) = second else {
                ok(bench.brawn(&["verify"]).arg(path));
                continue;
            };
            let refused = fails(bench.brawn(&["verify"]).arg(path), 1);
            let both = format!("two heaps: {DEFAULT_MALLOC} {kit} of Brawn's kit, and {second}");
            assert!(refused.contains(&both) && refused.contains("[second-heap]"), "{refused}");
            let two = format!("static, two heaps: {DEFAULT_MALLOC} {kit} and {second}");
            let allowed = ok(bench.brawn(&["verify", "--allow-second-heap"]).arg(path));
            assert!(allowed.contains(&two), "{allowed}");
            let allowed = ok(bench.brawn(&["verify"]).arg(path).env("BRAWN_ALLOW_SECOND_HEAP", "yes"));
            assert!(allowed.contains(&two), "{allowed}");
        }
        let about: Vec<_> = said.lines().filter(|line| line.contains(&format!("{name}-program: "))).collect();
        assert_eq!(about.len(), usize::from(second.is_some()), "{said}");
        assert!(
            about.iter().all(|line| line.starts_with("warning: ") && line.contains("two heaps: ")),
            "{about:?}"
        );
    }
    assert_eq!(said.matches("hint: ").count(), 2, "{said}");
    assert!(said.contains("#[global_allocator]"), "{said}");
}

/// By every way of asking for it, with the executable there from before and without.
#[test]
fn what_is_strict_hands_over_no_second_heap() {
    let bench = Bench::new();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("second-heap-strict");
    let program = target.join("x86_64-unknown-linux-musl/debug/mimalloc-program");
    let build = |strict: &[&str], variable: Option<&str>| {
        let mut command = bench.brawn(&["build", "--package", "mimalloc-program", "--target-dir"]);
        command.arg(&target).args(strict).current_dir(projects());
        command.envs(variable.map(|value| ("BRAWN_STRICT", value)));
        command
    };
    ok(&mut build(&[], None));
    let refused = |output: std::process::Output| {
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("two heaps: "), "{said}");
        assert!(!program.exists(), "it was handed over");
    };
    refused(build(&["--strict"], None).output().unwrap());
    // Cargo has to link it now, and that fails.
    refused(build(&["--strict"], None).output().unwrap());
    refused(build(&[], Some("yes")).output().unwrap());
    bench.write("config/brawn/config.toml", "strict = true\n");
    refused(build(&[], None).output().unwrap());
    ok(&mut build(&[], Some("no")));
    assert!(program.exists());
    let mut run = bench.brawn(&["cargo", "run", "--package", "mimalloc-program", "--target-dir"]);
    refused(run.arg(&target).current_dir(projects()).output().unwrap());

    // Both together: this heap is allowed, and nothing is left to warn of.
    let output = build(&["--allow-second-heap"], None).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !said.contains("warning: "), "{said}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("two heaps: "));

    let relink = |args: &[&str]| {
        let mut command = bench.brawn(&["relink", "--malloc", "brawn", "-o", "other"]);
        command.args(args).arg(&program);
        command
    };
    let message = fails(&mut relink(&[]), 1);
    assert!(message.contains("two heaps: brawn "), "{message}");
    assert!(!bench.path().join("other").exists());
    assert!(ok(&mut relink(&["--allow-second-heap"])).contains("verified: static, two heaps: brawn "));
}

/// As bash and tcmalloc do. libc keeps some blocks of its own for `atexit`.
const OWN: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
static char pool[1 << 20];
static size_t used;
void *malloc(size_t size) {
    size_t start = (used + 31) & ~(size_t)15;
    used = start + size;
    memcpy(pool + start - sizeof size, &size, sizeof size);
    return pool + start;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *old, size_t size) { return old ? memcpy(malloc(size), old, size) : malloc(size); }
static void end(void) { }
int main(int count, char **words) {
    atexit(end);
    char *text = strdup(words[count - 1]);
    puts(text >= pool && text < pool + sizeof pool ? "own" : "other");
    free(text);
    return 0;
}
"#;

#[test]
fn a_c_program_with_its_own_malloc_links_where_musl_gcc_links_it() {
    let bench = Bench::new();
    bench.write("own.c", OWN);
    let cc = |options: &[&str]| {
        let mut command = bench.brawn(options);
        command.args(["cc", "own.c", "-o", "own"]);
        command
    };
    let message = fails(&mut cc(&["--preset", "stock"]), 1);
    assert!(message.contains("--allow-second-heap"), "{message}");
    assert!(!bench.path().join("own").exists());

    ok(&mut cc(&["--preset", "stock", "--allow-second-heap"]));
    assert_eq!(ok(bench.command("./own").arg("a")), "own\n");
    let verified = ok(&mut bench.brawn(&["verify", "--allow-second-heap", "own"]));
    assert!(verified.contains("two heaps: a malloc of the program's own and musl's bump"), "{verified}");
    fails(&mut bench.brawn(&["verify", "own"]), 1);

    // Brawn's heap has more names than these: which of them the program calls, no table says.
    let message = fails(&mut cc(&["--allow-second-heap"]), 1);
    assert!(message.contains("--preset stock --allow-second-heap"), "{message}");
}
