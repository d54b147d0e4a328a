//! Compiles one C file for one architecture.

use crate::arches::Arch;
use crate::command::run;
use crate::compiler::Compiler;
use crate::error::Result;
use crate::knobs;
use crate::sources::Source;
use crate::table::Recipe;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Flags for those that are written in C.
pub const C_FLAGS: &[&str] = &["-std=gnu11"];

/// Flags for those that are written in C++: nothing may need a runtime, or headers of a standard library.
pub const CPP_FLAGS: &[&str] = &["-std=c++20", "-nostdinc++", "-fno-rtti", "-fno-threadsafe-statics"];

/// Flags for every allocator and architecture; `docs/reference/kit.md` gives the reason for each.
pub const FLAGS: &[&str] = &[
    "-O3",
    "-g0",
    "-DNDEBUG",
    "-fPIE",
    "-ftls-model=local-exec",
    "-fvisibility=hidden",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-common",
    "-fno-stack-protector",
    "-fasynchronous-unwind-tables",
    "-fno-exceptions",
    "-fno-strict-aliasing",
    "-fno-builtin-malloc",
    "-fno-builtin-calloc",
    "-fno-builtin-realloc",
    "-fno-builtin-free",
    "-fomit-frame-pointer",
    "-fno-lto",
    "-fno-ident",
    "-w",
];

/// Flags besides, for those that become shared libraries: their thread-local storage is not the executable's, but
/// stands beside it from the start.
pub const LIBRARY_FLAGS: &[&str] = &["-fPIC", "-ftls-model=initial-exec", "-DBRAWN_PRELOAD"];

/// Where the inputs lie and the outputs go.
pub struct Folders {
    /// `libc/` of this crate.
    pub libc: PathBuf,
    /// Cargo's `OUT_DIR`.
    pub out: PathBuf,
    /// Where zig remembers what it has compiled.
    pub zig_cache: PathBuf,
}

impl Folders {
    /// The folders for a build into `out`. zig's memory lies with the zig that `make setup` installed, if that did:
    /// then the second profile of a build does not compile the same files again.
    pub fn new(root: &Path, libc: PathBuf, out: &Path) -> Folders {
        let private = root.join(".tools/zig");
        let zig_cache = if private.is_dir() { private.join("cache") } else { out.join("zig-cache") };
        Folders { libc, out: out.to_owned(), zig_cache }
    }

    /// Where the kit's allocators and their table lie.
    pub fn malloc(&self) -> PathBuf {
        self.libc.join("malloc")
    }
}

/// What an allocator is compiled for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A member of a libc.a.
    Member,
    /// A shared library to preload.
    Library,
}

/// The flags of this row that name no folder of this machine: what `Object::flags` shows.
pub fn flags(recipe: &Recipe, arch: &Arch, compiler: &Compiler, form: Form) -> Vec<String> {
    let language = if recipe.shim.ends_with(".cc") { CPP_FLAGS } else { C_FLAGS };
    let own = FLAGS.iter().chain(language).chain(arch.flags);
    let mut flags: Vec<String> = own.map(|flag| (*flag).to_owned()).collect();
    flags.extend(compiler.flags.iter().map(|flag| (*flag).to_owned()));
    if form == Form::Library {
        // The later of two wins.
        flags.extend(LIBRARY_FLAGS.iter().map(|flag| (*flag).to_owned()));
    }
    flags.extend(recipe.defines.iter().map(|define| format!("-D{define}")));
    flags.push(format!("-DBRAWN_KIT_NAME=\"{}\"", recipe.name));
    flags.push(format!("-DBRAWN_KIT_VERSION=\"{}\"", recipe.marked_version()));
    if let Some(table) = &recipe.settings {
        flags.push(format!("-DBRAWN_KIT_KNOBS=\"{}\"", knobs::built_in(table)));
    }
    flags
}

/// Compiles the row, and returns the object as the compiler wrote it.
pub fn compile(
    recipe: &Recipe,
    arch: &Arch,
    compiler: &Compiler,
    source: &Source,
    form: Form,
    folders: &Folders,
) -> Result<Vec<u8>> {
    let mut options: Vec<OsString> =
        flags(recipe, arch, compiler, form).into_iter().map(Into::into).collect();
    for folder in &recipe.own_include {
        options.extend(["-I".into(), recipe.folder.join(folder).into()]);
    }
    // A row from elsewhere needs the headers of the kit.
    if recipe.folder != folders.malloc() {
        options.extend(["-I".into(), folders.malloc().into()]);
    }
    for folder in &recipe.include {
        options.extend(["-I".into(), source.folder.join(folder).into()]);
    }
    options.push(prefix_map(&source.folder, recipe.source_crate()).into());
    let kind = if form == Form::Library { "preload-" } else { "" };
    let object = folders.out.join(format!("{kind}{}-{}.o", recipe.name, arch.name));
    compile_file(compiler, &options, &recipe.folder.join(&recipe.shim), &object, folders)
}

/// Compiles one file with these options, and returns the object as the compiler wrote it.
pub fn compile_file(
    compiler: &Compiler,
    options: &[OsString],
    file: &Path,
    object: &Path,
    folders: &Folders,
) -> Result<Vec<u8>> {
    let mut command = Command::new(&compiler.argv[0]);
    command.args(&compiler.argv[1..]).args(options);
    command.arg(prefix_map(&folders.libc, "libc"));
    command.arg("-c").arg(file).arg("-o").arg(object);
    // zig keeps caches in the user's home and in the current folder unless told otherwise.
    command.env("ZIG_GLOBAL_CACHE_DIR", &folders.zig_cache).env("ZIG_LOCAL_CACHE_DIR", &folders.zig_cache);
    // Variables that change what gcc and clang do without a word on the command line.
    for variable in ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH", "GCC_EXEC_PREFIX"]
    {
        command.env_remove(variable);
    }
    run(&mut command)?;
    Ok(fs_err::read(object)?)
}

/// Writes this name where a compiler would write the folder.
pub fn prefix_map(folder: &Path, name: &str) -> String {
    format!("-ffile-prefix-map={}={name}", folder.display())
}
