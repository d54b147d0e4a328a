//! Which compilers `brawn cc` takes: it asks them what they compile for, and their names tell it nothing.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::common::{DEFAULT_MALLOC, Sandbox, fails, note, ok};
use brawn_elf::Arch;
use insta::assert_snapshot;

const HELLO: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    char *text = malloc(8);\n    \
                     snprintf(text, 8, \"hello\");\n    puts(text);\n    free(text);\n    return 0;\n}\n";

fn zig() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig")
}

fn script(sandbox: &Sandbox, name: &str, text: &str) -> String {
    let path = sandbox.write(name, format!("#!/bin/sh\n{text}\n"));
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn a_compiler_is_asked_and_not_judged_by_its_name() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    let zig = zig().display().to_string();
    let musl_gcc = brawn_link::toolchain::on_path("musl-gcc").unwrap();
    fs_err::os::unix::fs::symlink(&musl_gcc, sandbox.path().join("gcc-12")).unwrap();
    // As ccache and its like stand before a compiler, and as pip installs zig.
    let prefix = script(&sandbox, "cache", "exec \"$@\"");
    let python_zig = script(&sandbox, "python-zig", &format!("exec {zig} \"$@\""));
    let target = "-target x86_64-linux-musl";
    for compiler in [
        musl_gcc.display().to_string(),
        sandbox.path().join("gcc-12").display().to_string(),
        format!("{prefix} musl-gcc"),
        format!("{python_zig} cc {target}"),
        // One command for all architectures: it is told which.
        format!("{python_zig} cc"),
        format!("{prefix} {zig} cc"),
        script(&sandbox, "x86-cc", &format!("exec {zig} cc {target} \"$@\"")),
        script(&sandbox, "any-cc", &format!("exec {zig} cc \"$@\"")),
    ] {
        let brawn = |args: &[&str]| {
            let mut command = sandbox.brawn(args);
            command.env("BRAWN_CC", &compiler);
            command
        };
        ok(&mut brawn(&["cc", "-c", "hello.c"]));
        ok(&mut brawn(&["cc", "hello.o", "-o", "hello"]));
        assert_eq!(note(&sandbox.path().join("hello")).malloc, DEFAULT_MALLOC, "{compiler}");
        assert_eq!(ok(&mut sandbox.command("./hello")), "hello\n", "{compiler}");
    }
}

