//! `brawn c++`: C++ programs, by hand, with CMake and inside Rust programs; and C++ libraries that do not fit.

use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::{DEFAULT_MALLOC, Sandbox, fails, note, ok};
use brawn_elf::Arch;
use insta::assert_snapshot;

fn sources() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cxx"))
}

/// `brawn ARGS`, with the zig that `make setup` brings.
fn brawn(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.brawn(args);
    let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    command.env("BRAWN_ZIG", zig).env_remove("BRAWN_CXX");
    command
}

fn runtime() -> String {
    sources().join("runtime.cc").display().to_string()
}

/// A command for an executable of `arch`, through qemu if it is not this machine's.
fn run(sandbox: &Sandbox, arch: Arch, program: &str) -> Command {
    if Arch::host() == Some(arch) {
        return sandbox.command(program);
    }
    let mut command = sandbox.command(&format!("qemu-{arch}-static"));
    command.arg(program);
    command
}

#[test]
fn the_whole_runtime_works_on_both_architectures() {
    let sandbox = Sandbox::new();
    for arch in Arch::ALL {
        let program = format!("./runtime-{arch}");
        let mut compile = brawn(&sandbox, &["--target", arch.musl_triple(), "c++", "-O2", "-std=c++17"]);
        ok(compile.args([&runtime(), "-o", &program]));
        assert_eq!(ok(&mut run(&sandbox, arch, &program)), "whole\n", "{arch}");
        // `cc` and `c++` verify what they link: one heap, and static.
        assert_eq!(note(&sandbox.path().join(&program)).malloc, DEFAULT_MALLOC);
    }
}

#[test]
fn a_cxx_program_gets_another_heap_without_compiling() {
    let sandbox = Sandbox::new();
    sandbox.write("runtime.cc", fs_err::read(runtime()).unwrap());
    ok(brawn(&sandbox, &["c++", "-std=c++17"]).args(["runtime.cc", "-o", "runtime"]));
    fs_err::remove_file(sandbox.path().join("runtime.cc")).unwrap();
    ok(&mut brawn(&sandbox, &["relink", "runtime", "--malloc", "stock"]));
    assert_eq!(note(&sandbox.path().join("runtime")).malloc, "stock");
    assert_eq!(ok(&mut sandbox.command("./runtime")), "whole\n");
}

#[test]
fn brawn_cc_links_what_brawn_cxx_compiled() {
    let sandbox = Sandbox::new();
    ok(brawn(&sandbox, &["c++", "-std=c++17", "-c"]).args([&runtime(), "-o", "runtime.o"]));
    for library in ["-lstdc++", "-lc++"] {
        ok(&mut brawn(&sandbox, &["cc", "runtime.o", library, "-o", "runtime"]));
        assert_eq!(ok(&mut sandbox.command("./runtime")), "whole\n", "{library}");
    }
}

fn cmake(sandbox: &Sandbox) -> Command {
    let mut command = sandbox.command("cmake");
    command.env("BRAWN_ZIG", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig"));
    command
}

#[test]
fn cmake_needs_no_more_than_the_toolchain_file() {
    let sandbox = Sandbox::new();
    sandbox.write("toolchain.cmake", ok(&mut brawn(&sandbox, &["env", "--cmake"])));
    sandbox.write("runtime.cc", fs_err::read(runtime()).unwrap());
    sandbox.write("part.c", "int part(void) { return 0; }\n");
    sandbox.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(whole C CXX)\nset(CMAKE_CXX_STANDARD 17)\n\
         find_package(Threads REQUIRED)\nadd_library(part part.c)\nadd_executable(whole runtime.cc)\n\
         target_link_libraries(whole part Threads::Threads)\n",
    );
    ok(cmake(&sandbox).args(["-S", ".", "-B", "build", "-DCMAKE_TOOLCHAIN_FILE=../toolchain.cmake"]));
    ok(cmake(&sandbox).args(["--build", "build"]));
    assert_eq!(note(&sandbox.path().join("build/whole")).malloc, DEFAULT_MALLOC);
    assert_eq!(ok(&mut sandbox.command("build/whole")), "whole\n");
}

#[test]
fn a_rust_program_with_cxx_inside_just_builds() {
    let sandbox = Sandbox::new();
    for (arch, features) in Arch::ALL.into_iter().flat_map(|arch| [(arch, ""), (arch, "last")]) {
        let triple = arch.musl_triple();
        let mut build = brawn(&sandbox, &["build", "--quiet", "--target", triple, "--features", features]);
        build.arg("--target-dir").arg(sandbox.path().join("target"));
        ok(build.current_dir(sources().join("linked")));
        let program = sandbox.path().join("target").join(triple).join("debug/linked");
        assert_eq!(ok(&mut run(&sandbox, arch, program.to_str().unwrap())), "1000 true\n", "{arch}");
    }
}

