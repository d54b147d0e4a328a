//! Rust programs with and without a `#[global_allocator]`, on a libc.a that has the kit's heap.

mod common;

use brawn_elf::{Code, EvidenceKind, Expectation, Role, inspect, verify};
use common::Bench;
use common::rust::programs;

/// The executable of a project, and a stripped copy of it.
fn executables(name: &str) -> [Vec<u8>; 2] {
    let bench = Bench::new();
    let program = programs().join(format!("{name}-program"));
    let words = common::run(std::process::Command::new(&program).args(["a", "b"]));
    assert_eq!(words, "3\n");
    bench.tool("strip", &format!("--strip-all {} -o stripped", program.display()));
    [fs_err::read(program).unwrap(), bench.read("stripped")]
}

#[test]
fn a_program_on_the_kits_heap_alone_is_fine() {
    for data in executables("plain") {
        let report = verify(&data, &Expectation::default());
        assert!(report.is_ok() && report.warnings.is_empty(), "{report:#?}");
        assert!(report.heap.unwrap().kit);
    }
}

/// Equal texts of two copies become one in the link, so it takes more than texts to tell the copies apart.
#[test]
fn a_second_mimalloc_is_told_although_its_texts_are_merged_with_the_kits() {
    let [_, stripped] = executables("mimalloc");
    let texts = memchr::memmem::find_iter(&stripped, b"mimalloc: warning: \0").count();
    assert_eq!(texts, 1, "the linker did not merge them, and this test shows nothing");
    let inspection = inspect(&stripped).unwrap();
    let second = inspection.allocators.iter().find(|heap| !heap.kit).expect("the second heap");
    let kinds: Vec<_> = second.evidence.iter().map(|evidence| evidence.kind).collect();
    assert_eq!((second.name.as_str(), kinds), ("mimalloc", vec![EvidenceKind::Data]));
}

#[test]
fn a_second_heap_gets_a_warning_that_names_both_and_what_to_do() {
    for (name, second, version) in [("mimalloc", "mimalloc", None), ("jemalloc", "jemalloc", Some("5.3.1"))] {
        for data in executables(name) {
            let report = verify(&data, &Expectation::default());
            assert!(report.is_ok(), "{report:#?}");
            let [warning] = &report.warnings[..] else { panic!("{name}: {report:#?}") };
            assert_eq!(warning.code, Code::SecondHeap);
            assert!(warning.message.contains("mimalloc 3.3.2 of Brawn's kit"), "{}", warning.message);
            assert!(warning.message.contains(&format!("and {second}")), "{}", warning.message);
            assert!(warning.hint.as_ref().unwrap().contains("#[global_allocator]"));

            let inspection = inspect(&data).unwrap();
            let [first, other] = &inspection.allocators[..] else { panic!("{inspection:#?}") };
            assert_eq!((first.kit, first.role), (true, Role::LibcHeap));
            assert_eq!((other.kit, other.role, other.name.as_str()), (false, Role::SecondHeap, second));
            assert_eq!(other.version.as_deref(), version);
            assert!(inspection.verdict.iter().any(|finding| finding.code == "second-heap"));
        }
    }
}
