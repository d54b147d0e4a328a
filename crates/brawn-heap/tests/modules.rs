//! Two libraries with the heap in one program (tests/c/host.c), on glibc and on musl.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use object::read::elf::{Dyn as _, FileHeader as _};

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn ok(command: &mut Command) -> String {
    let output = run(command);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// The library of `tests/module`, twice, and the program.
struct Loaded {
    /// The program, behind an emulator if it needs one.
    program: Vec<String>,
    modules: [PathBuf; 2],
    _folder: tempfile::TempDir,
}

impl Loaded {
    fn new(module: &Path, compiler: &[&str], emulator: &[&str]) -> Loaded {
        let folder = tempfile::tempdir().unwrap();
        let modules = ["a.so", "b.so"].map(|name| folder.path().join(name));
        for copy in &modules {
            fs_err::copy(module, copy).unwrap();
        }
        let program = folder.path().join("host");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/host.c");
        let flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-fno-builtin"];
        let mut compile = Command::new(compiler[0]);
        ok(compile.args(&compiler[1..]).args(flags).arg(source).args(["-ldl", "-o"]).arg(&program));
        let program = emulator.iter().copied().chain(program.to_str()).map(str::to_owned).collect();
        Loaded { program, modules, _folder: folder }
    }

    fn command(&self, mode: &str) -> Command {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]).arg(mode);
        command
    }

    fn everything(&self) {
        let [first, second] = &self.modules;
        looks_right(first);
        let rounds = if std::env::var_os("BRAWN_TEST_LONG").is_some() { "1000" } else { "30" };
        assert_eq!(ok(self.command("work").args([first, second]).arg(rounds)), "ok\n");
        assert_eq!(ok(self.command("close").arg(first)), "ok\n");
        let foreign = run(self.command("foreign").arg(first));
        // By one of the heap's checks, or by the processor's.
        assert!(foreign.status.signal().is_some() && foreign.stdout.is_empty(), "{foreign:?}");
        // An emulator keeps memory of its own for each thread.
        if self.program.len() == 1 {
            let growth = ok(self.command("memory").arg(first).arg("20"));
            // One thread's lists alone are 200 KiB, and 160 threads have ended.
            assert!(growth.trim().parse::<i64>().unwrap() < 8 << 10, "{growth} KiB");
        }
    }
}

/// The library can be opened at any time, and shows nothing of the heap.
fn looks_right(module: &Path) {
    let bytes = fs_err::read(module).unwrap();
    let header = object::elf::FileHeader64::<object::Endianness>::parse(&*bytes).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, &*bytes).unwrap();
    let (entries, _) = sections.dynamic(endian, &*bytes).unwrap().expect("a shared library");
    let flags = entries.iter().filter(|entry| entry.d_tag(endian) == object::elf::DT_FLAGS);
    assert!(flags.into_iter().all(|entry| { entry.d_val(endian) & object::elf::DF_STATIC_TLS.0 == 0 }));
    let file = object::File::parse(&*bytes).unwrap();
    let symbols = object::Object::dynamic_symbols(&file);
    let names: Vec<_> = symbols.map(|symbol| object::ObjectSymbol::name(&symbol).unwrap()).collect();
    assert!(names.contains(&"module_work"), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("brawn")), "{names:?}");
}

/// The folder `target`, and that of its builds with the profile of this one.
fn target() -> (PathBuf, PathBuf) {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.ancestors().nth(2).unwrap();
    (profile.parent().unwrap().to_owned(), profile.to_owned())
}

