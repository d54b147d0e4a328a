//! Compiles the string functions: every file of `libc/string/functions.toml`, those for long operands once per level,
//! into one static library per architecture and kind of processor.

use crate::compile::Flags;
use crate::members::{self, Build, Function, LEVELS, Member, Sources, level_flags};
use crate::pack::{Base, Packed};
use crate::workshop::Workshop;
use anyhow::{Context as _, Result, anyhow};
use object::{Object as _, ObjectSection as _};
use serde::Deserialize;
use std::path::PathBuf;

/// `libc/string/functions.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub flags: Flags,
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

const BUILDS: &[Build] = &[
    Build { cpu: None, flags: "", arch: "x86_64", levels: &["sse2", "avx2", "avx512"] },
    Build { cpu: Some("X86_64V3"), flags: "v3", arch: "x86_64", levels: &["avx2"] },
    Build { cpu: Some("X86_64V4"), flags: "v4", arch: "x86_64", levels: &["avx512"] },
    Build { cpu: None, flags: "", arch: "aarch64", levels: &["neon"] },
];

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

/// Reads the table.
pub fn table(workshop: &Workshop) -> Result<Table> {
    let text = fs_err::read_to_string(workshop.folders.libc.join("string/functions.toml"))?;
    toml::from_str(&text).context("libc/string/functions.toml is not what it should be")
}

/// Compiles all sets for these architectures.
pub fn build(workshop: &Workshop, table: &Table) -> Result<Vec<Set>> {
    let folders = &workshop.folders;
    let folder = folders.libc.join("string");
    let sources = Sources { folder, table: &table.function, flags: &table.flags };
    let mut sets = Vec::new();
    // What stands in the place of the set for any processor of an architecture, and its bytes.
    let mut whole: Option<(usize, Vec<u8>)> = None;
    for build in BUILDS {
        let Some(arch) = workshop.arches.iter().copied().find(|arch| arch.name == build.arch) else {
            continue;
        };
        let rows = table.function.iter().filter(|function| {
            let left_out = if build.cpu.is_none() { function.cpu_only } else { function.dispatch_only };
            function.is_for(arch) && !left_out
        });
        let members: Vec<Member<'_>> = rows.flat_map(|function| Member::of(function, build)).collect();
        let prefix = format!("string-{}{}", arch.name, build.flags);
        let objects = members::compile(workshop, &sources, &members, build, arch, &prefix)?;
        let mut levels = Vec::new();
        let knob = members.iter().position(|member| member.function.file == table.knob.file);
        if let Some(index) = knob {
            for (name, value) in LEVELS {
                let file = folders.out.join(format!("{prefix}-level-{name}.o.zst"));
                levels.push((
                    *name,
                    Packed::write(file, &held_to(&objects[index], *value, &table.knob)?, &[])?,
                ));
            }
        }
        let names = members.iter().map(|member| format!("brawn-string-{}.o", member.stem()));
        let bytes = members::archive(names.zip(&objects))?;
        let archive_file = folders.out.join(format!("{prefix}.a"));
        fs_err::write(&archive_file, &bytes)?;
        // A set for one kind of processor is much like the one for any.
        let base = whole
            .as_ref()
            .filter(|_| build.cpu.is_some())
            .map(|(index, bytes)| Base { bytes, place: format!("STRINGS[{index}].archive") });
        let packed =
            Packed::write(folders.out.join(format!("{prefix}.a.zst")), &bytes, base.as_ref().as_slice())?;
        let compiler = workshop.compiler(arch);
        let flags = members::flags(&table.flags, build, compiler);
        if build.cpu.is_none() {
            whole = Some((sets.len(), bytes));
        }
        sets.push(Set {
            arch_variant: arch.variant,
            cpu: build.cpu,
            archive: packed,
            archive_file,
            levels,
            compiler: compiler.identity.clone(),
            flags: flags.iter().chain(level_flags(&table.flags, build.level())).cloned().collect(),
        });
    }
    Ok(sets)
}

/// The object that finds the level, with another highest level in it.
fn held_to(object: &[u8], level: u8, knob: &Knob) -> Result<Vec<u8>> {
    let (name, section) = (&knob.file, &knob.section);
    let missing = || anyhow!("{name} has no section {section} of one byte for the highest level");
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
