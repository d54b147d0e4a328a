//! Exceptions, panics and backtraces by the kit's unwinder, and by the toolchain's where that is asked for.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::common::{Sandbox, note, ok};
use brawn_elf::Arch;

/// `brawn ARGS`, with the zig that `make setup` brings.
fn brawn(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.brawn(args);
    let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    command.env("BRAWN_ZIG", zig).env_remove("BRAWN_CXX");
    command
}

fn source(name: &str) -> String {
    format!("{}/../../tests/cxx/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs a program, through qemu if it is not for this machine.
fn run(sandbox: &Sandbox, arch: Arch, program: &str) -> String {
    if Arch::host() == Some(arch) {
        return ok(&mut sandbox.command(program));
    }
    // A processor that signs return addresses.
    ok(sandbox.command(&format!("qemu-{arch}-static")).args(["-cpu", "max", program]))
}

/// What unwinds in a program, by the map of its link: the kit, the toolchain. The map goes, as a file that is there is an input
/// of the next link.
fn unwinders(sandbox: &Sandbox, map: &str) -> (bool, bool) {
    let path = sandbox.path().join(map);
    let map = fs_err::read_to_string(&path).unwrap();
    fs_err::remove_file(path).unwrap();
    (map.contains("brawn-unwind-unwind.o"), map.contains("UnwindLevel1") || map.contains("unwind-dw2.o"))
}

#[test]
fn exceptions_pass_through_every_kind_of_frame() {
    let sandbox = Sandbox::new();
    // Return addresses as they are, and on aarch64 signed with either key.
    let signed = ["pac-ret+leaf", "pac-ret+b-key"].map(|how| (Arch::Aarch64, how));
    for (arch, how) in Arch::ALL.into_iter().map(|arch| (arch, "none")).chain(signed) {
        let target = arch.musl_triple();
        let compile = ["-O2", "-std=c++17", "-c", "-o", "unwinding.o", &source("unwinding.cc")];
        let mut compiler = brawn(&sandbox, &["--target", target, "c++"]);
        if arch == Arch::Aarch64 {
            compiler.arg(format!("-mbranch-protection={how}"));
        }
        ok(compiler.args(compile));
        for form in [&[][..], &["-no-pie", "-Wl,--gc-sections", "-s"]] {
            let mut link = brawn(&sandbox, &["--target", target, "c++", "unwinding.o", "-o", "unwinding"]);
            ok(link.arg("-Wl,-Map=map").args(form));
            assert_eq!(run(&sandbox, arch, "./unwinding"), "whole\n", "{arch}, {form:?}");
            assert_eq!(unwinders(&sandbox, "map"), (true, false), "{arch}, {form:?}");
        }
    }
}

#[test]
fn tables_may_say_all_that_there_is_to_say() {
    let sandbox = Sandbox::new();
    for arch in Arch::ALL {
        let mut link = brawn(&sandbox, &["--target", arch.musl_triple(), "cc", "-O2"]);
        ok(link.args(["-fexceptions", &source("frames.c"), "-o", "frames", "-Wl,-Map=map"]));
        assert_eq!(run(&sandbox, arch, "./frames"), "whole\n", "{arch}");
        assert_eq!(unwinders(&sandbox, "map"), (true, false), "{arch}");
    }
}

/// To ask rustc takes as long as a link of C.
#[test]
fn rustc_is_asked_only_where_something_unwinds() {
    let sandbox = Sandbox::new();
    sandbox.write("plain.c", "int main(void) { return 0; }\n");
    sandbox.write("asking-rustc", "#!/bin/sh\n: > asked\nexec rustc \"$@\"\n");
    let rustc = sandbox.path().join("asking-rustc");
    fs_err::set_permissions(&rustc, PermissionsExt::from_mode(0o755)).unwrap();
    for (source, asked) in [("plain.c".to_owned(), false), (source("frames.c"), true)] {
        let mut link = brawn(&sandbox, &["cc", "-O2", "-fexceptions"]);
        ok(link.args([&source, "-o", "program"]).env("RUSTC", &rustc));
        assert_eq!(sandbox.path().join("asked").exists(), asked, "{source}");
    }
}

/// Exceptions of C, which the distribution's compiler passes on: by the kit, and without it by what it was given before.
#[test]
fn the_toolchains_unwinder_stays_where_it_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "program.c",
        "#include <stdio.h>\n#include <unwind.h>\n\
         static void last(int *word) { printf(\"%d\\n\", *word); }\n\
         static _Unwind_Reason_Code one(struct _Unwind_Context *c, void *n) { ++*(int *)n; return c ? 0 : 9; }\n\
         __attribute__((noinline)) static void walk(int *n) { _Unwind_Backtrace(one, n); }\n\
         int main(void) { int n __attribute__((cleanup(last))) = 0; walk(&n); n = n > 1; return 0; }\n",
    );
    let compile = ["-fexceptions", "program.c", "-o", "program", "-Wl,-Map=map"];
    for (brawn, kit) in [(&[][..], true), (&["--musl", "unwind"], false), (&["--preset", "stock"], false)] {
        ok(sandbox.brawn(brawn).arg("cc").args(compile));
        assert_eq!(ok(&mut sandbox.command("./program")), "1\n", "{brawn:?}");
        assert_eq!(unwinders(&sandbox, "map"), (kit, !kit), "{brawn:?}");
        let noted = note(&sandbox.path().join("program")).functions.contains(&"unwind".to_owned());
        assert_eq!(noted, kit, "{brawn:?}");
        let asked = if kit { "none" } else { "unwind" };
        if brawn != ["--preset", "stock"] {
            ok(sandbox.brawn(&["--musl", asked]).args(["verify", "program"]));
        }
    }
    // A link that is done again takes what the new overlay has.
    ok(sandbox.brawn(&[]).args(["relink", "program", "--preset", "balanced"]));
    assert_eq!(unwinders(&sandbox, "map"), (true, false));
    assert_eq!(ok(&mut sandbox.command("./program")), "1\n");
}

