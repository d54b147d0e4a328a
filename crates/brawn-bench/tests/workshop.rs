//! Programs are built once, linked once per variant, and are what they should be.

mod common;

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use brawn_base::Diagnostic as _;
use brawn_bench::workshop::CProgram;
use brawn_bench::{Error, Flavour, Workshop};
use brawn_link::cc::Language;

const SOURCE: &str = "fn main() { let words: Vec<String> = (1..4).map(|n| n.to_string()).collect(); \
                      println!(\"{}\", words.join(\" \")); }\n";

/// The workshop, and how many things it has said that it does.
fn counted(workshop: Workshop) -> (Workshop, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    (
        workshop.on_progress(move |_| {
            other.fetch_add(1, Ordering::Relaxed);
        }),
        count,
    )
}

#[test]
fn a_rust_program_is_built_once_and_linked_for_every_variant() {
    let folder = tempfile::tempdir().unwrap();
    let (workshop, said) = counted(common::workshop_in(folder.path()));
    let flavours = Flavour::list(["glibc", "stock", "balanced", "mimalloc2"]).unwrap();
    let programs = workshop.rust_program("words", SOURCE, &flavours).unwrap();
    assert_eq!(programs.each.len(), 4, "{:?}", programs.notes);
    for (flavour, path) in &programs.each {
        let output = Command::new(path).output().unwrap();
        assert_eq!(output.stdout, b"1 2 3\n", "{}", flavour.name);
        let note = brawn_elf::read_notes(&fs_err::read(path).unwrap()).unwrap().note;
        let carries = note.map(|note| note.malloc);
        let expected = flavour.choice.as_ref().map(|choice| choice.malloc.name().to_owned());
        assert_eq!(carries, expected, "{}", flavour.name);
    }
    // Two builds and three links, and after that nothing.
    assert_eq!(said.load(Ordering::Relaxed), 5);
    let again = workshop.rust_program("words", SOURCE, &flavours).unwrap();
    assert_eq!(said.load(Ordering::Relaxed), 5);
    assert_eq!(
        again.each.iter().map(|(_, path)| path).collect::<Vec<_>>(),
        programs.each.iter().map(|(_, path)| path).collect::<Vec<_>>()
    );
    // Another source is another program.
    let other = SOURCE.replace("1..4", "1..3");
    let stock = Flavour::list(["stock"]).unwrap();
    let other = workshop.rust_program("words", &other, &stock).unwrap();
    assert_eq!(Command::new(&other.each[0].1).output().unwrap().stdout, b"1 2\n");
}

#[test]
fn links_are_done_again_wherever_the_first_one_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let workshop = common::workshop_in(&folder.path().join("work"));
    // rustc, and with it the linker, runs in the folder of the one who asks, unless told otherwise.
    let stock = Flavour::list(["stock"]).unwrap();
    let programs = workshop.rust_program("words", SOURCE, &stock).unwrap();
    let record = folder.path().join("work/driver/links");
    let record = fs_err::read_dir(record).unwrap().find_map(|entry| {
        let text = fs_err::read_to_string(entry.unwrap().path().join("record.json")).ok()?;
        Some(serde_json::from_str::<serde_json::Value>(&text).unwrap())
    });
    let slot = programs.each[0].1.parent().unwrap();
    assert_eq!(record.unwrap()["cwd"].as_str().unwrap(), slot.to_str().unwrap());
}

#[test]
fn a_c_program_is_built_for_glibc_and_for_musl() {
    let workshop = common::workshop();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("answer.c");
    fs_err::write(&source, "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", ANSWER); return 0; }\n")
        .unwrap();
    let flavours = Flavour::list(["glibc", "stock", "balanced"]).unwrap();
    let program = CProgram {
        name: "answer",
        language: Language::C,
        sources: &[source],
        flags: &["-DANSWER=42".to_owned()],
        libraries: &["-lm".to_owned()],
    };
    let programs = workshop.c_program(&program, &flavours).unwrap();
    assert_eq!(programs.each.len(), 3, "{:?}", programs.notes);
    for (_, path) in &programs.each {
        assert_eq!(Command::new(path).output().unwrap().stdout, b"42\n");
    }
}

#[test]
fn a_program_that_does_not_compile_is_an_error_with_the_compilers_words() {
    let workshop = common::workshop();
    let flavours = Flavour::list(["stock"]).unwrap();
    let error = workshop.rust_program("broken", "fn main() { let x: u8 = \"\"; }\n", &flavours).unwrap_err();
    assert!(matches!(error, Error::Build { .. }), "{error:?}");
    assert!(error.to_string().contains("mismatched types"), "{error}");
    assert!(error.hint().unwrap().contains("/log"), "{:?}", error.hint());
}
