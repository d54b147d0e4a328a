//! The libraries of a link: C++'s runtime for whoever asks for it, and clear words about libraries that do not fit a
//! static musl executable.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;
use brawn_libc::Cache;
use brawn_libc::archive::Archive;

use crate::Error;
use crate::cc::{Backend, LIBRARIES, Language};
use crate::line::{Flavor, Line};
use crate::toolchain::{Rust, query};

/// The names under which build systems ask for C++'s runtime.
const CXX: &[&str] = &["stdc++", "c++"];

/// Symbols that only glibc has, as code calls them that was compiled with its headers.
const ONLY_GLIBC: &[&str] = &["__libc_single_threaded", "fcntl64"];

/// Whether code that calls this was compiled with glibc's headers. `__…_chk` are the functions of `_FORTIFY_SOURCE`,
/// `__isoc23_…` those of C23.
fn is_only_glibcs(symbol: &str) -> bool {
    ONLY_GLIBC.contains(&symbol)
        || symbol.starts_with("__isoc23_")
        || symbol.starts_with("__") && symbol.ends_with("_chk")
}

/// Makes `-lstdc++` and `-lc++` find the runtime of the compiler that `brawn c++` drives, when that is zig's; any
/// other compiler for musl finds its own. Both names lead to the same runtime, because crates name either without
/// knowing which one their code was compiled against. Says whether the line has that runtime now; the unwinder that
/// it needs is the link's own business ([`provide_unwinder`]; rustc brings one).
pub fn provide_cxx(line: &mut Line, arch: Arch, cache: &Cache) -> Result<bool, Error> {
    if !line.libraries().iter().any(|name| CXX.contains(&name.as_str())) {
        return Ok(false);
    }
    // Without a C++ compiler nothing of this link was compiled by it: the line finds what it finds.
    let Ok(backend) = Backend::find(arch, Language::Cxx) else { return Ok(false) };
    let runtime = backend.cxx_runtime()?;
    let parts: Vec<String> =
        runtime.iter().filter(|path| !is_unwinder(path)).map(|path| path.display().to_string()).collect();
    if parts.is_empty() {
        return Ok(false);
    }
    let folder = cache.root().join("c++").join(arch.to_string());
    fs_err::create_dir_all(&folder)?;
    let script = format!("GROUP({})\n", parts.join(" "));
    for name in CXX {
        let path = folder.join(format!("lib{name}.a"));
        if brawn_base::file::text(&path).ok().as_deref() != Some(&*script) {
            let fresh = tempfile::NamedTempFile::new_in(&folder)?;
            fs_err::write(fresh.path(), &script)?;
            fresh.persist(&path).map_err(|error| error.error)?;
        }
    }
    line.args.insert(line.front(), format!("-L{}", folder.display()));
    Ok(true)
}

/// Gives C links an unwinder that fits musl when something on the line unwinds, as C++ does for its exceptions and a
/// Rust `staticlib` for its panics, and the compiler brings none. rustc's own is taken, or else zig's.
pub fn provide_unwinder(line: &mut Line, backend: &Backend, arch: Arch, has_cxx: bool) {
    // The C library itself unwinds nothing.
    let in_inputs = || line.inputs().iter().any(|path| !path.ends_with("libc.a") && unwinds(path));
    if !(has_cxx || in_inputs()) || backend.brings_unwinder() {
        return;
    }
    let of_rust = || Some(Rust::find().ok()?.self_contained(arch).ok()?.join("libunwind.a"));
    let of_zig = || {
        let runtime = Backend::find(arch, Language::Cxx).ok()?.cxx_runtime().ok()?;
        runtime.into_iter().find(|path| is_unwinder(path))
    };
    // With neither, the linker says what is missing.
    if let Some(unwinder) = of_rust().filter(|path| path.is_file()).or_else(of_zig) {
        // Before the compiler's own libraries, among which `libgcc_eh` has the same functions.
        let place = line.args.iter().position(|arg| arg == LIBRARIES).unwrap_or(line.args.len());
        line.args.insert(place, unwinder.display().to_string());
        // It looks the frames up in a table that GCC leaves out of static executables.
        let table = line.linker_option(&["--eh-frame-hdr"]);
        let front = line.front();
        line.args.splice(front..front, table);
    }
}

fn is_unwinder(path: &Path) -> bool {
    path.ends_with("libunwind.a")
}

fn unwinds(path: &Path) -> bool {
    brawn_base::file::archive(path)
        .is_ok_and(|bytes| memchr::memmem::find(&bytes, b"_Unwind_Resume").is_some())
}

/// Refuses glibc's C++ library: it links, more or less, and then crashes where the two C libraries differ.
pub fn refuse_foreign_cxx(line: &Line, linker: &[String]) -> Result<(), Error> {
    let mut found: Vec<PathBuf> =
        line.inputs().into_iter().filter(|path| path.ends_with("libstdc++.a")).collect();
    if found.is_empty() && line.libraries().iter().any(|name| name == "stdc++") {
        found.extend(of_the_compiler(line, linker));
    }
    for path in found {
        if let Some(symbol) = made_for_glibc(&path) {
            return Err(Error::Unsupported {
                what: format!(
                    "{} was made for glibc ({symbol}), and this executable is linked with musl",
                    path.display()
                ),
                hint: "compile and link with brawn c++, which has a C++ library for musl; brawn cargo sets \
                       CXX_<target> to it"
                    .into(),
            });
        }
    }
    Ok(())
}

