//! Clear words about libraries that do not fit a static musl executable, when a link has failed.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_libc::archive::Archive;
use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSymbol as _};

use crate::Error;
use crate::cc::{IN_CXX, IN_LIBC};
use crate::job::Job;
use crate::line::{Flavor, Line};
use crate::toolchain::query;

/// Symbols that only glibc has, as code calls them that was compiled with its headers.
const ONLY_GLIBC: &[&str] = &["__libc_single_threaded", "fcntl64"];

/// Whether code that calls this was compiled with glibc's headers. `__…_chk` are the functions of `_FORTIFY_SOURCE`,
/// `__isoc23_…` those of C23.
fn is_only_glibcs(symbol: &str) -> bool {
    ONLY_GLIBC.contains(&symbol)
        || symbol.starts_with("__isoc23_")
        || symbol.starts_with("__") && symbol.ends_with("_chk")
}

/// Why a link may have failed: libraries that are only there in a form that a static musl executable cannot use, or not at all.
pub(crate) fn explain(job: &Job, libc: &Path) -> Option<Error> {
    let line = &job.line;
    let unfit = |what: String, library: &str| {
        let hint = remedy(library, job.package.is_some());
        Some(Error::LibraryUnfit { what, hint })
    };
    for name in line.libraries() {
        let archive = format!("lib{name}.a");
        if let (None, Some(shared)) = (line.find(&archive), line.find(&format!("lib{name}.so"))) {
            return unfit(is_shared(&shared, &archive), &name);
        }
    }
    // By its path, as CMake and Meson name what they found.
    for given in line.args.iter().filter(|arg| !arg.starts_with('-')).map(Path::new) {
        if let Some(library) = name_of_shared(given).filter(|_| given.is_file()) {
            let what = is_shared(given, &format!("{library}.a"));
            return unfit(what, library.strip_prefix("lib").unwrap_or(library));
        }
    }
    // Not in the folders of the line: where the compiler looks.
    let own = libc.parent().unwrap_or(Path::new("/"));
    // Compilers find their own by themselves.
    let of_compilers = ["ssp", "ssp_nonshared", "atomic"];
    let is_known = |name: &String| [IN_LIBC, IN_CXX, &of_compilers].concat().contains(&name.as_str());
    let elsewhere: Vec<(String, Option<PathBuf>)> = line
        .libraries()
        .into_iter()
        .filter(|name| !is_known(name))
        .map(|name| (format!("lib{name}.a"), name))
        .filter(|(file, _)| line.find(file).is_none() && !own.join(file).is_file())
        .map(|(file, name)| (name, of_the_compiler(line, &job.linker, &file)))
        .collect();
    let found = elsewhere.iter().filter_map(|(_, path)| path.clone());
    let inputs: Vec<PathBuf> = line.inputs().into_iter().chain(found).filter(|path| path != libc).collect();
    let for_glibc = inputs.iter().find_map(|input| {
        let symbol = made_for_glibc(input)?;
        let name = input.file_stem()?.to_string_lossy().into_owned();
        let what = format!(
            "the linker failed: {} was compiled for glibc (it calls {symbol}), and this executable is linked with musl",
            input.display()
        );
        unfit(what, name.strip_prefix("lib").unwrap_or(&name))
    });
    let absent = || {
        let (name, _) = elsewhere.iter().find(|(_, path)| path.is_none())?;
        let what = format!("the linker failed: there is no lib{name}.a for musl where it looks");
        unfit(what, name)
    };
    let crypt = || inputs.iter().find_map(|input| wants(input, |name| matches!(name, "crypt" | "crypt_r")));
    for_glibc.or_else(absent).or_else(|| crypt().and_then(|_| without_crypt(libc)))
}

/// That a musl has no `crypt`, if it has none.
pub(crate) fn without_crypt(libc: &Path) -> Option<Error> {
    let bytes = brawn_base::file::archive(libc).ok()?;
    let archive = Archive::parse(libc, &bytes).ok()?;
    (!archive.mentions("crypt")).then(|| Error::LibraryUnfit {
        what: format!("{} has no crypt, and so there is no crypt.h: Debian builds its musl without", libc.display()),
        hint: "zig's musl has it (`pip install ziglang`, BRAWN_CC='python-zig cc'), as have the musl of Alpine and of \
               other cross compilers"
            .into(),
    })
}

/// Why a link cannot have the libraries of a folder that is glibc's: its `libm.a`, `libpthread.a` and so on would come along.
pub(crate) fn glibcs_folder(job: &Job, libc: &Path) -> Option<Error> {
    if job.line.libc_argument().is_some() {
        return None;
    }
    let folder = libc.parent()?;
    let what =
        format!("-L{} leads to glibc's libraries, and this executable is linked with musl", folder.display());
    let from_there =
        |name: &String| !IN_LIBC.contains(&name.as_str()) && folder.join(format!("lib{name}.a")).is_file();
    let hint = match job.line.libraries().into_iter().find(from_there) {
        Some(name) => {
            let remedy = remedy(&name, job.package.is_some());
            format!("leave the folder away; its lib{name}.a is glibc's as well: {remedy}")
        }
        None => "leave the folder away".to_owned(),
    };
    Some(Error::LibraryUnfit { what, hint })
}