/// Builds the library for a musl that is loaded at run time, with no other linker than Rust's own. `loader` is musl's, which is
/// its libc as well; the unwinder comes from the toolchain and is linked in.
fn built_for_musl(arch: &str, loader: &Path, folder: &Path) -> PathBuf {
    let target_name = format!("{arch}-unknown-linux-musl");
    let (target, _) = target();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.args(["build", "--locked", "--offline", "--quiet", "--lib", "--target", &target_name]);
    cargo.arg("--target-dir").arg(&target);
    if arch != std::env::consts::ARCH || !found("musl-gcc") {
        // zig has names of its own for targets.
        let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
        let compiler = folder.join("cc");
        let script = format!(
            "#!/bin/bash\nexec {} cc -target {arch}-linux-musl \"${{@/#--target=*/-DZIG}}\"\n",
            zig.display()
        );
        fs_err::write(&compiler, script).unwrap();
        fs_err::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
        cargo.env(format!("CC_{}", target_name.replace('-', "_")), compiler);
    }
    ok(&mut cargo);

    let sysroot = ok(Command::new("rustc").args(["--print", "sysroot"]));
    let own = Path::new(sysroot.trim()).join("lib/rustlib").join(&target_name).join("lib/self-contained");
    fs_err::copy(loader, folder.join("libc.so")).unwrap();
    let unwinder = format!("INPUT({})", own.join("libunwind.a").display());
    fs_err::write(folder.join("libgcc_s.so"), unwinder).unwrap();
    let module = folder.join("module.so");
    let built = target.join(&target_name).join("debug");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--target", &target_name]);
    rustc.args(["-C", "target-feature=-crt-static", "-C", "linker=rust-lld", "-C", "opt-level=1", "-L"]);
    rustc.arg(format!("native={}", folder.display())).arg("-L").arg(built.join("deps"));
    rustc.arg("--extern").arg(format!("brawn_heap={}", built.join("libbrawn_heap.rlib").display()));
    ok(rustc.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/module/lib.rs")).arg("-o").arg(&module));
    module
}

fn found(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Where cargo has put the example for this build's target.
fn built_for_host() -> PathBuf {
    target().1.join("examples/libbrawn_heap_module.so")
}

#[test]
fn two_libraries_in_a_program_of_glibc() {
    if cfg!(target_env = "gnu") {
        Loaded::new(&built_for_host(), &["cc"], &[]).everything();
    }
}

#[test]
fn two_libraries_in_a_program_of_musl() {
    let arch = std::env::consts::ARCH;
    let loader = PathBuf::from(format!("/lib/ld-musl-{arch}.so.1"));
    if !loader.exists() || !found("musl-gcc") {
        assert!(std::env::var_os("CI").is_none(), "no musl-gcc; `make setup` installs it");
        eprintln!("skipped: there is no musl that programs load; `make setup` installs it");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    Loaded::new(&built_for_musl(arch, &loader, folder.path()), &["musl-gcc"], &[]).everything();
}

/// Debian's musl for aarch64, under qemu-user. The package is fetched, so this is for `make test-long`.
#[test]
fn two_libraries_in_a_program_of_musl_on_aarch64() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let zig = root.join(".tools/zig/ziglang/zig");
    if std::env::var_os("BRAWN_TEST_LONG").is_none() || cfg!(target_arch = "aarch64") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = "musl_1.2.3-1_arm64.deb";
    let sha256 = "6ccf2bf0f479b00411cb8e1eeb048e648718170db5d63bbb4bf4a89350b81468";
    ok(Command::new(root.join("crates/brawn-bench/debian-source"))
        .args(["musl", file, sha256])
        .arg(folder.path()));
    let musl = folder.path().join("root");
    ok(Command::new("dpkg-deb").arg("--extract").arg(folder.path().join(file)).arg(&musl));
    let loader = musl.join("lib/ld-musl-aarch64.so.1");
    let loader = if loader.exists() { loader } else { musl.join("usr/lib/aarch64-linux-musl/libc.so") };
    let module = built_for_musl("aarch64", &loader, folder.path());
    let compiler = [zig.to_str().unwrap(), "cc", "-target", "aarch64-linux-musl", "-dynamic"];
    Loaded::new(&module, &compiler, &["qemu-aarch64-static", "-L", musl.to_str().unwrap()]).everything();
}
