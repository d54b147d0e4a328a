//! `brawn cc`: C programs, by hand and by other build systems.

use crate::common;
use crate::common::{DEFAULT_MALLOC, Sandbox, fails, long, note, ok};
use brawn_elf::inspection::Kind;
use insta::assert_snapshot;

// The division is a function of the compiler's own runtime.
const HELLO: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int count, char **words) {\n    \
                     char *text = malloc(16);\n    (void)words;\n    __int128 whole = (__int128)42 * count << 70;\n    \
                     snprintf(text, 16, \"hello %d\", (int)(whole / ((__int128)count << 70)));\n    puts(text);\n    \
                     free(text);\n    return 0;\n}\n";

#[test]
fn every_mode_is_static_and_whole() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    for (mode, kind) in [
        (None, Kind::StaticPie),
        (Some("-static"), Kind::Static),
        (Some("-static-pie"), Kind::StaticPie),
        (Some("-no-pie"), Kind::Static),
    ] {
        ok(sandbox.brawn(&["cc", "-O2"]).args(mode).args(["hello.c", "-o", "hello"]));
        let path = sandbox.path().join("hello");
        assert_eq!(brawn_elf::inspect(&fs_err::read(&path).unwrap()).unwrap().kind, kind, "{mode:?}");
        assert_eq!(note(&path).malloc, DEFAULT_MALLOC);
        assert_eq!(ok(&mut sandbox.command("./hello")), "hello 42\n");
    }
}

#[test]
fn compiling_starts_the_compiler_and_nothing_else() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    // Stands before a compiler and writes down what it is asked.
    let spy = |name: &str, compiler: &str, more: &str| {
        let script = format!("#!/bin/sh\necho {name} \"$@\" >> {}/log\n", sandbox.path().display());
        let path = sandbox.write(&format!("bin/{name}"), format!("{script}{more}exec {compiler} \"$@\"\n"));
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let real = |name| brawn_link::toolchain::on_path(name).unwrap().display().to_string();
    let (cc, musl_gcc) = (real("cc"), real("musl-gcc"));
    spy("cc", &cc, "");
    spy("musl-gcc", &musl_gcc, "");
    let path = format!("{}/bin:{}", sandbox.path().display(), std::env::var("PATH").unwrap());
    let compile = || {
        let mut command = sandbox.brawn(&["cc", "-c", "x.c"]);
        command.env("PATH", &path).env("BRAWN_CACHE_DIR", sandbox.path().join("cache"));
        command
    };
    let asked = |command: &mut std::process::Command| {
        let _ = fs_err::remove_file(sandbox.path().join("log"));
        ok(command);
        let log = fs_err::read_to_string(sandbox.path().join("log")).unwrap();
        log.lines().map(|line| line.split(" -idirafter").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    sandbox.write("x.c", "int x;\n");
    let first = asked(&mut compile());
    assert_eq!((first[0].as_str(), first[2].as_str()), ("cc -dumpmachine", "musl-gcc -### -x c /dev/null"));
    assert!(first[1].starts_with("musl-gcc -v -E "), "{first:?}");
    let again = asked(&mut compile());
    assert!(again.len() == 1 && again[0].starts_with("musl-gcc"), "{again:?}");
    // So is a link: after the first, only the link itself, until something that musl-gcc reads is another.
    sandbox.write("main.c", "int main(void) { return 0; }\n");
    let link = |gcc: &str| {
        let mut command = sandbox.brawn(&["cc", "main.c", "-o", "main"]);
        command.env("PATH", &path).env("BRAWN_CACHE_DIR", sandbox.path().join("cache")).env("REALGCC", gcc);
        asked(&mut command).iter().filter(|line| line.contains("-###")).count()
    };
    assert_eq!([link(&cc), link(&cc), link("gcc"), link(&cc)], [1, 0, 1, 0]);
    // Another compiler by the same name is asked again, and what it says counts.
    spy("cc", &cc, "if [ $1 = -dumpmachine ]; then echo x86_64-linux-musl; exit; fi\n");
    let message = fails(&mut compile(), 2);
    assert!(message.contains("cc compiles for glibc, not for musl"), "{message}");
    // A refusal is not remembered, so that repairing the compiler helps at once.
    assert_eq!(fails(compile().env("BRAWN_CC", &cc), 2), fails(compile().env("BRAWN_CC", &cc), 2));
}

/// The compiler behind `musl-gcc` is one for glibc, and says so.
#[test]
fn the_target_is_musl_for_whoever_asks() {
    let sandbox = Sandbox::new();
    for option in ["-dumpmachine", "-print-multiarch", "--print-multiarch"] {
        let said = ok(&mut sandbox.brawn(&["cc", option]));
        assert_eq!(said, format!("{}-linux-musl\n", std::env::consts::ARCH), "{option}");
    }
}

#[test]
fn the_kernels_headers_are_within_reach_and_glibcs_are_not() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "kernel.c",
        "#include <linux/futex.h>\n#include <asm/unistd.h>\nint x = FUTEX_WAIT + __NR_read;\n",
    );
    ok(&mut sandbox.brawn(&["cc", "-c", "kernel.c"]));
    sandbox.write("glibc.c", "#include <gnu/libc-version.h>\n");
    let message = fails(&mut sandbox.brawn(&["cc", "-c", "glibc.c"]), 1);
    assert!(message.contains("gnu/libc-version.h"), "{message}");
}

#[test]
fn a_link_of_sources_can_be_replayed_without_compiling() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    sandbox.write("other.c", "int other;\n");
    ok(&mut sandbox.brawn(&["cc", "hello.c", "other.c", "-o", "hello"]));
    for source in ["hello.c", "other.c"] {
        fs_err::remove_file(sandbox.path().join(source)).unwrap();
    }
    ok(&mut sandbox.brawn(&["relink", "hello", "--malloc", "mimalloc2"]));
    assert_eq!(note(&sandbox.path().join("hello")).malloc, "mimalloc2");
    assert_eq!(ok(&mut sandbox.command("./hello")), "hello 42\n");
}

