//! One heap where crates bring another: the heap behind `malloc` answers to the names of theirs.
//!
//! A crate's allocator is in a Rust library or an archive, as members that define these names. The link gets copies of
//! such libraries without those members, and an object of the kit that defines the names on top of `malloc`. What the
//! program calls beyond them is defined nowhere then: the link fails, rather than end with two heaps.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use brawn_base::file;
use brawn_elf::Arch;
use brawn_kit::Names;
use brawn_libc::archive;
use object::{Object as _, ObjectSymbol as _};

use crate::line::Line;
use crate::{Error, objects};

/// What a link gets in the place of the allocators that it was given.
#[derive(Default)]
pub(crate) struct Served {
    /// The allocators whose place is taken, sorted.
    pub heaps: BTreeSet<&'static str>,
    /// The kit's objects, by their names in the folder of the record.
    pub objects: Vec<String>,
    /// The libraries that were given by path, and the names of their copies there.
    pub copies: HashMap<PathBuf, String>,
    /// Whether a library that is looked for by name has its copy there.
    pub by_name: bool,
    /// What the members define that went, beyond what the kit has: each with its allocator.
    lost: BTreeMap<String, &'static str>,
}

impl Served {
    /// Finds the allocators among the libraries of a link whose names the kit has, and writes into `folder` what takes
    /// their place.
    pub(crate) fn new(line: &Line, arch: Arch, folder: &Path) -> Result<Served, Error> {
        let mut served = Served::default();
        let mut wanted: Vec<&'static Names> = Vec::new();
        for (count, (library, name)) in libraries(line).into_iter().enumerate() {
            let bytes = file::read(&library, file::OBJECT)?;
            let without = archive::without(&library, &bytes, |member| {
                let defined = objects::defined(member);
                let Some(names) = brawn_kit::names(arch).find(|names| is_there(names, &defined)) else {
                    return false;
                };
                if !wanted.iter().any(|known| std::ptr::eq(*known, names)) {
                    wanted.push(names);
                }
                let lost = defined.into_iter().filter(|name| !names.has(name));
                served.lost.extend(lost.map(|name| (name, names.heap)));
                true
            })?;
            let Some(without) = without else { continue };
            let copy = match &name {
                Some(name) => format!("lib{name}.a"),
                None => {
                    let name = library.file_name().unwrap_or_default().to_string_lossy();
                    format!("without-{count:04}-{name}")
                }
            };
            fs_err::write(folder.join(&copy), without)?;
            match name {
                Some(_) => served.by_name = true,
                None => {
                    served.copies.insert(library, copy);
                }
            }
        }
        for (count, names) in wanted.into_iter().enumerate() {
            let object = format!("names-{count}-{}.o", names.heap);
            fs_err::write(folder.join(&object), names.file.bytes())?;
            served.objects.push(object);
            served.heaps.insert(names.heap);
        }
        Ok(served)
    }

    /// Why a link with these may have failed: what the program needs of them that no other heap has.
    pub(crate) fn explain(&self, line: &Line) -> Option<Error> {
        if self.lost.is_empty() {
            return None;
        }
        let mut needed = BTreeSet::new();
        for input in line.inputs() {
            let Ok(bytes) = file::read(&input, file::OBJECT) else { continue };
            for object in objects::of(&bytes) {
                self.needs(object, &mut needed);
            }
        }
        let heaps: BTreeSet<&str> = needed.iter().filter_map(|name| self.lost.get(name).copied()).collect();
        (!needed.is_empty()).then(|| Error::OneHeap {
            heaps: heaps.into_iter().collect::<Vec<_>>().join(" and "),
            called: needed.into_iter().collect(),
        })
    }

    /// Adds what an object needs of that which went. An allocator's own objects, which need each other, do not count.
    fn needs(&self, object: &[u8], needed: &mut BTreeSet<String>) {
        let Ok(file) = object::File::parse(object) else { return };
        let names: Vec<(String, bool)> = file
            .symbols()
            .filter(|symbol| symbol.is_global())
            .filter_map(|symbol| {
                Some((symbol.name().ok()?.to_owned(), symbol.is_undefined() && !symbol.is_weak()))
            })
            .collect();
        if names.iter().any(|(name, undefined)| !undefined && is_inner(name)) {
            return;
        }
        needed.extend(
            names
                .into_iter()
                .filter(|(name, undefined)| *undefined && self.lost.contains_key(name))
                .map(|(name, _)| name),
        );
    }
}

/// Whether an object with these definitions is the allocator's, or a part of it.
fn is_there(names: &Names, defined: &BTreeSet<String>) -> bool {
    defined.iter().any(|name| names.has(name))
}

/// Whether only the allocators' own sources define a name.
fn is_inner(name: &str) -> bool {
    ["_mi_", "mi_", "_rjem_", "je_"].iter().any(|prefix| name.starts_with(prefix))
}

/// The archives and Rust libraries of a link, and the names of those that are looked for by name.
fn libraries(line: &Line) -> Vec<(PathBuf, Option<String>)> {
    let given = line.args.iter().filter(|arg| !arg.starts_with('-')).map(PathBuf::from);
    let is_library = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending == "a" || ending == "rlib") && path.is_file()
    };
    let mut found: Vec<(PathBuf, Option<String>)> =
        given.filter(is_library).map(|path| (path, None)).collect();
    let mut seen = BTreeSet::new();
    for name in line.libraries() {
        if let Some(path) = line.find(&format!("lib{name}.a")).filter(|_| seen.insert(name.clone())) {
            found.push((path, Some(name)));
        }
    }
    found
}
