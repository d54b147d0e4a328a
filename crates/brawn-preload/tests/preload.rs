//! Programs of this machine, with each allocator preloaded: a C program that tries everything, on glibc and on musl, and
//! Python, Node and Java.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;
use brawn_libc::Choice;
use brawn_preload::{Libc, Library, Program};
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _};

mod common;
use common::skip;

/// The library with an allocator, written into a folder of its own.
fn library(folder: &Path, name: &str, libc: Libc) -> PathBuf {
    let choice = Choice::malloc(name).expect("an allocator");
    let arch = Arch::host().expect("an architecture of the kit");
    let library = Library::new(&choice, libc, arch).expect("a library");
    library.placed(folder).expect("it is written")
}

fn compiler(libc: Libc) -> Option<&'static str> {
    let name = if libc == Libc::Glibc { "cc" } else { "musl-gcc" };
    Command::new(name).arg("--version").output().ok().filter(|output| output.status.success()).map(|_| name)
}

/// The program and the module, compiled for a libc that is loaded at run time.
fn compiled(folder: &Path, libc: Libc) -> Option<(PathBuf, PathBuf)> {
    linked(folder, libc, &[])
}

/// The same, with more that the program is linked with.
fn linked(folder: &Path, libc: Libc, with: &[String]) -> Option<(PathBuf, PathBuf)> {
    let compiler = compiler(libc)?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let (program, module) = (folder.join("family"), folder.join("module.so"));
    let compile = |args: &[&str], source: &str, output: &Path| {
        let mut command = Command::new(compiler);
        command.args(["-O1", "-g", "-std=gnu11", "-pthread", "-fno-builtin"]).args(args);
        command.arg(sources.join(source)).arg("-o").arg(output);
        if source == "family.c" {
            command.args(with);
        }
        let status = command.arg("-ldl").status();
        assert!(status.expect("the compiler runs").success(), "{source}");
    };
    compile(&["-rdynamic"], "family.c", &program);
    compile(&["-shared", "-fPIC"], "module.c", &module);
    // Without its loader a program cannot be started, however well it was compiled.
    Command::new(&program).output().ok().map(|_| (program, module))
}

fn everything(libc: Libc) {
    let folder = tempfile::tempdir().expect("a folder");
    let Some((program, module)) = compiled(folder.path(), libc) else {
        return skip(&format!("no compiler for {libc}, or no {libc} to load"));
    };
    assert_eq!(Program::look(&program).expect("a program").libc, libc);
    for name in brawn_kit::library_names() {
        let library = library(folder.path(), name, libc);
        let own = format!("libbrawn-{name}.so");
        let mut command = Command::new(&program);
        command.env("LD_PRELOAD", library).arg(&own);
        command.arg(if libc == Libc::Musl { &own } else { "libc.so.6" });
        let output = command.arg(&module).arg("40").output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name} on {libc}: {}: {said}", output.status);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "whole\n", "{name} on {libc}");
        assert!(said.is_empty(), "{name} on {libc}: {said}");
    }
}

#[test]
fn a_c_program_on_glibc_stays_whole() {
    everything(Libc::Glibc);
}

#[test]
fn a_c_program_on_musl_stays_whole() {
    everything(Libc::Musl);
}

/// The parts of `tests/libc/fork_locks.c` that glibc passes with its own heap: stdio in four ways, aio, timers,
/// dlerror and keys (its fork does not know the lock of atexit). fork takes the lock on the list of streams after its handlers, and the library before.
#[test]
fn a_fork_beside_the_locks_of_glibc_does_not_hang() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(compiler) = compiler(Libc::Glibc) else { return skip("no compiler for glibc") };
    let programs =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root").join("tests/libc");
    let program = folder.path().join("fork_locks");
    let mut compile = Command::new(compiler);
    compile.args(["-O1", "-g", "-std=gnu11", "-pthread", "-D_GNU_SOURCE"]).arg("-I").arg(&programs);
    compile.arg(programs.join("fork_locks.c")).arg("-o").arg(&program).args(["-lrt", "-ldl"]);
    assert!(compile.status().expect("the compiler runs").success());
    let scale = if std::env::var_os("BRAWN_TEST_LONG").is_some() { "20" } else { "1" };
    for name in brawn_kit::library_names() {
        let library = library(folder.path(), name, Libc::Glibc);
        for part in [0, 1, 2, 3, 8, 9, 11, 13] {
            let mut command = Command::new(&program);
            command.env("LD_PRELOAD", &library).current_dir(&folder);
            let output = command.args([scale, &format!("part={part}")]).output().expect("it starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}, part {part}: {}: {said}", output.status);
        }
    }
}

