//! `tests/libc/tests.toml`: what runs, with which arguments, and where something else holds. Where that is so with one
//! allocator of the kit, its row there says it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    test: Vec<Test>,
}

/// What `tests.toml` says.
pub struct Tests {
    /// Every program.
    pub all: Vec<Arc<Test>>,
    not_emulated: Vec<String>,
}

/// How much is run.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    /// `make test`: half of the pairs of programs and allocators that no one uses by default, or on a further musl.
    Quick,
    /// By part of a name: none of these is left out.
    Named,
    /// `make test-long`
    Long,
}

impl Tests {
    /// Whether a program runs with this allocator on a musl: with the Brawn heap all do, on the `first` musl also with the
    /// presets' allocators, and few with the others on a further one or on one that did not come with Rust.
    pub fn wanted(&self, test: &Test, malloc: &str, first: bool, rustup: bool, form: Form) -> bool {
        let in_use =
            malloc.starts_with("brawn") || brawn_libc::PRESETS.iter().any(|preset| preset.malloc == malloc);
        let here = first || form == Form::Long || in_use || test.sample;
        let thinned = form == Form::Quick && malloc != "brawn" && !test.sample && !(first && in_use);
        let with = test.heap.as_deref().is_none_or(|heap| heap == malloc);
        with && (rustup || !test.rustup) && here && (!thinned || self.has_turn(test, malloc))
    }

    /// Every second pair of a program and an allocator, so that each meets half of the others.
    fn has_turn(&self, test: &Test, malloc: &str) -> bool {
        let program = self.all.iter().position(|other| other.name == test.name);
        let heap = brawn_libc::Malloc::names().iter().position(|name| *name == malloc);
        (program.unwrap_or(0) + heap.unwrap_or(0)).is_multiple_of(2)
    }

    /// Whether this cannot run.
    pub fn skipped(&self, test: &Test, malloc: &str, emulated: bool) -> bool {
        let by_allocator = self.not_emulated.iter().any(|name| name == malloc);
        let by_both = test.malloc.get(malloc).is_some_and(|exception| exception.skip);
        by_both || emulated && (by_allocator || test.qemu.skip.is_some())
    }
}

/// A row of the table; the table's head tells what each key means.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    pub name: String,
    pub file: String,
    pub proves: String,
    pub quick: Vec<String>,
    pub long: Vec<String>,
    /// The one allocator that it runs with.
    heap: Option<String>,
    #[serde(default)]
    sample: bool,
    #[serde(default)]
    pub link: Vec<String>,
    #[serde(default)]
    rustup: bool,
    /// Bytes of a page of the machine that it runs on, which takes an emulator.
    pub page: Option<u32>,
    #[serde(default = "default_seconds")]
    seconds: u64,
    #[serde(default)]
    pub qemu: Emulated,
    #[serde(default)]
    malloc: BTreeMap<String, Exception>,
    #[serde(default)]
    before: BTreeMap<String, Exception>,
}

/// What differs under qemu-user.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emulated {
    pub skip: Option<String>,
    quick: Option<Vec<String>>,
    long: Option<Vec<String>>,
    /// How many parts there are (`part=0` and so on). Each is a run of its own, which a long run makes [`Self::times`] times: an
    /// emulator gets stuck sooner or later, and then repeats no more than one.
    parts: Option<usize>,
    /// How often a long run makes each of its parts.
    #[serde(default = "once")]
    times: usize,
    /// The parts of which a long run makes one run at quick length.
    #[serde(default)]
    brief: Vec<usize>,
    why: Option<String>,
}

/// What differs for one allocator, or before one version of musl.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    #[serde(default)]
    add: Vec<String>,
    #[serde(default)]
    skip: bool,
    why: String,
}

fn once() -> usize {
    1
}

fn default_seconds() -> u64 {
    60
}

