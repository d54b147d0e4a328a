//! Everything that `brawn libc` refuses: each with its own message and hint, and nothing written.

use std::path::Path;
use std::process::Command;

use crate::common::{Sandbox, fails, ok, redact, rust_libc};
use brawn_elf::Arch;
use brawn_libc::archive::Archive;
use insta::assert_snapshot;

/// Runs `brawn libc` on `from`, which must be refused, and gives the message.
fn refused(sandbox: &Sandbox, from: &Path, extra: &[&str], code: i32) -> String {
    let output = sandbox.path().join("out");
    let mut command = sandbox.brawn(&["libc", "-o", "out", "--from"]);
    let message = fails(command.arg(from).args(extra), code);
    assert!(!output.exists(), "something was written");
    redact(sandbox, &message)
}

/// Compiles C with the host's compiler to an object file.
fn object(sandbox: &Sandbox, name: &str, source: &str, flags: &[&str]) {
    sandbox.write(&format!("{name}.c"), source);
    ok(sandbox.command("cc").args(["-c", &format!("{name}.c"), "-o", &format!("{name}.o")]).args(flags));
}

fn archive(sandbox: &Sandbox, name: &str, kind: &str, members: &[&str]) {
    ok(sandbox.command("ar").args([kind, name]).args(members));
}

#[test]
fn not_an_archive() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("libc.a", "#!/bin/sh\n");
    assert_snapshot!(refused(&sandbox, &path, &[], 3), @r"
    error: [DIR]/libc.a is not an archive
    hint: give the path of a musl libc.a, or leave --from away to use the Rust toolchain's
    ");
}

