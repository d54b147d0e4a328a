//! The sealing of objects, above all what it refuses. The objects of the kit serve as input: sealing one again
//! changes nothing.

use brawn_elf::Arch;
use brawn_kit_build::family::{Family, Symbols};
use brawn_kit_build::seal::{Contract, seal};
use object::elf;

fn bytes(arch: Arch) -> &'static [u8] {
    brawn_kit::allocator("mimalloc")
        .expect("mimalloc is in the kit")
        .object(arch)
        .expect("its object")
        .file
        .bytes()
}

fn symbols() -> &'static Symbols<'static> {
    Family::Heap.symbols()
}

fn contract() -> Contract<'static> {
    Contract {
        machine: elf::EM_X86_64,
        exports: &symbols().exports,
        weak: &symbols().weak,
        hidden: &[],
        imports: &symbols().imports,
        shared: false,
        forbidden: &[],
    }
}

#[test]
fn sealing_twice_changes_nothing() {
    let once = bytes(Arch::X86_64);
    let twice = seal(once, &contract()).expect("a sealed object keeps its contract");
    assert!(twice.bytes == once);
    let knobs = twice.knobs_at.expect("room for knobs");
    assert!(once[knobs..].starts_with(b"purge_delay:10,"), "what the kit builds in");
    assert!(twice.imports.iter().any(|import| import == "mmap"));
}

#[test]
fn a_symbol_off_the_list_becomes_local() {
    let exports: Vec<&str> = symbols().exports.iter().copied().filter(|name| *name != "valloc").collect();
    let sealed =
        seal(bytes(Arch::X86_64), &Contract { exports: &exports, ..contract() }).expect("fewer exports");
    let again = seal(&sealed.bytes, &contract()).expect_err("valloc is gone");
    assert_eq!(again.to_string(), "does not define valloc, which the rest of libc needs");
}

#[test]
fn a_missing_export_is_refused() {
    let mut exports = symbols().exports.clone();
    exports.push("pvalloc");
    let error =
        seal(bytes(Arch::X86_64), &Contract { exports: &exports, ..contract() }).expect_err("no pvalloc");
    assert_eq!(error.to_string(), "does not define pvalloc, which the rest of libc needs");
}

#[test]
fn an_import_off_the_list_is_refused() {
    let imports: Vec<&str> = symbols().imports.iter().copied().filter(|name| *name != "mmap").collect();
    let error =
        seal(bytes(Arch::X86_64), &Contract { imports: &imports, ..contract() }).expect_err("needs mmap");
    assert_eq!(error.to_string(), "needs mmap, which a musl libc.a need not have");
}

#[test]
fn another_architecture_is_refused() {
    let error = seal(bytes(Arch::Aarch64), &contract()).expect_err("aarch64");
    assert_eq!(error.to_string(), "compiled for the machine 183, not 62");
}

#[test]
fn a_path_inside_is_refused() {
    let marker: &[&str] = &["brawn-kit: mimalloc "];
    let error =
        seal(bytes(Arch::X86_64), &Contract { forbidden: marker, ..contract() }).expect_err("the marker");
    assert_eq!(error.to_string(), "holds the path brawn-kit: mimalloc  of the machine that built it");
}

#[test]
fn other_files_are_refused() {
    for bytes in [&b""[..], b"!<arch>\n", b"\x7fELF", &bytes(Arch::X86_64)[..1000]] {
        let error = seal(bytes, &contract()).expect_err("no object");
        assert_eq!(error.to_string(), "not an ELF object that can be rewritten");
    }
}
