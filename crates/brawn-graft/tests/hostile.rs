//! Files that someone damaged: an error or a file that can be restored, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use brawn_elf::Arch;
use brawn_graft::{Choice, Error, Heap, Report, Row, examine, graft, restore};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object as _, ObjectSymbol as _, elf};
use proptest::prelude::*;

/// A choice with the Brawn heap on the distribution's musl.
fn with_heap() -> &'static Choice {
    static CHOICE: OnceLock<Choice> = OnceLock::new();
    CHOICE.get_or_init(|| {
        let base = Path::new("/usr/lib/x86_64-linux-musl/libc.a");
        let heap = brawn_libc::Choice::malloc("brawn").unwrap().with_strings(false);
        let made =
            brawn_libc::overlay::make(base, &fs_err::read(base).unwrap(), Some(Arch::X86_64), &heap).unwrap();
        let heap = Heap { name: "brawn".to_owned(), archive: made.libc_a, required: false };
        Choice { heap: Some(heap), ..Choice::default() }
    })
}

struct Samples {
    /// A small static executable.
    old: Vec<u8>,
    grafted: Vec<u8>,
    stripped: Vec<u8>,
    /// What is done with that.
    report: Report,
    truth: Truth,
    /// Where its code ends in the file.
    code: usize,
}

/// Where the code begins in it, and what is added to offsets.
const CODE: usize = 0x1000;
const BASE: u64 = 0x40_0000;

fn samples() -> &'static Samples {
    static SAMPLES: OnceLock<Samples> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let (source, program) = (folder.path().join("a.c"), folder.path().join("a"));
        let counted = "_Thread_local volatile int counted = 0x12345678;";
        fs_err::write(&source, [include_str!("programs/calls.c"), counted].concat()).unwrap();
        let mut compiler = Command::new("musl-gcc");
        compiler.args(["-O1", "-fno-builtin", "-static", "-o"]).arg(&program).arg(&source);
        assert!(compiler.status().unwrap().success());
        let old = fs_err::read(&program).unwrap();
        let new = graft(&old, with_heap()).unwrap();
        assert!(new.report.families().iter().any(|family| family == "heap"), "{:?}", new.report);
        let stripped = folder.path().join("stripped");
        assert!(Command::new("strip").arg(&program).arg("-o").arg(&stripped).status().unwrap().success());
        let truth = Truth::of(&program);
        let code = (*truth.functions.values().last().unwrap() - BASE) as usize;
        assert!(truth.functions.len() > 100 && truth.callers.len() > 50 && old.len() > code);
        let stripped = fs_err::read(&stripped).unwrap();
        let report = examine(&stripped, with_heap()).unwrap();
        Samples { old, grafted: new.file, stripped, report, truth, code }
    })
}

/// Where a function leads that is nothing but a jump.
fn jump(file: &[u8], address: u64) -> Option<u64> {
    let at = (address - BASE) as usize;
    let distance = file[at..].strip_prefix(&[0xe9])?.first_chunk()?;
    Some((address + 5).wrapping_add_signed(i32::from_le_bytes(*distance).into()))
}

/// Whether the instruction that holds an address calls, in both files, a function that is nothing but a jump to one place:
/// musl's `malloc` and `__libc_malloc` are two such.
fn calls_the_same(old: &[u8], new: &[u8], truth: &Truth, address: u64) -> bool {
    let Some((start, _)) = truth.instructions.range(..=address).next_back() else { return false };
    let goes_on = |file: &[u8]| {
        let at = (start - BASE) as usize;
        let distance = file[at..].strip_prefix(&[0xe8])?.first_chunk()?;
        let target = (start + 5).wrapping_add_signed(i32::from_le_bytes(*distance).into());
        let known = (BASE..BASE + file.len() as u64 - 5).contains(&target);
        known.then(|| jump(file, target)).flatten()
    };
    goes_on(old).is_some_and(|to| goes_on(new) == Some(to))
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
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let long = std::env::var_os("BRAWN_TEST_LONG").is_some_and(|value| value != "0");
    asked.unwrap_or(if long { 3000 } else { 40 })
}

/// Where functions are in the small executable, and which others each calls, as the symbols say.
struct Truth {
    /// Start and end.
    functions: BTreeMap<u64, u64>,
    callers: BTreeMap<u64, BTreeSet<u64>>,
    /// Instructions by their addresses, and whether each refers to data, of which no one can tell where a linker put it.
    instructions: BTreeMap<u64, bool>,
}

