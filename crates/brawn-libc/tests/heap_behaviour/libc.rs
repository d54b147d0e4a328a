//! The musl libraries at hand, and how to link a program with one of them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use brawn_elf::{Arch, Expectation, verify};
use brawn_libc::archive::Archive;
use brawn_libc::{Cache, Choice, Overlay};
use tempfile::TempPath;

use crate::once::OnceMap;
use crate::run;

/// One musl for one architecture.
pub struct Libc {
    /// The first part of the tests' names.
    pub name: String,
    pub arch: Arch,
    /// The command that runs its executables, where this machine cannot or shall not.
    pub emulator: Option<Vec<String>>,
    base: PathBuf,
    linker: Linker,
    cache: Cache,
    scratch: PathBuf,
    overlays: OnceMap<&'static str, Overlay>,
}

/// A musl that is not there.
pub struct Absent {
    pub name: String,
    /// How to get it.
    pub hint: String,
    /// Whether `make setup` may leave it out.
    pub optional: bool,
}

enum Linker {
    /// The toolchain's own linker and start files: a static-pie, as rustc links by default.
    RustLld { lld: PathBuf, start_files: PathBuf, builtins: PathBuf },
    /// The distribution's driver: a static executable at a fixed address.
    MuslGcc,
}

/// Every musl that these tests know, present or not.
pub fn all(scratch: &Path) -> Vec<Result<Libc, Absent>> {
    let mut all: Vec<_> = Arch::ALL.into_iter().map(|arch| of_rustup(arch, scratch)).collect();
    all.push(of_distribution(scratch));
    all
}

fn new(name: String, arch: Arch, base: PathBuf, linker: Linker, scratch: &Path) -> Result<Libc, Absent> {
    let emulator = if Arch::host() == Some(arch) { run::under() } else { run::emulator(arch) };
    if Arch::host() != Some(arch) && emulator.is_none() {
        let hint = format!("no qemu-{arch} runs its executables; `make setup` installs it");
        return Err(Absent { name, hint, optional: false });
    }
    let cache = Cache::open(&scratch.join("cache")).unwrap();
    let scratch = scratch.to_owned();
    Ok(Libc { name, arch, emulator, base, linker, cache, scratch, overlays: OnceMap::default() })
}

fn of_rustup(arch: Arch, scratch: &Path) -> Result<Libc, Absent> {
    let name = format!("rustup-{arch}");
    let target = arch.musl_triple();
    let absent = |what: &str| Absent {
        name: name.clone(),
        hint: format!("{what}; `rustup target add {target}` installs it"),
        optional: false,
    };
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = output.map_err(|error| absent(&format!("rustc: {error}")))?.stdout;
    let rustlib = Path::new(String::from_utf8_lossy(&sysroot).trim()).join("lib/rustlib");
    let start_files = rustlib.join(target).join("lib/self-contained");
    let base = start_files.join("libc.a");
    if !base.exists() {
        return Err(absent(&format!("no {}", base.display())));
    }
    // What the C code needs of the compiler's runtime, such as arithmetic on `long double`.
    let builtins = fs_err::read_dir(rustlib.join(target).join("lib"))
        .ok()
        .and_then(|entries| {
            let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
            paths.find(|path| {
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                file.starts_with("libcompiler_builtins-") && file.ends_with(".rlib")
            })
        })
        .ok_or_else(|| absent("no compiler_builtins beside it"))?;
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let musl_host = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let lld = [host, musl_host]
        .iter()
        .map(|host| rustlib.join(host).join("bin/rust-lld"))
        .find(|path| path.exists())
        .ok_or_else(|| absent("the toolchain has no rust-lld"))?;
    new(name.clone(), arch, base, Linker::RustLld { lld, start_files, builtins }, scratch)
}

fn of_distribution(scratch: &Path) -> Result<Libc, Absent> {
    let arch = Arch::host();
    let name = format!("distribution-{}", arch.map_or("unknown", Arch::name));
    let absent = || Absent {
        name: name.clone(),
        hint: "musl-gcc is not installed; on Debian it is in musl-tools".to_owned(),
        optional: true,
    };
    // Asked for the file by name, the driver answers with glibc's: only a link line has its own folders.
    let asked = Command::new("musl-gcc").args(["-###", "-static", "x.o"]).stdin(Stdio::null()).output();
    let line = asked.map_err(|_| absent())?.stderr;
    let base = String::from_utf8_lossy(&line)
        .split_whitespace()
        .map(|word| word.trim_matches('"'))
        .filter(|word| word.ends_with("crt1.o"))
        .map(|start_file| Path::new(start_file).with_file_name("libc.a"))
        .find(|base| base.is_file())
        .ok_or_else(absent)?;
    new(name.clone(), arch.ok_or_else(absent)?, base, Linker::MuslGcc, scratch)
}

impl Libc {
    /// Whether its executables run under qemu-user here, or under a tool, which is as slow.
    pub fn emulated(&self) -> bool {
        self.emulator.is_some()
    }

    /// Whether they are for another processor, and so run under an emulator.
    pub fn is_foreign(&self) -> bool {
        Arch::host() != Some(self.arch)
    }

