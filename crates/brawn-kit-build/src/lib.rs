//! The build of the kit: compiles every allocator of a table for every architecture, seals the objects, and writes the
//! table that `brawn-kit` carries. Its build script calls [`main`]; tests build single rows.

#![allow(missing_docs, reason = "for the build script and the tests of one crate")]

pub mod arches;
mod command;
pub mod compile;
pub mod compiler;
mod emit;
mod families;
pub mod family;
pub mod knobs;
pub mod look;
mod members;
mod names;
mod pack;
mod parallel;
mod preload;
pub mod seal;
pub mod sources;
mod strings;
pub mod table;
mod unwind;
mod workshop;

use anyhow::{Context as _, anyhow};
use arches::{ARCHES, Arch};
use compile::Form;
use pack::{Base, Packed};
use parallel::in_parallel;
use seal::Sealed;
use std::env;
use std::path::PathBuf;
use table::Recipe;

pub use anyhow::{Error, Result};
pub use workshop::Workshop;

/// What the build script of `brawn-kit` does.
pub fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        error.chain().skip(1).for_each(|cause| eprintln!("caused by: {cause}"));
        std::process::exit(1);
    }
}

/// The crates whose sources functions of a family include.
pub fn crates_of_functions(workshop: &Workshop) -> Result<Vec<String>> {
    Ok(families::table(workshop)?.crates().map(str::to_owned).collect())
}

/// Compiles the functions of every family, and checks what they need.
pub fn compile_functions(workshop: &Workshop) -> Result<()> {
    families::build(workshop, &families::table(workshop)?, &strings::table(workshop)?.flags).map(drop)
}

fn variable(name: &str) -> Result<std::ffi::OsString> {
    let missing = || anyhow!("{name} is not set; is this a build script of Cargo?");
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
    Err(anyhow!(
        "there is no kit for {own}\n\
         hint: the features x86_64 and aarch64 choose the architectures of programs that are linked with it"
    ))
}

/// The object as `brawn-kit` will show it.
fn shown(
    workshop: &Workshop,
    recipe: &Recipe,
    arch: &Arch,
    sealed: &Sealed,
    bases: &[&Base<'_>],
) -> Result<emit::Object> {
    let file = workshop.folders.out.join(format!("{}-{}.o.zst", recipe.name, arch.name));
    Ok(emit::Object {
        arch_variant: arch.variant,
        file: Packed::write(file, &sealed.bytes, bases)?,
        compiler: workshop.compiler(arch).identity.clone(),
        flags: compile::flags(recipe, arch, workshop.compiler(arch), Form::Member),
        imports: sealed.imports.clone(),
        knobs_at: sealed.knobs_at,
    })
}

fn run() -> Result<()> {
    let crate_folder = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(variable("OUT_DIR")?);
    let host = variable("HOST")?.to_string_lossy().into_owned();
    let mut workshop = Workshop::new(&crate_folder, &out, &host, wanted()?)?;

    // For the tests, which find the sources and compilers again.
    println!("cargo::rustc-env=BRAWN_KIT_HOST={host}");
    println!("cargo::rerun-if-changed={}", workshop.folders.libc.display());
    println!("cargo::rerun-if-changed={}", compiler::private_zig(&workshop.root).display());
    for variable in workshop.arches.iter().copied().flat_map(compiler::variables) {
        println!("cargo::rerun-if-env-changed={variable}");
    }

    let recipes = table::read(&workshop.folders.malloc())?;
    let families = families::table(&workshop)?;
    let crates = recipes.iter().filter_map(|recipe| recipe.from_crate.as_deref()).chain(families.crates());
    workshop.find_sources(&crate_folder, &variable("CARGO")?, &host, crates)?;
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
        shown(&workshop, recipe, arch, &sealed[index], base.as_ref().as_slice())
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
    let table = strings::table(&workshop)?;
    let sets = strings::build(&workshop, &table)?;
    let functions = families::build(&workshop, &families, &table.flags)?;
    let set = |arch: &Arch| sets.iter().find(|set| set.cpu.is_none() && set.arch_variant == arch.variant);
    let archives: Vec<Vec<u8>> =
        sets.iter().map(|set| fs_err::read(&set.archive_file)).collect::<std::result::Result<_, _>>()?;
    let strings = |set: &strings::Set| {
        let index = sets.iter().position(|other| std::ptr::eq(other, set)).unwrap_or_default();
        Base { bytes: &archives[index], place: format!("STRINGS[{index}].archive") }
    };
    let preloaded: Vec<_> = jobs
        .iter()
        .filter(|(recipe, _)| recipe.preload)
        .filter_map(|(recipe, arch)| Some((*recipe, *arch, set(arch)?, base(recipe, arch)?)))
        .collect();
    let libraries = in_parallel(&preloaded, |(recipe, arch, set, base)| {
        preload::build(&workshop, recipe, arch, set, &[&strings(set), base]).with_context(|| {
            format!("no library to preload could be made of {} for {}", recipe.name, arch.name)
        })
    })?;
    let names = names::build(&workshop)?;
    let kit = emit::Kit {
        rows: &rows,
        sets: &sets,
        families: &families.family,
        functions: &functions,
        libraries: &libraries,
        names: &names,
    };
    emit::write(&out.join("kit.rs"), arches, &kit)?;
    Ok(())
}

/// The allocator that this one is another form of: `mimalloc` for `mimalloc-secure`.
fn plain_form<'a>(recipe: &Recipe, recipes: &'a [Recipe]) -> Option<&'a Recipe> {
    let (name, _) = recipe.name.rsplit_once('-')?;
    recipes.iter().find(|plain| plain.name == name && plain.from_crate == recipe.from_crate)
}