/// The C++ library in a compiler's own folders.
fn of_the_compiler(line: &Line, linker: &[String]) -> Option<PathBuf> {
    if line.flavor == Flavor::Linker {
        return None;
    }
    let mut command = Command::new(&linker[0]);
    command.args(&linker[1..]).arg("-print-file-name=libstdc++.a");
    query(&mut command).ok().map(|path| PathBuf::from(path.trim())).filter(|path| path.is_file())
}

/// A symbol that an archive needs and only glibc has.
fn made_for_glibc(path: &Path) -> Option<String> {
    let bytes = brawn_base::file::archive(path).ok()?;
    let archive = Archive::parse(path, &bytes).ok()?;
    let mut needed = archive.members.iter().flat_map(|member| &member.needed);
    needed.find(|symbol| is_only_glibcs(symbol)).map(|symbol| (*symbol).to_owned())
}

/// Why a link may have failed: libraries that are only there in a form that a static musl executable cannot use.
/// What, and what to do about it.
pub fn explain(line: &Line) -> Option<(String, String)> {
    let folders = line.search_dirs();
    for name in line.libraries() {
        let file = |ending: &str| {
            let file = format!("lib{name}.{ending}");
            folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
        };
        if let (None, Some(shared)) = (file("a"), file("so")) {
            return Some((is_shared(&shared, &format!("lib{name}.a")), remedy(&name).to_owned()));
        }
    }
    // By its path, as CMake and Meson name what they found.
    for given in line.args.iter().filter(|arg| !arg.starts_with('-')).map(Path::new) {
        if let Some(library) = name_of_shared(given).filter(|_| given.is_file()) {
            let what = is_shared(given, &format!("{library}.a"));
            return Some((what, remedy(library.strip_prefix("lib").unwrap_or(library)).to_owned()));
        }
    }
    line.inputs().into_iter().find_map(|input| {
        let symbol = made_for_glibc(&input)?;
        let name = input.file_stem()?.to_string_lossy().into_owned();
        let what = format!(
            "the linker failed: {} was compiled for glibc (it calls {symbol}), and this executable is linked with musl",
            input.display()
        );
        Some((what, remedy(name.strip_prefix("lib").unwrap_or(&name)).to_owned()))
    })
}

fn is_shared(path: &Path, archive: &str) -> String {
    format!(
        "the linker failed: {} is a shared library, and a static executable needs {archive}",
        path.display()
    )
}

/// What the name of a shared library begins with: `libz` of `libz.so`, and of `libz.so.1`.
fn name_of_shared(path: &Path) -> Option<&str> {
    let (name, version) = path.file_name()?.to_str()?.split_once(".so")?;
    (!name.is_empty() && (version.is_empty() || version.starts_with('.'))).then_some(name)
}

fn remedy(name: &str) -> &'static str {
    match name {
        "ssl" | "crypto" => {
            "have the crate build OpenSSL itself (openssl = { features = [\"vendored\"] }) and leave OPENSSL_DIR and \
             PKG_CONFIG_ALLOW_CROSS unset"
        }
        "asmrun" | "camlrun" => {
            "make OCaml's runtime system with brawn cc, from the sources of the same version, and name its folder with -I; \
             docs/guides/ocaml.md has the commands"
        }
        _ => {
            "have the crate build it from source (`vendored`, `bundled` or `static` among its features), or compile \
             the library with brawn cc"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::parse(text.split_whitespace().map(Into::into)).unwrap()
    }

    #[test]
    fn a_shared_library_alone_is_named_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("libssl.so"), b"").unwrap();
        let line = line(&format!("-static -Wl,-O1 a.o -L{} -lssl -lc", folder.path().display()));
        let (what, hint) = explain(&line).unwrap();
        assert!(what.contains("libssl.so is a shared library"), "{what}");
        assert!(hint.contains("vendored"), "{hint}");
        // With the archive beside it, the linker takes that.
        fs_err::write(folder.path().join("libssl.a"), b"!<arch>\n").unwrap();
        assert_eq!(explain(&line), None);
    }

    #[test]
    fn a_shared_library_by_its_path_is_named_too() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["libcrypto.so", "libcrypto.so.3"] {
            let path = folder.path().join(name);
            fs_err::write(&path, b"").unwrap();
            let (what, hint) = explain(&line(&format!("-static a.o {}", path.display()))).unwrap();
            let expected =
                format!("{} is a shared library, and a static executable needs libcrypto.a", path.display());
            assert!(what.ends_with(&expected), "{what}");
            assert!(hint.contains("vendored"), "{hint}");
        }
        assert_eq!(name_of_shared(Path::new("main.sort.o")), None);
        assert_eq!(name_of_shared(Path::new("notes.so-called")), None);
    }

    #[test]
    fn symbols_that_only_glibc_has_are_told_from_those_of_both() {
        assert!(["__read_chk", "__isoc23_strtol", "fcntl64"].into_iter().all(is_only_glibcs));
        assert!(
            !["__stack_chk_fail", "read", "__errno_location", "__ctype_b_loc"]
                .into_iter()
                .any(is_only_glibcs)
        );
    }

    #[test]
    fn links_without_cxx_are_left_alone() {
        let cache = tempfile::tempdir().unwrap();
        let mut line = line("-static -Wl,-O1 a.o -lc");
        let before = line.args.clone();
        assert!(!provide_cxx(&mut line, Arch::X86_64, &Cache::new(cache.path())).unwrap());
        assert_eq!(line.args, before);
        assert!(refuse_foreign_cxx(&line, &["cc".into()]).is_ok());
    }
}
