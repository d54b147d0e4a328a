//! Rust programs with and without a `#[global_allocator]`, on a libc.a that has the kit's heap.

mod common;

use brawn_elf::{Code, EvidenceKind, Expectation, Role, SecondHeap, inspect, verify};
use common::Sandbox;
use common::rust::programs;

/// The executable of a project, and a stripped copy of it.
fn executables(name: &str) -> [Vec<u8>; 2] {
    let sandbox = Sandbox::new();
    let program = programs().join(format!("{name}-program"));
    let words = common::run(std::process::Command::new(&program).args(["a", "b"]));
    assert_eq!(words, "3\n");
    sandbox.tool("strip", &format!("--strip-all {} -o stripped", program.display()));
    [fs_err::read(program).unwrap(), sandbox.read("stripped")]
}

#[test]
fn a_program_on_the_kits_heap_alone_is_fine() {
    for data in executables("plain") {
        let report = verify(&data, &Expectation::default());
        assert!(report.is_ok() && report.warnings.is_empty(), "{report:#?}");
        assert_eq!(report.heaps_in_words(), "one heap: mimalloc 3.3.2");
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
fn a_second_heap_is_a_broken_promise_unless_it_is_allowed() {
    for data in executables("mimalloc") {
        let as_a = |second_heap, strict| {
            let expectation = Expectation { second_heap, strict, ..Expectation::default() };
            verify(&data, &expectation)
        };
        let refused = as_a(SecondHeap::Refused, false);
        assert!(!refused.is_ok() && refused.warnings.is_empty(), "{refused:#?}");
        let warned = as_a(SecondHeap::Warned, false);
        assert!(warned.is_ok(), "{warned:#?}");
        assert_eq!(warned.warnings, refused.findings);
        assert_eq!(as_a(SecondHeap::Warned, true).findings, refused.findings);
        let allowed = as_a(SecondHeap::Allowed, true);
        assert!(allowed.is_ok() && allowed.warnings.is_empty(), "{allowed:#?}");
        let words = allowed.heaps_in_words();
        assert!(words.starts_with("two heaps: mimalloc 3.3.2 and mimalloc"), "{words}");

        let [problem] = &refused.findings[..] else { panic!("{refused:#?}") };
        assert_eq!(problem.code, Code::SecondHeap);
        assert!(problem.message.contains("mimalloc 3.3.2 of Brawn's kit"), "{}", problem.message);
        assert!(problem.message.contains("and mimalloc"), "{}", problem.message);
        assert!(problem.hint.as_ref().unwrap().contains("#[global_allocator]"));

        let inspection = inspect(&data).unwrap();
        let [first, other] = &inspection.allocators[..] else { panic!("{inspection:#?}") };
        assert_eq!((first.kit, first.role), (true, Role::LibcHeap));
        assert_eq!((other.kit, other.role, other.name.as_str()), (false, Role::SecondHeap, "mimalloc"));
        assert_eq!(other.version, None);
        assert!(inspection.verdict.iter().any(|finding| finding.code == "second-heap"));
    }
}