const PANICS: &str = "use std::backtrace::Backtrace;\nuse std::panic::catch_unwind;\nuse std::sync::Barrier;\n\
    struct Count<'a>(&'a std::cell::Cell<u32>);\n\
    impl Drop for Count<'_> { fn drop(&mut self) { self.0.set(self.0.get() + 1) } }\n\
    #[inline(never)] fn deep(n: u32, count: &std::cell::Cell<u32>) -> u32 {\n\
        let _guard = Count(count);\n\
        if n == 0 { std::panic::panic_any(7_u32) }\n\
        deep(n - 1, count) + 1\n}\n\
    fn caught() -> u32 {\n\
        catch_unwind(|| deep(9, &Default::default())).unwrap_err().downcast_ref().copied().unwrap()\n}\n\
    #[inline(never)] fn a_function_by_name() -> String { Backtrace::force_capture().to_string() }\n\
    fn main() {\n\
        std::panic::set_hook(Box::new(|_| ()));\n\
        let start = Barrier::new(8);\n\
        std::thread::scope(|scope| {\n\
            let throw = || { start.wait(); for _ in 0..1000 { assert_eq!(caught(), 7) } };\n\
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(throw)).collect();\n\
            threads.into_iter().for_each(|thread| thread.join().unwrap());\n\
        });\n\
        let text = a_function_by_name();\n\
        assert!(text.contains(\"a_function_by_name\") && text.contains(\"main\"), \"{text}\");\n\
        println!(\"whole\");\n}\n";

#[test]
fn panics_and_backtraces_of_rust() {
    let sandbox = Sandbox::new();
    let folder = sandbox.package("program");
    sandbox.write("program/src/main.rs", PANICS);
    let flags = format!("-Clink-arg=-Wl,-Map={}", sandbox.path().join("map").display());
    for (profile, keep, kit) in [("dev", "none", true), ("release", "none", true), ("dev", "unwind", false)] {
        let mut build = sandbox.brawn(&["--musl", keep, "build", "--profile", profile]);
        build.env("RUSTFLAGS", &flags).env("CARGO_PROFILE_RELEASE_LTO", "fat").current_dir(&folder);
        // The link does not depend on the preset for cargo.
        let _ = fs_err::remove_dir_all(folder.join("target"));
        ok(&mut build);
        let place = if profile == "dev" { "debug" } else { profile };
        let program = folder.join(format!("target/{}/{place}/program", Arch::host().unwrap().musl_triple()));
        assert_eq!(ok(&mut sandbox.command(program.to_str().unwrap())), "whole\n", "{profile}, {keep}");
        assert_eq!(unwinders(&sandbox, "map"), (kit, !kit), "{profile}, {keep}");
    }
}
