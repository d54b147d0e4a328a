//! A static executable of musl's with bytes changed, onto which functions are grafted: four bytes of input say where, and what.

use std::process::Command;
use std::sync::OnceLock;

use brawn_base::Diagnostic as _;
use brawn_graft::{Choice, Error, graft, restore};

/// What is changed; its headers, its code and the tables at its end are all in reach of two bytes and a half.
fn program() -> &'static [u8] {
    static PROGRAM: OnceLock<Vec<u8>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (source, to) = (folder.path().join("a.c"), folder.path().join("a"));
        let text = include_str!("../../../crates/brawn-graft/tests/programs/calls.c");
        fs_err::write(&source, text).expect("the folder is ours");
        let mut compiler = Command::new("musl-gcc");
        let done = compiler.args(["-O1", "-fno-builtin", "-static", "-o"]).arg(&to).arg(&source).status();
        assert!(done.is_ok_and(|status| status.success()), "`make setup` installs musl-gcc");
        fs_err::read(&to).expect("a compiler wrote it")
    })
}

pub fn seeds() -> Vec<Vec<u8>> {
    let size = program().len() as u32;
    let change = |at: u32, byte: u8| [&at.to_le_bytes()[..3], &[byte]].concat();
    // The headers of the file, of segments and of sections; code; symbols.
    let places = [16, 0x20, 0x38, 0x60, 0x78, 0x1800, 0x5000, size / 2, size - 0x800, size - 0x40];
    let mut seeds: Vec<Vec<u8>> = places.iter().map(|at| change(*at, 0x41)).collect();
    seeds.push(places.iter().flat_map(|at| change(*at, 0xff)).collect());
    seeds
}

pub fn read(data: &[u8]) {
    // Thousands of times what parsers take: guided executions are worth it.
    if cfg!(not(feature = "libfuzzer")) && !crate::rarely(data, 40) {
        return;
    }
    let mut old = program().to_vec();
    for change in data.chunks_exact(4) {
        let at = u32::from_le_bytes([change[0], change[1], change[2], 0]) as usize % old.len();
        old[at] = change[3];
    }
    match graft(&old, &Choice::default()) {
        Ok(new) => {
            assert!(restore(&new.file).is_ok_and(|original| original == old), "the original can be had back");
            assert!(graft(&new.file, &Choice::default()).is_err(), "nothing is grafted twice");
        }
        Err(error) => {
            assert!(!matches!(error, Error::NotKept), "what is written can be restored");
            drop((error.to_string(), error.hint()));
        }
    }
    if let Ok(original) = restore(&old) {
        panic!("nothing was grafted onto it, and {} bytes came back", original.len());
    }
}
