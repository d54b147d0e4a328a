//! Compiles the names by which crates call the allocators that they bring.

use crate::arches::Arch;
use crate::compile::{self, Folders};
use crate::compile::{C_FLAGS, FLAGS};
use crate::compiler::Compiler;
use crate::family::{Names, TABLE};
use crate::pack::Packed;
use crate::parallel::in_parallel;
use crate::seal;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the names of {heap} for {arch} could not be compiled")]
    Compile { heap: &'static str, arch: &'static str, source: compile::Error },
    #[error("the names of {heap} for {arch} do not keep their contract")]
    Seal { heap: &'static str, arch: &'static str, source: seal::Error },
    #[error("could not write into OUT_DIR")]
    Write(#[from] std::io::Error),
}

/// A finished object.
pub struct Object {
    pub arch_variant: &'static str,
    pub heap: &'static str,
    pub names: Vec<String>,
    pub file: Packed,
}

/// Compiles all of them.
pub fn build(
    arches: &[&'static Arch],
    compilers: &BTreeMap<&str, Compiler>,
    folders: &Folders,
    root: &Path,
) -> Result<Vec<Object>, Error> {
    let jobs: Vec<(&Names<'_>, &Arch)> =
        TABLE.names.iter().flat_map(|names| arches.iter().map(move |arch| (names, *arch))).collect();
    in_parallel(&jobs, |&(names, arch)| one(names, arch, &compilers[arch.name], folders, root))
}

fn one(
    names: &'static Names<'static>,
    arch: &'static Arch,
    compiler: &Compiler,
    folders: &Folders,
    root: &Path,
) -> Result<Object, Error> {
    let flags = FLAGS.iter().chain(C_FLAGS).chain(arch.flags).chain(compiler.flags.iter());
    let defines = names.defines.iter().map(|define| format!("-D{define}").into());
    let options: Vec<OsString> = flags.map(|flag| (*flag).into()).chain(defines).collect();
    let stem = format!("names-{}{}-{}", names.heap, names.prefix, arch.name);
    let object = folders.out.join(format!("{stem}.o"));
    let bytes =
        compile::compile_file(compiler, &options, &folders.malloc().join(names.shim), &object, folders)
            .map_err(|source| Error::Compile { heap: names.heap, arch: arch.name, source })?;
    let exports: Vec<String> = names.names.iter().map(|name| format!("{}{name}", names.prefix)).collect();
    let contract = seal::Contract {
        machine: arch.machine,
        exports: &exports.iter().map(String::as_str).collect::<Vec<_>>(),
        weak: &[],
        hidden: &[],
        imports: &TABLE.of_names.imports,
        shared: false,
        forbidden: &[&root.to_string_lossy(), &folders.out.to_string_lossy()],
    };
    let sealed = seal::seal(&bytes, &contract).map_err(|source| Error::Seal {
        heap: names.heap,
        arch: arch.name,
        source,
    })?;
    let file = Packed::write(folders.out.join(format!("{stem}.o.zst")), &sealed.bytes, None)?;
    Ok(Object { arch_variant: arch.variant, heap: names.heap, names: exports, file })
}