/// Reads the table and the kit's, and holds them to what their heads promise.
pub fn read(path: &Path, kit: &Path) -> Tests {
    let mut table: Table = parse(path);
    let rows = brawn_kit_build::table::read(kit).expect("the table of allocators");
    for row in &rows {
        // Those of the programs of the kit's own tests stay there.
        for (name, exception) in row.tests.iter().filter(|(name, _)| !name.starts_with("kit-")) {
            let test = table.test.iter_mut().find(|test| test.name == *name);
            let test = test.unwrap_or_else(|| panic!("{}: there is no test {name}", row.name));
            assert!(!exception.emulated, "{}: {name}: under qemu-user all or nothing", row.name);
            let exception =
                Exception { add: exception.add.clone(), skip: exception.skip, why: exception.why.clone() };
            assert!(test.malloc.insert(row.name.clone(), exception).is_none(), "{}: {name}", row.name);
        }
    }
    let folder = path.parent().expect("the table has a folder");
    let allocators = brawn_libc::Malloc::names();
    let mut files: Vec<_> = fs_err::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".c"))
        .collect();
    for test in &table.test {
        let name = &test.name;
        assert!(!test.proves.is_empty(), "{name}: `proves` is empty");
        assert!(folder.join(&test.file).exists(), "{name}: there is no {}", test.file);
        let differs = test.qemu.quick.is_some() || test.qemu.long.is_some();
        assert_eq!(differs, test.qemu.why.is_some(), "{name}: `qemu` arguments and their `why` go together");
        if let Some(heap) = &test.heap {
            assert!(allocators.contains(&heap.as_str()), "{name}: there is no allocator {heap}");
        }
        for (malloc, exception) in &test.malloc {
            assert!(allocators.contains(&malloc.as_str()), "{name}: there is no allocator {malloc}");
            assert!(!exception.why.is_empty(), "{name}: no reason for the exception of {malloc}");
            assert!(exception.skip == exception.add.is_empty(), "{name}: {malloc}: either `add` or `skip`");
        }
        for (version, exception) in &test.before {
            assert!(
                !numbers(version).is_empty() && !exception.skip && !exception.why.is_empty(),
                "{name}: {version}"
            );
        }
        files.retain(|file| *file != test.file);
    }
    assert!(files.is_empty(), "programs without a row in {}: {}", path.display(), files.join(", "));
    Tests {
        all: table.test.into_iter().map(Arc::new).collect(),
        not_emulated: rows.into_iter().filter(|row| row.qemu.is_some()).map(|row| row.name).collect(),
    }
}

/// Reads any of the tables.
pub fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs_err::read_to_string(path).expect("the table can be read");
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A version as numbers, which compare.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|number| number.parse().ok()).collect()
}

impl Test {
    /// The arguments of a run, on a musl of this version.
    pub fn arguments(&self, malloc: &str, version: &str, emulated: bool, long: bool) -> Vec<String> {
        let (own, other) = if long { (&self.long, &self.qemu.long) } else { (&self.quick, &self.qemu.quick) };
        let mut arguments = if emulated { other.as_ref().unwrap_or(own) } else { own }.clone();
        if let Some(exception) = self.malloc.get(malloc) {
            arguments.extend(exception.add.iter().cloned());
        }
        for (_, exception) in self.before.iter().filter(|(before, _)| numbers(version) < numbers(before)) {
            arguments.extend(exception.add.iter().cloned());
        }
        arguments
    }

    /// The arguments of each run, as [`Test::arguments`] gives them for one.
    pub fn runs(&self, malloc: &str, version: &str, emulated: bool, long: bool) -> Vec<Vec<String>> {
        let arguments = self.arguments(malloc, version, emulated, long);
        let Some(parts) = self.qemu.parts.filter(|_| emulated) else { return vec![arguments] };
        let with = |arguments: &[String], part: usize| [arguments, &[format!("part={part}")]].concat();
        if !long {
            return (0..parts).map(|part| with(&arguments, part)).collect();
        }
        let quick = self.arguments(malloc, version, emulated, false);
        let long = (0..parts).filter(|part| !self.qemu.brief.contains(part));
        let long = (0..self.qemu.times).flat_map(|_| long.clone().map(|part| with(&arguments, part)));
        long.chain(self.qemu.brief.iter().map(|part| with(&quick, *part))).collect()
    }

    /// How long a run may take: a hang must end, a busy machine must not fail.
    pub fn limit(&self, emulated: bool, long: bool) -> Duration {
        let seconds = self.seconds * if emulated { 4 } else { 1 } * if long { 10 } else { 1 };
        Duration::from_secs(seconds)
    }
}
