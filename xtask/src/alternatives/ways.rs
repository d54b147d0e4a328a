//! The ways in which people make programs that run elsewhere, and with which tools.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::heaps::Heaps;
use crate::workshop::{Workshop, root};

/// What is done instead of Brawn, and Brawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// For the glibc of this machine, dynamic: what `cargo build` and `cc` do.
    Glibc,
    /// For an old glibc, dynamic: cargo-zigbuild, and zig for C.
    OldGlibc,
    /// For musl as it is.
    Stock,
    /// The same with mimalloc as the `#[global_allocator]`; for C, mimalloc's archive on the link line.
    Mimalloc,
    /// The same with jemalloc.
    Jemalloc,
    /// For a musl whose `libc.a` has mimalloc in the place of its heap.
    Patched,
    /// By Brawn, with its default preset.
    Brawn,
}

/// The glibc that executables of [`Way::OldGlibc`] need: that of CentOS 7.
pub const OLD: &str = "2.17";

impl Way {
    /// All of them, the baseline first.
    pub const ALL: [Way; 7] =
        [Way::Glibc, Way::OldGlibc, Way::Stock, Way::Mimalloc, Way::Jemalloc, Way::Patched, Way::Brawn];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Way::Glibc => "glibc",
            Way::OldGlibc => "glibc 2.17",
            Way::Stock => "musl",
            Way::Mimalloc => "musl, mimalloc in the program",
            Way::Jemalloc => "musl, jemalloc in the program",
            Way::Patched => "musl, mimalloc in libc.a",
            Way::Brawn => "Brawn",
        }
    }

    /// Its name in those of files.
    pub fn slug(self) -> &'static str {
        match self {
            Way::Glibc => "glibc",
            Way::OldGlibc => "old-glibc",
            Way::Stock => "musl",
            Way::Mimalloc => "mimalloc",
            Way::Jemalloc => "jemalloc",
            Way::Patched => "patched",
            Way::Brawn => "brawn",
        }
    }
}

/// What all ways build with.
pub struct Tools<'a> {
    /// Where it happens.
    pub workshop: &'a Workshop,
    /// The heaps that others put into their programs.
    pub heaps: Heaps,
    /// zig, which cargo-zigbuild links with.
    pub zig: PathBuf,
    /// cargo-zigbuild.
    pub zigbuild: PathBuf,
}

impl<'a> Tools<'a> {
    /// Finds the tools, and makes the heaps and the patched archives.
    pub fn find(workshop: &'a Workshop) -> Result<Self> {
        let tools = root().join(".tools");
        let (zig, zigbuild) = (tools.join("zig/ziglang/zig"), tools.join("bin/cargo-zigbuild"));
        for tool in [&zig, &zigbuild] {
            ensure!(tool.exists(), "{} is not there; run `make setup`", tool.display());
        }
        let [zig, zigbuild] = [zig, zigbuild].map(fs_err::canonicalize);
        Ok(Self { workshop, heaps: Heaps::make(workshop)?, zig: zig?, zigbuild: zigbuild? })
    }

    /// A compiler of C for a way, as one gives it to make in `CC`, and what goes to the end of a link besides.
    pub fn cc(&self, way: Way) -> (String, String) {
        let musl = || "musl-gcc -static".to_owned();
        let archive = |path: &PathBuf| path.display().to_string();
        match way {
            Way::Glibc => ("cc".to_owned(), String::new()),
            Way::OldGlibc => {
                let arch = std::env::consts::ARCH;
                (format!("{} cc -target {arch}-linux-gnu.{OLD}", self.zig.display()), String::new())
            }
            Way::Stock => (musl(), String::new()),
            Way::Mimalloc => (musl(), archive(&self.heaps.mimalloc)),
            Way::Jemalloc => (musl(), archive(&self.heaps.jemalloc)),
            Way::Patched => (format!("{} -L{}", musl(), self.heaps.patched_c.display()), String::new()),
            Way::Brawn => (format!("{} cc", self.workshop.brawn.display()), String::new()),
        }
    }
}
