//! Executables with some bytes changed: no panic, and no name at a place where the unchanged one has another function.
//! Thousands of them with `BRAWN_TEST_LONG=1`.

use std::collections::BTreeMap;

use brawn_elf::{Arch, Image};
use brawn_identify::{Index, carried, extract};

/// Bytes at the start that say where everything else is.
const HEADERS: usize = 0x400;

#[test]
fn mutated_executables_mislead_nobody() {
    let long = std::env::var_os("BRAWN_TEST_LONG").is_some();
    let mut rng = fastrand::Rng::with_seed(27);
    for made in crate::make::make(false) {
        let data = fs_err::read(&made.file).unwrap();
        let image = Image::parse(&data).unwrap();
        let signatures = Index::new(carried(Arch::from_elf_machine(image.machine).unwrap()));
        let mut truth: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for symbol in image.symbols().unwrap() {
            truth.entry(symbol.value).or_default().push(String::from_utf8_lossy(symbol.name).into_owned());
        }
        for round in 0..if long { 3000 } else { 15 } {
            let mut changed = data.clone();
            // A few bytes of the headers, or of the code and data behind them.
            let reach = if round % 4 == 0 { 0..HEADERS } else { HEADERS..changed.len() };
            for _ in 0..rng.usize(1..=64) {
                let at = rng.usize(reach.clone());
                changed[at] = rng.u8(..);
            }
            changed.truncate(if round % 8 == 1 { rng.usize(64..data.len()) } else { data.len() });
            let Ok(image) = Image::parse(&changed) else { continue };
            let Some(found) = signatures.find(&image) else { continue };
            // Where the headers say otherwise, everything is somewhere else.
            if round % 4 != 0 {
                for function in &found.functions {
                    let there = truth.get(&function.address).map(Vec::as_slice).unwrap_or_default();
                    let wrong: Vec<_> = function.names.iter().filter(|name| !there.contains(name)).collect();
                    let differ = |at: &usize| changed[*at] != data[*at];
                    assert!(
                        wrong.is_empty(),
                        "{made}, round {round}: {wrong:?} is {there:?} at {:#x}; changed: {:x?}",
                        function.address,
                        (0..changed.len()).filter(differ).collect::<Vec<_>>()
                    );
                }
            }
        }
    }
}

#[test]
fn damaged_archives_are_refused() {
    let path = "/usr/lib/x86_64-linux-musl/libc.a";
    let Ok(data) = fs_err::read(path) else { return eprintln!("skipped: no {path}") };
    for length in [0, 7, 8, 100, 70_000, data.len() / 2 + 1] {
        let _ = extract(&data[..length], "cut");
    }
    assert!(extract(b"", "empty").is_err());
    assert!(extract(b"!<arch>\n", "empty").is_err());
    assert!(extract(&data[..data.len() / 2 + 1], "cut").is_err());
}
