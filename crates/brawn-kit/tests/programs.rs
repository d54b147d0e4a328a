//! Small C programs on every heap of the kit, each linked against a musl libc.a with the object before it, which
//! is how a linker sees an overlay.

use brawn_elf::Arch;
use brawn_kit::allocators;
use brawn_kit_build::table::Recipe;
use brawn_kit_build::{arches, compiler, table};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

mod common;
#[path = "../../../tests/emulator.rs"]
mod emulator;

/// What no program takes, even under qemu-user on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// Links the program with each heap for this architecture, and runs it. Says what failed.
fn run_with_every_heap(arch: Arch, program: &str, arguments: &[&str]) {
    // zig compiles its musl for each kind, half a minute of a processor; this one the tests of the command need as well. Of
    // -static-pie alone zig takes no notice.
    let kinds: [&[&str]; 2] = [&["-static-pie", "-fPIE"], &["-static"]];
    for kind in if long() { &kinds[..] } else { &kinds[..1] } {
        run_as(kind, arch, program, arguments);
    }
}

/// Whether what takes minutes is asked for: `make test-long`.
fn long() -> bool {
    std::env::var_os("BRAWN_TEST_LONG").is_some_and(|value| value != "0")
}

fn run_as(kind: &[&str], arch: Arch, program: &str, arguments: &[&str]) {
    let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest_dir.ancestors().nth(2).expect("the root of the repository");
    let host_arch = env!("BRAWN_KIT_HOST").split('-').next().expect("an architecture");
    let row = arches::ARCHES.iter().find(|row| row.name == arch.name()).expect("an architecture of the kit");
    let compiler = compiler::find(root, row, host_arch).expect("the compiler that built the kit");
    let qemu = (arch.name() != host_arch).then(|| format!("qemu-{arch}-static"));
    if let Some(qemu) = &qemu
        && Command::new(qemu).arg("--version").output().is_err()
    {
        return common::skip(&format!("{qemu} is not installed"));
    }
    let of_kit =
        |allocator: &'static brawn_kit::Allocator| allocator.object(arch).expect("tests have all of them");
    let folder = tempfile::tempdir().expect("a folder");
    let mut failures = Vec::new();
    // A front needs musl's mallocng behind it, which zig's libc.a does not have; brawn-libc's tests run it.
    let rows = table::read(&manifest_dir.join("libc/malloc")).expect("the table");
    let row =
        |name: &str| -> &Recipe { rows.iter().find(|row| row.name == name).expect("a row for every heap") };
    let test = format!("kit-{}", program.trim_end_matches(".c"));
    let exception = |name: &str| row(name).exception(&test, qemu.is_some());
    let can_run = |allocator: &&'static brawn_kit::Allocator| {
        !allocator.on_mallocng && !exception(allocator.name).is_some_and(|exception| exception.skip)
    };
    for allocator in allocators().iter().filter(can_run) {
        let object = folder.path().join(format!("{}.o", allocator.name));
        let executable = folder.path().join(allocator.name);
        fs_err::write(&object, of_kit(allocator).file.bytes()).expect("the object");
        let source = manifest_dir.join("tests/c").join(program);
        let mut link = Command::new(&compiler.argv[0]);
        link.args(&compiler.argv[1..]).args(kind).args(["-O1", "-g0", "-fno-builtin"]);
        link.arg(source).arg(&object).arg("-o").arg(&executable);
        let output = link.output().expect("the compiler");
        assert!(output.status.success(), "{}: {}", allocator.name, String::from_utf8_lossy(&output.stderr));
        let said = folder.path().join("stderr");
        let command = || {
            let mut command = match &qemu {
                Some(qemu) => {
                    let mut command = Command::new(qemu);
                    command.arg(&executable);
                    command
                }
                None => Command::new(&executable),
            };
            // The environment must not change what the allocator does.
            command
                .env("MIMALLOC_VERBOSE", "1")
                .env("MIMALLOC_SHOW_STATS", "1")
                .env("MALLOC_CONF", "confirm_conf:true");
            command
                .args(arguments)
                .args(exception(allocator.name).iter().flat_map(|exception| &exception.add));
            command.stdout(Stdio::null()).stderr(fs_err::File::create(&said)?.into_file());
            Ok(command)
        };
        let status = emulator::run(command, LIMIT, qemu.is_some()).expect("the program");
        let stderr = fs_err::read_to_string(&said).expect("what it said");
        match status {
            Some(status) if status.success() && stderr.is_empty() => {}
            Some(status) => failures.push(format!("{} on {arch}: {status}: {stderr}", allocator.name)),
            None => failures.push(format!("{} on {arch}: not done in {LIMIT:?}: {stderr}", allocator.name)),
        }
    }
    assert!(failures.is_empty(), "{program}, {kind:?}: {}", failures.join("\n"));
}

#[test]
fn edges() {
    run_with_every_heap(Arch::X86_64, "edges.c", &[]);
}

#[test]
fn edges_on_aarch64() {
    run_with_every_heap(Arch::Aarch64, "edges.c", &["emulated"]);
}

#[test]
fn memory_limit() {
    run_with_every_heap(Arch::X86_64, "limit.c", &[]);
}

#[test]
fn fork_among_busy_threads() {
    run_with_every_heap(Arch::X86_64, "fork.c", &[if long() { "100" } else { "30" }, "4"]);
}

#[test]
fn fork_among_busy_threads_on_aarch64() {
    run_with_every_heap(Arch::Aarch64, "fork.c", &["10", "3"]);
}
