//! Compiles one C file for one architecture.

use crate::arches::Arch;
use crate::command::run;
use crate::compiler::Compiler;
use crate::knobs;
use crate::sources::Source;
use crate::table::Recipe;
use anyhow::Result;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Flags of a table: those of every file under `all`, and those of a language, a compiler, an architecture, a set or a level.
pub type Flags = BTreeMap<String, Vec<String>>;

/// `flags.toml`, which tells what each list is for.
pub static FLAGS: LazyLock<Flags> = LazyLock::new(|| {
    toml::from_str(include_str!("flags.toml")).expect("a table of this crate, which every build reads")
});

/// The flags of every file of a language, `c` or `cpp`.
pub fn common(language: &str, arch: &Arch, compiler: &Compiler) -> Vec<String> {
    let own = ["all", language, arch.name].into_iter().flat_map(|key| &FLAGS[key]).cloned();
    own.chain(compiler.flags.iter().map(|flag| (*flag).to_owned())).collect()
}

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
    let mut flags = common(if recipe.shim.ends_with(".cc") { "cpp" } else { "c" }, arch, compiler);
    if form == Form::Library {
        flags.extend_from_slice(&FLAGS["library"]);
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

/// Compiles one file with these options, or precompiles a header, and returns the object as the compiler wrote it.
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
    let header = file.extension().is_some_and(|extension| extension == "h");
    command.args(if header { ["-x", "c-header"].as_slice() } else { &["-c"] });
    command.arg(file).arg("-o").arg(object);
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
