//! Crates depend on crates of lower layers, and on no others.

use std::path::Path;

/// From the bottom to the top; crates of one layer do not know each other.
const LAYERS: &[&[&str]] = &[
    &["brawn-base", "brawn-kit-sources"],
    &["brawn-elf", "brawn-heap", "brawn-init", "brawn-kit-build", "brawn-trace"],
    &["brawn-kit", "brawn-identify", "brawn-measure"],
    &["brawn-libc", "brawn-graft"],
    &["brawn-link", "brawn-preload"],
    &["brawn-check", "brawn-bench", "brawn-tune"],
    &["brawn-image", "brawn-collect"],
    &["brawn-fleet"],
    &["brawn", "fuzz", "xtask"],
];

fn layer(name: &str) -> usize {
    let found = LAYERS.iter().position(|layer| layer.contains(&name));
    found.unwrap_or_else(|| panic!("{name} is new: say in which layer it is"))
}

#[test]
fn dependencies_point_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let crates = fs_err::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut seen = 0;
    for folder in crates.chain([root.join("fuzz"), root.join("xtask")]) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let manifest = fs_err::read_to_string(folder.join("Cargo.toml")).unwrap();
        let code = manifest.split("[dev-dependencies]").next().unwrap();
        for line in code.lines().filter(|line| line.starts_with("brawn-")) {
            let needed = line.split(['.', ' ']).next().unwrap();
            assert!(layer(needed) < layer(name), "{name} depends on {needed}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}
