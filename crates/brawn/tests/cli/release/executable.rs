//! The released executable, where `make brawn` has built it.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;

use super::repository;
use crate::common::{Sandbox, fails, note, ok, rust_libc};

/// Folders of this machine that must not be in it.
fn private() -> Vec<String> {
    let cargo = std::env::var("CARGO_HOME").ok();
    let home = std::env::var("HOME").ok();
    let cargo = cargo.or_else(|| Some(format!("{}/.cargo", home?)));
    let mut folders = vec![repository().display().to_string()];
    folders.extend(cargo);
    folders
}

/// What `make brawn` built. Only where no one has built it may a test do without.
pub fn released(name: &str) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let path = target.join(Arch::host().unwrap().musl_triple()).join("release").join(name);
    if !path.exists() {
        assert!(std::env::var_os("CI").is_none(), "`make brawn` builds {}", path.display());
        eprintln!("left out: there is no {}", path.display());
        return None;
    }
    Some(path)
}

#[test]
fn it_names_no_folder_of_the_machine_that_built_it() {
    for path in ["brawn", "cargo-brawn"].into_iter().filter_map(released) {
        let bytes = fs_err::read(&path).unwrap();
        for private in private() {
            let found = memchr::memmem::find(&bytes, private.as_bytes());
            assert_eq!(found, None, "{} names {private}: `make brawn` builds it without", path.display());
        }
    }
}

#[test]
fn it_is_small() {
    if let Some(path) = released("brawn") {
        let size = path.metadata().unwrap().len();
        // 8 MiB; a quarter of one for mathematics, text, regular expressions and unwinding of both architectures; one for grafting,
        // whose signatures of musl's functions alone may take as much; and three quarters for fleets.
        assert!(size <= 10 << 20, "{} has {size} bytes", path.display());
    }
}

/// It carries the texts by which it knows others, and must not be taken for one of them.
#[test]
fn it_passes_its_own_checks_without_a_warning() {
    for path in ["brawn", "cargo-brawn"].into_iter().filter_map(released) {
        let report = brawn_elf::verify(&fs_err::read(&path).unwrap(), &brawn_elf::Expectation::default());
        assert_eq!((report.findings.len(), report.warnings.len()), (0, 0), "{report:?}");
    }
}

/// Compiled without debug assertions, some crates answer differently from what the other tests run.
#[test]
fn it_builds_programs() {
    let Some(brawn) = released("brawn") else { return };
    let sandbox = Sandbox::new();
    let package = sandbox.package("app");
    let brawn = |args: &[&str]| {
        let mut command = sandbox.command(brawn.to_str().unwrap());
        command.args(args);
        command
    };
    let built = ok(brawn(&["--malloc", "mimalloc", "-q", "build"]).current_dir(&package));
    assert_eq!(note(Path::new(built.trim())).malloc, "mimalloc");
    assert_eq!(ok(brawn(&["cargo", "run", "--quiet"]).current_dir(&package)), "1 2 3\n");
    sandbox.write("main.c", "int main(void) { return 7; }\n");
    ok(&mut brawn(&["--malloc", "stock", "cc", "main.c", "-o", "main"]));
    fails(&mut sandbox.command("./main"), 7);
    assert_eq!(note(&sandbox.path().join("main")).malloc, "stock");
    let refused = fails(&mut brawn(&["doctor", "--preset", "small"]), 2);
    assert!(refused.contains("`brawn doctor` does not use --preset"), "{refused}");
}

/// What `make release` builds for the other architecture, and runs this for.
#[test]
#[ignore = "needs the executable of `make release`"]
fn the_other_architectures_executable_patches_a_libc_under_an_emulator() {
    let other = if Arch::host() == Some(Arch::X86_64) { Arch::Aarch64 } else { Arch::X86_64 };
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let released = target.join(other.musl_triple()).join("release/brawn");
    let emulators = [format!("qemu-{other}-static"), format!("qemu-{other}")];
    let emulator = emulators.iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let emulator =
        emulator.unwrap_or_else(|| panic!("there is no {}: `make setup` installs it", emulators[0]));
    assert!(released.exists(), "there is no {}: `make release` builds it", released.display());
    let sandbox = Sandbox::new();
    let original = fs_err::read(rust_libc(other)).unwrap();
    let libc = sandbox.write("libc.a", &original);
    let brawn = |args: &[&str]| {
        let mut command = sandbox.command(emulator);
        ok(command.arg(&released).args(args).env("BRAWN_CACHE_DIR", sandbox.path().join("cache")))
    };
    assert_eq!(brawn(&["-V"]), ok(&mut sandbox.brawn(&["-V"])));
    assert!(brawn(&["doctor"]).contains("kit 0."), "it says what its kit fits into");
    brawn(&["patch", libc.to_str().unwrap()]);
    let patched = fs_err::read(&libc).unwrap();
    assert!(patched.starts_with(b"!<arch>\n") && patched != original);
    brawn(&["restore", libc.to_str().unwrap()]);
    assert!(fs_err::read(&libc).unwrap() == original);
}

#[test]
fn another_folder_makes_the_same_bytes() {
    let sandbox = Sandbox::new();
    let build = |name: &str| {
        let folder = sandbox.package("app");
        let place = sandbox.path().join(name);
        fs_err::create_dir_all(place.parent().unwrap()).unwrap();
        fs_err::rename(folder, &place).unwrap();
        // As scripts/release has it.
        let flags = format!("--remap-path-prefix={}=app", place.display());
        let mut command = sandbox.brawn(&["-q", "build", "--release"]);
        let built = ok(command.current_dir(&place).env("CARGO_ENCODED_RUSTFLAGS", flags));
        fs_err::read(built.trim()).unwrap()
    };
    let (one, other) = (build("one"), build("at/another/depth"));
    assert!(one == other, "{} and {} bytes, and not the same", one.len(), other.len());
    assert_eq!(memchr::memmem::find(&one, sandbox.path().to_str().unwrap().as_bytes()), None);
}

#[test]
fn it_says_where_it_came_from() {
    let sandbox = Sandbox::new();
    let version = concat!("brawn ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(ok(&mut sandbox.brawn(&["-V"])), version);
    // The one under test was built by cargo, and the other by scripts/release.
    let mut origins = vec![(PathBuf::from(env!("CARGO_BIN_EXE_brawn")), "source", "glibc")];
    origins.extend(released("brawn").map(|path| (path, "release ", "musl")));
    for (path, origin, libc) in origins {
        let said = ok(Command::new(&path).arg("--version"));
        let line = said.strip_prefix(version).unwrap_or_else(|| panic!("{said}"));
        assert!(line.starts_with(origin), "{line}");
        let rest = format!(", {} {libc}, kit for x86_64 and aarch64 by ", std::env::consts::ARCH);
        assert!(line.contains(&rest) && line.lines().count() == 1, "{line}");
    }
}
