//! Files that someone damaged: an error or a file that can be restored, and nothing else.

use std::process::Command;
use std::sync::OnceLock;

use brawn_graft::{Choice, Error, Heap, graft, restore};
use proptest::prelude::*;

/// A choice with musl's own heap out of a libc.a for another one: what is done to the file is the same.
fn with_heap() -> &'static Choice {
    static CHOICE: OnceLock<Choice> = OnceLock::new();
    CHOICE.get_or_init(|| {
        let rustc = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
        let root = String::from_utf8(rustc.stdout).unwrap();
        let place = "lib/rustlib/x86_64-unknown-linux-musl/lib/self-contained/libc.a";
        let archive = fs_err::read(std::path::Path::new(root.trim()).join(place)).unwrap();
        let heap = Heap { name: "stock".to_owned(), archive, required: false };
        Choice { heap: Some(heap), ..Choice::default() }
    })
}

/// A small static executable, and the same grafted.
fn samples() -> &'static (Vec<u8>, Vec<u8>) {
    static SAMPLES: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let (source, program) = (folder.path().join("a.c"), folder.path().join("a"));
        fs_err::write(&source, include_str!("programs/calls.c")).unwrap();
        let mut compiler = Command::new("musl-gcc");
        compiler.args(["-O1", "-fno-builtin", "-static", "-o"]).arg(&program).arg(&source);
        assert!(compiler.status().unwrap().success());
        let old = fs_err::read(&program).unwrap();
        let new = graft(&old, with_heap()).unwrap();
        assert!(new.report.families().iter().any(|family| family == "heap"), "{:?}", new.report);
        let new = new.file;
        (old, new)
    })
}

/// Where damage does most: headers, notes and tables; else anywhere.
fn damage(size: usize) -> impl Strategy<Value = Vec<(usize, u8)>> {
    let place = prop_oneof![3 => 0..1024_usize, 3 => (size - 4096)..size, 2 => 0..size];
    prop::collection::vec((place, any::<u8>()), 1..6)
}

fn damaged(data: &[u8], changes: &[(usize, u8)], cut: usize) -> Vec<u8> {
    let mut data = data.to_vec();
    for (at, byte) in changes {
        data[*at] = *byte;
    }
    data.truncate(data.len() - cut.min(data.len()));
    data
}

fn cases() -> u32 {
    if std::env::var_os("BRAWN_TEST_LONG").is_some_and(|value| value != "0") { 3000 } else { 40 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_grafted_can_be_restored(changes in damage(samples().0.len()), cut in prop_oneof![9 => Just(0), 1 => 0..5000_usize]) {
        let data = damaged(&samples().0, &changes, cut);
        let new = graft(&data, with_heap());
        prop_assert!(!matches!(new, Err(Error::NotKept)));
        if let Ok(new) = new {
            prop_assert!(restore(&new.file).unwrap() == data);
            prop_assert!(graft(&new.file, &Choice::default()).is_err());
        }
    }

    #[test]
    fn only_the_original_is_restored(changes in damage(samples().1.len()), cut in prop_oneof![9 => Just(0), 1 => 0..5000_usize]) {
        let data = damaged(&samples().1, &changes, cut);
        if let Ok(original) = restore(&data) {
            prop_assert!(original == samples().0);
        }
    }
}
