//! Makes the shared libraries for programs that load their libc at run time: an allocator and the string functions in
//! one file, which serves musl and glibc.

use crate::arches::Arch;
use crate::command::run;
use crate::compile::{self, Folders, Form};
use crate::compiler::Compiler;
use crate::family::TABLE;
use crate::pack::{Base, Packed};
use crate::seal::Contract;
use crate::strings::Set;
use crate::table::Recipe;
use crate::workshop::Workshop;
use anyhow::{Context as _, Result, anyhow, bail};
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use std::path::Path;
use std::process::Command;

/// A finished library.
pub struct Library {
    pub arch_variant: &'static str,
    pub name: String,
    pub file: Packed,
    pub flags: Vec<String>,
    /// Where the room for knobs begins in the file, if there is any.
    pub knobs_at: Option<u64>,
    /// Where in the file the entries of the symbol table begin that belong to string functions.
    pub strings_at: Vec<u64>,
}

/// Compiles and links one allocator for one architecture. `set` holds the string functions for it; of what is in `bases`
/// the library has most.
pub fn build(
    workshop: &Workshop,
    recipe: &Recipe,
    arch: &Arch,
    set: &Set,
    bases: &[&Base<'_>],
) -> Result<Library> {
    let (compiler, folders) = (workshop.compiler(arch), &workshop.folders);
    let source = workshop.source(recipe);
    let object = compile::compile(recipe, arch, compiler, &source, Form::Library, folders)?;
    let imports = [recipe.family.symbols().imports.as_slice(), &TABLE.library.imports].concat();
    let contract = Contract::new(arch.machine, &TABLE.library.exports, &imports);
    let sealed = workshop.seal(&object, Contract { shared: true, ..contract }, Some(&source))?;
    let member = folders.out.join(format!("preload-{}-{}.sealed.o", recipe.name, arch.name));
    fs_err::write(&member, &sealed.bytes)?;
    let file = folders.out.join(format!("libbrawn-{}-{}.so", recipe.name, arch.name));
    link(compiler, &recipe.name, &member, &set.archive_file, &file, folders)?;
    let bytes = fs_err::read(&file)?;
    let (knobs_at, strings_at) = check(&bytes, &imports)?;
    let file = Packed::write(file.with_extension("so.zst"), &bytes, bases)?;
    let flags = compile::flags(recipe, arch, compiler, Form::Library);
    Ok(Library { arch_variant: arch.variant, name: recipe.name.clone(), file, flags, knobs_at, strings_at })
}

fn link(
    compiler: &Compiler,
    name: &str,
    object: &Path,
    strings: &Path,
    output: &Path,
    folders: &Folders,
) -> Result<()> {
    let (argv, marked) = compiler.linker();
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]);
    let soname = format!("libbrawn-{name}.so");
    let name_option: &[&str] = &["-soname", &soname];
    // Code and constants in one segment, as the linkers spell it.
    let segments: &[&str] = if marked { &["-z", "noseparate-code"] } else { &["--no-rosegment"] };
    let spelled = |words: &[&str]| -> Vec<String> {
        let plain = || words.iter().map(|word| (*word).to_owned()).collect();
        if marked { vec![format!("-Wl,{}", words.join(","))] } else { plain() }
    };
    let split = |option: &String| spelled(&option.split(' ').collect::<Vec<_>>());
    command.args(compile::FLAGS["link"].iter().flat_map(split));
    command.args([name_option, segments].into_iter().flat_map(spelled));
    command.args(spelled(&["--whole-archive"])).arg(strings).args(spelled(&["--no-whole-archive"]));
    command.arg(object).arg("-o").arg(output);
    command.env("ZIG_GLOBAL_CACHE_DIR", &folders.zig_cache).env("ZIG_LOCAL_CACHE_DIR", &folders.zig_cache);
    run(&mut command).map(drop)
}

/// The size of an entry of a symbol table, in bytes.
const ENTRY: u64 = 24;

/// Checks what the library offers and needs, and finds the places in it that are written over later.
fn check(bytes: &[u8], imports: &[&str]) -> Result<(Option<u64>, Vec<u64>)> {
    let unreadable = || "the linker's result cannot be read".to_owned();
    let missing = |name: &str| anyhow!("the library does not define {name}");
    let file: ElfFile64<'_> = ElfFile64::parse(bytes).with_context(unreadable)?;
    let range = |name: &str| file.section_by_name(name).and_then(|section| section.file_range());
    let (table, _) = range(".dynsym").ok_or_else(|| missing("a symbol"))?;
    let mut family = TABLE.library.exports.clone();
    let mut strings_at = Vec::new();
    for symbol in file.dynamic_symbols() {
        let name = symbol.name().with_context(unreadable)?;
        if symbol.is_undefined() {
            if !imports.contains(&name) || TABLE.not_in_both.contains(&name) {
                bail!("the library needs {name}, which not every libc has in the same form");
            }
        } else if TABLE.library.exports.contains(&name) {
            family.retain(|known| *known != name);
        } else {
            strings_at.push(table + symbol.index().0 as u64 * ENTRY);
        }
    }
    match family.first() {
        Some(name) => Err(missing(name)),
        None => Ok((range("brawn_knobs").map(|(start, _)| start), strings_at)),
    }
}
