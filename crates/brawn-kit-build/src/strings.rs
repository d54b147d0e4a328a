//! Compiles the string functions: every file of `libc/string/functions.toml`, those for long operands once per level,
//! into one static library per architecture and kind of processor.

use crate::arches::Arch;
use crate::compile;
use crate::compiler::Compiler;
use crate::error::{Context as _, Error, Result};
use crate::pack::Packed;
use crate::parallel::in_parallel;
use crate::seal::Contract;
use crate::workshop::Workshop;
use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use object::{Object as _, ObjectSection as _};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `libc/string/functions.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    flags: BTreeMap<String, Vec<String>>,
    knob: Knob,
    function: Vec<Function>,
}

/// Where the highest level stands that may be used.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Knob {
    file: String,
    #[allow(dead_code)]
    symbol: String,
    section: String,
}

/// One file and its symbols.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Function {
    file: String,
    #[serde(default)]
    strong: Vec<String>,
    #[serde(default)]
    weak: Vec<String>,
    #[serde(default)]
    hidden: Vec<String>,
    /// Symbols; the name of another file without `.c` stands for everything that it defines as well.
    #[serde(default)]
    needs: Vec<String>,
    /// A part for long operands: compiled once for each of these levels of x86_64, lowest first, into an object each
    /// whose hidden names end in the level. Another architecture has one level, and one such object.
    #[serde(default)]
    levels: Vec<String>,
    /// Only these architectures; all of them otherwise.
    #[serde(default)]
    arch: Vec<String>,
    /// Not part of a set for one kind of processor.
    #[serde(default)]
    dispatch_only: bool,
    /// Only part of a set for one kind of processor.
    #[serde(default)]
    cpu_only: bool,
}

/// A set of objects: for any processor of an architecture, or for one kind.
struct Build {
    /// The variant of `brawn_kit::Cpu`, if it is for one kind.
    cpu: Option<&'static str>,
    /// The key of its flags in the table.
    flags: &'static str,
    arch: &'static str,
    /// The levels that it holds, as the table calls them, lowest first.
    levels: &'static [&'static str],
}

impl Build {
    /// The level of all its files, if it is for one kind of processor.
    fn level(&self) -> Option<&'static str> {
        self.cpu.and_then(|_| self.levels.last().copied())
    }
}

const BUILDS: &[Build] = &[
    Build { cpu: None, flags: "", arch: "x86_64", levels: &["sse2", "avx2", "avx512"] },
    Build { cpu: Some("X86_64V3"), flags: "v3", arch: "x86_64", levels: &["avx2"] },
    Build { cpu: Some("X86_64V4"), flags: "v4", arch: "x86_64", levels: &["avx512"] },
    Build { cpu: None, flags: "", arch: "aarch64", levels: &["neon"] },
];

/// The levels of x86_64 and the byte that stands for each: `LEVEL_*` of `brawn_string.h`.
const LEVELS: &[(&str, u8)] = &[("sse2", 1), ("avx2", 2), ("avx512", 3)];

/// A finished set.
pub struct Set {
    pub arch_variant: &'static str,
    pub cpu: Option<&'static str>,
    pub archive: Packed,
    /// The same as a linker reads it.
    pub archive_file: PathBuf,
    /// The objects that hold a set to a level, by the level's name.
    pub levels: Vec<(&'static str, Packed)>,
    pub compiler: String,
    pub flags: Vec<String>,
}

/// Compiles all sets for these architectures.
pub fn build(workshop: &Workshop) -> Result<Vec<Set>> {
    let folders = &workshop.folders;
    let table: Table = toml::from_str(&fs_err::read_to_string(folders.libc.join("string/functions.toml"))?)
        .context(|| "libc/string/functions.toml is not what it should be".to_owned())?;
    let mut sets = Vec::new();
    for build in BUILDS {
        let Some(arch) = workshop.arches.iter().copied().find(|arch| arch.name == build.arch) else {
            continue;
        };
        let compiler = workshop.compiler(arch);
        let rows = table
            .function
            .iter()
            .filter(|function| function.arch.is_empty() || function.arch.iter().any(|name| name == arch.name))
            .filter(
                |function| if build.cpu.is_none() { !function.cpu_only } else { !function.dispatch_only },
            );
        let members: Vec<Member<'_>> = rows.flat_map(|function| Member::of(function, build)).collect();
        let flags = flags(&table, build, compiler);
        let prefix = format!("string-{}{}", arch.name, build.flags);
        let compile = |member: &Member<'_>| {
            let object = folders.out.join(format!("{prefix}-{}.o", member.stem()));
            one(workshop, member, &table, build, arch, &flags, &object)
                .context(|| format!("{} for {}", member.function.file, arch.name))
        };
        let objects = in_parallel(&members, compile)?;
        let mut levels = Vec::new();
        let knob = members.iter().position(|member| member.function.file == table.knob.file);
        if let Some(index) = knob {
            for (name, value) in LEVELS {
                let file = folders.out.join(format!("{prefix}-level-{name}.o.zst"));
                levels.push((
                    *name,
                    Packed::write(file, &held_to(&objects[index], *value, &table.knob)?, None)?,
                ));
            }
        }
        let members: Vec<_> = members
            .iter()
            .map(|member| format!("brawn-string-{}.o", member.stem()))
            .zip(&objects)
            .map(|(name, object)| NewArchiveMember::new(object.as_slice(), &DEFAULT_OBJECT_READER, name))
            .collect();
        let mut bytes = std::io::Cursor::new(Vec::new());
        write_archive_to_stream(&mut bytes, &members, ArchiveKind::Gnu, false, None)?;
        let archive_file = folders.out.join(format!("{prefix}.a"));
        fs_err::write(&archive_file, bytes.get_ref())?;
        sets.push(Set {
            arch_variant: arch.variant,
            cpu: build.cpu,
            archive: Packed::write(folders.out.join(format!("{prefix}.a.zst")), bytes.get_ref(), None)?,
            archive_file,
            levels,
            compiler: compiler.identity.clone(),
            flags: flags.iter().chain(level_flags(&table, build.level())).cloned().collect(),
        });
    }
    Ok(sets)
}

/// The flags of a set that name no folder of this machine.
fn flags(table: &Table, build: &Build, compiler: &Compiler) -> Vec<String> {
    let own = if compiler.is_clang { "clang" } else { "gcc" };
    let keys = ["all", own, build.arch, build.flags];
    let listed = keys.into_iter().filter_map(|key| table.flags.get(key)).flatten().cloned();
    compiler.flags.iter().map(|flag| (*flag).to_owned()).chain(listed).collect()
}

fn level_flags<'a>(table: &'a Table, level: Option<&str>) -> impl Iterator<Item = &'a String> {
    level.and_then(|level| table.flags.get(level)).into_iter().flatten()
}

/// One object of a set: a file, or a part for long operands at one level.
struct Member<'a> {
    function: &'a Function,
    level: Option<&'a str>,
}

impl<'a> Member<'a> {
    /// A set for one kind of processor has the highest level that is written and that such a processor has.
    fn of(function: &'a Function, build: &Build) -> Vec<Member<'a>> {
        let place = |level: &str| LEVELS.iter().position(|(name, _)| *name == level);
        let highest = build.levels.last().copied();
        let levels: Vec<Option<&str>> = if function.levels.is_empty() {
            vec![None]
        } else if highest.and_then(place).is_none() {
            vec![highest]
        } else {
            let names = function.levels.iter().map(String::as_str);
            let mut levels: Vec<_> =
                names.filter(|level| place(level) <= highest.and_then(place)).map(Some).collect();
            if build.cpu.is_some() {
                levels.drain(..levels.len().saturating_sub(1));
            }
            levels
        };
        levels.into_iter().map(|level| Member { function, level }).collect()
    }

    /// The member of `memchr.c` is `brawn-string-memchr.o`, and that of `memchr_long.c` at a level
    /// `brawn-string-memchr_long.avx2.o`.
    fn stem(&self) -> String {
        let stem = self.function.file.trim_end_matches(".c");
        self.level.map_or_else(|| stem.to_owned(), |level| format!("{stem}.{level}"))
    }

    fn hidden(&self) -> Vec<String> {
        let name = |name: &String| self.level.map_or_else(|| name.clone(), |level| format!("{name}_{level}"));
        self.function.hidden.iter().map(name).collect()
    }

    /// Everything that it defines for others.
    fn exports(&self) -> Vec<String> {
        [self.function.strong.as_slice(), &self.function.weak, &self.hidden()].concat()
    }

    /// What it may take from others.
    fn imports(&self, table: &Table, build: &Build) -> Vec<String> {
        let mut imports = vec!["_GLOBAL_OFFSET_TABLE_".to_owned()];
        for need in &self.function.needs {
            imports.push(need.clone());
            let row = table.function.iter().find(|row| row.file.strip_suffix(".c") == Some(need));
            let members = row.into_iter().flat_map(|row| Member::of(row, build));
            imports.extend(members.flat_map(|member| member.exports()));
        }
        imports
    }
}

/// Compiles and seals one function.
fn one(
    workshop: &Workshop,
    member: &Member<'_>,
    table: &Table,
    build: &Build,
    arch: &Arch,
    flags: &[String],
    object: &Path,
) -> Result<Vec<u8>> {
    let (function, folders) = (member.function, &workshop.folders);
    let options: Vec<OsString> =
        flags.iter().chain(level_flags(table, member.level.or(build.level()))).map(Into::into).collect();
    let file = folders.libc.join("string").join(&function.file);
    let bytes = compile::compile_file(workshop.compiler(arch), &options, &file, object, folders)?;
    let (exports, hidden, imports) = (member.exports(), member.hidden(), member.imports(table, build));
    let (exports, imports) = (borrowed(&exports), borrowed(&imports));
    let contract = Contract {
        weak: &borrowed(&function.weak),
        hidden: &borrowed(&hidden),
        ..Contract::new(arch.machine, &exports, &imports)
    };
    Ok(workshop.seal(&bytes, contract, None)?.bytes)
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// The object that finds the level, with another highest level in it.
fn held_to(object: &[u8], level: u8, knob: &Knob) -> Result<Vec<u8>> {
    let (name, section) = (&knob.file, &knob.section);
    let missing = || Error::new(format!("{name} has no section {section} of one byte for the highest level"));
    let file = object::File::parse(object).map_err(|_| missing())?;
    let range = file
        .section_by_name(&knob.section)
        .and_then(|section| section.file_range())
        .filter(|(_, size)| *size == 1)
        .ok_or_else(missing)?;
    let mut bytes = object.to_vec();
    bytes[usize::try_from(range.0).map_err(|_| missing())?] = level;
    Ok(bytes)
}
