//! From a choice of allocator and knobs to a library.

use std::path::{Path, PathBuf};

use brawn_base::temporary;
use brawn_elf::Arch;
use brawn_libc::{Choice, LEVEL_KNOB, Malloc};

use crate::Error;

brawn_base::worded! {
    /// The libc that a program loads.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Libc {
        /// glibc: the library offers the malloc family alone, for glibc's own string functions are fast.
        Glibc = "glibc",
        /// musl: the library offers the string functions as well.
        Musl = "musl",
    }
}

/// A library that is ready to be written.
#[derive(Debug)]
pub struct Library {
    /// The name of its file, unless the user wants another: `libbrawn-mimalloc.so`.
    pub file_name: String,
    /// The libc of the programs that it is for.
    pub libc: Libc,
    /// Whether those programs get the string functions from it.
    pub strings: bool,
    /// The ELF file.
    pub bytes: Vec<u8>,
}

impl Library {
    /// The library for a choice.
    ///
    /// # Errors
    /// [`Error::NotPreloadable`], [`Error::OverlayOnly`], [`Error::Kit`], [`Error::NoLibrary`].
    pub fn new(choice: &Choice, libc: Libc, arch: Arch) -> Result<Library, Error> {
        let malloc = choice.malloc.name();
        if !brawn_kit::library_names().any(|name| name == malloc) {
            let why = match choice.malloc {
                Malloc::Stock => "it is the heap that the program has without us",
                Malloc::Kit(allocator) if allocator.on_mallocng => {
                    "it works inside musl's own heap, which musl's libc.so keeps to itself, and glibc does not have"
                }
                Malloc::Kit(_) => "the kit holds it for static executables only",
            };
            return Err(Error::NotPreloadable { malloc: malloc.to_owned(), why });
        }
        if let Some(cpu) = choice.cpu {
            return Err(Error::OverlayOnly { setting: format!("--cpu {}", cpu.name()) });
        }
        if choice.knobs.contains_key(LEVEL_KNOB) {
            return Err(Error::OverlayOnly { setting: format!("--knob {LEVEL_KNOB}") });
        }
        choice.fits(arch)?;
        let library = brawn_kit::library(malloc, arch)
            .ok_or_else(|| Error::NoLibrary { malloc: malloc.to_owned(), arch })?;
        let strings = choice.strings && libc == Libc::Musl;
        let bytes = library.file(strings, choice.knob_text().as_deref());
        Ok(Library { file_name: format!("libbrawn-{malloc}.so"), libc, strings, bytes })
    }

