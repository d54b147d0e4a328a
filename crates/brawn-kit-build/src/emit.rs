//! Writes `kit.rs`, the table that the library includes.

use crate::arches::Arch;
use crate::families::{Family, Functions};
use crate::knobs;
use crate::pack::Packed;
use crate::preload::Library;
use crate::strings::Set;
use std::fmt::Write as _;
use std::path::Path;

/// One object as the library will show it.
pub struct Object {
    pub arch_variant: &'static str,
    pub file: Packed,
    pub compiler: String,
    pub flags: Vec<String>,
    pub imports: Vec<String>,
    /// Where the room for knobs begins in the file.
    pub knobs_at: Option<usize>,
}

/// One allocator with its objects.
pub struct Row<'a> {
    pub recipe: &'a crate::table::Recipe,
    pub source_crate_version: String,
    pub objects: Vec<Object>,
}

/// Everything that the library carries.
pub struct Kit<'a> {
    pub rows: &'a [Row<'a>],
    pub sets: &'a [Set],
    pub families: &'a [Family],
    pub functions: &'a [Functions],
    pub libraries: &'a [Library],
    pub names: &'a [crate::names::Object],
}

/// Writes the table to this file.
pub fn write(path: &Path, arches: &[&Arch], kit: &Kit<'_>) -> Result<(), std::io::Error> {
    let &Kit { rows, sets, families, functions, libraries, names } = kit;
    let variants: Vec<String> =
        arches.iter().map(|arch| format!("brawn_elf::Arch::{}", arch.variant)).collect();
    let mut text = format!(
        "/// The architectures that this kit is for.\npub const ARCHES: [brawn_elf::Arch; {}] = [{}];\n\n",
        variants.len(),
        variants.join(", ")
    );
    // Arrays and not references to them, for what unpacks itself once must be a static of its own.
    let _ = writeln!(text, "pub(crate) static ALLOCATORS: [Allocator; {}] = [", rows.len());
    for row in rows {
        let recipe = row.recipe;
        // Writing into a String cannot fail.
        let _ = write!(
            text,
            "    Allocator {{\n        name: {:?},\n        title: {:?},\n        version: {:?},\n        summary: {:?},\n        \
             secure: {:?},\n        on_mallocng: {:?},\n        source_crate: {:?},\n        source_crate_version: {:?},\n        license: {:?},\n        \
             knobs: {},\n        objects: [\n",
            recipe.name,
            recipe.title,
            recipe.version,
            recipe.summary,
            recipe.secure,
            recipe.family.is_on_mallocng(),
            recipe.source_crate(),
            row.source_crate_version,
            recipe.license,
            knobs::expression(recipe.settings.as_ref()),
        );
        for object in &row.objects {
            let _ = write!(
                text,
                "            Object {{\n                arch: brawn_elf::Arch::{},\n                member_name: {:?},\n                \
                 file: {},\n                compiler: {:?},\n                flags: &{:?},\n                \
                 exports: &{:?},\n                imports: &{:?},\n                knobs_at: {:?},\n            }},\n",
                object.arch_variant,
                recipe.member_name(),
                object.file.expression(),
                object.compiler,
                object.flags,
                recipe.family.symbols().exports,
                object.imports,
                object.knobs_at,
            );
        }
        text.push_str("        ],\n    },\n");
    }
    text.push_str("];\n\n");
    for (index, set) in sets.iter().enumerate() {
        let _ = writeln!(text, "static LEVELS_{index}: [Level; {}] = [", set.levels.len());
        for (name, file) in &set.levels {
            let _ = writeln!(text, "    Level {{ name: {name:?}, file: {} }},", file.expression());
        }
        text.push_str("];\n\n");
    }
    let _ = writeln!(text, "pub(crate) static STRINGS: [Strings; {}] = [", sets.len());
    for (index, set) in sets.iter().enumerate() {
        let cpu = set.cpu.map_or("None".to_owned(), |cpu| format!("Some(Cpu::{cpu})"));
        let _ = writeln!(
            text,
            "    Strings {{\n        arch: brawn_elf::Arch::{},\n        cpu: {cpu},\n        archive: {},\n        \
             levels: &LEVELS_{index},\n        compiler: {:?},\n        flags: &{:?},\n    }},",
            set.arch_variant,
            set.archive.expression(),
            set.compiler,
            set.flags,
        );
    }
    let _ = writeln!(
        text,
        "];\n\n/// The families of functions that are not strings.\npub const FAMILIES: [Family; {}] = [",
        families.len()
    );
    for Family { name, title, structures, behind, instead, attached, attached_objects, .. } in families {
        let structures: Vec<_> = structures.iter().collect();
        let _ = writeln!(
            text,
            "    Family {{ name: {name:?}, title: {title:?}, structures: &{structures:?}, behind: &{behind:?}, instead: \
             &{instead:?}, attached: {attached:?}, attached_objects: &{attached_objects:?} }},"
        );
    }
    let _ = writeln!(text, "];\n\npub(crate) static FUNCTIONS: [Functions; {}] = [", functions.len());
    for set in functions {
        let _ = writeln!(
            text,
            "    Functions {{\n        arch: brawn_elf::Arch::{},\n        archive: {},\n        compiler: {:?},\n        \
             flags: &{:?},\n    }},",
            set.arch_variant,
            set.archive.expression(),
            set.compiler,
            set.flags,
        );
    }
    let _ = writeln!(text, "];\n\npub(crate) static LIBRARIES: [Library; {}] = [", libraries.len());
    for library in libraries {
        let _ = writeln!(
            text,
            "    Library {{\n        name: {:?},\n        arch: brawn_elf::Arch::{},\n        packed: {},\n        \
             flags: &{:?},\n        knobs_at: {:?},\n        strings_at: &{:?},\n    }},",
            library.name,
            library.arch_variant,
            library.file.expression(),
            library.flags,
            library.knobs_at,
            library.strings_at,
        );
    }
    let _ = writeln!(text, "];\n\npub(crate) static NAMES: [Names; {}] = [", names.len());
    for object in names {
        let _ = writeln!(
            text,
            "    Names {{\n        arch: brawn_elf::Arch::{},\n        heap: {:?},\n        names: &{:?},\n        file: {},\n    }},",
            object.arch_variant,
            object.heap,
            object.names,
            object.file.expression(),
        );
    }
    text.push_str("];\n");
    fs_err::write(path, text)
}
