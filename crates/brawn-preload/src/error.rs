use std::path::PathBuf;

use brawn_elf::Arch;

brawn_base::errors! {
    /// Why there is no library to preload, or why a program cannot be started with one. Every message names the file or the
    /// option at fault; [`brawn_base::Diagnostic::hint`] says what to do about it.
    pub enum Error {
        from {
            /// This `brawn` was built without a kit for the architecture.
            Kit(brawn_libc::Error),
            /// Reading or writing failed; the message names the file.
            Io(std::io::Error),
        }

        #[error("{malloc} cannot be preloaded: {why}")]
        NotPreloadable { malloc: String, why: &'static str } => Usage,
            format!("--malloc takes one of {}", brawn_kit::library_names().collect::<Vec<_>>().join(", "));

        /// A setting that only means something in an overlay.
        #[error("{setting} has no effect on a library to preload")]
        OverlayOnly { setting: String } => Usage, format!("leave {setting} away");

        #[error("cannot tell which libc the programs of this system load: {} is no dynamic executable", path.display())]
        UnknownSystem { path: PathBuf } => Usage, "say --libc glibc or --libc musl";

        #[error("{} is a static executable: it has its heap inside, and no loader that could bring another", path.display())]
        Static { path: PathBuf } => Input,
            format!(
                "if Brawn made it, `brawn relink {0} --malloc NAME` gives it another heap; `brawn inspect {0}` says what is \
                 in it",
                path.display()
            );

        #[error("{} asks for the loader {loader}, which belongs neither to musl nor to glibc", path.display())]
        UnknownLoader { path: PathBuf, loader: String } => Input, "there are libraries for musl and for glibc";

        /// The program runs with other rights than its user's, so its loader preloads nothing.
        #[error("{} {what}: for such a program the loader ignores LD_PRELOAD", path.display())]
        Privileged { path: PathBuf, what: &'static str } => Input,
            "run it as its owner, or give it the rights in another way, such as systemd's AmbientCapabilities";

        #[error("{} is for {found}, and there is no kit for that architecture", path.display())]
        Architecture { path: PathBuf, found: String } => Input,
            format!("there are libraries for {}", Arch::ALL.map(Arch::name).join(" and "));

        #[error("there is no library with {malloc} for {arch}")]
        NoLibrary { malloc: String, arch: Arch } => Input,
            format!("there are libraries for {}", Arch::ALL.map(Arch::name).join(" and "));

        #[error("{} is neither an ELF executable nor a script", path.display())]
        NotAProgram { path: PathBuf } => Input, "name the program that runs it in front of it";

        #[error("{} leads from one script to the next without end", path.display())]
        ScriptsWithoutEnd { path: PathBuf } => Input, "name the program itself";

        #[error("the path {} holds a space or a colon, which separate the files in LD_PRELOAD", path.display())]
        Separator { path: PathBuf } => Io, "set BRAWN_CACHE_DIR to a folder without them";

        #[error("there is no program {program}{on_path}", on_path = if program.contains('/') { "" } else { " on PATH" })]
        NotFound { program: String } => Missing,
            match program.contains('/') {
                true => "give an executable file (chmod +x)",
                false => "give its path, with a slash in it",
            };

        #[error("cannot write {}", path.display())]
        Unwritable { path: PathBuf, source: std::io::Error } => source.code(),
            brawn_base::hint_of_writing(source);

        /// An ELF file is damaged.
        #[error("{}", path.display())]
        Elf { path: PathBuf, source: brawn_elf::Error } => Input, source.hint();
    }
}
