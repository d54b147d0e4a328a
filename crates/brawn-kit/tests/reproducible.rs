//! The same compiler makes the same bytes, wherever it writes them, and others make what keeps the contract.

use brawn_elf::Arch;
use brawn_kit_build::{Workshop, arches, compile, compile_functions, crates_of_functions, table};
use std::path::Path;

mod common;

#[test]
fn building_again_elsewhere_gives_the_same_object() {
    let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let host = env!("BRAWN_KIT_HOST");
    let cargo = std::env::var_os("CARGO").expect("cargo runs this test");
    let rows = table::read(&manifest_dir.join("libc/malloc")).expect("the table");
    let recipe = rows.iter().find(|recipe| recipe.name == "mimalloc2").expect("mimalloc2");
    let folder = tempfile::Builder::new().prefix("brawn-kit-elsewhere").tempdir().expect("a folder");
    let mut workshop =
        Workshop::new(manifest_dir, folder.path(), host, arches::ARCHES.iter().collect()).expect("compilers");
    // A folder without zig's memory: it compiles once more.
    workshop.folders.zig_cache = folder.path().join("zig-cache");
    let crates = rows.iter().filter_map(|row| row.from_crate.as_deref());
    workshop.find_sources(manifest_dir, &cargo, host, crates).expect("the sources");
    for arch in &arches::ARCHES {
        let sealed = workshop.object(recipe, arch).expect("compiles, and keeps its contract");
        let allocator = brawn_kit::allocator(&recipe.name).expect("mimalloc2");
        let kit = Arch::from_name(arch.name).and_then(|arch| allocator.object(arch)).expect("its object");
        assert_eq!(workshop.source(recipe).version, allocator.source_crate_version);
        assert!(sealed.knobs_at.is_some(), "room for knobs");
        let compiler = workshop.compiler(arch);
        assert_eq!(compiler.identity, kit.compiler);
        assert_eq!(compile::flags(recipe, arch, compiler, compile::Form::Member), kit.flags);
        assert_eq!(sealed.imports, kit.imports);
        assert!(sealed.bytes == kit.file.bytes(), "{}: other bytes", arch.name);
    }
}

/// Who installs Brawn from its sources may have the distribution's compiler alone. gcc calls its own library where clang
/// has instructions, and a musl libc.a need not have that.
#[test]
fn the_distributions_compiler_makes_the_kit_as_well() {
    if !cfg!(target_arch = "x86_64")
        || std::process::Command::new("musl-gcc").arg("--version").output().is_err()
    {
        return common::skip("no musl-gcc for x86_64");
    }
    let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let host = env!("BRAWN_KIT_HOST");
    let cargo = std::env::var_os("CARGO").expect("cargo runs this test");
    let arch = arches::ARCHES.iter().find(|arch| arch.name == "x86_64").expect("x86_64");
    let folder = tempfile::Builder::new().prefix("brawn-kit-gcc").tempdir().expect("a folder");
    let mut workshop = Workshop::new(manifest_dir, folder.path(), host, vec![arch]).expect("compilers");
    workshop.compile_by("musl-gcc", arch).expect("musl-gcc");
    let rows = table::read(&manifest_dir.join("libc/malloc")).expect("the table");
    // The others take a minute.
    let long = std::env::var_os("BRAWN_TEST_LONG").is_some_and(|value| value != "0");
    let rows = rows.iter().filter(|row| long || row.name == "brawn").collect::<Vec<_>>();
    let of_functions = crates_of_functions(&workshop).expect("the table of functions");
    let crates = rows.iter().filter_map(|row| row.from_crate.clone()).chain(of_functions);
    workshop.find_sources(manifest_dir, &cargo, host, crates).expect("the sources");
    for row in rows {
        workshop.object(row, arch).unwrap_or_else(|error| panic!("{error:#}"));
    }
    compile_functions(&workshop).unwrap_or_else(|error| panic!("{error:#}"));
}
