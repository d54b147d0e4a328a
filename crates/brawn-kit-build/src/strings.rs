//! Compiles the string functions: every file of `libc/string/functions.toml`, into one static library per
//! architecture and kind of processor.

use crate::arches::Arch;
use crate::compile::{self, Folders};
use crate::compiler::Compiler;
use crate::pack::Packed;
use crate::parallel::in_parallel;
use crate::seal;
use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use object::{Object as _, ObjectSection as _};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("libc/string/functions.toml is not what it should be")]
    Table(#[from] toml::de::Error),
    #[error("{file} for {arch} could not be compiled")]
    Compile { file: String, arch: &'static str, source: compile::Error },
    #[error("{file} for {arch} does not keep its contract")]
    Seal { file: String, arch: &'static str, source: seal::Error },
    #[error("{file} has no section {section} of one byte for the highest level")]
    NoKnob { file: String, section: String },
    #[error("could not read or write a file of the string functions")]
    File(#[from] std::io::Error),
}

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
    /// The levels that it holds, as the table calls them.
    levels: &'static [&'static str],
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
pub fn build(
    arches: &[&'static Arch],
    compilers: &BTreeMap<&str, Compiler>,
    folders: &Folders,
    root: &Path,
) -> Result<Vec<Set>, Error> {
    let table: Table = toml::from_str(&fs_err::read_to_string(folders.libc.join("string/functions.toml"))?)?;
    let mut sets = Vec::new();
    for build in BUILDS {
        let Some(arch) = arches.iter().copied().find(|arch| arch.name == build.arch) else { continue };
        let compiler = &compilers[arch.name];
        let functions: Vec<&Function> = table
            .function
            .iter()
            .filter(|function| function.arch.is_empty() || function.arch.iter().any(|name| name == arch.name))
            .filter(|function| if build.cpu.is_none() { !function.cpu_only } else { !function.dispatch_only })
            .collect();
        let flags = flags(&table, build, compiler);
        let prefix = format!("string-{}{}", arch.name, build.flags);
        let compile = |function: &&Function| {
            let object = folders.out.join(format!("{prefix}-{}.o", function.file.trim_end_matches(".c")));
            let symbols = Symbols::of(function, &table, build);
            one(function, &symbols, arch, compiler, &flags, &object, folders, root)
        };
        let objects = in_parallel(&functions, compile)?;
        let mut levels = Vec::new();
        let named = functions.iter().map(|function| member_name(&function.file));
        let knob = functions.iter().position(|function| function.file == table.knob.file);
        if let Some(index) = knob {
            for (name, value) in LEVELS {
                let file = folders.out.join(format!("{prefix}-level-{name}.o.zst"));
                levels.push((
                    *name,
                    Packed::write(file, &held_to(&objects[index], *value, &table.knob)?, None)?,
                ));
            }
        }
        let members: Vec<_> = named
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
            flags,
        });
    }
    Ok(sets)
}

/// `memchr.c` becomes the member `brawn-string-memchr.o`.
fn member_name(file: &str) -> String {
    format!("brawn-string-{}.o", file.trim_end_matches(".c"))
}

/// The flags of a set that name no folder of this machine.
fn flags(table: &Table, build: &Build, compiler: &Compiler) -> Vec<String> {
    let own = if compiler.is_clang { "clang" } else { "gcc" };
    let keys = ["all", own, build.arch, build.flags];
    let listed = keys.into_iter().filter_map(|key| table.flags.get(key)).flatten().cloned();
    compiler.flags.iter().map(|flag| (*flag).to_owned()).chain(listed).collect()
}

/// The symbols of a file in one set.
struct Symbols<'a> {
    exports: Vec<&'a str>,
    weak: Vec<&'a str>,
    hidden: Vec<&'a str>,
    imports: Vec<&'a str>,
}

impl<'a> Symbols<'a> {
    fn of(function: &'a Function, table: &'a Table, build: &Build) -> Symbols<'a> {
        let present = |list: &'a [String]| -> Vec<&'a str> {
            let at_level = |entry: &'a String| match entry.split_once(':') {
                Some((level, name)) => build.levels.contains(&level).then_some(name),
                None => Some(entry.as_str()),
            };
            list.iter().filter_map(at_level).collect()
        };
        let (weak, hidden) = (present(&function.weak), present(&function.hidden));
        let mut imports = vec!["_GLOBAL_OFFSET_TABLE_"];
        for need in &function.needs {
            imports.push(need);
            let named = table.function.iter().find(|row| row.file.strip_suffix(".c") == Some(need));
            for list in named.iter().flat_map(|row| [&row.hidden, &row.strong, &row.weak]) {
                imports.extend(present(list));
            }
        }
        Symbols {
            exports: [present(&function.strong).as_slice(), &weak, &hidden].concat(),
            weak,
            hidden,
            imports,
        }
    }
}

/// Compiles and seals one function.
#[allow(clippy::too_many_arguments, reason = "each is one thing that a build is made of")]
fn one(
    function: &Function,
    symbols: &Symbols<'_>,
    arch: &Arch,
    compiler: &Compiler,
    flags: &[String],
    object: &Path,
    folders: &Folders,
    root: &Path,
) -> Result<Vec<u8>, Error> {
    let options: Vec<OsString> = flags.iter().map(Into::into).collect();
    let bytes = compile::compile_file(
        compiler,
        &options,
        &folders.libc.join("string").join(&function.file),
        object,
        folders,
    )
    .map_err(|source| Error::Compile { file: function.file.clone(), arch: arch.name, source })?;
    let contract = seal::Contract {
        machine: arch.machine,
        exports: &symbols.exports,
        weak: &symbols.weak,
        hidden: &symbols.hidden,
        imports: &symbols.imports,
        shared: false,
        forbidden: &[&root.to_string_lossy(), &folders.out.to_string_lossy()],
    };
    let sealed = seal::seal(&bytes, &contract).map_err(|source| Error::Seal {
        file: function.file.clone(),
        arch: arch.name,
        source,
    })?;
    Ok(sealed.bytes)
}

/// The object that finds the level, with another highest level in it.
fn held_to(object: &[u8], level: u8, knob: &Knob) -> Result<Vec<u8>, Error> {
    let missing = || Error::NoKnob { file: knob.file.clone(), section: knob.section.clone() };
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
