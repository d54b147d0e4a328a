//! Settings and knobs: of the command line, of the environment and of a package's `Cargo.toml`.

use std::path::Path;

use brawn_link::settings::{Layer, Settings};

use crate::{rarely, scratch};

pub fn seeds() -> Vec<Vec<u8>> {
    let package = "[package.metadata.brawn]\nmalloc = \"jemalloc\"\nstrings = false\n\n\
                   [package.metadata.brawn.knobs]\n\"jemalloc.narenas\" = \"2\"\n";
    let workspace = "[workspace.metadata.brawn]\npreset = \"hardened\"\ncpu = \"x86-64-v3\"\nknobs = { \"strings.level\" = \"avx2\" }\n";
    let wrong = "[package.metadata.brawn]\nmaloc = \"x\"\n";
    vec![
        format!("brawn.keep=25\nstrings.level=sse2\n\0{package}").into_bytes(),
        format!("\0{workspace}").into_bytes(),
        format!("jemalloc.narenas=-1\n\0{wrong}").into_bytes(),
    ]
}

/// Lines `KEY=VALUE`, a NUL byte, and a `Cargo.toml`.
pub fn read(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (pairs, manifest) = text.split_once('\0').unwrap_or((&text, ""));
    let pairs = pairs.lines().filter_map(|line| line.split_once('='));
    let knobs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let flags = Layer { knobs, ..Layer::default() };
    if rarely(data, 256) {
        scratch::file("package/Cargo.toml", manifest.as_bytes());
        scratch::folder(|folder| drop(Settings::collect(flags.clone(), Some(&folder.join("package")))));
    }
    match Settings::of_manifest(flags, Path::new("Cargo.toml"), manifest).map(|settings| settings.choice()) {
        Ok(Ok(choice)) => {
            assert!(choice.knob_text().unwrap_or_default().len() < 1024, "knobs overflow their room")
        }
        Ok(Err(error)) => drop(error.to_string()),
        Err(error) => drop(error.to_string()),
    }
}
