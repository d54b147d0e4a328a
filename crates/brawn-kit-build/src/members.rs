//! The objects of a static library of functions: every file of a table, parts for long operands once per level, each
//! sealed by what its row says that it defines and needs.

use crate::arches::Arch;
use crate::compile::{self, Flags};
use crate::compiler::Compiler;
use crate::look;
use crate::parallel::in_parallel;
use crate::seal::Contract;
use crate::workshop::Workshop;
use anyhow::{Context as _, Result};
use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::PathBuf;

/// One file and its symbols.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// The family that it belongs to, where a table has several.
    #[serde(default)]
    pub family: Option<String>,
    pub file: String,
    #[serde(default)]
    strong: Vec<String>,
    #[serde(default)]
    weak: Vec<String>,
    #[serde(default)]
    hidden: Vec<String>,
    /// Symbols; the name of another file without `.c` stands for everything that it defines as well.
    #[serde(default)]
    needs: Vec<String>,
    /// Definitions of musl's that stay behind these, as `__brawn_musl_NAME`.
    #[serde(default)]
    pub behind: Vec<String>,
    /// Calls in members of musl's that go to functions of the file's instead: a symbol that the member defines, the function
    /// that it calls, and the hidden one of the file.
    #[serde(default)]
    pub instead: Vec<(String, String, String)>,
    /// Why it cannot do without musl's other code: it reads what that makes, or keeps what that reads. See `Family::attached`.
    #[serde(default)]
    pub attached: Option<String>,
    /// A part for long operands: compiled once for each of these levels of x86_64, lowest first, into an object each
    /// whose hidden names end in the level. Another architecture has one level, and one such object.
    #[serde(default)]
    levels: Vec<String>,
    /// Only these architectures; all of them otherwise.
    #[serde(default)]
    arch: Vec<String>,
    /// Not part of a set for one kind of processor.
    #[serde(default)]
    pub dispatch_only: bool,
    /// Only part of a set for one kind of processor.
    #[serde(default)]
    pub cpu_only: bool,
    /// The crate of others from whose folder it includes files.
    #[serde(default, rename = "crate")]
    pub from_crate: Option<String>,
    /// Flags of its family, behind all others.
    #[serde(skip)]
    pub own_flags: Vec<String>,
}

impl Function {
    /// Whether there is such an object on an architecture.
    pub fn is_for(&self, arch: &Arch) -> bool {
        self.arch.is_empty() || self.arch.iter().any(|name| name == arch.name)
    }
}

/// A set of objects: for any processor of an architecture, or for one kind.
pub struct Build {
    /// The variant of `brawn_kit::Cpu`, if it is for one kind.
    pub cpu: Option<&'static str>,
    /// The key of its flags in the table.
    pub flags: &'static str,
    pub arch: &'static str,
    /// The levels that it holds, as the table calls them, lowest first.
    pub levels: &'static [&'static str],
}

impl Build {
    /// The level of all its files, if it has only one.
    pub fn level(&self) -> Option<&'static str> {
        if let [level] = self.levels { Some(level) } else { None }
    }
}

/// The levels of x86_64 and the byte that stands for each: `LEVEL_*` of `brawn_string.h`.
pub const LEVELS: &[(&str, u8)] = &[("sse2", 1), ("avx2", 2), ("avx512", 3)];

/// The flags of a set that name no folder of this machine.
pub fn flags(table: &Flags, build: &Build, compiler: &Compiler) -> Vec<String> {
    let own = if compiler.is_clang { "clang" } else { "gcc" };
    let keys = ["all", own, build.arch, build.flags];
    let listed = keys.into_iter().filter_map(|key| table.get(key)).flatten().cloned();
    compiler.flags.iter().map(|flag| (*flag).to_owned()).chain(listed).collect()
}

/// The flags of a level.
pub fn level_flags<'a>(table: &'a Flags, level: Option<&str>) -> impl Iterator<Item = &'a String> {
    level.and_then(|level| table.get(level)).into_iter().flatten()
}

/// One object of a set: a file, or a part for long operands at one level.
pub struct Member<'a> {
    pub function: &'a Function,
    level: Option<&'a str>,
}

