//! Builds the kit: compiles every allocator for every architecture, seals the objects, and writes the table that
//! the library carries.

mod compile;
mod compiler;
mod emit;
mod knobs;
mod names;
mod pack;
mod preload;
mod seal;
mod sources;
mod strings;
mod table;
mod unwind;

use compile::Form;
use pack::Packed;
use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Arch, RECIPES, Recipe};

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{variable} is not set; is this a build script of Cargo?")]
    Environment { variable: &'static str },
    #[error(
        "there is no kit for {0}\n\
         hint: the features x86_64 and aarch64 choose the architectures of programs that are linked with it"
    )]
    Architecture(String),
    #[error(transparent)]
    Source(#[from] sources::Error),
    #[error(transparent)]
    Compiler(#[from] compiler::Error),
    #[error("{name} for {arch} could not be compiled")]
    Compile { name: &'static str, arch: &'static str, source: compile::Error },
    #[error("{name} for {arch} does not keep its contract")]
    Seal { name: &'static str, arch: &'static str, source: seal::Error },
    #[error(transparent)]
    Strings(#[from] strings::Error),
    #[error(transparent)]
    Names(#[from] names::Error),
    #[error("no library to preload could be made of {name} for {arch}")]
    Preload { name: &'static str, arch: &'static str, source: preload::Error },
    #[error(transparent)]
    Knobs(#[from] knobs::Error),
    #[error("could not write into OUT_DIR")]
    Write(#[from] std::io::Error),
}

fn main() {
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

fn variable(variable: &'static str) -> Result<std::ffi::OsString, Error> {
    env::var_os(variable).ok_or(Error::Environment { variable })
}

/// The architectures to build for: the crate's own, and those that its features add.
fn arches() -> Result<Vec<&'static Arch>, Error> {
    let own = variable("CARGO_CFG_TARGET_ARCH")?.to_string_lossy().into_owned();
    let feature = |arch: &Arch| env::var_os(format!("CARGO_FEATURE_{}", arch.name.to_uppercase())).is_some();
    let arches: Vec<_> = table::ARCHES.iter().filter(|arch| arch.name == own || feature(arch)).collect();
    if arches.is_empty() { Err(Error::Architecture(own)) } else { Ok(arches) }
}

fn run() -> Result<(), Error> {
    let arches = arches()?;
    let manifest_dir = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(variable("OUT_DIR")?);
    let host = variable("HOST")?.to_string_lossy().into_owned();
    let host_arch = host.split('-').next().unwrap_or_default();
    // In the repository its tools are at hand; in a package this crate stands alone.
    let repository = manifest_dir.ancestors().nth(2).filter(|folder| folder.join("scripts/setup").is_file());
    let root = repository.unwrap_or(&manifest_dir).to_owned();
    let folders = compile::Folders::new(&root, manifest_dir.join("libc"), &out);

    // For the tests, which find the sources and compilers again.
    println!("cargo::rustc-env=BRAWN_KIT_HOST={host}");
    println!("cargo::rerun-if-changed={}", manifest_dir.join("build").display());
    for folder in ["malloc", "string"] {
        println!("cargo::rerun-if-changed={}", folders.libc.join(folder).display());
    }
    println!("cargo::rerun-if-changed={}", compiler::private_zig(&root).display());
    for variable in arches.iter().copied().flat_map(compiler::variables) {
        println!("cargo::rerun-if-env-changed={variable}");
    }

    let mut names: Vec<&str> = RECIPES.iter().map(|recipe| recipe.source_crate).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| *name != table::OWN_SOURCES);
    let mut sources = sources::find(&manifest_dir, &variable("CARGO")?, &host, &names)?;
    let version = variable("CARGO_PKG_VERSION")?.to_string_lossy().into_owned();
    let own = sources::Source { folder: folders.libc.clone(), version };
    sources.insert(table::OWN_SOURCES.to_owned(), own);
    let mut compilers = BTreeMap::new();
    for arch in &arches {
        compilers.insert(arch.name, compiler::find(&root, arch, host_arch)?);
    }

    let mut tables = BTreeMap::new();
    for file in RECIPES.iter().filter_map(|recipe| recipe.knobs) {
        tables.insert(file, knobs::read(&folders.libc.join("malloc").join(file))?);
    }
    let table = |recipe: &Recipe| recipe.knobs.map(|file| &tables[file]);

    let jobs: Vec<(&Recipe, &Arch)> =
        RECIPES.iter().flat_map(|recipe| arches.iter().map(move |arch| (recipe, *arch))).collect();
    let build = |&(recipe, arch): &(&'static Recipe, &'static Arch)| -> Result<emit::Object, Error> {
        let compiler = &compilers[arch.name];
        let source = &sources[recipe.source_crate];
        let built_in = knobs::built_in(table(recipe));
        let object = compile::compile(recipe, arch, compiler, source, &built_in, Form::Member, &folders)
            .map_err(|source| Error::Compile { name: recipe.name, arch: arch.name, source })?;
        let contract = seal::Contract {
            machine: arch.machine,
            exports: recipe.family.exports,
            weak: recipe.family.weak,
            hidden: &[],
            imports: recipe.family.imports,
            shared: false,
            forbidden: &[&source.folder.to_string_lossy(), &root.to_string_lossy(), &out.to_string_lossy()],
        };
        let sealed = seal::seal(&object, &contract).map_err(|source| Error::Seal {
            name: recipe.name,
            arch: arch.name,
            source,
        })?;
        let file = out.join(format!("{}-{}.o.zst", recipe.name, arch.name));
        Ok(emit::Object {
            arch_variant: arch.variant,
            file: Packed::write(file, &sealed.bytes)?,
            compiler: compiler.identity.clone(),
            flags: compile::flags(recipe, arch, compiler, &built_in, Form::Member),
            imports: sealed.imports,
            knobs_at: sealed.knobs_at,
        })
    };
    let mut objects = in_parallel(&jobs, build)?.into_iter();

    let mut rows = Vec::new();
    for recipe in RECIPES {
        rows.push(emit::Row {
            recipe,
            source_crate_version: sources[recipe.source_crate].version.clone(),
            knobs: knobs::expression(table(recipe)),
            objects: objects.by_ref().take(arches.len()).collect(),
        });
    }
    let sets = strings::build(&arches, &compilers, &folders, &root)?;
    let set = |arch: &Arch| sets.iter().find(|set| set.cpu.is_none() && set.arch_variant == arch.variant);
    let preloaded: Vec<_> = jobs
        .iter()
        .filter(|(recipe, _)| table::PRELOADED.contains(&recipe.name))
        .filter_map(|(recipe, arch)| Some((*recipe, *arch, set(arch)?)))
        .collect();
    let libraries = in_parallel(&preloaded, |&(recipe, arch, set)| {
        let (compiler, source) = (&compilers[arch.name], &sources[recipe.source_crate]);
        preload::build(recipe, arch, compiler, source, table(recipe), set, &folders, &root)
            .map_err(|source| Error::Preload { name: recipe.name, arch: arch.name, source })
    })?;
    let names = names::build(&arches, &compilers, &folders, &root)?;
    emit::write(&out.join("kit.rs"), &arches, &rows, &sets, &libraries, &names)?;
    Ok(())
}

/// Does the jobs on as many threads as Cargo allows, and returns the results in the order of the jobs, or the
/// first error.
fn in_parallel<J: Sync, T: Send, E: Send>(
    jobs: &[J],
    work: impl Fn(&J) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let threads = env::var("NUM_JOBS").ok().and_then(|text| text.parse().ok()).unwrap_or(1usize);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len()) {
            scope.spawn(|| {
                while let Some((index, job)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(index).map(|job| (index, job))
                } {
                    let result = work(job);
                    results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
