//! The build of the kit: compiles every allocator of a table for every architecture, seals the objects, and writes the
//! table that `brawn-kit` carries. Its build script calls [`main`]; tests build single rows.

#![allow(missing_docs, reason = "for the build script and the tests of one crate")]

pub mod arches;
pub mod compile;
pub mod compiler;
mod emit;
mod error;
pub mod family;
pub mod knobs;
mod names;
mod pack;
mod parallel;
mod preload;
pub mod seal;
pub mod sources;
mod strings;
pub mod table;
mod unwind;

use arches::{ARCHES, Arch};
use compile::{Folders, Form};
use compiler::Compiler;
use error::Context as _;
use pack::{Base, Packed};
use parallel::in_parallel;
use seal::{Contract, Sealed};
use sources::Source;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use table::Recipe;

pub use error::{Error, Result};

/// What the build script of `brawn-kit` does.
pub fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            eprintln!("caused by: {error}");
            cause = error.source();
        }
        std::process::exit(1);
    }
}

fn variable(name: &str) -> Result<std::ffi::OsString> {
    let missing = || Error::new(format!("{name} is not set; is this a build script of Cargo?"));
    env::var_os(name).ok_or_else(missing)
}

/// The architectures to build for: the crate's own, and those that its features add.
fn wanted() -> Result<Vec<&'static Arch>> {
    let own = variable("CARGO_CFG_TARGET_ARCH")?.to_string_lossy().into_owned();
    let feature = |arch: &Arch| env::var_os(format!("CARGO_FEATURE_{}", arch.name.to_uppercase())).is_some();
    let arches: Vec<_> = ARCHES.iter().filter(|arch| arch.name == own || feature(arch)).collect();
    if !arches.is_empty() {
        return Ok(arches);
    }
    Err(Error::new(format!(
        "there is no kit for {own}\n\
         hint: the features x86_64 and aarch64 choose the architectures of programs that are linked with it"
    )))
}

/// Compilers, sources and folders: what rows are built with.
pub struct Workshop {
    arches: Vec<&'static Arch>,
    compilers: BTreeMap<&'static str, Compiler>,
    sources: BTreeMap<String, Source>,
    /// Where it works.
    pub folders: Folders,
    root: PathBuf,
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
        let folders = Folders::new(&root, crate_folder.join("libc"), out);
        let own_version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Workshop { arches, compilers, sources: BTreeMap::new(), folders, root, own_version })
    }

    /// Finds the sources of rows that come from crates.
    pub fn find_sources(
        &mut self,
        crate_folder: &Path,
        cargo: &OsStr,
        host: &str,
        recipes: &[Recipe],
    ) -> Result<()> {
        let mut names: Vec<&str> = recipes.iter().filter_map(|recipe| recipe.from_crate.as_deref()).collect();
        names.sort_unstable();
        names.dedup();
        self.sources = sources::find(crate_folder, cargo, host, &names)?;
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
        made().context(|| format!("{} for {}", recipe.name, arch.name))
    }

    /// Seals an object, which may hold no path of this machine: not that of its sources either.
    fn seal(&self, object: &[u8], contract: Contract<'_>, source: Option<&Source>) -> Result<Sealed> {
        let folders = [&self.root, &self.folders.out].into_iter().chain(source.map(|source| &source.folder));
        let folders: Vec<_> = folders.map(|folder| folder.to_string_lossy()).collect();
        let forbidden: Vec<&str> = folders.iter().map(AsRef::as_ref).collect();
        seal::seal(object, &Contract { forbidden: &forbidden, ..contract })
    }

    /// The object as `brawn-kit` will show it.
    fn shown(
        &self,
        recipe: &Recipe,
        arch: &Arch,
        sealed: &Sealed,
        base: Option<&Base<'_>>,
    ) -> Result<emit::Object> {
        let file = self.folders.out.join(format!("{}-{}.o.zst", recipe.name, arch.name));
        Ok(emit::Object {
            arch_variant: arch.variant,
            file: Packed::write(file, &sealed.bytes, base)?,
            compiler: self.compiler(arch).identity.clone(),
            flags: compile::flags(recipe, arch, self.compiler(arch), Form::Member),
            imports: sealed.imports.clone(),
            knobs_at: sealed.knobs_at,
        })
    }
}

