//! The workshop's folder and tools.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use brawn_base::Diagnostic as _;
use brawn_elf::Arch;
use brawn_libc::Cache;
use brawn_link::toolchain::Rust;
use brawn_link::{cc, seam, vars};

use crate::Error;
use crate::flavour::Base;

/// Where programs are built, and with what.
pub struct Workshop {
    root: PathBuf,
    pub(super) brawn: PathBuf,
    arch: Arch,
    cache: Cache,
    rust: OnceLock<Rust>,
    say: Box<dyn Fn(&str) + Send + Sync>,
}

impl Workshop {
    /// A workshop in `root`, which need not exist yet. `brawn` is the executable that stands in the linker's place.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be made; [`Error::Link`] on a machine that Brawn has no kit for.
    pub fn open(root: &Path, brawn: &Path) -> Result<Workshop, Error> {
        fs_err::create_dir_all(root)?;
        let arch = Arch::host().ok_or_else(|| brawn_link::Error::Target {
            triple: format!("{}-linux", std::env::consts::ARCH),
        })?;
        let root = fs_err::canonicalize(root)?;
        Ok(Workshop {
            cache: Cache::open(&root.join("driver")).map_err(brawn_link::Error::from)?,
            root,
            brawn: fs_err::canonicalize(brawn)?,
            arch,
            rust: OnceLock::new(),
            say: Box::new(|_| {}),
        })
    }

    /// The folder that is taken when the user names none: `bench` in Brawn's cache.
    ///
    /// # Errors
    /// [`Error::Link`] when there is no folder for a cache.
    pub fn default_root() -> Result<PathBuf, Error> {
        Ok(seam::cache()?.part(brawn_libc::cache::BENCH))
    }

    /// Calls `say` with a line for each thing that is being built or fetched.
    pub fn on_progress(mut self, say: impl Fn(&str) + Send + Sync + 'static) -> Workshop {
        self.say = Box::new(say);
        self
    }

    /// Tells the user what is being done.
    pub fn say(&self, text: &str) {
        (self.say)(text);
    }

    /// The workshop's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// This machine's architecture, which all programs are for.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// The Rust toolchain.
    ///
    /// # Errors
    /// [`Error::Absent`] when there is none.
    pub fn rust(&self) -> Result<&Rust, Error> {
        if let Some(rust) = self.rust.get() {
            return Ok(rust);
        }
        let rust = Rust::find().map_err(|error| {
            Error::absent(
                format!("no Rust toolchain: {error}"),
                "install Rust with rustup: https://www.rust-lang.org/tools/install",
            )
        })?;
        Ok(self.rust.get_or_init(|| rust))
    }

    /// The triple of the host's glibc, if its Rust toolchain is for glibc.
    ///
    /// # Errors
    /// [`Error::Absent`] on a distribution without glibc, or without Rust.
    pub fn glibc_triple(&self) -> Result<String, Error> {
        let host = &self.rust()?.host;
        if host.ends_with("-linux-gnu") {
            return Ok(host.clone());
        }
        Err(Error::absent(
            format!("no glibc to compare with: this machine's Rust is for {host}"),
            "leave glibc out of --variants, or run on a distribution with glibc",
        ))
    }