#[test]
fn a_refused_compiler_is_explained_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    let refused = |compiler: &str, args: &[&str], code| {
        let message = fails(sandbox.brawn(args).env("BRAWN_CC", compiler), code);
        let known = |word: &str| match word {
            word if word.contains("/brawn-") && word.ends_with(".c") => "[SOURCE]".to_owned(),
            word if word.ends_with("/libc.a") => "[LIBC]".to_owned(),
            word => word.to_owned(),
        };
        let line = |line: &str| line.split(' ').map(known).collect::<Vec<_>>().join(" ");
        message.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    let cc = ["cc", "hello.c"];
    let verbose = ["-v", "cc", "hello.c"];
    assert_snapshot!(refused("cc", &cc, 2), @r"
    error: cc compiles for glibc, not for musl
    hint: set BRAWN_CC to a compiler whose C library is musl; `brawn -v` shows what this one was asked
    ");
    assert_snapshot!(refused("cc", &verbose, 2), @r"
    error: cc compiles for glibc, not for musl
      asked: cc -v -E [SOURCE]
        answer: Linux, x86_64, glibc
    hint: set BRAWN_CC to a compiler whose C library is musl; `brawn -v` shows what this one was asked
    ");
    let arm = format!("{} cc -target aarch64-linux-musl", zig().display());
    let message = refused(&arm, &verbose, 2);
    assert!(
        message.contains("cc -target aarch64-linux-musl compiles for aarch64, not for x86_64"),
        "{message}"
    );
    assert!(message.contains("answer: Linux, aarch64, a C library that may be musl (by "), "{message}");
    // Its headers are musl's, and its libraries are not.
    let mixed = "cc -nostdinc -isystem /usr/include/x86_64-linux-musl";
    assert_snapshot!(refused(mixed, &verbose, 2), @r"
    error: cc -nostdinc -isystem /usr/include/x86_64-linux-musl compiles for musl and does not link with it
      asked: cc -nostdinc -isystem /usr/include/x86_64-linux-musl -v -E [SOURCE]
        answer: Linux, x86_64, a C library that may be musl
      asked: cc -nostdinc -isystem /usr/include/x86_64-linux-musl -### -x c /dev/null
        answer: [LIBC] is no musl's
    hint: set BRAWN_CC to a compiler whose C library is musl; `brawn -v` shows what this one was asked
    ");
    assert_snapshot!(refused("/nonexistent/cc", &cc, 4), @r"
    error: cannot run /nonexistent/cc
      caused by: No such file or directory (os error 2)
    hint: is /nonexistent/cc installed, and on PATH?
    ");
    assert_snapshot!(refused("true", &verbose, 2), @r"
    error: true does not compile for musl
      asked: true -v -E [SOURCE]
        answer: exit status: 0: nothing
    hint: set BRAWN_CC to a compiler whose C library is musl; `brawn -v` shows what this one was asked
    ");
    // What was looked for, where nothing was named.
    let message = fails(sandbox.brawn(&verbose).env("PATH", "/nowhere"), 4);
    assert_snapshot!(message, @r"
    error: no C compiler for x86_64-unknown-linux-musl found
      asked: cc
        answer: cannot run cc
      asked: musl-gcc
        answer: not on PATH
      asked: x86_64-linux-musl-gcc
        answer: not on PATH
      asked: x86_64-unknown-linux-musl-gcc
        answer: not on PATH
      asked: zig
        answer: neither on PATH nor a package of python3
    hint: looked for cc, musl-gcc, x86_64-linux-musl-gcc, x86_64-unknown-linux-musl-gcc, zig; install musl-gcc (`apt-get install musl-tools`) or zig (`pip install ziglang`), or set BRAWN_CC
    ");
}

/// Debian's musl is built without.
#[test]
fn a_musl_without_crypt_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "crypt.c",
        "#include <crypt.h>\n#include <stdio.h>\nint main(void) {\n    puts(crypt(\"secret\", \"ab\"));\n    \
         return 0;\n}\n",
    );
    let compile = |compiler: &str| {
        let mut command = sandbox.brawn(&["cc", "crypt.c", "-lcrypt", "-o", "crypt"]);
        command.env("BRAWN_CC", compiler);
        command
    };
    ok(&mut compile(&format!("{} cc", zig().display())));
    assert!(ok(&mut sandbox.command("./crypt")).starts_with("ab"));
    assert!(ok(&mut sandbox.brawn(&["verify", "crypt"])).contains("no heap"));
    let debians = Path::new("/usr/lib/x86_64-linux-musl/libc.a");
    if !debians.exists() || Path::new("/usr/include/x86_64-linux-musl/crypt.h").exists() {
        eprintln!("skipped: this machine's musl is not Debian's, which has no crypt");
        return;
    }
    let message = fails(&mut compile("musl-gcc"), 1);
    assert!(message.contains("/libc.a has no crypt, and so there is no crypt.h"), "{message}");
    assert!(message.contains("BRAWN_CC='python-zig cc'"), "{message}");
}

/// zig's `libc.a` has no mallocng since 0.16.
#[test]
fn zig_links_the_preset_that_stands_on_musls_own_heap() {
    let sandbox = Sandbox::new();
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cxx/runtime.cc");
    for arch in Arch::ALL {
        for preset in ["balanced", "hardened"] {
            let program = format!("./{preset}-{arch}");
            let args = ["--target", arch.musl_triple(), "--preset", preset, "c++", "-std=c++17"];
            let mut compile = sandbox.brawn(&args);
            ok(compile
                .env("BRAWN_CXX", format!("{} c++", zig().display()))
                .arg(&runtime)
                .args(["-o", &program]));
            assert_eq!(note(&sandbox.path().join(&program)).preset.as_deref(), Some(preset));
            let mut run = match Arch::host() == Some(arch) {
                true => sandbox.command(&program),
                false => {
                    let mut run = sandbox.command(&format!("qemu-{arch}-static"));
                    run.arg(&program);
                    run
                }
            };
            assert_eq!(ok(&mut run), "whole\n", "{arch}, {preset}");
        }
    }
    // And back, and there again, without compiling.
    for (preset, malloc) in [("fast", "jemalloc"), ("hardened", "brawn-hardened")] {
        let mut relink = sandbox.brawn(&["relink", "./hardened-x86_64", "--preset", preset]);
        // A record's linker runs only where the settings still choose it.
        ok(relink.env("BRAWN_CXX", format!("{} c++", zig().display())));
        assert_eq!(note(&sandbox.path().join("hardened-x86_64")).malloc, malloc);
        assert_eq!(ok(&mut sandbox.command("./hardened-x86_64")), "whole\n", "{preset}");
    }
    // Without the Rust toolchain's libc.a there is nothing to stand on, and the message says what helps.
    sandbox.write("hello.c", HELLO);
    let mut command = sandbox.brawn(&["--preset", "hardened", "cc", "hello.c"]);
    command.env("BRAWN_CC", format!("{} cc", zig().display())).env("RUSTC", "/nonexistent/rustc");
    let message = fails(&mut command, 3);
    assert!(
        message.contains("libc.a holds no heap, and the hardened Brawn heap stands on musl's"),
        "{message}"
    );
    for way in
        ["rustup target add x86_64-unknown-linux-musl", "pip install ziglang==0.15.2", "the other presets"]
    {
        assert!(message.contains(way), "{message}");
    }
}