#[test]
fn a_link_of_temporary_files_can_be_replayed() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    let elsewhere = tempfile::tempdir().unwrap();
    let object = elsewhere.path().join("hello.o");
    ok(sandbox.brawn(&["cc", "-c", "hello.c", "-o"]).arg(&object));
    ok(sandbox.brawn(&["cc", "-o", "hello"]).arg(&object));
    elsewhere.close().unwrap();
    ok(&mut sandbox.brawn(&["relink", "hello", "--malloc", "stock"]));
    assert_eq!(note(&sandbox.path().join("hello")).malloc, "stock");
    assert_eq!(ok(&mut sandbox.command("./hello")), "hello 42\n");
}

#[test]
fn relink_refuses_when_an_input_changed() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    ok(&mut sandbox.brawn(&["cc", "-c", "hello.c"]));
    ok(&mut sandbox.brawn(&["cc", "hello.o", "-o", "hello"]));
    let before = fs_err::read(sandbox.path().join("hello")).unwrap();
    sandbox.write("hello.c", format!("{HELLO}int more;\n"));
    ok(&mut sandbox.brawn(&["cc", "-c", "hello.c"]));
    let message = fails(&mut sandbox.brawn(&["relink", "hello", "--malloc", "stock"]), 3);
    assert_snapshot!(common::redact(&sandbox, &message), @r"
    error: [DIR]/hello.o changed since [DIR]/hello was linked
    hint: build the program again
    ");
    assert!(fs_err::read(sandbox.path().join("hello")).unwrap() == before);
}

