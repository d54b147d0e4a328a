//! Compiles one row of the table for one architecture.

use crate::compiler::Compiler;
use crate::sources::Source;
use crate::table::{Arch, FLAGS, Recipe};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("could not run `{command}`")]
    Spawn { command: String, source: std::io::Error },
    #[error("`{command}` failed:\n{stderr}")]
    Failed { command: String, stderr: String },
    #[error("could not read what the compiler wrote")]
    Read(#[from] std::io::Error),
}

/// Where the inputs lie and the outputs go.
pub struct Folders {
    /// `libc/malloc/` of the repository.
    pub shims: PathBuf,
    /// Cargo's `OUT_DIR`.
    pub out: PathBuf,
}

/// The flags of this row that name no folder of this machine: what `Object::flags` shows.
pub fn flags(recipe: &Recipe, arch: &Arch, compiler: &Compiler) -> Vec<String> {
    let mut flags: Vec<String> = FLAGS.iter().chain(arch.flags).map(|flag| (*flag).to_owned()).collect();
    flags.extend(compiler.flags.iter().map(|flag| (*flag).to_owned()));
    flags.extend(recipe.defines.iter().map(|define| format!("-D{define}")));
    flags.push(format!("-DBRAWN_KIT_NAME=\"{}\"", recipe.name));
    flags.push(format!("-DBRAWN_KIT_VERSION=\"{}\"", recipe.version));
    flags
}

/// Compiles the row, and returns the object as the compiler wrote it.
pub fn compile(
    recipe: &Recipe,
    arch: &Arch,
    compiler: &Compiler,
    source: &Source,
    folders: &Folders,
) -> Result<Vec<u8>, Error> {
    let object = folders.out.join(format!("{}-{}.o", recipe.name, arch.name));
    let mut command = Command::new(&compiler.argv[0]);
    command.args(&compiler.argv[1..]).args(flags(recipe, arch, compiler));
    for folder in recipe.include {
        command.arg("-I").arg(source.folder.join(folder));
    }
    for (folder, name) in [(&source.folder, recipe.source_crate), (&folders.shims, "libc/malloc")] {
        command.arg(prefix_map(folder, name));
    }
    command.arg("-c").arg(folders.shims.join(recipe.shim)).arg("-o").arg(&object);
    // zig keeps caches in the user's home and in the current folder unless told otherwise.
    let cache = folders.out.join("zig-cache");
    command.env("ZIG_GLOBAL_CACHE_DIR", &cache).env("ZIG_LOCAL_CACHE_DIR", &cache);
    // Variables that change what gcc and clang do without a word on the command line.
    for variable in ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH", "GCC_EXEC_PREFIX"]
    {
        command.env_remove(variable);
    }
    let shown = format!("{:?}", command);
    let output = command.output().map_err(|source| Error::Spawn { command: shown.clone(), source })?;
    if !output.status.success() {
        return Err(Error::Failed {
            command: shown,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        });
    }
    Ok(fs_err::read(&object)?)
}

fn prefix_map(folder: &Path, name: &str) -> String {
    format!("-ffile-prefix-map={}={name}", folder.display())
}
