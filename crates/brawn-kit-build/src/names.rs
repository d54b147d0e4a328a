//! Compiles the names by which crates call the allocators that they bring.

use crate::arches::Arch;
use crate::compile;
use crate::family::{Names, TABLE};
use crate::pack::Packed;
use crate::parallel::in_parallel;
use crate::seal::Contract;
use crate::workshop::Workshop;
use anyhow::{Context as _, Result};
use std::ffi::OsString;

/// A finished object.
pub struct Object {
    pub arch_variant: &'static str,
    pub heap: &'static str,
    pub names: Vec<String>,
    pub file: Packed,
}

/// Compiles all of them.
pub fn build(workshop: &Workshop) -> Result<Vec<Object>> {
    let of_names = |names| workshop.arches.iter().map(move |arch| (names, *arch));
    let jobs: Vec<(&Names<'_>, &Arch)> = TABLE.names.iter().flat_map(of_names).collect();
    in_parallel(&jobs, |&(names, arch)| {
        one(workshop, names, arch).with_context(|| format!("the names of {} for {}", names.heap, arch.name))
    })
}

fn one(workshop: &Workshop, names: &'static Names<'static>, arch: &Arch) -> Result<Object> {
    let (compiler, folders) = (workshop.compiler(arch), &workshop.folders);
    let defines = names.defines.iter().map(|define| format!("-D{define}").into());
    let flags = compile::common("c", arch, compiler).into_iter().map(Into::into);
    let options: Vec<OsString> = flags.chain(defines).collect();
    let stem = format!("names-{}{}-{}", names.heap, names.prefix, arch.name);
    let object = folders.out.join(format!("{stem}.o"));
    let shim = folders.malloc().join(names.shim);
    let bytes = compile::compile_file(compiler, &options, &shim, &object, folders)?;
    let exports: Vec<String> = names.names.iter().map(|name| format!("{}{name}", names.prefix)).collect();
    let borrowed: Vec<&str> = exports.iter().map(String::as_str).collect();
    let contract = Contract::new(arch.machine, &borrowed, &TABLE.of_names.imports);
    let sealed = workshop.seal(&bytes, contract, None)?;
    let file = Packed::write(folders.out.join(format!("{stem}.o.zst")), &sealed.bytes, &[])?;
    Ok(Object { arch_variant: arch.variant, heap: names.heap, names: exports, file })
}
