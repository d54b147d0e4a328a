//! Documents quote only numbers that docs/results/ holds.

use std::path::Path;

#[test]
fn quoted_tables_are_those_of_the_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in brawn_bench::embed::DOCUMENTS {
        let text = fs_err::read_to_string(root.join(name)).unwrap();
        let renewed = brawn_bench::embed::embed(&text, &root).unwrap();
        assert!(
            text == renewed,
            "{name} quotes old results; renew it with: cargo run -p brawn-bench -- quote"
        );
    }
}
