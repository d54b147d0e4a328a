use brawn_base::{Code, Diagnostic};

/// Why a program could not be looked at or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is no executable that can be read.
    #[error(transparent)]
    Elf(#[from] brawn_elf::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The kernel allows neither a mount namespace nor `chroot` to this user.
    #[error("the kernel gives this user no root of its own: {reason}")]
    NoRoot {
        /// What was tried, and what the kernel said.
        reason: String,
    },
    /// The kernel does not let the program be watched.
    #[error("the kernel refuses to let the program be traced")]
    TraceRefused,
    /// Setting up the root or starting the program failed.
    #[error("cannot {doing}")]
    System {
        /// What was being done.
        doing: String,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// [`Program::interrupt`](crate::Program) became true. Nothing of the run is left.
    #[error("interrupted")]
    Interrupted,
    /// `Cargo.toml` is not what it should be.
    #[error("cannot use {what}: {reason}")]
    Manifest {
        /// The table or key at fault.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Diagnostic for Error {
    fn code(&self) -> Code {
        match self {
            Error::Elf(error) => error.code(),
            Error::File(error) | Error::System { source: error, .. } => error.code(),
            Error::NoRoot { .. } | Error::TraceRefused => Code::Missing,
            Error::Interrupted => Code::Interrupted,
            Error::Manifest { .. } => Code::Input,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Error::Elf(error) => error.hint(),
            Error::File(error) | Error::System { source: error, .. } => error.hint(),
            Error::NoRoot { .. } => Some(
                "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, \
                 kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0), run it as root, or \
                 look at the file alone: brawn check --static"
                    .to_owned(),
            ),
            Error::TraceRefused => Some(
                "allow ptrace (sysctl kernel.yama.ptrace_scope=1, or --cap-add SYS_PTRACE for a container), or look at \
                 the file alone: brawn check --static"
                    .to_owned(),
            ),
            Error::Interrupted | Error::Manifest { .. } => None,
        }
    }
}