/// As `docs/reference/preload.md` has it for one's own programs.
#[test]
fn a_program_that_is_linked_with_a_library_needs_no_preloading() {
    let folder = tempfile::tempdir().expect("a folder");
    for libc in [Libc::Glibc, Libc::Musl] {
        for name in brawn_kit::library_names() {
            let library = library(folder.path(), name, libc);
            let own = library.file_name().expect("a name").to_owned();
            let place = library.parent().expect("a folder").display();
            let with = [format!("-Wl,--no-as-needed,-rpath,{place}"), library.display().to_string()];
            let Some((program, module)) = linked(folder.path(), libc, &with) else {
                skip(&format!("no compiler for {libc}, or no {libc} to load"));
                break;
            };
            let mut command = Command::new(&program);
            command.env_remove("LD_PRELOAD").arg(&own);
            command.arg(if libc == Libc::Musl { own.as_os_str() } else { "libc.so.6".as_ref() });
            let output = command.arg(&module).arg("4").output().expect("it starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name} on {libc}: {}: {said}", output.status);
            assert_eq!(String::from_utf8_lossy(&output.stdout), "whole\n", "{name} on {libc}");
        }
    }
}

/// `cpuid`, and an instruction of the same length that ends the process.
const CPUID: [u8; 2] = [0x0f, 0xa2];
const UNDEFINED: [u8; 2] = [0x0f, 0x0b];

/// A library in which every `cpuid` ends the process, and how many there were.
fn without_cpuid(library: &mut Library) -> usize {
    let file: ElfFile64<'_> = ElfFile64::parse(&*library.bytes).expect("an ELF file");
    let text = file.section_by_name(".text").expect("code");
    let (start, size) = text.file_range().expect("code in the file");
    let code = &mut library.bytes[start as usize..(start + size) as usize];
    let places: Vec<usize> = (0..code.len() - 1).filter(|&at| code[at..at + 2] == CPUID).collect();
    for &at in &places {
        code[at..at + 2].copy_from_slice(&UNDEFINED);
    }
    places.len()
}

/// `cpuid` traps in a virtual machine, and a start has no time for it. glibc has asked the CPU already; musl has not, which
/// shows that this can fail.
#[test]
fn glibc_says_what_the_cpu_is_so_that_it_is_not_asked_again() {
    if Arch::host() != Some(Arch::X86_64) {
        return skip("cpuid is an instruction of x86_64");
    }
    let version = Command::new("getconf").arg("GNU_LIBC_VERSION").output().expect("getconf starts");
    let version = String::from_utf8_lossy(&version.stdout);
    let minor = version.trim().strip_prefix("glibc 2.").and_then(|minor| minor.parse::<u32>().ok());
    if minor.is_none_or(|minor| minor < 33) {
        return skip(&format!("{}: 2.33 is the first that says it", version.trim()));
    }
    let folder = tempfile::tempdir().expect("a folder");
    for libc in [Libc::Glibc, Libc::Musl] {
        let Some((program, module)) = compiled(folder.path(), libc) else {
            skip(&format!("no compiler for {libc}, or no {libc} to load"));
            continue;
        };
        for name in brawn_kit::library_names() {
            let choice = Choice::malloc(name).expect("an allocator");
            let mut library = Library::new(&choice, libc, Arch::X86_64).expect("a library");
            // Two leaves for the level, and one in a loop for the size of the last cache.
            assert_eq!(without_cpuid(&mut library), 3, "{name}: the string functions ask in three places");
            let own = library.file_name.clone();
            let library = library.placed(folder.path()).expect("it is written");
            let mut command = Command::new(&program);
            command.env("LD_PRELOAD", library).arg(&own);
            command.arg(if libc == Libc::Musl { &own } else { "libc.so.6" }).arg(&module).arg("4");
            let output = command.output().expect("it starts");
            let said = String::from_utf8_lossy(&output.stderr);
            match libc {
                Libc::Glibc => assert!(output.status.success(), "{name}: {}: {said}", output.status),
                Libc::Musl => {
                    assert_eq!(output.status.signal(), Some(4), "{name}: {}: {said}", output.status)
                }
            }
        }
    }
}

