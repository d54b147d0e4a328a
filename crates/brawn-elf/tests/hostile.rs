//! Bytes that no one meant well: nothing here may panic, and nothing may run for long.

mod common;

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use brawn_elf::{
    Arch, BrawnNotes, Expectation, HeapFacts, LinkId, Note, add_note_section, inspect, link_note_object,
    read_notes, verify,
};
use common::archive::{replace_heap, with_note};
use common::{Sandbox, musl_folder, note};
use proptest::prelude::*;
use proptest::sample::Index;

/// Real files of every sort that is read: static with notes, the same stripped, dynamic, and an object file.
fn files() -> &'static [Vec<u8>] {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let sandbox = Sandbox::new();
        with_note(&sandbox, &musl_folder().join("libc.a"), &note("mimalloc", Some("3.3.2")));
        replace_heap(&sandbox, "", &[]);
        let heaps = HeapFacts { malloc_owner: Some("program".into()), libc_heap: Some("bump".into()), serves: vec!["mimalloc".into()] };
        sandbox.write("link.o", link_note_object(Arch::X86_64, &LinkId::new("0123").unwrap(), &heaps));
        sandbox.write("main.c", "#include <stdlib.h>\nint main(void) { free(malloc(1)); return 0; }\n");
        sandbox.write("bare.c", "void f(void) {}\nvoid _start(void) { for (;;) f(); }\n");
        sandbox.tool("musl-gcc", "-static -L. main.c link.o -o static");
        sandbox.tool("strip", "-s static -o stripped");
        sandbox.tool("gcc", "main.c -o dynamic");
        sandbox.tool("gcc", "-g -c main.c -o object");
        // All that only `inspect` reads: a list of crates, properties, a table for unwinding, code for newer processors.
        sandbox.write("crates.json", miniz_oxide::deflate::compress_to_vec_zlib(br#"{"packages":[]}"#, 6));
        sandbox.tool("gcc", "-nostdlib -static -mavx2 -fcf-protection=full -Wl,-z,x86-64-v2 -Wl,--eh-frame-hdr bare.c -o bare");
        sandbox.tool("objcopy", "--add-section .dep-v0=crates.json bare rich");
        ["static", "stripped", "dynamic", "object", "rich"].map(|name| sandbox.read(name)).into()
    })
}

