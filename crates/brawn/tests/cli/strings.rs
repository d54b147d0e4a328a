//! Whole programs on the kit's string functions: at each level, for each kind of processor, on old processors, in every
//! kind of executable, they print what they print on musl's own.

use std::path::Path;
use std::process::Command;

use crate::common::{Sandbox, fails, note, ok};

/// `tests/strings/text.c`, linked with these options of Brawn and these of the compiler.
fn link(sandbox: &Sandbox, name: &str, brawn: &[&str], flags: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/strings/text.c");
    let output = ["-w", "-o", name];
    ok(sandbox.brawn(brawn).arg("cc").arg("-O2").arg(source).args(flags).args(output));
}

/// What it prints on musl as it came, the yardstick of all others.
fn expected(sandbox: &Sandbox, brawn: &[&str], runner: &[&str]) -> String {
    link(sandbox, "stock", &[&["--preset", "stock"], brawn].concat(), &[]);
    assert!(!note(&sandbox.path().join("stock")).strings);
    let printed = run(sandbox, "stock", runner);
    assert!(printed.lines().count() > 100 && printed.ends_with("status 3\n"), "{printed}");
    printed
}

fn run(sandbox: &Sandbox, name: &str, runner: &[&str]) -> String {
    let program = format!("./{name}");
    let words = [runner, &[program.as_str()]].concat();
    ok(sandbox.command(words[0]).args(&words[1..]).env("TZ", "UTC"))
}

#[test]
fn every_level_and_every_kind_of_executable() {
    let sandbox = Sandbox::new();
    let expected = expected(&sandbox, &[], &[]);
    let mut variants: Vec<Vec<&str>> = vec![vec![], vec!["--malloc", "stock"]];
    for level in ["strings.level=sse2", "strings.level=avx2", "strings.level=avx512"] {
        variants.push(vec!["--malloc", "stock", "--knob", level]);
    }
    for (cpu, has) in [
        ("x86-64-v3", std::arch::is_x86_feature_detected!("avx2")),
        ("x86-64-v4", std::arch::is_x86_feature_detected!("avx512bw")),
    ] {
        if has {
            variants.push(vec!["--malloc", "stock", "--cpu", cpu]);
        }
    }
    for variant in variants {
        for flags in [&["-static-pie", "-fPIE"][..], &["-static", "-no-pie"], &["-s"]] {
            link(&sandbox, "program", &variant, flags);
            assert!(note(&sandbox.path().join("program")).strings);
            assert_eq!(run(&sandbox, "program", &[]), expected, "{variant:?} {flags:?}");
        }
    }
}

#[test]
fn old_processors_get_what_they_can_do() {
    let sandbox = Sandbox::new();
    let expected = expected(&sandbox, &[], &[]);
    link(&sandbox, "program", &["--malloc", "stock"], &[]);
    for cpu in ["qemu64", "Nehalem", "SandyBridge", "Haswell", "max"] {
        let runner = ["qemu-x86_64-static", "-cpu", cpu];
        assert_eq!(run(&sandbox, "program", &runner), expected, "{cpu}");
    }
    // Code for a newer one alone does not begin: static and static-pie, with long calls and with hardly any.
    sandbox.write("tiny.c", "int main(void) { return 3; }\n");
    for kind in [&["-static-pie", "-fPIE"][..], &["-static", "-no-pie"]] {
        for (cpu, old) in [
            ("x86-64-v3", ["qemu64", "Nehalem", "SandyBridge"]),
            ("x86-64-v4", ["qemu64", "Nehalem", "Haswell"]),
        ] {
            let brawn = ["--malloc", "stock", "--cpu", cpu];
            link(&sandbox, "newer", &brawn, kind);
            ok(sandbox.brawn(&brawn).args(["cc", "tiny.c", "-o", "tiny"]).args(kind));
            for program in ["./newer", "./tiny"] {
                for old in old {
                    let output =
                        sandbox.command("qemu-x86_64-static").args(["-cpu", old, program]).output().unwrap();
                    let line = format!(
                        "error: this program is for processors of the level {cpu}, and this one is below it\n"
                    );
                    // Before it, the emulator may name features that it lacks itself.
                    let errors = String::from_utf8_lossy(&output.stderr);
                    let own = errors.split_inclusive('\n').filter(|line| !line.starts_with("qemu-"));
                    assert_eq!(own.collect::<String>(), line, "{program} on {old}");
                    assert_eq!(output.status.code(), Some(127), "{program} on {old}");
                    assert!(output.stdout.is_empty());
                }
            }
            if cpu == "x86-64-v3" {
                assert_eq!(run(&sandbox, "newer", &["qemu-x86_64-static", "-cpu", "Haswell"]), expected);
                let output = sandbox
                    .command("qemu-x86_64-static")
                    .args(["-cpu", "Haswell", "./tiny"])
                    .output()
                    .unwrap();
                assert_eq!(output.status.code(), Some(3));
            }
        }
    }
}