#[test]
fn a_rust_library_in_a_c_program_shares_the_heap_and_catches_its_panics() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "words.rs",
        "use std::ffi::{CString, c_char};\n\
         unsafe extern \"C\" { fn strdup(text: *const c_char) -> *mut c_char; }\n\
         #[unsafe(no_mangle)]\n\
         pub extern \"C\" fn words(count: u32) -> *mut c_char {\n    \
             let caught = std::panic::catch_unwind(|| assert!(count > 0)).is_err();\n    \
             let list = move || (0..count).map(|i| i.to_string()).collect::<Vec<_>>().join(\" \");\n    \
             let text = std::thread::spawn(list).join().unwrap();\n    \
             let text = CString::new(format!(\"{text} {caught}\")).unwrap();\n    \
             unsafe { strdup(text.as_ptr()) }\n\
         }\n",
    );
    // The block is Rust's own libc's, and C frees it.
    sandbox.write(
        "main.c",
        "#include <stdio.h>\n#include <stdlib.h>\nchar *words(unsigned);\nint main(void) {\n    \
         char *three = words(3), *none = words(0);\n    printf(\"%s,%s\\n\", three, none);\n    free(three);\n    \
         free(none);\n    return 0;\n}\n",
    );
    let zig = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    for arch in brawn_elf::Arch::ALL {
        let mut rustc = sandbox.command("rustc");
        rustc.args(["-O", "--crate-type", "staticlib", "--target", arch.musl_triple(), "words.rs"]);
        ok(rustc.args(["-o", "libwords.a"]));
        let zig_cc = format!("{} cc -target {arch}-linux-musl", zig.display());
        let native = Some(arch) == brawn_elf::Arch::host();
        for compiler in native.then_some(None).into_iter().chain([Some(zig_cc)]) {
            let mut command =
                sandbox.brawn(&["--target", arch.musl_triple(), "cc", "main.c", "-L.", "-lwords"]);
            if let Some(compiler) = &compiler {
                command.env("BRAWN_CC", compiler);
            }
            ok(command.args(["-o", "main"]));
            let mut run = if native {
                sandbox.command("./main")
            } else {
                let mut run = sandbox.command(&format!("qemu-{arch}-static"));
                run.arg("./main");
                run
            };
            assert_eq!(ok(&mut run), "0 1 2 false, true\n", "{arch}, {compiler:?}");
            assert_eq!(note(&sandbox.path().join("main")).malloc, DEFAULT_MALLOC);
        }
    }
}

/// What Go and autotools and others do to learn whether the linker takes an option.
#[test]
fn a_probe_from_standard_input_into_nowhere_works_and_leaves_it_where_it_is() {
    use std::io::Write as _;
    use std::os::unix::fs::FileTypeExt as _;
    let sandbox = Sandbox::new();
    for (option, works) in [("-Wl,--no-gc-sections", true), ("-Wl,--no-such-option", false)] {
        let mut probe = sandbox.brawn(&["cc", option, "-O2", "-x", "c", "-", "-o", "/dev/null"]);
        let mut child =
            probe.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"int main(void) { return 0; }\n").unwrap();
        assert_eq!(child.wait().unwrap().success(), works, "{option}");
        assert!(fs_err::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}

/// How CMake asks whether there is a fork.
#[test]
fn a_program_that_forks_and_allocates_nothing_is_whole() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "fork.c",
        "#include <unistd.h>\nint main(int count, char **words) {\n    (void)words;\n    \
         return count > 9 ? fork() : 0;\n}\n",
    );
    for malloc in ["brawn", "mimalloc", "stock"] {
        ok(&mut sandbox.brawn(&["--malloc", malloc, "cc", "fork.c", "-o", "fork"]));
        assert_eq!(note(&sandbox.path().join("fork")).malloc, malloc);
        ok(&mut sandbox.command("./fork"));
    }
}

#[test]
fn make_and_its_like_need_no_more_than_cc() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    sandbox.write("lib.c", "int lib(void) { return 0; }\n");
    sandbox.write(
        "Makefile",
        "hello: hello.o libx.a\n\t$(CC) $(LDFLAGS) -o $@ hello.o -L. -lx -lm -lpthread\nlibx.a: lib.o\n\tar rcs $@ lib.o\n",
    );
    let compiler = format!("CC={} cc", env!("CARGO_BIN_EXE_brawn"));
    ok(sandbox.command("make").arg(compiler));
    assert_eq!(note(&sandbox.path().join("hello")).malloc, DEFAULT_MALLOC);
    assert_eq!(ok(&mut sandbox.command("./hello")), "hello 42\n");
}

#[test]
fn a_program_that_needs_dlopen_is_told_what_becomes_of_it() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "plugins.c",
        "#include <dlfcn.h>\n#include <stdio.h>\nint main(void) {\n    \
         void *plugin = dlopen(\"plugin.so\", RTLD_NOW);\n    puts(plugin ? \"loaded\" : dlerror());\n    \
         return 0;\n}\n",
    );
    let output = sandbox.brawn(&["cc", "plugins.c", "-o", "plugins", "-ldl"]).output().unwrap();
    assert!(output.status.success());
    assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @r"
    warning: brawn cc: the program calls dlopen, which always fails in a static executable
    hint: link what it would load (plugins, modules) into it, or leave it dynamic; `brawn check` tells whether it comes to that when it runs
    ");
    assert_eq!(ok(&mut sandbox.command("./plugins")), "Dynamic loading not supported\n");
}

