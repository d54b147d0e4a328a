//! `brawn cc` and `brawn c++`: compilers for static musl executables, in front of those that are there.
//!
//! Compiling is the compiler's business: it is called as it would have been, with the kernel's headers within reach.
//! Linking is Brawn's: the start files and the mode (static-pie unless told otherwise) are chosen here, because
//! `musl-gcc` does not know `-static-pie` and would write a dynamic executable without a word.

mod backend;
mod command_line;
mod language;
mod memory;
mod probe;
mod zig;

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

pub(crate) use backend::LIBRARIES;
pub use backend::{Backend, default_libc, is_musl, is_this_machines};
pub(crate) use language::IN_LIBC;
pub use language::Language;
pub(crate) use zig::{IN_CXX, zig};

use crate::cc::backend::LinkLine;
use crate::cc::command_line::{CommandLine, Source, Step};
use crate::link::{self, Job, Linked};
use crate::settings::{Layer, Settings};
use crate::toolchain::arch_of;
use crate::{Error, kernel_headers, libraries, module, seam, unfit};
use brawn_libc::Cache;

pub(crate) const FOLDER: &str = brawn_libc::cache::DRIVERS;

/// What takes the C library off a compiler's line.
const WITHOUT_LIBC: &[&str] = &["-nostdlib", "-nodefaultlibs", "-nolibc"];

/// Language and target triple, if the program was called as a compiler: build systems that take one file name, and no
/// arguments with it, are given `<cache>/brawn-cc/<triple>/brawn-cc` or `…/brawn-c++`.
pub fn from_call(argv0: &Path) -> Option<(Language, String)> {
    let folder = argv0.parent()?;
    let cxx = argv0.file_name()? == file_name(Language::Cxx).as_str();
    let language = if cxx { Language::Cxx } else { Language::C };
    (folder.parent()?.file_name()? == FOLDER)
        .then(|| Some((language, folder.file_name()?.to_str()?.to_owned())))?
}

fn file_name(language: Language) -> String {
    format!("brawn-{}", language.command())
}

/// Makes the file under whose name `executable` is a compiler for `triple`.
pub fn install(cache: &Cache, language: Language, triple: &str, executable: &Path) -> Result<PathBuf, Error> {
    let path = cache.part(FOLDER).join(triple).join(file_name(language));
    seam::link_to(executable, &path)?;
    Ok(path)
}

/// Answered here: the compiler behind `musl-gcc` names its own target, and CPython's `configure` stops at that.
const ASKS_FOR_TARGET: [&str; 3] = ["-dumpmachine", "-print-multiarch", "--print-multiarch"];

/// What came of a call of the compiler.
#[derive(Debug, Default)]
pub struct Done {
    /// The status of the compiler or the linker.
    pub status: ExitStatus,
    /// What was linked, if it is an executable.
    pub linked: Option<Linked>,
    /// What was linked, if it is a shared library.
    pub shared_library: Option<PathBuf>,
}

impl From<ExitStatus> for Done {
    fn from(status: ExitStatus) -> Done {
        Done { status, ..Done::default() }
    }
}