#[test]
fn aarch64() {
    let sandbox = Sandbox::new();
    let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    let target = ["--target", "aarch64-unknown-linux-musl"];
    let link = |name: &str, brawn: &[&str]| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/strings/text.c");
        let mut command = sandbox.brawn(brawn);
        command.env("BRAWN_ZIG", &zig).args(target).args(["cc", "-O2", "-w"]);
        ok(command.arg(source).args(["-o", name]));
    };
    link("stock", &["--preset", "stock"]);
    link("program", &[]);
    // zig's own strdup would allocate from zig's own heap.
    link("heap-only", &["--no-strings"]);
    let expected = run(&sandbox, "stock", &["qemu-aarch64-static"]);
    assert!(expected.lines().count() > 100, "{expected}");
    for cpu in ["cortex-a53", "neoverse-n1", "max"] {
        for program in ["program", "heap-only"] {
            let runner = ["qemu-aarch64-static", "-cpu", cpu];
            assert_eq!(run(&sandbox, program, &runner), expected, "{program} on {cpu}");
        }
    }
}

/// Optimised as a whole: the compiler sees every call of a string function and may make calls of its own.
#[test]
fn a_rust_program_with_link_time_optimisation() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "text/Cargo.toml",
        "[package]\nname = \"text\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[profile.release]\nlto = \"fat\"\n\
         codegen-units = 1\npanic = \"abort\"\nstrip = true\n\n[workspace]\n",
    );
    sandbox.write("text/src/main.rs", include_str!("../../../../tests/strings/text.rs"));
    let package = sandbox.path().join("text");
    let build = |options: &[&str]| {
        let args = ["build", "--release", "-q"];
        ok(sandbox.brawn(&[&args, options].concat()).current_dir(&package));
        let program = package.join("target/x86_64-unknown-linux-musl/release/text");
        ok(&mut Command::new(program))
    };
    let expected = build(&["--preset", "stock"]);
    assert!(expected.lines().count() > 10, "{expected}");
    for level in ["strings.level=sse2", "strings.level=avx2", "strings.level=avx512"] {
        assert_eq!(build(&["--knob", level]), expected, "{level}");
    }
    assert_eq!(build(&["--no-strings"]), expected);
}

/// The names may be the program's own: then its functions serve it, and the link has no two owners.
#[test]
fn a_program_may_bring_its_own() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "own.c",
        "#include <stdio.h>\n#include <string.h>\n\
         void *memcpy(void *restrict to, const void *restrict from, size_t size) {\n\
             char *t = to;\n    for (const char *f = from; size--;) *t++ = *f++;\n    return to;\n}\n\
         size_t strlen(const char *text) { size_t n = 0; while (text[n]) n++; return n; }\n\
         int main(int count, char **words) {\n    char copy[64];\n    memmove(copy, words[0], strlen(words[0]) + 1);\n\
             memcpy(copy + 1, copy, 3);\n    printf(\"%d %zu\\n\", count, strlen(copy));\n}\n",
    );
    for flags in [&["-O2"][..], &["-O0"], &["-O2", "-ffunction-sections", "-Wl,--gc-sections"]] {
        ok(sandbox.brawn(&["cc", "-fno-builtin", "own.c", "-o", "own"]).args(flags));
        assert!(ok(&mut sandbox.command("./own")).starts_with("1 "));
    }
}

