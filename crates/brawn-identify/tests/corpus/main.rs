//! Executables made here, whose symbols are kept aside as the truth and taken away: what is found must be true, and nearly all
//! that there is must be found. A handful of them always; hundreds, with every compiler at hand, with `BRAWN_TEST_LONG=1`.

mod make;
mod mutated;

use std::collections::{BTreeMap, BTreeSet};

use brawn_elf::{Arch, Image};
use brawn_identify::{Identification, carried, examine};
use make::Made;

/// Whether a name belongs to a family.
type Has = fn(&str) -> bool;

/// What is counted, by its names.
const FAMILIES: &[(&str, Has)] = &[
    ("mem*/str*", |name| name.starts_with("mem") || name.starts_with("str") && !is_number(name)),
    ("strto*", is_number),
    ("malloc", |name| MALLOC.contains(&name)),
    ("all", |_| true),
];

fn is_number(name: &str) -> bool {
    name.starts_with("strto") && name != "strtok" && name != "strtok_r"
}

const MALLOC: &[&str] = &[
    "malloc",
    "free",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "malloc_usable_size",
];

/// Removes what `strip` removes: the section headers, and with them the symbols.
fn strip(data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data[0x28..0x30].fill(0);
    data[0x3c..0x40].fill(0);
    data
}

#[derive(Default)]
struct Tally {
    executables: u32,
    /// By family: there, found.
    counts: BTreeMap<&'static str, (u32, u32)>,
    missed: BTreeMap<String, u32>,
    /// Functions found by other builds' signatures alone.
    unknown: usize,
}

fn judge(made: &Made, tally: &mut Tally, wrong: &mut Vec<String>) {
    let data = fs_err::read(&made.file).unwrap();
    let image = Image::parse(&data).unwrap();
    let arch = Arch::from_elf_machine(image.machine).unwrap();
    let mut truth: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    let mut global = BTreeSet::new();
    for symbol in image.symbols().expect("it is not stripped").iter().filter(|symbol| symbol.section != 0) {
        let name = String::from_utf8_lossy(symbol.name).into_owned();
        if !symbol.local {
            global.insert((name.clone(), symbol.value));
        }
        truth.entry(symbol.value).or_default().insert(name);
    }
    let stripped = strip(&data);
    let found = match examine(&Image::parse(&stripped).unwrap(), &[]) {
        Ok(found) => found,
        Err(error) => return wrong.push(format!("{made}: {error}")),
    };
    let mut check = |found: &Identification, how: &str| {
        let functions = found.functions.iter().flat_map(|f| f.names.iter().map(|name| (name, f.address)));
        for (name, address) in functions.chain(found.data.iter().map(|datum| (&datum.name, datum.address))) {
            let there = truth.get(&address);
            if !there.is_some_and(|names| names.contains(name)) {
                wrong.push(format!("{made}{how}: {name} at {address:x} is {there:?}"));
            }
        }
    };
    check(&found, "");
    check(&examine(&image, &[]).expect("it has symbols"), ", by symbols");
    // Of a musl that somebody else has built, less is found, and nothing false either.
    let others = carried(arch).without(|source| source.label.starts_with(made.libc));
    if let Some(found) = others.find(&Image::parse(&stripped).unwrap()) {
        tally.unknown += found.functions.len();
        check(&found, ", by other builds");
    }
    // What this compiler's libc has under these names; a program may have its own.
    let signatures = carried(arch);
    let libc = |archives: u64| {
        signatures
            .archives
            .iter()
            .enumerate()
            .any(|(at, source)| archives >> at & 1 == 1 && source.label.starts_with(made.libc))
    };
    let names: BTreeSet<&str> = signatures
        .functions
        .iter()
        .filter(|function| libc(function.archives))
        .flat_map(|function| &function.names)
        .map(|name| signatures.names[name.id as usize].as_str())
        .collect();
    tally.executables += 1;
    for (name, address) in
        global.iter().filter(|(name, _)| names.contains(name.as_str()) && !made.own.contains(&name.as_str()))
    {
        let hit = found.function(name).is_some_and(|function| function.address == *address);
        for (family, _) in FAMILIES.iter().filter(|(_, has)| has(name)) {
            let count = tally.counts.entry(family).or_default();
            count.0 += 1;
            count.1 += u32::from(hit);
            if !hit && *family != "all" {
                *tally.missed.entry(name.clone()).or_default() += 1;
            }
        }
    }
}

#[test]
fn what_is_found_is_true_and_nearly_all_is_found() {
    let mut wrong = Vec::new();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for made in make::make(std::env::var_os("BRAWN_TEST_LONG").is_some()) {
        judge(&made, tallies.entry(made.maker.clone()).or_default(), &mut wrong);
    }
    let mut sums: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for (maker, tally) in &tallies {
        let counts: Vec<String> =
            tally.counts.iter().map(|(name, (all, hit))| format!("{name} {hit}/{all}")).collect();
        println!(
            "{maker}: {} executables; {}; by other builds {}; missed {:?}",
            tally.executables,
            counts.join(", "),
            tally.unknown,
            tally.missed
        );
        for (family, (all, hit)) in &tally.counts {
            let sum = sums.entry(family).or_default();
            *sum = (sum.0 + all, sum.1 + hit);
        }
    }
    println!(
        "in all: {} executables; {sums:?}",
        tallies.values().map(|tally| tally.executables).sum::<u32>()
    );
    assert!(wrong.is_empty(), "{} false:\n{}", wrong.len(), wrong.join("\n"));
    for family in ["mem*/str*", "malloc"] {
        let (all, hit) = sums[family];
        assert!(hit * 100 >= all * 95, "{family}: {hit} of {all}");
    }
}
