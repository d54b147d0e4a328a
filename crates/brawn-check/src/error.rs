brawn_base::errors! {
    /// Why a program could not be looked at or run.
    pub enum Error {
        from {
            /// The file is no executable that can be read.
            Elf(brawn_elf::Error),
            /// A file could not be read or written.
            File(std::io::Error),
        }

        /// The kernel allows neither a mount namespace nor `chroot` to this user.
        #[error("the kernel gives this user no root of its own: {reason}")]
        NoRoot { reason: String } => Missing,
            "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, \
             kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0), run it as root, or \
             look at the file alone: brawn check --static";

        #[error("the kernel refuses to let the program be traced")]
        TraceRefused => Missing,
            "allow ptrace (sysctl kernel.yama.ptrace_scope=1, or --cap-add SYS_PTRACE for a container), or look at \
             the file alone: brawn check --static";

        /// Setting up the root or starting the program failed.
        #[error("cannot {doing}")]
        System { doing: String, source: std::io::Error } => source.code(), source.hint();

        /// [`Program::interrupt`](crate::Program) became true. Nothing of the run is left.
        #[error("interrupted")]
        Interrupted => Interrupted;

        /// `Cargo.toml` is not what it should be.
        #[error("cannot use {what}: {reason}")]
        Manifest { what: String, reason: String } => Input;
    }
}