/// From how many bytes on a copy goes past the cache: what the program says, or what its first large copy finds.
#[test]
fn a_program_may_say_what_goes_past_the_cache() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "past.c",
        "#include <string.h>\n\
         #include <stdio.h>\n\
         #include <stddef.h>\n\
         #ifdef FROM\n\
         const size_t __brawn_past_from = FROM;\n\
         #else\n\
         extern size_t __brawn_past_from;\n\
         #endif\n\
         static char from[5 << 20], to[5 << 20];\n\
         int main(void) {\n\
         memset(from, 'x', sizeof from);\n\
         memcpy(to, from, sizeof to);\n\
         printf(\"%zu %d\\n\", *(volatile const size_t *)&__brawn_past_from, memcmp(to, from, sizeof to));\n\
         return 0;\n\
         }\n",
    );
    let print = |flags: &[&str]| {
        ok(sandbox.brawn(&["cc", "-O2", "-fno-builtin", "past.c", "-o", "past"]).args(flags));
        ok(&mut sandbox.command("./past"))
    };
    for kind in ["-static-pie", "-no-pie"] {
        // 5 MiB are past the cache, or not.
        for from in ["4194305", "67108864"] {
            assert_eq!(print(&[kind, &format!("-DFROM={from}")]), format!("{from} 0\n"));
        }
        let found = print(&[kind]);
        let found: usize = found.strip_suffix(" 0\n").and_then(|found| found.parse().ok()).expect("a size");
        assert!((4194305..=48 << 20).contains(&found), "{found}");
    }
}

#[test]
fn settings_reach_the_link_from_everywhere() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("hello");
    let program = package.join("target/x86_64-unknown-linux-musl/debug/hello");
    let build = |args: &[&str], env: &[(&str, &str)]| {
        ok(sandbox.brawn(&["build", "-q"]).args(args).current_dir(&package).envs(env.iter().copied()));
        let note = note(&program);
        (note.strings, note.cpu, note.knobs.get("strings.level").cloned())
    };
    assert_eq!(build(&[], &[]), (true, None, None));
    assert_eq!(build(&["--no-strings"], &[]), (false, None, None));
    assert_eq!(build(&[], &[("BRAWN_STRINGS", "no")]), (false, None, None));
    assert_eq!(build(&["--cpu", "x86-64-v3"], &[]), (true, Some("x86-64-v3".into()), None));
    assert_eq!(build(&[], &[("BRAWN_KNOBS", "strings.level=avx2")]).2.as_deref(), Some("avx2"));
    assert_eq!(build(&["--knob=strings.level=sse2"], &[]).2.as_deref(), Some("sse2"));

    let manifest = fs_err::read_to_string(package.join("Cargo.toml")).unwrap();
    let with = format!("{manifest}\n[package.metadata.brawn]\nstrings = false\n");
    fs_err::write(package.join("Cargo.toml"), with).unwrap();
    assert_eq!(build(&[], &[]), (false, None, None));
    assert_eq!(build(&[], &[("BRAWN_STRINGS", "yes")]), (true, None, None));

    let mut wrong = sandbox.brawn(&["build"]);
    let message = fails(wrong.current_dir(&package).env("BRAWN_STRINGS", "maybe"), 2);
    assert!(message.contains("BRAWN_STRINGS: 'maybe' is neither yes nor no"), "{message}");
}
