//! Rust programs that bring a heap of their own: they build, they run, and the user is told.

mod common;

use std::path::Path;

use common::{Bench, DEFAULT_MALLOC, note, ok};

#[test]
fn a_global_allocator_gets_a_warning_that_names_both_heaps_and_what_to_do() {
    let bench = Bench::new();
    let projects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn-elf/tests/projects");
    // Kept between runs: jemalloc takes a minute to compile.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("second-heap");
    let mut command = bench.brawn(&["build", "--workspace", "--quiet", "--target-dir"]);
    let output = command.arg(&target).current_dir(projects).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");

    for (name, second) in [("mimalloc", Some("mimalloc")), ("jemalloc", Some("jemalloc")), ("plain", None)] {
        let program = target.join("x86_64-unknown-linux-musl/debug").join(format!("{name}-program"));
        assert_eq!(ok(bench.command(program.to_str().unwrap()).args(["a", "b"])), "3\n");
        // Linkers merge the texts of two copies, and stripping takes the names: the tables tell it all the same.
        let bare = bench.path().join(format!("{name}-stripped"));
        ok(bench.command("strip").arg("--strip-all").arg("-o").arg(&bare).arg(&program));
        for path in [&program, &bare] {
            let shown = ok(bench.brawn(&["inspect", "--json"]).arg(path));
            assert_eq!(shown.contains("\"second-heap\""), second.is_some(), "{}: {shown}", path.display());
        }
        let kit = note(&program).malloc_version.unwrap();
        let about: Vec<_> = said.lines().filter(|line| line.contains(&format!("{name}-program: "))).collect();
        match second {
            None => assert!(about.is_empty(), "{about:?}"),
            Some(second) => {
                assert_eq!(about.len(), 1, "{said}");
                assert!(about[0].contains(&format!("{DEFAULT_MALLOC} {kit} of Brawn's kit")), "{}", about[0]);
                assert!(about[0].contains(&format!("and {second}")), "{}", about[0]);
            }
        }
    }
    assert_eq!(said.matches("hint: ").count(), 2, "{said}");
    assert!(said.contains("#[global_allocator]"), "{said}");
}
