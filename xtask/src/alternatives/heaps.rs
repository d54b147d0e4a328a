//! The heaps that others put into their programs: archives for C, and `libc.a` with one of them in the place of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::workshop::{Workshop, step};

/// A crate with a heap, as a `#[global_allocator]`.
pub struct Attribute {
    /// The crate and its version.
    pub crate_name: &'static str,
    pub version: &'static str,
    /// The type of the allocator, which is its own value.
    pub name: &'static str,
}

/// As most who write the attribute have it.
pub const MIMALLOC: Attribute = Attribute { crate_name: "mimalloc", version: "=0.1.52", name: "MiMalloc" };
pub const JEMALLOC: Attribute =
    Attribute { crate_name: "tikv-jemallocator", version: "=0.7.0", name: "Jemalloc" };

/// The same two, built for musl as libraries that take `malloc` over.
const MANIFEST: &str = "[package]\nname = \"heaps\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
    libmimalloc-sys = { version = \"=0.1.49\", features = [\"override\"] }\n\
    tikv-jemalloc-sys = { version = \"=0.7.1\", features = [\"unprefixed_malloc_on_supported_platforms\"] }\n";

/// The members of musl's `libc.a` that are its heap, without their endings, and those that mimalloc defines as well: with these,
/// a program that calls `strdup` does not link.
const MEMBERS: &[&str] = &[
    "strdup",
    "strndup",
    "aligned_alloc",
    "calloc",
    "donate",
    "free",
    "libc_calloc",
    "lite_malloc",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "valloc",
];

pub struct Heaps {
    /// mimalloc's archive, with `malloc` and its family.
    pub mimalloc: PathBuf,
    /// jemalloc's.
    pub jemalloc: PathBuf,
    /// The folder of the Rust toolchain's `libc.a` with mimalloc inside.
    pub patched_rust: PathBuf,
    /// The folder of the distribution's.
    pub patched_c: PathBuf,
}

impl Heaps {
    pub fn make(workshop: &Workshop) -> Result<Self> {
        let package = workshop.folder.join("heaps");
        fs_err::create_dir_all(package.join("src"))?;
        fs_err::write(package.join("Cargo.toml"), MANIFEST)?;
        fs_err::write(package.join("src/lib.rs"), "")?;
        let mut command = workshop.cargo();
        command.args(["build", "--release", "--quiet", "--message-format=json", "--target", &workshop.musl]);
        command.env("CARGO_TARGET_DIR", workshop.folder.join("targets/heaps")).current_dir(&package);
        let output = command.output().context("cannot run cargo")?;
        ensure!(
            output.status.success(),
            "the heaps do not build: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout)?;
        let folder = |name: &str| -> Result<PathBuf> {
            let mut messages =
                text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            let found = messages.find(|message| {
                message["reason"] == "build-script-executed"
                    && message["package_id"].as_str().is_some_and(|id| id.contains(name))
            });
            let found = found.with_context(|| format!("cargo does not say where it built {name}"))?;
            Ok(found["out_dir"].as_str().context("a build without a folder")?.into())
        };
        let mimalloc = folder("libmimalloc-sys")?.join("libmimalloc.a");
        let jemalloc = folder("tikv-jemalloc-sys")?.join("lib/libjemalloc.a");
        ensure!(
            jemalloc.is_file() && mimalloc.is_file(),
            "{} or {} was not built",
            mimalloc.display(),
            jemalloc.display()
        );
        let sysroot =
            Command::new("rustc").args(["--print", "sysroot"]).output().context("cannot run rustc")?;
        let sysroot = String::from_utf8(sysroot.stdout)?;
        let of_rust = Path::new(sysroot.trim())
            .join(format!("lib/rustlib/{}/lib/self-contained/libc.a", workshop.musl));
        let of_c = PathBuf::from(format!("/usr/lib/{}-linux-musl/libc.a", std::env::consts::ARCH));
        let [patched_rust, patched_c] = ["rust", "c"].map(|name| workshop.folder.join("patched").join(name));
        patch(&of_rust, &patched_rust, &mimalloc)?;
        patch(&of_c, &patched_c, &mimalloc)?;
        Ok(Self { mimalloc, jemalloc, patched_rust, patched_c })
    }
}

/// Writes `libc.a` into `folder`: `base` without its heap, with the members of `heap`.
fn patch(base: &Path, folder: &Path, heap: &Path) -> Result<()> {
    if folder.exists() {
        fs_err::remove_dir_all(folder)?;
    }
    let objects = folder.join("objects");
    fs_err::create_dir_all(&objects)?;
    let libc = folder.join("libc.a");
    fs_err::copy(base, &libc)?;
    let listed = Command::new("ar").arg("t").arg(&libc).output().context("cannot run ar")?;
    let listed = String::from_utf8(listed.stdout)?;
    let is_heap = |member: &&str| MEMBERS.contains(&member.split('.').next().unwrap_or(member));
    // A name may stand there twice; each call takes the first that it finds.
    for member in listed.lines().filter(is_heap) {
        step(&format!("ar d {member}"), Command::new("ar").arg("d").arg(&libc).arg(member))?;
    }
    step("ar x", Command::new("ar").arg("x").arg(heap).current_dir(&objects))?;
    let mut add = Command::new("ar");
    add.arg("rs").arg(&libc);
    for object in fs_err::read_dir(&objects)? {
        add.arg(object?.path());
    }
    step("ar rs", &mut add)
}
