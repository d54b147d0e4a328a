//! The libraries of a link: C++'s runtime for anyone who asks for it, and an unwinder for what unwinds.

use std::path::{Path, PathBuf};

use brawn_elf::Arch;
use brawn_libc::{Cache, atomic, cache::CXX as FOLDER};

use crate::Error;
use crate::cc::{Backend, LIBRARIES, Language};
use crate::line::Line;
use crate::toolchain::Rust;
use crate::unfit::{made_for_glibc, of_the_compiler};

/// The names under which build systems ask for C++'s runtime.
const CXX: &[&str] = &["stdc++", "c++"];

/// Makes `-lstdc++` and `-lc++` find the runtime of the compiler that `brawn c++` drives, when that is zig's; any
/// other compiler for musl finds its own. Both names lead to the same runtime, because crates name either without
/// knowing which one their code was compiled against. Says whether the line has that runtime now; the unwinder that
/// it needs is the link's own business ([`provide_unwinder`]; rustc brings one).
pub fn provide_cxx(line: &mut Line, arch: Arch, cache: &Cache) -> Result<bool, Error> {
    if !line.libraries().iter().any(|name| CXX.contains(&name.as_str())) {
        return Ok(false);
    }
    before_libc(line);
    // Without a C++ compiler nothing of this link was compiled by it: the line finds what it finds.
    let Ok(backend) = Backend::find(arch, Language::Cxx) else { return Ok(false) };
    let runtime = backend.cxx_runtime()?;
    let parts: Vec<String> =
        runtime.iter().filter(|path| !is_unwinder(path)).map(|path| path.display().to_string()).collect();
    if parts.is_empty() {
        return Ok(false);
    }
    let folder = cache.part(FOLDER).join(arch.to_string());
    fs_err::create_dir_all(&folder)?;
    let script = format!("GROUP({})\n", parts.join(" "));
    for name in CXX {
        let path = folder.join(format!("lib{name}.a"));
        if brawn_base::file::text(&path).ok().as_deref() != Some(&*script) {
            atomic::write(&path, script.as_bytes(), 0o644)?;
        }
    }
    line.args.insert(line.front(), format!("-L{}", folder.display()));
    Ok(true)
}

/// Asks for C++'s runtime before the C library that it calls, where it is asked for last, as rustc does for a library that is
/// dynamic elsewhere: a linker that reads each archive once would not find what nothing else calls.
fn before_libc(line: &mut Line) {
    let is_cxx = |arg: &String| arg.strip_prefix("-l").is_some_and(|name| CXX.contains(&name));
    let Some(libc) = line.args.iter().rposition(|arg| arg == "-lc" || arg == LIBRARIES) else { return };
    let late: Vec<String> = line.args.extract_if(libc.., |arg| is_cxx(arg)).collect();
    let unwinder = line.args[..libc].iter().rposition(|arg| names_unwinder(arg));
    let place = unwinder.unwrap_or(libc);
    line.args.splice(place..place, late);
}

/// Gives C links an unwinder that fits musl when something on the line unwinds, as C++ does for its exceptions and a
/// Rust `staticlib` for its panics, and the compiler brings none. rustc's own is taken, or else zig's.
pub fn provide_unwinder(line: &mut Line, backend: &Backend, arch: Arch, has_cxx: bool) {
    // The C library itself unwinds nothing, nor do GCC's own libraries, which `musl-gcc` names by their paths in every link:
    // to ask rustc takes as long as the link.
    let of_the_system =
        |path: &Path| ["libc.a", "libgcc.a", "libgcc_eh.a"].iter().any(|name| path.ends_with(name));
    let in_inputs = || line.inputs().iter().any(|path| !of_the_system(path) && unwinds(path));
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

/// The libraries that have an unwinder: LLVM's, and that of GCC.
const UNWINDERS: &[&str] = &["unwind", "gcc_eh"];

/// Whether an argument of a link has an unwinder: its library by name or by path.
pub fn names_unwinder(arg: &str) -> bool {
    UNWINDERS.iter().any(|name| {
        let file = format!("lib{name}.a");
        arg.strip_prefix("-l").is_some_and(|it| it == *name || it.strip_prefix(':') == Some(&file))
            || !arg.starts_with('-') && Path::new(arg).ends_with(&file)
    })
}

fn is_unwinder(path: &Path) -> bool {
    path.ends_with("libunwind.a")
}

fn unwinds(path: &Path) -> bool {
    brawn_base::file::read(path, brawn_base::file::OBJECT)
        .is_ok_and(|bytes| memchr::memmem::find(&bytes, b"_Unwind_").is_some())
}

/// Refuses glibc's C++ library: it links, more or less, and then crashes where the two C libraries differ.
pub fn refuse_foreign_cxx(line: &Line, linker: &[String]) -> Result<(), Error> {
    let mut found: Vec<PathBuf> =
        line.inputs().into_iter().filter(|path| path.ends_with("libstdc++.a")).collect();
    if found.is_empty() && line.libraries().iter().any(|name| name == "stdc++") {
        found.extend(of_the_compiler(line, linker, "libstdc++.a"));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::parse(text.split_whitespace().map(Into::into)).unwrap()
    }

    #[test]
    fn unwinders_are_known_by_name_and_by_path() {
        for arg in ["-lunwind", "-lgcc_eh", "-l:libunwind.a", "/a/b/libunwind.a", "libgcc_eh.a"] {
            assert!(names_unwinder(arg), "{arg}");
        }
        for arg in ["-lunwind-x86_64", "-lgcc", "-L/a/libunwind.a", "libunwind-ab12.rlib", "/a/unwind"] {
            assert!(!names_unwinder(arg), "{arg}");
        }
    }

    #[test]
    fn the_runtime_of_cxx_is_asked_for_before_libc() {
        let ordered = |text: &str| {
            let mut line = line(text);
            before_libc(&mut line);
            line.args.join(" ")
        };
        let (std, end) = ("-Wl,-Bstatic libstd.rlib", "-lc libcore.rlib -Wl,-Bdynamic");
        assert_eq!(
            ordered(&format!("{std} -lunwind liblibc.rlib {end} -lstdc++ -lz -lc++")),
            format!("{std} -lstdc++ -lc++ -lunwind liblibc.rlib {end} -lz")
        );
        assert_eq!(ordered(&format!("{std} {end} -lstdc++")), format!("{std} -lstdc++ {end}"));
        for fine in ["a.o -lstdc++ -lc -lgcc", "-lc -lstdc++ -lm -lc", "-Wl,-O1 a.o -lstdc++"] {
            assert_eq!(ordered(fine), fine);
        }
    }

    #[test]
    fn links_without_cxx_are_left_alone() {
        let cache = tempfile::tempdir().unwrap();
        let mut line = line("-static -Wl,-O1 a.o -lc");
        let before = line.args.clone();
        assert!(!provide_cxx(&mut line, Arch::X86_64, &Cache::open(cache.path()).unwrap()).unwrap());
        assert_eq!(line.args, before);
        assert!(refuse_foreign_cxx(&line, &["cc".into()]).is_ok());
    }
}