/// One change to a file. Most fall on the headers, where they hurt.
#[derive(Clone, Debug)]
enum Change {
    Byte(Index, u8),
    Word(Index, u64),
    HeaderByte(u16, u8),
    HeaderWord(u16, u64),
    TailWord(u16, u64),
    Cut(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let word = prop_oneof![
        Just(0),
        Just(u64::MAX),
        Just(u64::MAX >> 1),
        Just(0xffff_fff8),
        any::<u64>(),
        0u64..0x10000
    ];
    prop_oneof![
        2 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        2 => (any::<Index>(), word.clone()).prop_map(|(at, word)| Change::Word(at, word)),
        6 => (0u16..700, any::<u8>()).prop_map(|(at, byte)| Change::HeaderByte(at, byte)),
        6 => (0u16..700, word.clone()).prop_map(|(at, word)| Change::HeaderWord(at, word)),
        4 => (0u16..4096, word).prop_map(|(at, word)| Change::TailWord(at, word)),
        1 => any::<Index>().prop_map(Change::Cut),
    ]
}

fn apply(data: &mut Vec<u8>, change: &Change) {
    let length = data.len();
    let put = |data: &mut Vec<u8>, at: usize, bytes: &[u8]| {
        let at = at.min(length);
        let end = (at + bytes.len()).min(length);
        data[at..end].copy_from_slice(&bytes[..end - at]);
    };
    match change {
        _ if data.is_empty() => {}
        Change::Byte(at, byte) => put(data, at.index(length), &[*byte]),
        Change::Word(at, word) => put(data, at.index(length), &word.to_le_bytes()),
        Change::HeaderByte(at, byte) => put(data, usize::from(*at), &[*byte]),
        Change::HeaderWord(at, word) => put(data, usize::from(*at), &word.to_le_bytes()),
        Change::TailWord(at, word) => put(data, length.saturating_sub(usize::from(*at)), &word.to_le_bytes()),
        Change::Cut(at) => data.truncate(at.index(length)),
    }
}

fn read_in_every_way(data: &[u8]) {
    let started = Instant::now();
    let report = verify(data, &Expectation::default());
    let _ = inspect(data);
    let _ = add_note_section(data, &note("stock", None));
    if let Ok(BrawnNotes { note: Some(note), .. }) = read_notes(data)
        && let Some(told) = report.note
    {
        assert_eq!(told, note);
    }
    // Each takes well under a millisecond; a busy machine may still pause the test for seconds.
    assert!(started.elapsed() < Duration::from_secs(20), "took {:?}", started.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_executables_are_read_without_harm(
        file in any::<Index>(),
        changes in prop::collection::vec(change(), 1..10),
    ) {
        let mut data = file.get(files()).clone();
        for change in &changes {
            apply(&mut data, change);
        }
        read_in_every_way(&data);
    }

    #[test]
    fn any_bytes_after_the_magic_are_read_without_harm(
        class in 1u8..3, order in 1u8..3, rest in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut data = vec![0x7f, b'E', b'L', b'F', class, order, 1];
        data.extend(rest);
        read_in_every_way(&data);
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a preset, a knob or a version is called, it comes back as it was.
    #[test]
    fn every_note_is_read_back(
        texts in prop::collection::vec("\\PC{1,20}", 4),
        preset in prop::option::of(any::<String>()),
        malloc_version in prop::option::of(any::<String>()),
        knobs in prop::collection::btree_map(any::<String>(), any::<String>(), 0..5),
        strings in any::<bool>(),
        cpu in prop::option::of(any::<String>()),
        hash in "[0-9a-f]{1,64}",
    ) {
        let written = Note {
            kit: texts[0].clone(),
            malloc: texts[1].clone(),
            libc: texts[2].clone(),
            preset,
            malloc_version,
            knobs: knobs.into_iter().collect::<BTreeMap<_, _>>(),
            libc_sha256: hash.clone(),
            overlay: hash,
            strings,
            functions: Vec::new(),
            cpu,
            heaps: HeapFacts::default(),
        };
        let noted = add_note_section(&files()[3], &written).unwrap();
        prop_assert_eq!(read_notes(&noted).unwrap().note, Some(written));
    }
}

/// Every prefix of a small file, and every single byte of its headers set to the extremes.
#[test]
fn every_prefix_and_every_header_byte() {
    let data = &files()[2];
    for end in (0..data.len()).step_by(97).chain(0..800) {
        read_in_every_way(&data[..end.min(data.len())]);
    }
    let mut changed = data.clone();
    for at in 0..64 + 56 * 13 {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let before = std::mem::replace(&mut changed[at], byte);
            read_in_every_way(&changed);
            changed[at] = before;
        }
    }
}

/// Every byte of what only `inspect` reads, set to the extremes: the crates, the properties, the table for unwinding.
#[test]
fn every_byte_of_the_smaller_tables() {
    let rich = &files()[4];
    let image = brawn_elf::Image::parse(rich).unwrap();
    let names: [&[u8]; 4] = [b".dep-v0", b".note.gnu.property", b".eh_frame_hdr", b".eh_frame"];
    let sections: Vec<_> = image.sections.iter().filter(|section| names.contains(&section.name)).collect();
    assert_eq!(sections.len(), names.len());
    let mut changed = rich.clone();
    for section in sections {
        let start = section.data.as_ptr() as usize - rich.as_ptr() as usize;
        for at in start..start + section.data.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let before = std::mem::replace(&mut changed[at], byte);
                read_in_every_way(&changed);
                changed[at] = before;
            }
        }
    }
}

/// Tables that cover the same bytes thousands of times cost no more than once over.
#[test]
fn a_file_that_describes_itself_many_times_over_is_no_burden() {
    const SEGMENTS: u16 = 60_000;
    let mut data = vec![0u8; 64 + 56 * usize::from(SEGMENTS)];
    data[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    let mut put = |at: usize, bytes: &[u8]| data[at..at + bytes.len()].copy_from_slice(bytes);
    put(16, &2u16.to_le_bytes());
    put(18, &62u16.to_le_bytes());
    put(20, &1u32.to_le_bytes());
    put(32, &64u64.to_le_bytes());
    put(52, &64u16.to_le_bytes());
    put(54, &56u16.to_le_bytes());
    put(56, &SEGMENTS.to_le_bytes());
    let size = (64 + 56 * u64::from(SEGMENTS)).to_le_bytes();
    for index in 0..usize::from(SEGMENTS) {
        let at = 64 + 56 * index;
        // Loaded and notes by turns, each the whole file.
        put(at, &[1u32, 4][index % 2].to_le_bytes());
        put(at + 4, &4u32.to_le_bytes());
        put(at + 32, &size);
        put(at + 40, &size);
    }
    let started = Instant::now();
    let report = verify(&data, &Expectation::default());
    assert!(!report.is_ok());
    assert!(started.elapsed() < Duration::from_secs(20), "took {:?}", started.elapsed());
}
