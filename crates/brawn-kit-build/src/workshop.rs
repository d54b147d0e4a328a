//! What the kit is built with.

use crate::arches::Arch;
use crate::compile::{self, Folders, Form};
use crate::compiler::{self, Compiler};
use crate::seal::{self, Contract, Sealed};
use crate::sources::{self, Source};
use crate::table::Recipe;
use anyhow::{Context as _, Result, anyhow};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Compilers, sources and folders: what rows are built with.
pub struct Workshop {
    pub(crate) arches: Vec<&'static Arch>,
    compilers: BTreeMap<&'static str, Compiler>,
    sources: BTreeMap<String, Source>,
    /// Where it works.
    pub folders: Folders,
    pub(crate) root: PathBuf,
    own_version: String,
}

impl Workshop {
    /// Finds a compiler for each architecture. `crate_folder` is that of `brawn-kit`; `host` is this machine's triple.
    pub fn new(crate_folder: &Path, out: &Path, host: &str, arches: Vec<&'static Arch>) -> Result<Workshop> {
        // In the repository its tools are at hand; in a package the crate stands alone.
        let repository =
            crate_folder.ancestors().nth(2).filter(|folder| folder.join("scripts/setup").is_file());
        let root = repository.unwrap_or(crate_folder).to_owned();
        let host_arch = host.split('-').next().unwrap_or_default();
        let mut compilers = BTreeMap::new();
        for &arch in &arches {
            compilers.insert(arch.name, compiler::find(&root, arch, host_arch)?);
        }
        let folders = Folders::new(&root, brawn_kit_sources::FOLDER.into(), out);
        let own_version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Workshop { arches, compilers, sources: BTreeMap::new(), folders, root, own_version })
    }

    /// Finds the sources of these crates, each of which may be named more than once.
    pub fn find_sources(
        &mut self,
        crate_folder: &Path,
        cargo: &OsStr,
        host: &str,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<()> {
        let names: Vec<_> = names.into_iter().collect();
        let mut names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        names.sort_unstable();
        names.dedup();
        self.sources = sources::find(crate_folder, cargo, host, &names)?;
        Ok(())
    }

    /// Compiles for an architecture by this command, and not by what was found.
    pub fn compile_by(&mut self, command: &str, arch: &'static Arch) -> Result<()> {
        let compiler = compiler::named(command, arch).map_err(|reason| anyhow!("`{command}`: {reason}"))?;
        self.compilers.insert(arch.name, compiler);
        Ok(())
    }

    /// The compiler for an architecture.
    pub fn compiler(&self, arch: &Arch) -> &Compiler {
        &self.compilers[arch.name]
    }

    /// Where the sources of a row lie.
    pub fn source(&self, recipe: &Recipe) -> Source {
        let own = || Source {
            folder: recipe.folder.parent().unwrap_or(&recipe.folder).to_owned(),
            version: self.own_version.clone(),
        };
        recipe.from_crate.as_ref().and_then(|name| self.sources.get(name).cloned()).unwrap_or_else(own)
    }

    /// Where the sources of a crate of others lie.
    pub(crate) fn source_of(&self, name: &str) -> Option<&Source> {
        self.sources.get(name)
    }

    /// The object of a row, fit for a libc.a.
    pub fn object(&self, recipe: &Recipe, arch: &Arch) -> Result<Sealed> {
        let source = self.source(recipe);
        let made = || -> Result<Sealed> {
            let compiler = self.compiler(arch);
            let object = compile::compile(recipe, arch, compiler, &source, Form::Member, &self.folders)?;
            let symbols = recipe.family.symbols();
            let contract = Contract::new(arch.machine, &symbols.exports, &symbols.imports);
            self.seal(&object, Contract { weak: &symbols.weak, ..contract }, Some(&source))
        };
        made().with_context(|| format!("{} for {}", recipe.name, arch.name))
    }

    /// Seals an object, which may hold no path of this machine: not that of its sources either.
    pub(crate) fn seal(
        &self,
        object: &[u8],
        contract: Contract<'_>,
        source: Option<&Source>,
    ) -> Result<Sealed> {
        let folders = [&self.root, &self.folders.out].into_iter().chain(source.map(|source| &source.folder));
        let folders: Vec<_> = folders.map(|folder| folder.to_string_lossy()).collect();
        let forbidden: Vec<&str> = folders.iter().map(AsRef::as_ref).collect();
        seal::seal(object, &Contract { forbidden: &forbidden, ..contract })
    }
}
