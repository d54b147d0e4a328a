use std::path::{Path, PathBuf};

use brawn_base::names;
use brawn_elf::Arch;

use crate::{Malloc, PRESETS, patch};

brawn_base::errors! {
    /// Why an archive cannot be turned into an overlay, or an overlay cannot be written.
    ///
    /// Every message names the file at fault; [`brawn_base::Diagnostic::hint`] says what to do about it.
    pub enum Error {
        from {
            /// Reading or writing failed; the message names the path.
            Io(std::io::Error),
        }

        #[error("{} is not an archive", path.display())]
        NotAnArchive { path: PathBuf } => Input,
            "give the path of a musl libc.a, or leave --from away to use the Rust toolchain's";

        #[error("{} is truncated or damaged", path.display())]
        Truncated { path: PathBuf, source: Box<dyn std::error::Error + Send + Sync> } => Input,
            "install it again, or copy it again from where it is whole";

        #[error("{} is a thin archive: it holds only the paths of its members", path.display())]
        Thin { path: PathBuf } => Input,
            format!(
                "make it self-contained first: `printf 'create full.a\\naddlib {}\\nsave\\n' | ar -M`",
                path.display()
            );

        /// A member is no ELF object that Brawn can work with.
        #[error("{}: member {member} {what}", path.display())]
        BadMember { path: PathBuf, member: String, what: String } => Input,
            "Brawn needs plain ELF objects: a libc.a that was built without -flto";

        #[error("{} is glibc's libc.a, not musl's", path.display())]
        Glibc { path: PathBuf } => Input,
            "Brawn makes programs static with musl: on Debian `apt-get install musl-dev`, \
             for Rust `rustup target add x86_64-unknown-linux-musl`";

        #[error("{} is not a C library: no member defines __libc_start_main", path.display())]
        NotALibc { path: PathBuf } => Input,
            "give the path of a musl libc.a, or leave --from away to use the Rust toolchain's";

        #[error("{} is for {found}, but {wanted} was asked for", path.display())]
        WrongArch { path: PathBuf, found: String, wanted: Arch } => Input,
            format!(
                "give the libc.a of {wanted}, for Rust with `rustup target add {}`, or change --target",
                wanted.musl_triple()
            );

        #[error("{} is for {found}, and there is no kit for that architecture", path.display())]
        UnsupportedArch { path: PathBuf, found: String } => Input,
            format!("there are kits for {}", Arch::ALL.map(Arch::name).join(" and "));

        #[error("this brawn was built without the kit for {arch}")]
        NoKit { arch: Arch } => Missing,
            format!(
                "a released brawn holds the kits for all architectures; from its sources, `cargo install --path crates/brawn \
                 --features {arch}` builds this one as well, with zig or another C compiler for {arch}-linux-musl"
            );

        /// musl before 1.2.2 has no names through which its own calls could be redirected.
        #[error("{} is musl {version}, which is older than 1.2.2", path.display())]
        TooOld { path: PathBuf, version: String } => Input,
            "use musl 1.2.2 or newer: Rust ships 1.2.5 since version 1.93, Debian 12 has 1.2.3";

        #[error("{} already carries Brawn's kit ({note})", path.display())]
        AlreadyPatched { path: PathBuf, note: String } => Input,
            match patch::is_patched(path) {
                true => format!("`brawn restore {}` brings the original back", path.display()),
                false => "no original is kept beside it: start from the libc.a that it was made from, or install that again"
                    .to_owned(),
            };

        /// After the plan, a symbol that a member needs would be owned by no one.
        #[error("{}: nothing would define {symbol}, which {member} needs", path.display())]
        Unresolved { path: PathBuf, symbol: String, member: String } => Input,
            "this libc.a is laid out in a way that Brawn does not know: please report where it came from";

        /// After the plan, a symbol would have two owners.
        #[error("{}: {symbol} would be defined by both {first} and {second}", path.display())]
        TwoOwners { path: PathBuf, symbol: String, first: String, second: String } => Input,
            "this libc.a is laid out in a way that Brawn does not know: please report where it came from";

        #[error("{}: cannot add the note to member {member}", path.display())]
        Note { path: PathBuf, member: String, source: Box<dyn std::error::Error + Send + Sync> } => Input,
            "this libc.a is laid out in a way that Brawn does not know: please report where it came from";

        #[error("unknown {kind} '{given}'")]
        UnknownName { kind: &'static str, given: String, known: Vec<String> } => Usage,
            match *kind {
                "preset" if Malloc::names().contains(&given.as_str()) => {
                    format!("'{given}' is an allocator: --malloc {given}")
                }
                "allocator" if PRESETS.iter().any(|preset| preset.name == given) => {
                    format!("'{given}' is a preset: --preset {given}")
                }
                _ => names::nearest_and_all(given, known),
            };

        /// A knob for an allocator that has none.
        #[error("{malloc} has no knob '{key}'")]
        UnknownKnob { malloc: String, key: String } => Usage,
            format!("the knob that every allocator takes is {}", crate::LEVEL_KNOB);

        #[error("'{key}' is no knob of {malloc}")]
        KnobOfAnother { key: String, owners: Vec<String>, malloc: String } => Usage,
            format!("it is one of {}", names::joined(owners));

        #[error("{key} cannot be '{value}'")]
        KnobValue { key: String, value: String, values: String, words: Vec<String>, nearest: Option<i64> } => Usage,
            match (nearest, names::nearest(value, words)) {
                (Some(number), _) => format!("it takes {values}; the nearest is {number}"),
                (None, Some(word)) => format!("did you mean '{word}'? It takes {values}"),
                (None, None) => format!("it takes {values}"),
            };

        /// A setting of the string functions that does not exist on this architecture.
        #[error("{what} is not for {arch}")]
        NotForArchitecture { what: String, arch: Arch, known: Vec<String> } => Usage,
            match known.as_slice() {
                [] => "leave it away".to_owned(),
                known => format!("there are: {}", names::joined(known)),
            };

        #[error("{what} is a setting of the kit's string functions, and those are left out")]
        WithoutStrings { what: String } => Usage,
            "leave one of the two away: the setting, or --no-strings (the preset stock keeps musl's, too)";

        #[error("{} has another heap than the hardened Brawn heap was written for: {what}", path.display())]
        UnknownHeapLayout { path: PathBuf, what: String } => Input,
            "the hardened Brawn heap, and with it the preset hardened, stands on the mallocng of musl 1.2.2 to \
             1.2.6; the other presets and `--malloc mimalloc-secure` bring all they need along";

        /// The hardened Brawn heap was asked for, and this archive has no heap for it to stand on: zig keeps its own elsewhere.
        #[error("{} holds no heap, and the hardened Brawn heap stands on musl's", path.display())]
        HeapElsewhere { path: PathBuf, arch: Arch } => Input,
            format!(
                "since 0.16 zig has a heap of its own in the place of musl's mallocng. `rustup target add {}` brings a \
                 libc.a that Brawn takes instead, of the same musl or a newer one; `pip install ziglang==0.15.2` is the \
                 last zig with mallocng; the other presets and `--malloc mimalloc-secure` need neither",
                arch.musl_triple()
            );

        #[error("cannot write to {}", path.display())]
        Unwritable { path: PathBuf, source: std::io::Error } => source.code(),
            brawn_base::hint_of_writing(source);

        #[error("{} is a libc.a that is not an overlay", path.display())]
        NotAnOverlay { path: PathBuf } => Io, "choose a folder without a libc.a, or one that `brawn libc -o` made";

        /// The folder of the cache, or something in it, could be another user's work.
        #[error("{} is not trusted as a cache: {what}", path.display())]
        Untrusted { path: PathBuf, what: String, hint: String } => Usage, hint;

        /// `patch`: the file on disk is neither the original nor what Brawn made of it.
        #[error("{} changed since Brawn patched it", path.display())]
        ChangedSince { path: PathBuf } => Input,
            format!("it was probably updated: remove {} if the new file is right", both_beside(path));

        /// `restore`: there is nothing to restore.
        #[error("{} was not patched by Brawn: {} is missing", path.display(), missing.display())]
        NotPatched { path: PathBuf, missing: PathBuf } => Input, "nothing was changed";

        #[error("{} was patched by Brawn, and its original {} is gone", path.display(), original.display())]
        OriginalLost { path: PathBuf, original: PathBuf } => Input,
            format!("reinstall the toolchain's libc.a, then remove {}", both_beside(path));

        #[error("{} is not the original that was kept when {} was patched", original.display(), path.display())]
        OriginalChanged { path: PathBuf, original: PathBuf } => Input,
            format!("reinstall the toolchain's libc.a, then remove {}", both_beside(path));

        #[error("{} is not a manifest that this version of Brawn can read", path.display())]
        BadManifest { path: PathBuf, source: serde_json::Error } => Input,
            format!(
                "it is damaged, or another version's: remove {}; `brawn restore` then goes by the note in libc.a",
                path.display()
            );
    }
}

impl Error {
    /// [`Error::UnknownName`].
    pub(crate) fn unknown(
        kind: &'static str,
        given: &str,
        known: impl IntoIterator<Item = impl Into<String>>,
    ) -> Error {
        let known = known.into_iter().map(Into::into).collect();
        Error::UnknownName { kind, given: given.to_owned(), known }
    }

    /// [`Error::Unwritable`].
    pub fn unwritable(path: &Path, source: std::io::Error) -> Error {
        Error::Unwritable { path: path.to_owned(), source }
    }
}

/// The files that `patch` leaves beside a `libc.a`.
fn both_beside(libc_a: &Path) -> String {
    format!("{} and {}", patch::original_path(libc_a).display(), patch::manifest_path(libc_a).display())
}