/// Runs a program of this machine with each allocator. It has to print how many of its mappings are the library's, and then
/// `expected`.
fn each_starts(program: &str, args: &[&str], expected: &str) {
    // A version manager's shim is a script with the same loader.
    let Ok(found) = Command::new(program).arg("--version").output() else {
        return skip(&format!("{program} is not installed"));
    };
    assert!(found.status.success(), "{program} --version");
    let folder = tempfile::tempdir().expect("a folder");
    let libc = brawn_preload::program::libc_of_system().expect("a libc");
    for name in brawn_kit::library_names() {
        let library = library(folder.path(), name, libc);
        let output = Command::new(program).args(args).env("LD_PRELOAD", library).output().expect("it starts");
        let (said, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{program} with {name}: {}: {errors}", output.status);
        let (mapped, answer) = said.trim().split_once(' ').expect("two words");
        assert!(mapped.parse::<u32>().expect("a number") > 0, "{program} with {name}: not loaded");
        assert_eq!(answer, expected, "{program} with {name}");
    }
}

#[test]
fn python_works_with_each() {
    let script = r#"
import concurrent.futures, ctypes, json, multiprocessing, os, subprocess, sys
def work(n):
    return sum(len(json.loads(json.dumps({"k%d" % i: "v" * i for i in range(n)}))) for _ in range(20))
if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        threads = sum(pool.map(work, range(50)))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        processes = sum(pool.map(work, range(50)))
    ctypes.CDLL(None).malloc_trim(0)
    child = subprocess.run([sys.executable, "-c", "print(sum(range(10**5)))"], capture_output=True, text=True)
    maps = sum("libbrawn-" in line for line in open("/proc/self/maps"))
    print(maps, threads, processes, child.stdout.strip())
"#;
    each_starts("python3", &["-c", script], "24500 24500 4999950000");
}

#[test]
fn node_works_with_each() {
    let script = r#"
const { Worker } = require("worker_threads"), fs = require("fs"), zlib = require("zlib");
const code = `const b = []; for (let i = 0; i < 2000; i++) b.push(Buffer.allocUnsafeSlow(i * 16));
    require("worker_threads").parentPort.postMessage(b.length)`;
const all = [1, 2, 3].map(() => new Promise((done, failed) =>
    new Worker(code, { eval: true }).on("message", done).on("error", failed)));
Promise.all(all).then(numbers => {
    const packed = zlib.gunzipSync(zlib.gzipSync("brawn".repeat(10000))).length;
    const maps = fs.readFileSync("/proc/self/maps", "utf8").split("\n").filter(line => line.includes("libbrawn-")).length;
    console.log(maps, numbers.join(" "), packed);
});
"#;
    each_starts("node", &["-e", script], "2000 2000 2000 50000");
}

#[test]
fn java_works_with_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("Probe.java");
    let text = r#"
import java.nio.ByteBuffer; import java.nio.file.*; import java.util.zip.*;
public class Probe {
    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[8];
        long[] sums = new long[threads.length];
        for (int t = 0; t < threads.length; t++) {
            int own = t;
            threads[t] = new Thread(() -> {
                for (int i = 1; i < 300; i++) {
                    ByteBuffer block = ByteBuffer.allocateDirect(i * 64);
                    block.put(i - 1, (byte) 1);
                    CRC32 sum = new CRC32();
                    Deflater deflater = new Deflater();
                    deflater.setInput(new byte[i * 10]);
                    deflater.finish();
                    sums[own] += deflater.deflate(new byte[4000]) > 0 ? 1 : 0;
                    deflater.end();
                }
            });
            threads[t].start();
        }
        long sum = 0;
        for (int t = 0; t < threads.length; t++) { threads[t].join(); sum += sums[t]; }
        long maps = Files.lines(Path.of("/proc/self/maps")).filter(line -> line.contains("libbrawn-")).count();
        System.out.println(maps + " " + sum);
    }
}
"#;
    fs_err::write(&source, text).expect("the source");
    let source = source.to_string_lossy().into_owned();
    each_starts("java", &["-XX:TieredStopAtLevel=1", &source], "2392");
}
