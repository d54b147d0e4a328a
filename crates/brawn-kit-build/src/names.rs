//! Compiles the names by which crates call the allocators that they bring.

use crate::arches::Arch;
use crate::compile::{self, Folders};
use crate::compile::{C_FLAGS, FLAGS};
use crate::compiler::Compiler;
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
    let jobs: Vec<(&Names, &Arch)> =
        NAMES.iter().flat_map(|names| arches.iter().map(move |arch| (names, *arch))).collect();
    in_parallel(&jobs, |&(names, arch)| one(names, arch, &compilers[arch.name], folders, root))
}

fn one(
    names: &'static Names,
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
        imports: NAMES_IMPORTS,
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

/// An allocator that crates bring, by the names that they call it by: the kit has these on top of whatever heap serves `malloc`.
pub struct Names {
    /// The allocator.
    pub heap: &'static str,
    /// The file in `libc/malloc/`.
    pub shim: &'static str,
    /// What the names begin with.
    pub prefix: &'static str,
    /// The macros that tell the file so.
    pub defines: &'static [&'static str],
    /// The names without it, sorted.
    pub names: &'static [&'static str],
}

/// Every set of names.
pub const NAMES: &[Names] = &[
    Names {
        heap: "mimalloc",
        shim: "names/mimalloc.c",
        prefix: "mi_",
        defines: &[],
        names: &[
            "aligned_alloc",
            "calloc",
            "calloc_aligned",
            "cfree",
            "collect",
            "expand",
            "free",
            "free_aligned",
            "free_size",
            "free_size_aligned",
            "free_small",
            "good_size",
            "malloc",
            "malloc_aligned",
            "malloc_good_size",
            "malloc_size",
            "malloc_small",
            "malloc_usable_size",
            "mallocn",
            "memalign",
            "posix_memalign",
            "process_init",
            "realloc",
            "realloc_aligned",
            "reallocarray",
            "reallocf",
            "reallocn",
            "recalloc",
            "recalloc_aligned",
            "rezalloc",
            "rezalloc_aligned",
            "strdup",
            "strndup",
            "thread_done",
            "thread_init",
            "usable_size",
            "valloc",
            "zalloc",
            "zalloc_aligned",
            "zalloc_small",
        ],
    },
    Names {
        heap: "jemalloc",
        shim: "names/jemalloc.c",
        prefix: "_rjem_",
        defines: &["BRAWN_NAMES_PREFIX=_rjem_"],
        names: &[
            "aligned_alloc",
            "calloc",
            "dallocx",
            "free",
            "free_aligned_sized",
            "free_sized",
            "malloc",
            "malloc_usable_size",
            "mallocx",
            "memalign",
            "nallocx",
            "posix_memalign",
            "rallocx",
            "realloc",
            "sallocx",
            "sdallocx",
            "valloc",
            "xallocx",
        ],
    },
    // As its crate has it with `unprefixed_malloc_on_supported_platforms`: the rest is the program's own malloc.
    Names {
        heap: "jemalloc",
        shim: "names/jemalloc.c",
        prefix: "",
        defines: &["BRAWN_NAMES_PREFIX=", "BRAWN_NAMES_PLAIN"],
        names: &["dallocx", "mallocx", "nallocx", "rallocx", "sallocx", "sdallocx", "xallocx"],
    },
];

/// What an object with such names may need, sorted.
pub const NAMES_IMPORTS: &[&str] = &[
    "_GLOBAL_OFFSET_TABLE_", // made by the linker
    "__errno_location",
    "aligned_alloc",
    "calloc",
    "free",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "memcpy",
    "memset",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "strdup",
    "strndup",
    "valloc",
];