/// A library in a compiler's own folders.
pub(crate) fn of_the_compiler(line: &Line, linker: &[String], file: &str) -> Option<PathBuf> {
    if line.flavor == Flavor::Linker {
        return None;
    }
    let mut command = Command::new(&linker[0]);
    command.args(&linker[1..]).arg(format!("-print-file-name={file}"));
    query(&mut command).ok().map(|path| PathBuf::from(path.trim())).filter(|path| path.is_file())
}

/// A symbol that an object, an archive or a Rust library needs and only glibc has.
pub(crate) fn made_for_glibc(path: &Path) -> Option<String> {
    wants(path, is_only_glibcs)
}

/// A symbol of a kind that an object, an archive or a Rust library needs.
fn wants(path: &Path, kind: impl Fn(&str) -> bool) -> Option<String> {
    let bytes = brawn_base::file::read(path, brawn_base::file::OBJECT).ok()?;
    let needed = |object: &[u8]| {
        let file = object::File::parse(object).ok()?;
        let needed = file.symbols().filter(|symbol| symbol.is_undefined() && !symbol.is_weak());
        needed.filter_map(|symbol| symbol.name().ok()).find(|name| kind(name)).map(str::to_owned)
    };
    let Ok(archive) = ArchiveFile::parse(&*bytes) else { return needed(&bytes) };
    // A Rust library holds more than objects.
    archive.members().flatten().find_map(|member| needed(member.data(&*bytes).ok()?))
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

/// What to do about a library, in a crate's build or in any other.
fn remedy(name: &str, crates: bool) -> String {
    match (name, crates) {
        ("ssl" | "crypto", true) => {
            "have the crate build OpenSSL itself (openssl = { features = [\"vendored\"] }) and leave OPENSSL_DIR and \
             PKG_CONFIG_ALLOW_CROSS unset"
                .into()
        }
        (_, true) => "have the crate build it from source (`vendored`, `bundled` or `static` among its features), or \
                      compile the library with brawn cc"
            .into(),
        ("asmrun" | "camlrun", false) => {
            "make OCaml's runtime system with brawn cc, from the sources of the same version, and name its folder with -I; \
             docs/guides/ocaml.md has the commands"
                .into()
        }
        (name, false) => format!(
            "compile {name} from its sources with brawn cc, static (for most: `CC='brawn cc' ./configure \
             --disable-shared && make`), and name the folder of lib{name}.a with -L; packages of the distribution are \
             made for its own libc"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Keep;
    use brawn_base::Diagnostic as _;

    /// A link by a linker, so that no compiler is asked.
    fn job(text: &str) -> Job {
        Job {
            linker: vec!["ld".into()],
            line: Line::parse(text.split_whitespace().map(Into::into)).unwrap(),
            arch: brawn_elf::Arch::X86_64,
            libc: None,
            package: Some("/package".into()),
            keep: Keep::Objects,
        }
    }

    fn explained(text: &str) -> Option<(String, String)> {
        explain(&job(text), Path::new("/musl/libc.a")).map(parts)
    }

    fn parts(error: Error) -> (String, String) {
        (error.to_string(), error.hint().expect("what to do about it"))
    }

    #[test]
    fn a_shared_library_alone_is_named_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("libssl.so"), b"").unwrap();
        let line = format!("-flavor gnu -static a.o -L{} -lssl -lc", folder.path().display());
        let (what, hint) = explained(&line).unwrap();
        assert!(what.contains("libssl.so is a shared library"), "{what}");
        assert!(hint.contains("vendored"), "{hint}");
        // With the archive beside it, the linker takes that.
        fs_err::write(folder.path().join("libssl.a"), b"!<arch>\n").unwrap();
        assert_eq!(explained(&line), None);
    }

    #[test]
    fn a_shared_library_by_its_path_is_named_too() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["libcrypto.so", "libcrypto.so.3"] {
            let path = folder.path().join(name);
            fs_err::write(&path, b"").unwrap();
            let (what, hint) = explained(&format!("-flavor gnu -static a.o {}", path.display())).unwrap();
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
    fn a_library_that_is_nowhere_is_named_with_where_to_get_it() {
        let said = |package: Option<&str>| {
            let job = Job {
                package: package.map(PathBuf::from),
                ..job("-flavor gnu -static a.o -lm -lz -lgcc -lc")
            };
            parts(explain(&job, Path::new("/musl/libc.a")).unwrap())
        };
        assert_eq!(said(None).0, "the linker failed: there is no libz.a for musl where it looks");
        assert!(
            said(None).1.starts_with("compile z from its sources with brawn cc"),
            "{said:?}",
            said = said(None)
        );
        assert!(!said(None).1.contains("crate") && said(Some("/p")).1.contains("crate"));
    }
}