impl Truth {
    fn of(program: &Path) -> Truth {
        let said = |tool: &mut Command| String::from_utf8(tool.output().unwrap().stdout).unwrap();
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let mut functions = BTreeMap::new();
        // Assembly states no sizes, and ends where anything else begins.
        for line in said(Command::new("nm").arg("-S").arg(program)).lines() {
            let words: Vec<&str> = line.split(' ').collect();
            if let [start, .., kind, _] = words[..]
                && matches!(kind, "T" | "t" | "W")
                && let Some(start) = number(start)
            {
                let size = number(words[1]).unwrap_or(0);
                let end = functions.entry(start).or_insert(start);
                *end = (*end).max(start + size);
            }
        }
        let starts: Vec<u64> = functions.keys().copied().collect();
        for pair in starts.windows(2) {
            let end = functions.get_mut(&pair[0]).unwrap();
            *end = if *end == pair[0] { pair[1] } else { *end };
        }
        let mut truth = Truth { functions, callers: BTreeMap::new(), instructions: BTreeMap::new() };
        // Addresses have six digits, and begin with 4.
        let is_address = |word: &str| word.starts_with("0x4") && word.len() == 8;
        let has_address = |line: &str| line.split(['$', ',', '(']).any(is_address) || line.contains("(%rip)");
        for line in said(Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(program)).lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let Some(at) = words.first().and_then(|at| number(at.strip_suffix(':')?)) {
                // Padding does nothing.
                let to_data = words[1..].iter().any(|word| has_address(word) || word.starts_with("nop"));
                truth.instructions.insert(at, to_data);
            }
            if let [at, instruction, target, _] = words[..]
                && (instruction == "call" || instruction.starts_with('j'))
                && let Some(from) = number(at.trim_end_matches(':')).and_then(|at| truth.holding(at))
                && let Some(to) = number(target).and_then(|target| truth.holding(target))
            {
                truth.callers.entry(to).or_default().insert(from);
            }
        }
        truth
    }

    fn holding(&self, address: u64) -> Option<u64> {
        let (start, end) = self.functions.range(..=address).next_back()?;
        (address < *end).then_some(*start)
    }

    /// Whether the byte at this address is of code that does not depend on where data is.
    fn is_known(&self, address: u64) -> bool {
        self.instructions.range(..=address).next_back().is_some_and(|(_, to_data)| !to_data)
    }

    /// The functions that do something else if the byte at this address is another.
    fn changed_by(&self, address: u64) -> BTreeSet<u64> {
        let mut changed = BTreeSet::new();
        let mut open: Vec<u64> = self.holding(address).into_iter().collect();
        while let Some(function) = open.pop() {
            if changed.insert(function) {
                open.extend(self.callers.get(&function).into_iter().flatten());
            }
        }
        changed
    }
}

/// With a heap the threads' block becomes longer, and its variables begin later in it.
#[test]
fn symbols_of_thread_local_variables_lead_to_them() {
    let at = |data: &[u8]| {
        let file = ElfFile64::<LittleEndian>::parse(data).unwrap();
        let symbol = file.symbols().find(|symbol| symbol.name() == Ok("counted")).unwrap().address();
        let headers = file.elf_program_headers().iter();
        let block = headers.clone().find(|header| header.p_type.get(LittleEndian) == elf::PT_TLS).unwrap();
        let place = (block.p_offset.get(LittleEndian) + symbol) as usize;
        assert_eq!(data[place..place + 4], 0x1234_5678_u32.to_le_bytes());
        symbol
    };
    assert!(at(&samples().grafted) > at(&samples().old));
}

/// musl's `memmove` goes on with `memcpy` by a name that assembly gives no type.
#[test]
fn a_function_that_goes_on_elsewhere_stays() {
    let old = &samples().stripped;
    let is_memmove = |row: &&Row| row.names.iter().any(|name| name == "memmove");
    let report = examine(old, with_heap()).unwrap();
    let address = report.grafted().find(is_memmove).unwrap().address;
    let start = (address - BASE) as usize;
    let jump = old[start..start + 32].windows(2).position(|bytes| bytes == [0x0f, 0x83]).unwrap();
    for byte in (2..=255).step_by(4).filter(|byte| old[start + jump + 2] != *byte) {
        let changed = damaged(old, &[(start + jump + 2, byte)], 0);
        let report = examine(&changed, with_heap()).unwrap();
        assert!(report.grafted().all(|row| row.address != address), "{byte:#x}");
    }
}