#[test]
fn options_may_stand_before_the_command() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    ok(&mut sandbox.brawn(&["--preset", "hardened", "cc", "hello.c"]));
    assert_eq!(note(&sandbox.path().join("a.out")).preset.as_deref(), Some("hardened"));
}

#[test]
fn what_is_not_for_brawn_is_left_to_the_compiler() {
    let sandbox = Sandbox::new();
    sandbox.write("lib.c", "int lib(void) { return 1; }\n");
    // A shared library is dynamic whatever is asked for, and that is said once.
    for (quiet, times) in [(None, 1), (Some("-q"), 0)] {
        let mut command = sandbox.brawn(quiet.as_slice());
        let output = command.args(["cc", "-shared", "-fPIC", "lib.c", "-o", "lib.so"]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && sandbox.path().join("lib.so").exists(), "{said}");
        let message = "brawn: lib.so is a shared library: it has functions of Brawn's for itself, ";
        assert_eq!(said.matches(message).count(), times, "{said}");
        assert!(said.lines().all(|line| line.contains("which has to be dynamic")), "{said}");
    }
    let message = fails(&mut sandbox.brawn(&["cc", "--allow-second-heap", "lib.c"]), 2);
    assert!(message.contains("brawn --allow-second-heap cc …"), "{message}");
    assert!(ok(&mut sandbox.brawn(&["cc", "--version"])).contains("Free Software Foundation"));
    let message = fails(&mut sandbox.brawn(&["cc", "missing.c", "-o", "x"]), 1);
    assert!(message.contains("missing.c"), "{message}");
    sandbox.write("undefined.c", "int gone(void);\nint main(void) { return gone(); }\n");
    let message = fails(&mut sandbox.brawn(&["cc", "undefined.c", "-o", "x"]), 1);
    assert!(message.contains("undefined reference to `gone'"), "{message}");
    assert!(!message.contains("error: the linker failed"), "said twice: {message}");
}

#[test]
fn zig_is_a_compiler_for_both_architectures() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    let zig = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    // zig compiles its own musl for each combination, half a minute of a processor. One is what other tests need as well.
    let modes = if long() { &["-static-pie", "-static"][..] } else { &["-static-pie"] };
    for (arch, mode) in
        brawn_elf::Arch::ALL.into_iter().flat_map(|arch| modes.iter().map(move |mode| (arch, mode)))
    {
        let compiler = format!("{} cc -target {arch}-linux-musl", zig.display());
        let args = ["--target", arch.musl_triple(), "cc", mode, "hello.c", "-o", "hello", "-lm"];
        ok(sandbox.brawn(&args).env("BRAWN_CC", compiler));
        assert_eq!(note(&sandbox.path().join("hello")).malloc, DEFAULT_MALLOC);
        let text = match arch {
            brawn_elf::Arch::X86_64 => ok(&mut sandbox.command("./hello")),
            brawn_elf::Arch::Aarch64 => ok(sandbox.command("qemu-aarch64-static").arg("./hello")),
        };
        assert_eq!(text, "hello 42\n");
    }
}

#[test]
fn a_compiler_for_glibc_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    assert_snapshot!(fails(sandbox.brawn(&["cc", "hello.c"]).env("BRAWN_CC", "cc"), 2), @r"
    error: cc compiles for glibc, not for musl
    hint: set BRAWN_CC to a compiler whose C library is musl; `brawn -v` shows what this one was asked
    ");
}

#[test]
fn without_a_compiler_the_hint_says_which_to_install() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    let message = fails(sandbox.brawn(&["cc", "hello.c"]).env("PATH", "/nowhere"), 4);
    assert_snapshot!(message, @r"
    error: no C compiler for x86_64-unknown-linux-musl found
    hint: looked for cc, musl-gcc, x86_64-linux-musl-gcc, x86_64-unknown-linux-musl-gcc, zig; install musl-gcc (`apt-get install musl-tools`) or zig (`pip install ziglang`), or set BRAWN_CC
    ");
}