fn run() -> Result<()> {
    let crate_folder = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(variable("OUT_DIR")?);
    let host = variable("HOST")?.to_string_lossy().into_owned();
    let mut workshop = Workshop::new(&crate_folder, &out, &host, wanted()?)?;

    // For the tests, which find the sources and compilers again.
    println!("cargo::rustc-env=BRAWN_KIT_HOST={host}");
    for folder in ["malloc", "string"] {
        println!("cargo::rerun-if-changed={}", workshop.folders.libc.join(folder).display());
    }
    println!("cargo::rerun-if-changed={}", compiler::private_zig(&workshop.root).display());
    for variable in workshop.arches.iter().copied().flat_map(compiler::variables) {
        println!("cargo::rerun-if-env-changed={variable}");
    }

    let recipes = table::read(&workshop.folders.malloc())?;
    workshop.find_sources(&crate_folder, &variable("CARGO")?, &host, &recipes)?;
    let arches = &workshop.arches;

    let jobs: Vec<(&Recipe, &'static Arch)> =
        recipes.iter().flat_map(|recipe| arches.iter().map(move |arch| (recipe, *arch))).collect();
    let sealed = in_parallel(&jobs, |&(recipe, arch)| workshop.object(recipe, arch))?;
    // An object, and its place in the library.
    let base = |recipe: &Recipe, arch: &Arch| {
        let is_it = |(one, other): &(&Recipe, &Arch)| one.name == recipe.name && other.name == arch.name;
        let index = jobs.iter().position(is_it)?;
        let (row, column) = (index / arches.len(), index % arches.len());
        let place = format!("ALLOCATORS[{row}].objects[{column}].file");
        Some(Base { bytes: &sealed[index].bytes, place })
    };
    let indices: Vec<usize> = (0..jobs.len()).collect();
    let mut objects = in_parallel(&indices, |&index| {
        let (recipe, arch) = jobs[index];
        let base = plain_form(recipe, &recipes).and_then(|plain| base(plain, arch));
        workshop.shown(recipe, arch, &sealed[index], base.as_ref())
    })?
    .into_iter();
    let mut rows = Vec::new();
    for recipe in &recipes {
        rows.push(emit::Row {
            recipe,
            source_crate_version: workshop.source(recipe).version,
            objects: objects.by_ref().take(arches.len()).collect(),
        });
    }
    let sets = strings::build(&workshop)?;
    let set = |arch: &Arch| sets.iter().find(|set| set.cpu.is_none() && set.arch_variant == arch.variant);
    let preloaded: Vec<_> = jobs
        .iter()
        .filter(|(recipe, _)| recipe.preload)
        .filter_map(|(recipe, arch)| Some((*recipe, *arch, set(arch)?, base(recipe, arch)?)))
        .collect();
    let libraries = in_parallel(&preloaded, |(recipe, arch, set, base)| {
        preload::build(&workshop, recipe, arch, set, base)
            .context(|| format!("no library to preload could be made of {} for {}", recipe.name, arch.name))
    })?;
    let names = names::build(&workshop)?;
    emit::write(&out.join("kit.rs"), arches, &rows, &sets, &libraries, &names)?;
    Ok(())
}

/// The allocator that this one is another form of: `mimalloc` for `mimalloc-secure`.
fn plain_form<'a>(recipe: &Recipe, recipes: &'a [Recipe]) -> Option<&'a Recipe> {
    let (name, _) = recipe.name.rsplit_once('-')?;
    recipes.iter().find(|plain| plain.name == name && plain.from_crate == recipe.from_crate)
}