/// A dummy of musl's is a return and what fills the rest of its line; a function that returns at once is another thing.
#[test]
fn what_calls_a_function_that_now_returns_at_once_stays() {
    let old = &samples().stripped;
    let address = |name: &str| {
        let named = |row: &&Row| row.names.iter().any(|own| own == name);
        samples().report.grafted().find(named).unwrap().address
    };
    let (malloc, strdup) = (address("malloc"), address("strdup"));
    let changed = damaged(old, &[((malloc - BASE) as usize, 0xc3)], 0);
    let report = examine(&changed, with_heap()).unwrap();
    assert!(report.grafted().all(|row| row.address != strdup));
}

/// Another archive's `strdup` knows no `__libc_start_main`, and took it for `malloc`.
#[test]
fn what_calls_another_function_of_musls_stays() {
    let (old, report) = (&samples().stripped, &samples().report);
    let address = |name: &str| {
        let named = |row: &&Row| row.names.iter().any(|own| own == name);
        report.grafted().find(named).unwrap().address
    };
    let strdup = address("strdup");
    let start = (strdup - BASE) as usize;
    let is_call = |at: &usize| {
        let distance = old[*at..].strip_prefix(&[0xe8]).and_then(|rest| rest.first_chunk());
        let leads =
            |distance| (*at as u64 + BASE + 5).wrapping_add_signed(i32::from_le_bytes(distance).into());
        distance.is_some_and(|distance| leads(*distance) == address("malloc"))
    };
    let call = (start..start + 64).find(is_call).unwrap();
    let truth = &samples().truth;
    let others = truth.functions.keys().filter(|other| **other != strdup && **other != address("malloc"));
    for other in others {
        let distance = other.wrapping_sub(BASE + call as u64 + 5) as u32;
        let bytes = distance.to_le_bytes();
        let changes: Vec<(usize, u8)> = (0..4).map(|at| (call + 1 + at, bytes[at])).collect();
        let changed = damaged(old, &changes, 0);
        let same = jump(old, *other).is_some_and(|to| jump(old, address("malloc")) == Some(to));
        let report = examine(&changed, with_heap()).unwrap();
        assert!(same || report.grafted().all(|row| row.address != strdup), "{other:#x}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_grafted_can_be_restored(changes in damage(samples().old.len()), cut in prop_oneof![9 => Just(0), 1 => 0..5000_usize]) {
        let data = damaged(&samples().old, &changes, cut);
        let new = graft(&data, with_heap());
        prop_assert!(!matches!(new, Err(Error::NotKept)));
        if let Ok(new) = new {
            prop_assert!(restore(&new.file).unwrap() == data);
            prop_assert!(graft(&new.file, &Choice::default()).is_err());
        }
    }

    /// A function whose code was changed, or that of anything that it calls, stays.
    #[test]
    fn what_was_changed_is_not_replaced(changes in prop::collection::vec((CODE..samples().code, any::<u8>()), 1..4)) {
        let old = damaged(&samples().stripped, &changes, 0);
        // What would be written; writing takes longer than all else.
        if let Ok(report) = examine(&old, with_heap()) {
            let truth = &samples().truth;
            let differs = changes.iter().map(|(at, _)| *at).filter(|at| old[*at] != samples().stripped[*at]);
            let places = differs.map(|at| BASE + at as u64).filter(|at| truth.is_known(*at));
            let places = places.filter(|at| !calls_the_same(&samples().stripped, &old, truth, *at));
            let changed: BTreeSet<u64> = places.flat_map(|at| truth.changed_by(at)).collect();
            let goes_on_as_before = |row: &Row| {
                let to = jump(&old, row.address);
                let same = |other: &&Row| other.names == row.names;
                let other = samples().report.functions.iter().find(same);
                to.is_some_and(|to| !changed.contains(&to))
                    && other.is_some_and(|other| to == jump(&samples().stripped, other.address))
            };
            for row in report.grafted() {
                // `strtoimax` that jumps to `strtoull` has become `strtoumax`.
                prop_assert!(!changed.contains(&row.address) || goes_on_as_before(row), "{row:?}");
            }
        }
    }

    #[test]
    fn only_the_original_is_restored(changes in damage(samples().grafted.len()), cut in prop_oneof![9 => Just(0), 1 => 0..5000_usize]) {
        let data = damaged(&samples().grafted, &changes, cut);
        if let Ok(original) = restore(&data) {
            prop_assert!(original == samples().old);
        }
    }
}