impl<'a> Member<'a> {
    /// A set for one kind of processor has the highest level that is written and that such a processor has.
    pub fn of(function: &'a Function, build: &Build) -> Vec<Member<'a>> {
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

    /// That of `memchr.c` is `memchr`, and that of `memchr_long.c` at a level `memchr_long.avx2`.
    pub fn stem(&self) -> String {
        let stem = self.function.file.trim_end_matches(".c").rsplit('/').next().unwrap_or_default();
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
    fn imports(&self, table: &[Function], build: &Build) -> Vec<String> {
        let mut imports = vec!["_GLOBAL_OFFSET_TABLE_".to_owned()];
        imports.extend(self.function.behind.iter().map(|name| format!("__brawn_musl_{name}")));
        for need in &self.function.needs {
            imports.push(need.clone());
            let row = table.iter().find(|row| row.file.strip_suffix(".c") == Some(need));
            let members = row.into_iter().flat_map(|row| Member::of(row, build));
            imports.extend(members.flat_map(|member| member.exports()));
        }
        imports
    }
}

/// What a set is compiled from.
pub struct Sources<'a> {
    /// The folder in `libc/` that the files are named from.
    pub folder: PathBuf,
    pub table: &'a [Function],
    pub flags: &'a Flags,
}

/// Compiles and seals these members of a set, whose object files in the build's folder begin with `prefix`.
pub fn compile(
    workshop: &Workshop,
    sources: &Sources<'_>,
    members: &[Member<'_>],
    build: &Build,
    arch: &Arch,
    prefix: &str,
) -> Result<Vec<Vec<u8>>> {
    let compiler = workshop.compiler(arch);
    let flags = flags(sources.flags, build, compiler);
    let of_level = |level: Option<&str>| -> Vec<OsString> {
        flags.iter().chain(level_flags(sources.flags, level)).map(Into::into).collect()
    };
    // The header of vector instructions takes clang 0.2 s, which is most of what there is to compile: so it is read once for
    // each level above the baseline. The files include it all the same.
    let above = |level: &&str| compiler.is_clang && *level != LEVELS[0].0;
    let levels: Vec<&str> = build.levels.iter().copied().filter(above).collect();
    let precompiled = in_parallel(&levels, |level| {
        let header = workshop.folders.out.join(format!("{prefix}-{level}.h"));
        fs_err::write(&header, format!("#include <{}>\n", arch.intrinsics))?;
        let object = header.with_extension("pch");
        let options = of_level(Some(level));
        compile::compile_file(compiler, &options, &header, &object, &workshop.folders).map(|_| object)
    })?;
    in_parallel(members, |member| {
        let function = member.function;
        let level = member.level.or(build.level());
        let mut options = of_level(level);
        if let Some(at) = levels.iter().position(|known| Some(*known) == level) {
            options.extend(["-include-pch".into(), precompiled[at].clone().into()]);
        }
        options.extend(function.own_flags.iter().map(Into::into));
        let source = function.from_crate.as_deref().and_then(|name| workshop.source_of(name));
        if let (Some(source), Some(name)) = (source, &function.from_crate) {
            // System headers: what compilers would warn of there is not for this project to change.
            options.extend(["-isystem".into(), source.folder.clone().into()]);
            options.push(compile::prefix_map(&source.folder, name).into());
        }
        let object = workshop.folders.out.join(format!("{prefix}-{}.o", member.stem()));
        let made = || -> Result<Vec<u8>> {
            let file = sources.folder.join(&function.file);
            let bytes = compile::compile_file(compiler, &options, &file, &object, &workshop.folders)?;
            let (exports, hidden) = (member.exports(), member.hidden());
            let imports = member.imports(sources.table, build);
            let (exports, imports) = (borrowed(&exports), borrowed(&imports));
            let contract = Contract {
                weak: &borrowed(&function.weak),
                hidden: &borrowed(&hidden),
                ..Contract::new(arch.machine, &exports, &imports)
            };
            let sealed = workshop.seal(&bytes, contract, source)?.bytes;
            look::comes_first(&sealed)?;
            Ok(sealed)
        };
        made().with_context(|| format!("{} for {}", function.file, arch.name))
    })
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// A static library of these objects by their names.
pub fn archive(objects: impl Iterator<Item = (String, impl AsRef<[u8]>)>) -> Result<Vec<u8>> {
    let objects: Vec<_> = objects.collect();
    let members: Vec<_> = objects
        .iter()
        .map(|(name, bytes)| NewArchiveMember::new(bytes.as_ref(), &DEFAULT_OBJECT_READER, name.clone()))
        .collect();
    let mut bytes = std::io::Cursor::new(Vec::new());
    write_archive_to_stream(&mut bytes, &members, ArchiveKind::Gnu, false, None)?;
    Ok(bytes.into_inner())
}