    /// The musl target's triple, if the Rust toolchain has that target.
    ///
    /// # Errors
    /// [`Error::Absent`], with the command that adds it.
    pub fn musl_triple(&self) -> Result<&'static str, Error> {
        let rust = self.rust()?;
        rust.self_contained(self.arch).map_err(|error| absent(&error))?;
        Ok(self.arch.musl_triple())
    }

    /// The compiler for programs in this language with this libc: of glibc the host's own. Of musl `brawn cc` or `brawn c++` as
    /// one file name, for `CC=`, which makes static programs whose links are recorded. Run it in an environment that
    /// [`Workshop::prepare`] has prepared.
    ///
    /// # Errors
    /// [`Error::Absent`] when there is none.
    pub fn compiler(&self, base: Base, language: cc::Language) -> Result<PathBuf, Error> {
        if base == Base::Musl {
            cc::Backend::find(self.arch, language).map_err(|error| absent(&error))?;
            return Ok(cc::install(self.cache(), language, self.arch.musl_triple(), &self.brawn)?);
        }
        let (name, words, packages) = match language {
            cc::Language::C => ("cc", "C", "gcc libc6-dev"),
            cc::Language::Cxx => ("c++", "C++", "g++"),
        };
        let reason = || format!("no {words} compiler `{name}`");
        let hint = || format!("install one: on Debian `apt-get install {packages}`");
        brawn_link::toolchain::on_path(name).ok_or_else(|| Error::absent(reason(), hint()))
    }

    /// The linker for static musl programs written in Rust, whose links are recorded, for `-C linker=`.
    ///
    /// # Errors
    /// [`Error::Link`] when there is no linker at all.
    pub fn musl_linker(&self) -> Result<PathBuf, Error> {
        let linker = seam::default_linker(self.rust()?, self.arch)?;
        Ok(seam::install(self.cache(), self.arch.musl_triple(), &linker, &self.brawn)?)
    }

    /// The target of Rust programs with this libc, whose linker is there.
    pub(super) fn triple(&self, base: Base) -> Result<String, Error> {
        if base == Base::Musl {
            return Ok(self.musl_triple()?.to_owned());
        }
        self.compiler(base, cc::Language::C)?;
        self.glibc_triple()
    }

    /// Takes out of a command's environment what would change what it builds, and points Brawn's part of it at the
    /// workshop: links are recorded here, with stock musl, whatever the user's settings say.
    pub fn prepare(&self, command: &mut Command) {
        for (key, _) in std::env::vars_os() {
            let name = key.to_string_lossy();
            let package = ["CARGO_PKG", "CARGO_MANIFEST", "CARGO_PRIMARY", "CARGO_BIN", "CARGO_CRATE"];
            let flags = [
                "RUSTFLAGS",
                "CARGO_ENCODED_RUSTFLAGS",
                "CARGO_BUILD_TARGET",
                "CARGO_TARGET_DIR",
                "MAKEFLAGS",
                "MFLAGS",
                "CFLAGS",
                "CPPFLAGS",
                "LDFLAGS",
                vars::PRESET,
                vars::TARGET,
            ];
            if package.iter().any(|start| name.starts_with(start)) || flags.contains(&&*name) {
                command.env_remove(&key);
            }
        }
        // The toolchain of the folder that the user is in, which is not the folder that things are built in.
        if let Ok(rust) = self.rust()
            && std::env::var_os("RUSTUP_TOOLCHAIN").is_none()
            && rust.sysroot.parent().is_some_and(|folder| folder.ends_with("toolchains"))
        {
            command.env("RUSTUP_TOOLCHAIN", &rust.sysroot);
        }
        command
            .env(vars::CACHE_DIR, self.cache().root())
            .env(vars::MALLOC, "stock")
            // Brawn's own settings of the user, and nothing else that anyone here reads.
            .env("XDG_CONFIG_HOME", self.root.join("no-settings"))
            .env("LC_ALL", "C");
    }

    /// Overlays and recorded links.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Version of every tool that took part, as far as they are here.
    pub fn versions(&self) -> BTreeMap<String, String> {
        let first_line = |program: &str, argument: &str| {
            let output = Command::new(program).arg(argument).env("LC_ALL", "C").output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
            // Most begin with their own name, which stands beside it anyway.
            let text = text.strip_prefix(&format!("{program} ")).unwrap_or(&text);
            (!text.is_empty()).then(|| text.to_owned())
        };
        let mut versions = BTreeMap::new();
        let mut add = |name: &str, version: Option<String>| {
            if let Some(version) = version {
                versions.insert(name.to_owned(), version);
            }
        };
        add("rustc", first_line("rustc", "--version"));
        add("cc", first_line("cc", "--version"));
        add("ld", first_line("ld", "--version"));
        add("glibc", self.glibc_version());
        add("musl", self.musl_version());
        for allocator in brawn_kit::allocators() {
            add(allocator.name, Some(allocator.version.to_owned()));
        }
        versions
    }

    /// The version of the host's glibc: `2.36`.
    pub fn glibc_version(&self) -> Option<String> {
        let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.trim().strip_prefix("glibc ")?.to_owned())
    }

    /// The version of the musl that Rust programs are linked with: `1.2.5`.
    pub fn musl_version(&self) -> Option<String> {
        let libc = self.rust().ok()?.self_contained(self.arch).ok()?.join("libc.a");
        let base = brawn_libc::patch::base_of(&libc).ok()?;
        let bytes = brawn_base::file::archive(&base).ok()?;
        let archive = brawn_libc::archive::Archive::parse(&base, &bytes).ok()?;
        let musl = brawn_libc::musl::Musl::recognise(&base, &archive, None).ok()?;
        Some(musl.title().strip_prefix("musl ")?.to_owned())
    }
}

/// What the driver lacks, as what a suite lacks.
fn absent(error: &brawn_link::Error) -> Error {
    Error::absent(error.to_string(), error.hint().unwrap_or_default())
}