/// Runs the compiler with `args`, as `brawn cc` or `brawn c++` was called. Where it only compiles, this process becomes the
/// compiler. An error is Brawn's own.
pub fn run(
    language: Language,
    args: impl IntoIterator<Item = OsString>,
    flags: Layer,
) -> Result<Done, Error> {
    let settings = Settings::collect(flags, None)?;
    let arch = arch_of(settings.target())?;
    let cache = seam::cache()?;
    let backend = Backend::find(arch, language)?;
    let line = CommandLine::parse(args, language)?;
    if let [asked] = line.args.as_slice()
        && ASKS_FOR_TARGET.contains(&asked.as_str())
    {
        println!("{arch}-linux-musl");
        return Ok(Done::default());
    }
    let headers = kernel_headers::folder(&cache, arch)?;
    let compile = |args: &[String]| compiler(&backend, headers.as_deref(), args);
    match line.step() {
        Step::Compile => {
            let mut command = compile(&line.args);
            if !mention_crypt(&line.sources()) {
                // Nothing is left to do afterwards: the compiler takes this process's place.
                let source = command.exec();
                return Err(Error::Spawn { program: backend.command()[0].clone(), source });
            }
            let status = status(command)?;
            if !status.success() {
                without_crypt(&backend)?;
            }
            Ok(status.into())
        }
        Step::Foreign => {
            let Some(library) = line.shared_library() else { return Ok(status(compile(&line.args))?.into()) };
            let scratch = tempfile::Builder::new().prefix("brawn-cc-").tempdir()?;
            let mut args = line.args;
            if !args.iter().any(|arg| WITHOUT_LIBC.contains(&arg.as_str())) {
                // What follows `-x` would be a source.
                args.extend(["-x", "none"].map(str::to_owned));
                let mut whole = crate::line::Line::of(args);
                module::add_functions(&mut whole, scratch.path(), arch, &settings.choice()?, backend.libc())?;
                args = whole.args;
            }
            let status = status(compile(&args))?;
            if !status.success() {
                return Ok(status.into());
            }
            module::check(&library)?;
            Ok(Done { status, shared_library: Some(library), ..Done::default() })
        }
        Step::Link => {
            let choice = settings.choice()?;
            choice.fits(arch)?;
            let scratch = tempfile::Builder::new().prefix("brawn-cc-").tempdir()?;
            let mut line = line;
            // Sources on a link line are compiled on their own first, so that a replay need not compile them again.
            for source in line.sources() {
                let object = scratch.path().join(format!("{:03}-{}.o", source.index, source.stem()));
                let status = status(compile(&line.compile_args(&source, &object)))?;
                if !status.success() {
                    if mention_crypt(&[source]) {
                        without_crypt(&backend)?;
                    }
                    return Ok(status.into());
                }
                line.replace(source.index, &object);
            }
            let LinkLine { linker, args, libc } = backend.link_line(&line)?;
            let mut line = crate::line::Line::parse(args.into_iter().map(OsString::from))?;
            if language == Language::C {
                let has_cxx = libraries::provide_cxx(&mut line, arch, &cache)?;
                libraries::provide_unwinder(&mut line, &backend, arch, has_cxx);
            }
            let job = Job {
                linker,
                line,
                arch,
                libc: Some(libc),
                package: None,
                keep: link::Keep::Below(scratch.path().to_owned()),
            };
            match link::perform(&job, &cache, &choice, settings.gate()) {
                Ok(linked) => Ok(Done { linked: Some(linked), ..Done::default() }),
                // The linker has said what was wrong.
                Err(Error::LinkerFailed { status }) => Ok(status.into()),
                Err(error) => Err(error),
            }
        }
    }
}

fn mention_crypt(sources: &[Source]) -> bool {
    sources.iter().any(|source| {
        brawn_base::file::read(&source.path, brawn_base::file::TEXT)
            .is_ok_and(|text| memchr::memmem::find(&text, b"<crypt.h>").is_some())
    })
}

/// Why sources that want `crypt.h` do not compile: Debian's musl was built without `crypt`.
fn without_crypt(backend: &Backend) -> Result<(), Error> {
    // zig's musl has it.
    backend.system_libc().ok().map_or(Ok(()), |libc| unfit::without_crypt(&libc).map_or(Ok(()), Err))
}

fn compiler(backend: &Backend, headers: Option<&Path>, args: &[String]) -> Command {
    let mut command = Command::new(&backend.command()[0]);
    let shared = args.iter().any(|arg| arg == "-shared");
    command.args(&backend.command()[1..]).args(backend.compile_flags(shared));
    if let Some(headers) = headers {
        command.arg("-idirafter").arg(headers);
    }
    command.args(args.iter().filter(|arg| backend.takes(arg)));
    command
}

fn status(mut command: Command) -> Result<ExitStatus, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.status().map_err(|source| Error::Spawn { program, source })
}
