use std::io;
use std::path::PathBuf;

use brawn_base::text::shown;

brawn_base::errors! {
    /// Why a project is left as it is.
    pub enum Error {
        from {
            /// A file could not be read or written; the message names it.
            File(io::Error),
        }

        /// Nothing that builds programs.
        #[error("{} holds no project that is known here", shown(folder))]
        NoProject { folder: PathBuf } => Input,
            "known are Cargo.toml, CMakeLists.txt, meson.build, configure.ac, go.mod, and pyproject.toml with maturin; \
             `brawn init DIR` looks elsewhere";

        /// A Go module that calls no C.
        #[error("the Go module in {} calls no C, so no libc is linked in", shown(folder))]
        NoCgo { folder: PathBuf } => Input, "there is nothing that Brawn could make faster";

        /// A file of the project cannot be understood.
        #[error("{} cannot be read: {what}", shown(path))]
        Unreadable { path: PathBuf, what: String } => Input, "correct it first";

        /// The executable is not known.
        #[error("which executable {kind} builds is not known")]
        NoProgram { kind: &'static str } => Usage, "name it: --bin NAME";

        /// A part that this kind of project has not.
        #[error("'{part}' is nothing for a project of {kind}")]
        NotHere { part: &'static str, kind: &'static str } => Usage, "leave it out of --with";

        /// Somebody else's file stands where one would be written.
        #[error("{} is there already, and not by `brawn init`", shown(path))]
        Taken { path: PathBuf, part: &'static str } => Input,
            format!("choose others than '{part}' by --with, or move it away first");

        /// What was written has been changed.
        #[error("{} was changed after `brawn init` wrote it", shown(path))]
        Changed { path: PathBuf } => Input, "take out by hand what is not wanted; its first line may stay or go";

        /// Nothing to take out.
        #[error("`brawn init` has written nothing in {}", shown(folder))]
        NothingToUndo { folder: PathBuf } => Input, "`brawn init --undo DIR` looks elsewhere";

        /// A manifest to which nothing can be added at its end.
        #[error("nothing can be added to {}: {what}", shown(path))]
        NoPlace { path: PathBuf, what: String } => Input, "write the lines by hand, or leave them out: --with github";

        /// A link where a file would be written.
        #[error("{} is a symbolic link", shown(path))]
        Link { path: PathBuf } => Input, "what it leads to may serve other projects: go there, or change it by hand";
    }
}
