//! Compiles the functions of `libc/functions.toml`, which are not those of strings: one static library per architecture,
//! whose members are named for their families.

use crate::arches::Arch;
use crate::compile::Flags;
use crate::members::{self, Build, Function, Member, Sources};
use crate::pack::Packed;
use crate::workshop::Workshop;
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The tables in `libc/`, which are read as one.
const FILES: &[&str] = &["functions.toml", "math/functions.toml"];

/// `libc/functions.toml`, which tells what each key means, and others like it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub family: Vec<Family>,
    function: Vec<Function>,
}

/// Functions that are taken or left together.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    pub name: String,
    pub title: String,
    /// Structures of musl's that its functions read or write, by symbol, with their sizes in bytes.
    #[serde(default)]
    pub structures: BTreeMap<String, u64>,
    /// Flags that its files are compiled with, behind those of all.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Why none of its functions can do without the musl that the kit was laid over.
    #[serde(default)]
    pub attached: Option<String>,
    /// The same of single objects, by their names in the library.
    #[serde(skip)]
    pub attached_objects: Vec<(String, String)>,
    /// Definitions of musl's that stay behind its functions.
    #[serde(skip)]
    pub behind: Vec<String>,
    /// Calls in members of musl's that go to its functions instead.
    #[serde(skip)]
    pub instead: Vec<(String, String, String)>,
}

impl Table {
    /// The crates that files of others are included from.
    pub fn crates(&self) -> impl Iterator<Item = &str> {
        self.function.iter().filter_map(|function| function.from_crate.as_deref())
    }
}

/// The functions for one architecture.
pub struct Functions {
    pub arch_variant: &'static str,
    pub archive: Packed,
    pub compiler: String,
    pub flags: Vec<String>,
}

/// Reads the table.
pub fn table(workshop: &Workshop) -> Result<Table> {
    let mut table = Table { family: Vec::new(), function: Vec::new() };
    for file in FILES {
        let text = fs_err::read_to_string(workshop.folders.libc.join(file))?;
        let read: Table =
            toml::from_str(&text).with_context(|| format!("libc/{file} is not what it should be"))?;
        table.family.extend(read.family);
        table.function.extend(read.function);
    }
    for function in &mut table.function {
        let family = function.family.as_deref().unwrap_or_default();
        let Some(family) = table.family.iter_mut().find(|known| known.name == family) else {
            bail!("libc/{} is of the unknown family '{family}'", function.file);
        };
        function.own_flags.clone_from(&family.flags);
        for name in &function.behind {
            if !family.behind.contains(name) {
                family.behind.push(name.clone());
            }
        }
        family.instead.extend_from_slice(&function.instead);
        if let Some(why) = &function.attached {
            let stem = Path::new(&function.file).file_stem().unwrap_or_default().to_string_lossy();
            family.attached_objects.push((member_name(&family.name, &stem), why.clone()));
        }
    }
    Ok(table)
}

/// The name of an object in the library.
fn member_name(family: &str, stem: &str) -> String {
    format!("brawn-{family}-{stem}.o")
}

/// Compiles them for every architecture, with the flags of the string functions.
pub fn build(workshop: &Workshop, table: &Table, flags: &Flags) -> Result<Vec<Functions>> {
    workshop.arches.iter().map(|arch| one(workshop, table, flags, arch)).collect()
}

fn one(workshop: &Workshop, table: &Table, flags: &Flags, arch: &'static Arch) -> Result<Functions> {
    let build = Build { cpu: None, flags: "", arch: arch.name, levels: &[] };
    let sources = Sources { folder: workshop.folders.libc.clone(), table: &table.function, flags };
    let rows = table.function.iter().filter(|function| function.is_for(arch));
    let members: Vec<Member<'_>> = rows.flat_map(|function| Member::of(function, &build)).collect();
    let prefix = format!("functions-{}", arch.name);
    let objects = members::compile(workshop, &sources, &members, &build, arch, &prefix)?;
    let family = |member: &Member<'_>| member.function.family.clone().unwrap_or_default();
    let names = members.iter().map(|member| member_name(&family(member), &member.stem()));
    let bytes = members::archive(names.zip(&objects))?;
    let compiler = workshop.compiler(arch);
    Ok(Functions {
        arch_variant: arch.variant,
        archive: Packed::write(workshop.folders.out.join(format!("{prefix}.a.zst")), &bytes, &[])?,
        compiler: compiler.identity.clone(),
        flags: members::flags(flags, &build, compiler),
    })
}