    fn overlay(&self, malloc: &'static str) -> Result<Overlay, String> {
        self.overlays.get(malloc, || {
            let choice = Choice::malloc(malloc).map_err(|error| error.to_string())?;
            self.cache.overlay(&self.base, Some(self.arch), &choice).map_err(|error| error.to_string())
        })
    }

    /// The version of musl.
    pub fn version(&self) -> Result<String, String> {
        let title = self.overlay("stock")?.manifest.libc;
        Ok(title.strip_prefix("musl ").unwrap_or_default().to_owned())
    }

    /// Whether in an overlay with the hardened Brawn heap mallocng's calls for pages and for its lock go to its front, and no one
    /// else's do, and `fork` calls the front's handler in place of mallocng's.
    pub fn mallocng_asks_the_front(&self) -> Result<(), String> {
        let path = self.overlay("brawn-hardened")?.dir.join("libc.a");
        let bytes = fs_err::read(&path).map_err(|error| error.to_string())?;
        let archive = Archive::parse(&path, &bytes).map_err(|error| error.to_string())?;
        let ours = |name: &&str| {
            let pages = ["__brawn_map_pages", "__brawn_remap_pages", "__brawn_unmap_pages"];
            pages.contains(name) || ["__brawn_lock", "__brawn_unlock"].contains(name)
        };
        let theirs = |name: &&str| {
            let pages = ["mmap", "__mmap", "mremap", "__mremap", "munmap", "__munmap"];
            pages.contains(name) || ["__lock", "__unlock"].contains(name)
        };
        for (symbol, calls) in [("__libc_malloc_impl", 4), ("__libc_free", 3), ("__libc_realloc", 1)] {
            let needed = &archive.owner(symbol).ok_or(format!("no one defines {symbol}"))?.needed;
            if needed.iter().filter(|name| ours(name)).count() != calls || needed.iter().any(theirs) {
                return Err(format!("the member with {symbol} needs {needed:?}"));
            }
        }
        let fork = archive.owner("fork").ok_or("no one defines fork")?;
        let has_stand_in =
            |name| fork.defined.iter().any(|definition| definition.weak && definition.name == name);
        if has_stand_in("__malloc_atfork") || !has_stand_in("__brawn_atfork") {
            return Err("fork has a stand-in for mallocng's handler, and none for the front's".to_owned());
        }
        let callers = archive.members.iter().filter(|member| member.needed.iter().any(ours)).count();
        if callers == 3 {
            Ok(())
        } else {
            Err(format!("{callers} members ask the front for pages or the lock"))
        }
    }

    /// Whether it came with the Rust toolchain.
    pub fn is_of_rustup(&self) -> bool {
        matches!(self.linker, Linker::RustLld { .. })
    }

    /// Links objects with the overlay of an allocator and holds the result to `verify`; or, without an allocator,
    /// with this libc as it is.
    pub fn link(
        &self,
        malloc: Option<&'static str>,
        objects: &[&Path],
        further: &[String],
    ) -> Result<TempPath, String> {
        let overlay = malloc.map(|malloc| self.overlay(malloc)).transpose()?;
        // Closed at once: a file that is open for writing cannot be executed.
        let executable = tempfile::Builder::new()
            .prefix("executable-")
            .tempfile_in(&self.scratch)
            .map_err(|error| error.to_string())?
            .into_temp_path();
        // The overlay comes first, and so wins over the linker's own folders.
        let overlay_first = overlay.iter().flat_map(|overlay| [OsStr::new("-L"), overlay.dir.as_os_str()]);
        let mut command = match &self.linker {
            Linker::RustLld { lld, start_files, builtins } => {
                let mut command = Command::new(lld);
                command.args(["-flavor", "gnu", "-static", "-pie", "--no-dynamic-linker", "-z", "text"]);
                // The precompiled builtins name Rust's unwinder, which a C program does not have.
                command.args(["--eh-frame-hdr", "--gc-sections", "--defsym=rust_eh_personality=0"]);
                command.args(further).args(overlay_first).arg("-L").arg(start_files);
                command.arg(start_files.join("rcrt1.o")).arg(start_files.join("crti.o")).args(objects);
                command.args(["--start-group", "-lc"]).arg(builtins).arg("--end-group");
                command.arg(start_files.join("crtn.o"));
                command
            }
            Linker::MuslGcc => {
                let mut command = Command::new("musl-gcc");
                command.args(["-static", "-no-pie"]).args(overlay_first);
                command.args(further.iter().flat_map(|argument| ["-Xlinker", argument])).args(objects);
                command
            }
        };
        let output = command.arg("-o").arg(&executable).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("the linker cannot be started: {error}"))?;
        if !output.status.success() {
            return Err(format!("linking failed:\n{}", String::from_utf8_lossy(&output.stderr)));
        }
        let Some(overlay) = overlay else { return Ok(executable) };
        let bytes = fs_err::read(&executable).map_err(|error| error.to_string())?;
        let expectation = Expectation {
            arch: Some(self.arch),
            malloc: malloc.map(str::to_owned),
            overlay: Some(overlay.manifest.id),
            ..Expectation::default()
        };
        match verify(&bytes, &expectation).findings.first() {
            Some(problem) => Err(format!("the executable does not pass verify: {}", problem.message)),
            None => Ok(executable),
        }
    }
}