#[test]
fn without_an_archiver_build_scripts_are_given_zigs() {
    let sandbox = Sandbox::new();
    let tools = sandbox.path().join("tools");
    fs_err::create_dir_all(&tools).unwrap();
    let sysroot = ok(sandbox.command("rustc").args(["--print", "sysroot"]));
    fs_err::os::unix::fs::symlink(Path::new(sysroot.trim()).join("bin/rustc"), tools.join("rustc")).unwrap();
    let said = ok(brawn(&sandbox, &["env", "--message-format", "json"]).env("PATH", &tools));
    let variables: serde_json::Value = serde_json::from_str(&said).unwrap();
    let archiver = variables[format!("AR_{}_unknown_linux_musl", Arch::host().unwrap())].as_str().unwrap();
    assert!(archiver.ends_with("/brawn-ar"), "{archiver}");
    sandbox.write("part.c", "int part(void) { return 0; }\n");
    ok(&mut brawn(&sandbox, &["cc", "-c", "part.c"]));
    let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    ok(sandbox.command(archiver).args(["rcs", "libpart.a", "part.o"]).env("BRAWN_ZIG", zig));
    assert!(fs_err::read(sandbox.path().join("libpart.a")).unwrap().starts_with(b"!<arch>\n"));
}

/// An archive with one object that calls what only glibc has, as every library compiled with glibc's headers does.
fn glibcs_archive(sandbox: &Sandbox, name: &str) {
    sandbox.write(
        "glibc.c",
        "extern char __libc_single_threaded;\nint part(void) { return __libc_single_threaded; }\n",
    );
    ok(&mut brawn(sandbox, &["cc", "-c", "glibc.c"]));
    ok(sandbox.command("ar").args(["rcs", name, "glibc.o"]));
    sandbox.write("main.c", "int part(void);\nint main(void) { return part(); }\n");
}

