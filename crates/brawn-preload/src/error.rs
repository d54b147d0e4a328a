use std::path::PathBuf;

use brawn_base::{Code, Diagnostic};
use brawn_elf::Arch;

/// Why there is no library to preload, or why a program cannot be started with one. Every message names the file or the
/// option at fault; [`Diagnostic::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The allocator cannot be made into a shared library.
    #[error("{malloc} cannot be preloaded: {why}")]
    NotPreloadable {
        /// Its name on the command line.
        malloc: String,
        /// The reason, as half a sentence.
        why: &'static str,
    },

    /// A setting that only means something in an overlay.
    #[error("{setting} has no effect on a library to preload")]
    OverlayOnly {
        /// The option or knob.
        setting: String,
    },

    /// Nothing says which libc the library is for.
    #[error("cannot tell which libc the programs of this system load: {} is no dynamic executable", .0.display())]
    UnknownSystem(PathBuf),

    /// The program has its libc inside.
    #[error("{} is a static executable: it has its heap inside, and no loader that could bring another", .0.display())]
    Static(PathBuf),

    /// The program's loader belongs to another libc.
    #[error("{} asks for the loader {loader}, which belongs neither to musl nor to glibc", path.display())]
    UnknownLoader {
        /// The program.
        path: PathBuf,
        /// What its `PT_INTERP` says.
        loader: String,
    },

    /// The program runs with other rights than its user's, so its loader preloads nothing.
    #[error("{} {what}: for such a program the loader ignores LD_PRELOAD", path.display())]
    Privileged {
        /// The program.
        path: PathBuf,
        /// What gives it those rights, as the end of a sentence.
        what: &'static str,
    },

    /// There is no kit for the program's architecture.
    #[error("{} is for {found}, and there is no kit for that architecture", path.display())]
    Architecture {
        /// The program.
        path: PathBuf,
        /// What its ELF header says.
        found: String,
    },

    /// This `brawn` was built without a kit for the architecture.
    #[error(transparent)]
    Kit(#[from] brawn_libc::Error),

    /// There is no library for this architecture.
    #[error("there is no library with {malloc} for {arch}")]
    NoLibrary {
        /// The allocator's name.
        malloc: String,
        /// The architecture.
        arch: Arch,
    },

    /// The file is neither an ELF executable nor a script.
    #[error("{} is neither an ELF executable nor a script", .0.display())]
    NotAProgram(PathBuf),

    /// Scripts that name each other as interpreters.
    #[error("{} leads from one script to the next without end", .0.display())]
    ScriptsWithoutEnd(PathBuf),

    /// `LD_PRELOAD` cannot name this file.
    #[error("the path {} holds a space or a colon, which separate the files in LD_PRELOAD", .0.display())]
    Separator(PathBuf),

    /// No such program.
    #[error("there is no program {0}{on_path}", on_path = if .0.contains('/') { "" } else { " on PATH" })]
    NotFound(String),

    /// The library cannot be written.
    #[error("cannot write {}", path.display())]
    Unwritable {
        /// Where it was to go.
        path: PathBuf,
        /// The reason that the system gave.
        source: std::io::Error,
    },

    /// An ELF file is damaged.
    #[error("{}", path.display())]
    Elf {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: brawn_elf::Error,
    },

    /// Reading or writing failed; the message names the file.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Diagnostic for Error {
    fn code(&self) -> Code {
        match self {
            Error::NotPreloadable { .. } | Error::OverlayOnly { .. } | Error::UnknownSystem(_) => Code::Usage,
            Error::NotFound(_) => Code::Missing,
            Error::Kit(error) => error.code(),
            Error::Separator(_) => Code::Io,
            Error::Unwritable { source: error, .. } | Error::Io(error) => error.code(),
            Error::Static(_)
            | Error::UnknownLoader { .. }
            | Error::Privileged { .. }
            | Error::Architecture { .. }
            | Error::NoLibrary { .. }
            | Error::NotAProgram(_)
            | Error::ScriptsWithoutEnd(_)
            | Error::Elf { .. } => Code::Input,
        }
    }

    fn hint(&self) -> Option<String> {
        let allocators = || brawn_kit::library_names().collect::<Vec<_>>().join(", ");
        Some(match self {
            Error::NotPreloadable { .. } => format!("--malloc takes one of {}", allocators()),
            Error::OverlayOnly { setting } => format!("leave {setting} away"),
            Error::UnknownSystem(_) => "say --libc glibc or --libc musl".to_owned(),
            Error::Static(path) => format!(
                "if Brawn made it, `brawn relink {0} --malloc NAME` gives it another heap; `brawn inspect {0}` says what is \
                 in it",
                path.display()
            ),
            Error::UnknownLoader { .. } => "there are libraries for musl and for glibc".to_owned(),
            Error::Privileged { .. } => {
                "run it as its owner, or give it the rights in another way, such as systemd's AmbientCapabilities"
                    .to_owned()
            }
            Error::Architecture { .. } | Error::NoLibrary { .. } => {
                let known: Vec<&str> = Arch::ALL.iter().map(|arch| arch.name()).collect();
                format!("there are libraries for {}", known.join(" and "))
            }
            Error::NotAProgram(_) => "name the program that runs it in front of it".to_owned(),
            Error::ScriptsWithoutEnd(_) => "name the program itself".to_owned(),
            Error::Separator(_) => "set BRAWN_CACHE_DIR to a folder without them".to_owned(),
            Error::Elf { source, .. } => return source.hint(),
            Error::Kit(error) => return error.hint(),
            Error::NotFound(path) if path.contains('/') => "give an executable file (chmod +x)".to_owned(),
            Error::NotFound(_) => "give its path, with a slash in it".to_owned(),
            Error::Unwritable { source, .. } => brawn_base::hint_of_writing(source).to_owned(),
            Error::Io(error) => return error.hint(),
        })
    }
}
