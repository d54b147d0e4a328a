//! A link of a shared library for programs that load musl at run time: an extension module, a plug-in.
//!
//! It gets functions of the kit for itself alone, and an unwinder; its libc is that of the program. Its heap is its own
//! business: the crate `brawn-heap` is one for Rust code.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_base::file;
use brawn_elf::Arch;
use brawn_libc::{Choice, module};
use object::read::elf::{Dyn as _, FileHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _, elf};

use crate::cc::IN_LIBC;
use crate::line::{Flavor, Line};
use crate::toolchain::{Rust, musl_arch};
use crate::{Error, link};

/// What names of glibc's libraries begin with.
const GLIBCS: &[&str] =
    &["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux"];

const FUNCTIONS: &str = "libbrawn-module.a";

/// The name under which Alpine and `auditwheel` know musl's libc. musl itself takes any name that begins with `libc.` for its own.
fn soname(arch: Arch) -> String {
    format!("libc.musl-{arch}.so.1")
}

/// Does the link in `line` with `linker`, for a Rust target.
///
/// # Errors
/// [`Error::LinkerFailed`]; [`Error::ModuleUnfit`] where musl would refuse to load it, or it brings a second malloc.
pub fn perform(linker: &[String], mut line: Line, arch: Arch, choice: &Choice) -> Result<(), Error> {
    let rust = Rust::find()?;
    let folder = tempfile::Builder::new().prefix("brawn-module-").tempdir()?;
    let own = rust.self_contained(arch);
    // Where programs are musl's, the linker finds all else.
    let libc = if musl_arch(&rust.host).is_ok() {
        own.map_or(PathBuf::from("/usr/lib/libc.a"), |own| own.join("libc.a"))
    } else {
        let own = own?;
        stand_in(linker, &line, arch, &own, folder.path())?;
        own.join("libc.a")
    };
    add_functions(&mut line, folder.path(), arch, choice, Some(&libc))?;
    line.args.insert(line.front(), format!("-L{}", folder.path().display()));
    run(linker, &line.args)?;
    check(&line.output())
}

/// Makes the libraries that the line asks for by name, in `folder`, from those of the Rust target in `own`: a libc to link
/// against, which is the program's when it runs, and an unwinder to link in, since Alpine installs none by itself.
fn stand_in(linker: &[String], line: &Line, arch: Arch, own: &Path, folder: &Path) -> Result<(), Error> {
    let libc = own.join("libc.a");
    let object = folder.join("libc.o");
    fs_err::write(&object, module::stand_in(&libc, &file::archive(&libc)?, arch)?)?;
    let mut args = line.args[..line.front()].to_vec();
    args.push("-shared".into());
    if line.flavor == Flavor::Compiler {
        args.push("-nostdlib".into());
    }
    args.extend(line.linker_option(&["-soname", &soname(arch)]));
    let text = |path: &Path| path.to_string_lossy().into_owned();
    args.extend(["-o".to_owned(), text(&folder.join("libc.so")), text(&object)]);
    run(linker, &args)?;
    // What is a part of musl's libc; the linker may know glibc's of these names.
    for name in IN_LIBC.iter().filter(|name| **name != "c") {
        fs_err::write(folder.join(format!("lib{name}.a")), b"!<arch>\n")?;
    }
    let unwinder = format!("INPUT({})\n", own.join("libunwind.a").display());
    Ok(fs_err::write(folder.join("libgcc_s.so"), unwinder)?)
}

/// Puts the functions on the line, behind what calls them and before every libc. They are written into `folder`. `libc` is the
/// libc.a beside which the library is compiled, as far as one is known.
///
/// # Errors
/// Those of [`module::functions`].
pub fn add_functions(
    line: &mut Line,
    folder: &Path,
    arch: Arch,
    choice: &Choice,
    libc: Option<&Path>,
) -> Result<(), Error> {
    let functions = folder.join(FUNCTIONS);
    let bytes = libc.filter(|path| path.is_file()).map(file::archive).transpose()?;
    let libc = libc.zip(bytes.as_deref());
    fs_err::write(&functions, module::functions(arch, choice, libc)?)?;
    let libraries = |arg: &String| ["-lgcc_s", "-lc", "-lgcc"].contains(&arg.as_str());
    let at = line.args.iter().position(libraries).unwrap_or(line.args.len());
    line.args.insert(at, functions.to_string_lossy().into_owned());
    Ok(())
}

fn run(linker: &[String], args: &[String]) -> Result<(), Error> {
    let mut command = Command::new(&linker[0]);
    command.args(&linker[1..]);
    link::run(command, args)
}

/// Removes a library that no program of musl could load, or that would change the program's heap, and says why.
///
/// # Errors
/// [`Error::ModuleUnfit`].
pub fn check(output: &Path) -> Result<(), Error> {
    let bytes = file::elf(output)?;
    match unfit_for_programs(&bytes) {
        None => Ok(()),
        Some((what, hint)) => {
            fs_err::remove_file(output)?;
            Err(Error::ModuleUnfit { path: output.to_owned(), what, hint })
        }
    }
}

/// What is wrong with a shared library for musl, and what to do about it.
fn unfit_for_programs(bytes: &[u8]) -> Option<(String, String)> {
    let header = elf::FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, bytes).ok()?;
    let (entries, strings) = sections.dynamic(endian, bytes).ok()??;
    let strings = sections.strings(endian, bytes, strings).ok()?;
    for entry in entries {
        let value = entry.d_val(endian);
        match entry.d_tag(endian) {
            elf::DT_NEEDED => {
                let name = String::from_utf8_lossy(strings.get(u32::try_from(value).ok()?).ok()?);
                if GLIBCS.iter().any(|glibcs| name.starts_with(glibcs)) {
                    return Some((
                        format!("needs {name}, which is glibc's"),
                        "a library on its link line is glibc's, or the linker adds one by itself: take CC_<target> and \
                         CARGO_TARGET_<TARGET>_LINKER away and let brawn set both"
                            .into(),
                    ));
                }
            }
            elf::DT_FLAGS if value & elf::DF_STATIC_TLS.0 != 0 => {
                return Some((
                    "has thread-local storage of the initial-exec model, for which a running program has no room: musl \
                     refuses to load it"
                        .into(),
                    "compile its C code without -ftls-model=initial-exec; an allocator crate has a feature for that \
                     (tikv-jemallocator: disable_initial_exec_tls, mimalloc: local_dynamic_tls), or take brawn-heap"
                        .into(),
                ));
            }
            _ => {}
        }
    }
    let file = object::File::parse(bytes).ok()?;
    let is_family = |name: &str| ["malloc", "free", "calloc", "realloc"].contains(&name);
    let mut family = file.dynamic_symbols().filter(|symbol| !symbol.is_undefined());
    let malloc = family.find(|symbol| symbol.name().is_ok_and(is_family))?;
    Some((
        format!(
            "defines {} for others to see: the program has a heap already, and then there are two",
            malloc.name().ok()?
        ),
        "hide it (-fvisibility=hidden, or a version script), build the allocator with a prefix, or take brawn-heap as the \
         #[global_allocator] of Rust code"
            .into(),
    ))
}