    /// Writes the library to a file, which appears whole or not at all: a program may have the old one open.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        temporary::write(path, &self.bytes, 0o755)
            .map_err(|source| Error::Unwritable { path: path.to_owned(), source })
    }

    /// The library's file below a folder for such, written unless it is there. Its folder is named by its contents, so
    /// that programs with other knobs do not disturb each other.
    ///
    /// # Errors
    /// [`Error::Separator`] when `LD_PRELOAD` could not name it; [`Error::Unwritable`], [`Error::Io`].
    pub fn placed(&self, folder: &Path) -> Result<PathBuf, Error> {
        let folder = folder.join(&brawn_libc::sha256_hex(&self.bytes)[..16]);
        let path = folder.join(&self.file_name);
        if path.to_string_lossy().contains([' ', ':', '\t', '\n']) {
            return Err(Error::Separator { path });
        }
        if brawn_base::file::elf(&path).is_ok_and(|bytes| bytes == self.bytes) {
            return Ok(path);
        }
        fs_err::create_dir_all(&folder)?;
        self.write(&path)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brawn_base::Diagnostic as _;
    use object::read::elf::ElfFile64;
    use object::{Object as _, ObjectSymbol as _};

    fn offered(library: &Library) -> Vec<String> {
        let file: ElfFile64<'_> = ElfFile64::parse(&*library.bytes).expect("an ELF file");
        let defined = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
        defined.map(|symbol| symbol.name().expect("a name").to_owned()).collect()
    }

    #[test]
    fn string_functions_are_offered_to_musl_alone() {
        for name in brawn_kit::library_names() {
            let choice = Choice::malloc(name).unwrap();
            let musl = offered(&Library::new(&choice, Libc::Musl, Arch::X86_64).unwrap());
            let glibc = offered(&Library::new(&choice, Libc::Glibc, Arch::X86_64).unwrap());
            let plain = choice.with_strings(false);
            let without = offered(&Library::new(&plain, Libc::Musl, Arch::X86_64).unwrap());
            assert!(musl.iter().any(|symbol| symbol == "memcpy"), "{name}");
            assert!(
                glibc.iter().all(|symbol| symbol.contains("alloc")
                    || symbol.contains("memalign")
                    || symbol.ends_with("free")
                    || symbol == "malloc_trim"),
                "{name}: {glibc:?}"
            );
            assert_eq!(glibc, without, "{name}");
        }
    }

    #[test]
    fn knobs_are_written_into_the_library() {
        let choice = Choice::malloc("mimalloc").unwrap().with_knob("mimalloc.purge_delay", "77").unwrap();
        let library = Library::new(&choice, Libc::Glibc, Arch::Aarch64).unwrap();
        let built_in =
            Library::new(&Choice::malloc("mimalloc").unwrap(), Libc::Glibc, Arch::Aarch64).unwrap();
        let holds = |library: &Library, text: &[u8]| library.bytes.windows(text.len()).any(|at| at == text);
        assert!(holds(&library, b"purge_delay:77,") && !holds(&built_in, b"purge_delay:77,"));
        assert!(holds(&built_in, b"purge_delay:10,") && !holds(&library, b"purge_delay:10,"));
        assert_eq!(library.bytes.len(), built_in.bytes.len());
    }

    #[test]
    fn what_cannot_be_preloaded_is_refused_with_the_reason() {
        let refused =
            |name: &str| Library::new(&Choice::malloc(name).unwrap(), Libc::Musl, Arch::X86_64).unwrap_err();
        let error = refused("brawn-hardened").to_string();
        assert!(error.starts_with("brawn-hardened cannot be preloaded: it works inside musl's"), "{error}");
        assert!(refused("stock").to_string().contains("has without us"));
        let error = refused("hardened-malloc");
        assert!(error.to_string().ends_with("for static executables only"));
        assert!(error.hint().unwrap().contains("brawn, mimalloc, mimalloc2, jemalloc"), "{:?}", error.hint());
        let choice = Choice::malloc("mimalloc").unwrap();
        let cpu = choice.clone().with_cpu("x86-64-v3").unwrap();
        let error = Library::new(&cpu, Libc::Musl, Arch::X86_64).unwrap_err();
        assert_eq!(error.to_string(), "--cpu x86-64-v3 has no effect on a library to preload");
        let level = choice.with_knob(LEVEL_KNOB, "sse2").unwrap();
        assert!(matches!(Library::new(&level, Libc::Musl, Arch::X86_64), Err(Error::OverlayOnly { .. })));
    }

    #[test]
    fn a_path_that_ld_preload_would_split_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::new(&Choice::malloc("rpmalloc").unwrap(), Libc::Glibc, Arch::X86_64).unwrap();
        let placed = library.placed(folder.path()).unwrap();
        assert_eq!(fs_err::read(&placed).unwrap(), library.bytes);
        fs_err::write(&placed, "damaged").unwrap();
        assert_eq!(library.placed(folder.path()).unwrap(), placed);
        assert_eq!(fs_err::read(&placed).unwrap(), library.bytes, "a damaged one is written again");
        let error = library.placed(&folder.path().join("a b")).unwrap_err();
        assert!(matches!(error, Error::Separator { .. }), "{error}");
        assert!(!folder.path().join("a b").exists());
    }
}