#[test]
fn settings_of_the_string_functions() {
    let sandbox = Sandbox::new();
    let x86 = rust_libc(Arch::X86_64);
    assert_snapshot!(refused(&sandbox, &x86, &["--cpu", "x86-64-v5"], 2), @r"
    error: unknown processor 'x86-64-v5'
    hint: did you mean 'x86-64-v3'? There are: x86-64-v3, x86-64-v4
    ");
    assert_snapshot!(refused(&sandbox, &x86, &["--knob", "strings.level=avx"], 2), @r"
    error: unknown level of the string functions 'avx'
    hint: did you mean 'avx2'? There are: sse2, avx2, avx512
    ");
    assert_snapshot!(refused(&sandbox, &x86, &["--no-strings", "--knob", "strings.level=avx2"], 2), @r"
    error: strings.level=avx2 is a setting of the kit's string functions, and those are left out
    hint: leave one of the two away: the setting, or --no-strings (the preset stock keeps musl's, too)
    ");
    assert_snapshot!(refused(&sandbox, &x86, &["--preset", "stock", "--cpu", "x86-64-v3"], 2), @r"
    error: the processor 'x86-64-v3' is a setting of the kit's string functions, and those are left out
    hint: leave one of the two away: the setting, or --no-strings (the preset stock keeps musl's, too)
    ");
    let arm = rust_libc(Arch::Aarch64);
    assert_snapshot!(refused(&sandbox, &arm, &["--cpu", "x86-64-v3"], 2), @r"
    error: the processor 'x86-64-v3' is not for aarch64
    hint: leave it away
    ");
    assert_snapshot!(refused(&sandbox, &arm, &["--knob", "strings.level=sse2"], 2), @r"
    error: strings.level=sse2 is not for aarch64
    hint: leave it away
    ");
}

/// The libc.a of the Rust toolchain with every occurrence of some bytes replaced by others.
fn altered(sandbox: &Sandbox, name: &str, from: &[u8], to: &[u8]) -> std::path::PathBuf {
    let mut bytes = fs_err::read(rust_libc(Arch::X86_64)).unwrap();
    let places: Vec<usize> =
        (0..=bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    assert!(!places.is_empty(), "the libc.a holds nothing to alter");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    let path = sandbox.path().join(name);
    fs_err::write(&path, bytes).unwrap();
    path
}

#[test]
fn another_mallocng_than_the_one_that_the_hardened_heap_knows() {
    let sandbox = Sandbox::new();
    let newer = altered(&sandbox, "newer.a", b"1.2.5\0", b"1.2.9\0");
    assert_snapshot!(refused(&sandbox, &newer, &["--malloc", "brawn-hardened"], 3), @r"
    error: [DIR]/newer.a has another heap than the hardened Brawn heap was written for: musl 1.2.9 is newer than the last one that is known, 1.2.6
    hint: the hardened Brawn heap, and with it the preset hardened, stands on the mallocng of musl 1.2.2 to 1.2.6; the other presets and `--malloc mimalloc-secure` bring all they need along
    ");
    let classes = [1u16, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15].map(u16::to_le_bytes).concat();
    let others = [1u16, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16].map(u16::to_le_bytes).concat();
    let coarser = altered(&sandbox, "coarser.a", &classes, &others);
    let message = refused(&sandbox, &coarser, &["--malloc", "brawn-hardened"], 3);
    assert_snapshot!(message, @r"
    error: [DIR]/coarser.a has another heap than the hardened Brawn heap was written for: mallocng's size classes are not the known ones
    hint: the hardened Brawn heap, and with it the preset hardened, stands on the mallocng of musl 1.2.2 to 1.2.6; the other presets and `--malloc mimalloc-secure` bring all they need along
    ");
    assert_eq!(refused(&sandbox, &coarser, &["--preset", "hardened"], 3), message);
    // Who brings a heap of its own does not care, and the message says so.
    assert!(message.contains("the other presets and `--malloc mimalloc-secure`"), "{message}");
    let others = [["--preset", "balanced"], ["--preset", "small"], ["--malloc", "mimalloc-secure"]];
    for (index, own) in others.iter().enumerate() {
        for libc_a in [&coarser, &newer] {
            let out = format!("out{index}-{}", libc_a.file_name().unwrap().display());
            ok(sandbox.brawn(&["libc", "-o", &out]).args(own).arg("--from").arg(libc_a));
        }
    }
}

#[test]
fn truncated() {
    let sandbox = Sandbox::new();
    let bytes = fs_err::read(rust_libc(Arch::X86_64)).unwrap();
    let path = sandbox.write("libc.a", &bytes[..bytes.len() / 2]);
    assert_snapshot!(refused(&sandbox, &path, &[], 3), @r"
    error: [DIR]/libc.a is truncated or damaged
      caused by: Archive member size is too large
    hint: install it again, or copy it again from where it is whole
    ");
}

/// Cut off where a member ends, every member that is left is sound: only the archive's index tells.
#[test]
fn truncated_between_members() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        object(&sandbox, name, &format!("int {name};"), &[]);
    }
    archive(&sandbox, "libc.a", "rc", &["a.o", "b.o", "c.o"]);
    let bytes = fs_err::read(sandbox.path().join("libc.a")).unwrap();
    let headers: Vec<usize> = memchr::memmem::find_iter(&bytes, b"`\n").map(|end| end - 58).collect();
    let members = &headers[headers.len() - 3..];
    let path = sandbox.write("without-last.a", &bytes[..members[2]]);
    let message = refused(&sandbox, &path, &[], 3).replace(&members[2].to_string(), "[OFFSET]");
    assert_snapshot!(message, @r"
    error: [DIR]/without-last.a is truncated or damaged
      caused by: its index has `c` at offset [OFFSET], where no member begins
    hint: install it again, or copy it again from where it is whole
    ");
    // Nothing but the index is left.
    let path = sandbox.write("without-all.a", &bytes[..members[0]]);
    assert!(refused(&sandbox, &path, &[], 3).contains("has `a` at offset"));
    // A member is gone from the middle, and what follows is where it was said to be.
    let same_size = [&bytes[..members[0]], &bytes[members[1]..members[2]], &bytes[members[1]..]].concat();
    let path = sandbox.write("another.a", &same_size);
    assert!(refused(&sandbox, &path, &[], 3).contains("which does not define it"));
    // The toolchain's own, at each of a hundred members.
    let libc = fs_err::read(rust_libc(Arch::X86_64)).unwrap();
    let ends: Vec<usize> = memchr::memmem::find_iter(&libc, b"`\n").map(|end| end - 58).collect();
    for cut in ends.iter().skip(2).step_by(ends.len() / 100) {
        let damaged = Archive::parse(Path::new("libc.a"), &libc[..*cut]);
        assert!(matches!(damaged, Err(brawn_libc::Error::Truncated { .. })), "cut at {cut}");
    }
    assert!(Archive::parse(Path::new("libc.a"), &libc).is_ok());
}

#[test]
fn thin() {
    let sandbox = Sandbox::new();
    object(&sandbox, "a", "int a;", &[]);
    archive(&sandbox, "libc.a", "rcT", &["a.o"]);
    assert_snapshot!(refused(&sandbox, &sandbox.path().join("libc.a"), &[], 3), @r"
    error: [DIR]/libc.a is a thin archive: it holds only the paths of its members
    hint: make it self-contained first: `printf 'create full.a\naddlib [DIR]/libc.a\nsave\n' | ar -M`
    ");
}

#[test]
fn glibc() {
    let sandbox = Sandbox::new();
    let path = ok(sandbox.command("cc").arg("-print-file-name=libc.a"));
    let message = refused(&sandbox, Path::new(path.trim()), &[], 3);
    assert_snapshot!(message.replace(path.trim(), "[GLIBC]"), @r"
    error: [GLIBC] is glibc's libc.a, not musl's
    hint: Brawn makes programs static with musl: on Debian `apt-get install musl-dev`, for Rust `rustup target add x86_64-unknown-linux-musl`
    ");
}

#[test]
fn another_library() {
    let sandbox = Sandbox::new();
    object(&sandbox, "a", "int a;", &[]);
    archive(&sandbox, "libz.a", "rc", &["a.o"]);
    assert_snapshot!(refused(&sandbox, &sandbox.path().join("libz.a"), &[], 3), @r"
    error: [DIR]/libz.a is not a C library: no member defines __libc_start_main
    hint: give the path of a musl libc.a, or leave --from away to use the Rust toolchain's
    ");
}

#[test]
fn another_architecture() {
    let sandbox = Sandbox::new();
    let target = ["--target", "x86_64-unknown-linux-musl"];
    assert_snapshot!(refused(&sandbox, &rust_libc(Arch::Aarch64), &target, 3), @r"
    error: [SYSROOT]/lib/rustlib/aarch64-unknown-linux-musl/lib/self-contained/libc.a is for aarch64, but x86_64 was asked for
    hint: give the libc.a of x86_64, for Rust with `rustup target add x86_64-unknown-linux-musl`, or change --target
    ");
}

#[test]
fn a_target_without_a_kit() {
    let sandbox = Sandbox::new();
    let target = ["--target", "riscv64gc-unknown-linux-musl"];
    assert_snapshot!(refused(&sandbox, &rust_libc(Arch::X86_64), &target, 2), @r"
    error: target 'riscv64gc-unknown-linux-musl' is not static musl Linux on a 64-bit architecture that Brawn knows
    hint: there are x86_64-unknown-linux-musl and aarch64-unknown-linux-musl
    ");
}

#[test]
fn too_old() {
    let sandbox = Sandbox::new();
    object(&sandbox, "start", "void __libc_start_main(void) {}", &[]);
    object(&sandbox, "version", "const char __libc_version[] = \"1.1.24\";", &[]);
    archive(&sandbox, "libc.a", "rc", &["start.o", "version.o"]);
    assert_snapshot!(refused(&sandbox, &sandbox.path().join("libc.a"), &[], 3), @r"
    error: [DIR]/libc.a is musl 1.1.24, which is older than 1.2.2
    hint: use musl 1.2.2 or newer: Rust ships 1.2.5 since version 1.93, Debian 12 has 1.2.3
    ");
}

#[test]
fn link_time_optimisation_objects() {
    let sandbox = Sandbox::new();
    sandbox.write("a.o", b"BC\xc0\xde and so on");
    archive(&sandbox, "libc.a", "rc", &["a.o"]);
    assert_snapshot!(refused(&sandbox, &sandbox.path().join("libc.a"), &[], 3), @r"
    error: [DIR]/libc.a: member a.o is LLVM bitcode, not machine code
    hint: Brawn needs plain ELF objects: a libc.a that was built without -flto
    ");
    object(&sandbox, "start", "void __libc_start_main(void) {}", &["-flto", "-fno-fat-lto-objects"]);
    archive(&sandbox, "slim.a", "rc", &["start.o"]);
    assert_snapshot!(refused(&sandbox, &sandbox.path().join("slim.a"), &[], 3), @r"
    error: [DIR]/slim.a: member start.o is GCC's intermediate code, not machine code
    hint: Brawn needs plain ELF objects: a libc.a that was built without -flto
    ");
}

#[test]
fn already_patched() {
    let sandbox = Sandbox::new();
    ok(&mut sandbox.brawn(&["libc", "-o", "first"]));
    assert_snapshot!(refused(&sandbox, &sandbox.path().join("first/libc.a"), &[], 3), @r"
    error: [DIR]/first/libc.a already carries Brawn's kit (malloc brawn)
    hint: no original is kept beside it: start from the libc.a that it was made from, or install that again
    ");
}

#[test]
fn unwritable_output() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    let message = fails(&mut sandbox.brawn(&["libc", "-o", "file/out"]), 5);
    assert_snapshot!(message, @r"
    error: cannot write to file/out
      caused by: failed to create directory `file/out`: Not a directory (os error 20)
    hint: choose another place
    ");
}

#[test]
fn a_libc_that_is_nobodys_overlay_is_not_overwritten() {
    let sandbox = Sandbox::new();
    let theirs = sandbox.write("dir/libc.a", "theirs");
    let message = fails(&mut sandbox.brawn(&["libc", "-o", "dir"]), 5);
    assert_snapshot!(message, @r"
    error: dir/libc.a is a libc.a that is not an overlay
    hint: choose a folder without a libc.a, or one that `brawn libc -o` made
    ");
    assert_eq!(fs_err::read(theirs).unwrap(), b"theirs");
}

#[test]
fn a_missing_file() {
    let sandbox = Sandbox::new();
    assert_snapshot!(refused(&sandbox, Path::new("nowhere/libc.a"), &[], 5), @r"
    error: failed to open file `nowhere/libc.a`: No such file or directory (os error 2)
    ");
}

#[test]
fn unknown_names() {
    let sandbox = Sandbox::new();
    let message = |args: &[&str]| fails(&mut sandbox.brawn(args), 2);
    let names = brawn_libc::Malloc::names().join(", ");
    assert_snapshot!(message(&["libc", "--malloc", "mimaloc"]).replace(&names, "[NAMES]"), @r"
    error: unknown allocator 'mimaloc'
    hint: did you mean 'mimalloc'? There are: [NAMES]
    ");
    assert_snapshot!(message(&["libc", "--preset", "quickest"]), @r"
    error: unknown preset 'quickest'
    hint: there are: balanced, fast, small, hardened, stock
    ");
    assert_snapshot!(message(&["libc", "--preset", "stock", "--malloc", "mimalloc"]), @r"
    error: command line: preset 'stock' is stock, but malloc 'mimalloc' was given as well
    hint: give only one of the two
    ");
    assert_snapshot!(message(&["libc", "--malloc", "mimalloc", "--knob", "purge_delay=1"]), @r"
    error: unknown knob 'purge_delay'
    hint: there are: mimalloc.purge_delay
    ");
}

#[test]
fn a_wrong_key_in_a_file_names_the_nearest() {
    let sandbox = Sandbox::new();
    sandbox.write("config/brawn/config.toml", "preste = \"hardened\"\n");
    let message = fails(&mut sandbox.brawn(&["libc"]), 2);
    assert_snapshot!(redact(&sandbox, &message), @r"
    error: [DIR]/config/brawn/config.toml: unknown key 'preste'
    hint: did you mean 'preset'?
    ");
}

#[test]
fn without_the_rust_target_the_hint_is_the_command() {
    let sandbox = Sandbox::new();
    let fake = sandbox.write("rustc", "#!/bin/sh\necho /opt/rust\necho x86_64-unknown-linux-gnu\n");
    ok(Command::new("chmod").arg("+x").arg(&fake));
    let message = fails(sandbox.brawn(&["libc"]).env("RUSTC", fake), 4);
    assert_snapshot!(message, @r"
    error: the Rust toolchain in /opt/rust has no x86_64-unknown-linux-musl target
    hint: rustup target add x86_64-unknown-linux-musl
    ");
}

/// What a command prints is data: a full disk is an error, and a reader that has seen enough is not.
#[test]
fn standard_output_that_takes_no_more() {
    let sandbox = Sandbox::new();
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = sandbox.brawn(&["completions", "bash"]).stdout(full.into_parts().0).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(
        said.starts_with("error: standard output did not take everything\n  caused by: No space"),
        "{said}"
    );

    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = sandbox.brawn(&["completions", "bash"]).stdout(writer).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