#[test]
fn glibcs_cxx_library_is_refused_before_it_can_crash() {
    let sandbox = Sandbox::new();
    glibcs_archive(&sandbox, "libstdc++.a");
    let message = fails(&mut brawn(&sandbox, &["cc", "main.c", "libstdc++.a", "-o", "main"]), 2);
    assert_snapshot!(common::redact(&sandbox, &message), @r"
    error: libstdc++.a was made for glibc (__libc_single_threaded), and this executable is linked with musl
    hint: compile and link with brawn c++, which has a C++ library for musl; brawn cargo sets CXX_<target> to it
    ");
    assert!(!sandbox.path().join("main").exists());
}

#[test]
fn a_failed_link_says_which_library_does_not_fit() {
    let sandbox = Sandbox::new();
    glibcs_archive(&sandbox, "libpart.a");
    let message = fails(&mut brawn(&sandbox, &["cc", "main.c", "-L.", "-lpart", "-o", "main"]), 1);
    let last = message.split("error: the linker failed").nth(1).unwrap_or_else(|| panic!("{message}"));
    assert_snapshot!(last, @r"
    : ./libpart.a was compiled for glibc (it calls __libc_single_threaded), and this executable is linked with musl
    hint: compile part from its sources with brawn cc, static (for most: `CC='brawn cc' ./configure --disable-shared && make`), and name the folder of libpart.a with -L; packages of the distribution are made for its own libc
    ");

    // By its path, as OCaml names its runtime system.
    let message = fails(&mut brawn(&sandbox, &["cc", "main.c", "libpart.a", "-o", "main"]), 1);
    assert!(message.contains("error: the linker failed: libpart.a was compiled for glibc"), "{message}");
}

/// CMake's `find_library` gives paths.
#[test]
fn a_shared_library_on_the_line_is_named_with_the_archive_that_is_needed() {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", "int main(void) { return 0; }\n");
    ok(sandbox.command("cc").args(["-shared", "-fPIC", "-x", "c", "main.c", "-o", "libpart.so.1"]));
    let message = fails(&mut brawn(&sandbox, &["cc", "main.c", "./libpart.so.1", "-o", "main"]), 1);
    let last = message.split("error: the linker failed").nth(1).unwrap_or_else(|| panic!("{message}"));
    assert_snapshot!(last, @r"
    : ./libpart.so.1 is a shared library, and a static executable needs libpart.a
    hint: compile part from its sources with brawn cc, static (for most: `CC='brawn cc' ./configure --disable-shared && make`), and name the folder of libpart.a with -L; packages of the distribution are made for its own libc
    ");
    assert!(!sandbox.path().join("main").exists());
}

/// What `openssl-sys` does with the OpenSSL that pkg-config finds when it is told that cross compiling is fine.
#[test]
fn openssl_found_by_pkg_config_is_named_with_what_to_do() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("client");
    sandbox.write("lib/libssl.so", "");
    sandbox.write(
        "client/build.rs",
        format!(
            "fn main() {{\n    println!(\"cargo:rustc-link-search=native={}/lib\");\n    \
             println!(\"cargo:rustc-link-lib=dylib=ssl\");\n}}\n",
            sandbox.path().display()
        ),
    );
    let main =
        "unsafe extern \"C\" { fn OPENSSL_init_ssl(); }\nfn main() { unsafe { OPENSSL_init_ssl() } }\n";
    sandbox.write("client/src/main.rs", main);
    let mut build = brawn(&sandbox, &["build", "--quiet"]);
    let output = build.current_dir(&package).output().unwrap();
    assert!(!output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    let place = sandbox.path().join("lib/libssl.so");
    let expected = format!(
        "error: the linker failed: {} is a shared library, and a static executable needs libssl.a",
        place.display()
    );
    assert!(message.contains(&expected), "{message}");
    // Behind cargo's and rustc's advice, which is for other links.
    let last = message.rsplit("error: ").next().unwrap();
    assert!(
        last.starts_with("the linker failed: ") && message.contains("error: could not compile"),
        "{message}"
    );
    assert!(last.contains("openssl = { features = [\"vendored\"] }"), "{message}");
}

/// A package whose link asks for what only another libc has: what is said is said for crates.
#[test]
fn advice_is_for_crates_where_a_crate_is_built() {
    let sandbox = Sandbox::new();
    glibcs_archive(&sandbox, "libpart.a");
    let package = sandbox.package("client");
    sandbox.write(
        "client/build.rs",
        format!(
            "fn main() {{\n    println!(\"cargo:rustc-link-search=native={}\");\n    \
             println!(\"cargo:rustc-link-lib=static=part\");\n}}\n",
            sandbox.path().display()
        ),
    );
    let main = "unsafe extern \"C\" { fn part() -> i32; }\nfn main() { unsafe { part() }; }\n";
    sandbox.write("client/src/main.rs", main);
    let output = brawn(&sandbox, &["build", "--quiet"]).current_dir(&package).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("was compiled for glibc (it calls __libc_single_threaded)"), "{message}");
    let last = message.rsplit("error: ").next().unwrap();
    assert!(last.contains("hint: have the crate build it from source"), "{message}");
}

#[test]
fn a_library_that_is_nowhere_says_how_to_get_it() {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", "int main(void) { return 0; }\n");
    let message = fails(&mut brawn(&sandbox, &["cc", "main.c", "-lnowhere", "-o", "main"]), 1);
    let last = message.split("error: the linker failed").nth(1).unwrap_or_else(|| panic!("{message}"));
    assert_snapshot!(last, @r"
    : there is no libnowhere.a for musl where it looks
    hint: compile nowhere from its sources with brawn cc, static (for most: `CC='brawn cc' ./configure --disable-shared && make`), and name the folder of libnowhere.a with -L; packages of the distribution are made for its own libc
    ");
}

#[test]
fn a_musl_without_crypt_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("header.c", "#include <crypt.h>\nint main(void) { return !crypt(\"a\", \"ab\"); }\n");
    let declared =
        "char *crypt(const char *, const char *);\nint main(void) { return !crypt(\"a\", \"ab\"); }\n";
    sandbox.write("declared.c", declared);
    let musl = sandbox.command("musl-gcc").args(["declared.c", "-o", "stock"]).output().unwrap();
    for source in ["header.c", "declared.c"] {
        let mut command = brawn(&sandbox, &["cc", source, "-lcrypt", "-o", "main"]);
        if musl.status.success() {
            ok(&mut command);
            continue;
        }
        let message = fails(&mut command, 1);
        assert!(message.contains("has no crypt, and so there is no crypt.h"), "{source}: {message}");
        assert!(message.contains("hint: zig's musl has it"), "{source}: {message}");
    }
}

#[test]
fn the_folder_of_glibcs_libraries_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", "int main(void) { return 0; }\n");
    let libc = ok(sandbox.command("cc").arg("-print-file-name=libc.a"));
    let folder = fs_err::canonicalize(libc.trim()).unwrap().parent().unwrap().display().to_string();
    let line = ["cc", "main.c", &format!("-L{folder}"), "-lcrypt", "-o", "main"];
    let message = fails(&mut brawn(&sandbox, &line), 1);
    assert!(message.contains(&format!("error: -L{folder} leads to glibc's libraries")), "{message}");
    assert!(message.contains("hint: leave the folder away"), "{message}");
}

#[test]
fn without_a_cxx_compiler_the_message_says_what_to_install() {
    let sandbox = Sandbox::new();
    let mut command = brawn(&sandbox, &["c++", "-c", "x.cc"]);
    let message = fails(command.env("PATH", "/nonexistent").env_remove("BRAWN_ZIG"), 4);
    assert!(message.starts_with("error: no C++ compiler for"), "{message}");
    assert!(message.contains("pip install ziglang") && message.contains("BRAWN_CXX"), "{message}");
}
