//! The same compiler makes the same bytes, wherever it writes them.

use brawn_elf::Arch;
use std::path::Path;

#[path = "../build/compile.rs"]
#[allow(dead_code)]
mod compile;
#[path = "../build/compiler.rs"]
#[allow(dead_code)]
mod compiler;
#[path = "../build/knobs.rs"]
#[allow(dead_code)]
mod knobs;
#[path = "../build/seal.rs"]
mod seal;
#[path = "../build/sources.rs"]
mod sources;
#[path = "../build/table.rs"]
#[allow(dead_code)]
mod table;
#[path = "../build/unwind.rs"]
mod unwind;

#[test]
fn building_again_elsewhere_gives_the_same_object() {
    let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest_dir.ancestors().nth(2).expect("the root of the repository");
    let host = env!("BRAWN_KIT_HOST");
    let recipe = table::RECIPES.iter().find(|recipe| recipe.name == "mimalloc2").expect("mimalloc2");
    let cargo = std::env::var_os("CARGO").expect("cargo runs this test");
    let sources = sources::find(manifest_dir, &cargo, host, &[recipe.source_crate]).expect("the sources");
    let host_arch = host.split('-').next().expect("an architecture");
    for arch in &table::ARCHES {
        let compiler = compiler::find(root, arch, host_arch).expect("the compiler that built the kit");
        let folder = tempfile::Builder::new().prefix("brawn-kit-elsewhere").tempdir().expect("a folder");
        let table = recipe
            .knobs
            .map(|file| knobs::read(&manifest_dir.join("libc/malloc").join(file)).expect("knobs"));
        let built_in = knobs::built_in(table.as_ref());
        // A folder without zig's memory: it compiles once more.
        let folders = compile::Folders {
            libc: manifest_dir.join("libc"),
            out: folder.path().to_owned(),
            zig_cache: folder.path().join("zig-cache"),
        };
        let source = &sources[recipe.source_crate];
        let form = compile::Form::Member;
        let object =
            compile::compile(recipe, arch, &compiler, source, &built_in, form, &folders).expect("compiles");
        let contract = seal::Contract {
            machine: arch.machine,
            exports: table::MALLOC_FAMILY,
            weak: table::REPLACEABLE,
            hidden: &[],
            imports: table::IMPORTS,
            shared: false,
            forbidden: &[&folder.path().to_string_lossy()],
        };
        let sealed = seal::seal(&object, &contract).expect("keeps its contract");
        let allocator = brawn_kit::allocator(recipe.name).expect("mimalloc2");
        let kit = allocator.object(Arch::from_name(arch.name).expect("an architecture")).expect("its object");
        assert_eq!(sources[recipe.source_crate].version, allocator.source_crate_version);
        assert!(sealed.knobs_at.is_some(), "room for knobs");
        assert_eq!(compiler.identity, kit.compiler);
        assert_eq!(compile::flags(recipe, arch, &compiler, &built_in, form), kit.flags);
        assert_eq!(sealed.imports, kit.imports);
        assert!(sealed.bytes == kit.file.bytes(), "{}: other bytes", arch.name);
    }
}
