use std::path::{Path, PathBuf};

use brawn_base::{Code, Diagnostic};
use brawn_elf::Arch;

/// Why an archive cannot be turned into an overlay, or an overlay cannot be written.
///
/// Every message names the file at fault; [`Diagnostic::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading or writing failed; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),

    /// The file does not begin like an archive.
    #[error("{} is not an archive", .0.display())]
    NotAnArchive(PathBuf),

    /// The archive ends in the middle of a member, or its headers are damaged.
    #[error("{} is truncated or damaged", .0.display())]
    Truncated(PathBuf, #[source] Box<dyn std::error::Error + Send + Sync>),

    /// A thin archive holds paths instead of members.
    #[error("{} is a thin archive: it holds only the paths of its members", .0.display())]
    Thin(PathBuf),

    /// A member is no ELF object that Brawn can work with.
    #[error("{}: member {member} {what}", path.display())]
    BadMember {
        /// The archive.
        path: PathBuf,
        /// The member's file name.
        member: String,
        /// What is wrong with it, as the end of a sentence.
        what: String,
    },

    /// The archive is glibc's.
    #[error("{} is glibc's libc.a, not musl's", .0.display())]
    Glibc(PathBuf),

    /// The archive is some other library.
    #[error("{} is not a C library: no member defines __libc_start_main", .0.display())]
    NotALibc(PathBuf),

    /// The archive is for another architecture than the one asked for.
    #[error("{} is for {found}, but {wanted} was asked for", path.display())]
    WrongArch {
        /// The archive.
        path: PathBuf,
        /// What the members' ELF headers say.
        found: String,
        /// What the caller asked for.
        wanted: Arch,
    },

    /// The members are for an architecture without a kit.
    #[error("{} is for {found}, and there is no kit for that architecture", path.display())]
    UnsupportedArch {
        /// The archive.
        path: PathBuf,
        /// What the members' ELF headers say.
        found: String,
    },

    /// This `brawn` was built without a kit for the architecture.
    #[error("this brawn was built without the kit for {0}")]
    NoKit(Arch),

    /// musl before 1.2.2 has no names through which its own calls could be redirected.
    #[error("{} is musl {version}, which is older than 1.2.2", path.display())]
    TooOld {
        /// The archive.
        path: PathBuf,
        /// The version that the archive states, or a word for it.
        version: String,
    },

    /// The archive has been through Brawn before.
    #[error("{} already carries Brawn's kit ({note})", path.display())]
    AlreadyPatched {
        /// The archive.
        path: PathBuf,
        /// What its note says, in short.
        note: String,
    },

    /// After the plan, a symbol that a member needs would be owned by no one.
    #[error("{}: nothing would define {symbol}, which {member} needs", path.display())]
    Unresolved {
        /// The archive.
        path: PathBuf,
        /// The missing symbol.
        symbol: String,
        /// The member that refers to it.
        member: String,
    },

    /// After the plan, a symbol would have two owners.
    #[error("{}: {symbol} would be defined by both {first} and {second}", path.display())]
    TwoOwners {
        /// The archive.
        path: PathBuf,
        /// The symbol.
        symbol: String,
        /// The first owner.
        first: String,
        /// The second owner.
        second: String,
    },

    /// The note could not be put into the start-up member.
    #[error("{}: cannot add the note to member {member}", path.display())]
    Note {
        /// The archive.
        path: PathBuf,
        /// The member that defines `__libc_start_main`.
        member: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// Unknown preset, allocator or knob.
    #[error("unknown {kind} '{given}'")]
    UnknownName {
        /// What kind of name: `preset`, `allocator` or `knob`.
        kind: &'static str,
        /// What was given.
        given: String,
        /// The names that exist.
        known: Vec<String>,
    },

    /// A knob for an allocator that has none.
    #[error("{malloc} has no knob '{key}'")]
    UnknownKnob {
        /// The allocator.
        malloc: String,
        /// The key that was given.
        key: String,
    },

    /// A knob of an allocator that is not the one chosen.
    #[error("'{key}' is no knob of {malloc}")]
    KnobOfAnother {
        /// The key that was given.
        key: String,
        /// The allocators that have it.
        owners: Vec<String>,
        /// The allocator that was chosen.
        malloc: String,
    },

    /// A value that a knob does not take.
    #[error("{key} cannot be '{value}'")]
    KnobValue {
        /// The knob.
        key: String,
        /// What was given.
        value: String,
        /// What it takes, for people.
        values: String,
        /// The words among that.
        words: Vec<String>,
        /// The number that it takes and that is nearest to what was given, if that was a number.
        nearest: Option<i64>,
    },

    /// A setting of the string functions that does not exist on this architecture.
    #[error("{what} is not for {arch}")]
    NotForArchitecture {
        /// The setting: `the processor 'x86-64-v3'`.
        what: String,
        /// The architecture of the libc.a.
        arch: brawn_elf::Arch,
        /// What there is for it.
        known: Vec<String>,
    },

    /// A setting of the string functions, and musl's string functions were asked for.
    #[error("{what} is a setting of the kit's string functions, and those are left out")]
    WithoutStrings {
        /// The setting.
        what: String,
    },

    /// The Brawn heap was asked for, and musl's own heap is not the one that it stands on.
    #[error("{} has another heap than the Brawn heap was written for: {what}", path.display())]
    UnknownHeapLayout {
        /// The archive.
        path: PathBuf,
        /// What is not as known.
        what: String,
    },

    /// The Brawn heap was asked for, and this archive has no heap for it to stand on: zig keeps its own elsewhere.
    #[error("{} holds no heap, and the Brawn heap stands on musl's", path.display())]
    HeapElsewhere {
        /// The archive.
        path: PathBuf,
        /// Its architecture.
        arch: Arch,
    },

    /// The place for the result cannot be written.
    #[error("cannot write to {}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },

    /// There is something else where an overlay should go.
    #[error("{} is a libc.a that is not an overlay", .0.display())]
    NotAnOverlay(PathBuf),

    /// The folder of the cache, or something in it, could be another user's work.
    #[error("{} is not trusted as a cache: {what}", path.display())]
    Untrusted {
        /// The file or folder.
        path: PathBuf,
        /// Why, as a sentence without its end.
        what: String,
        /// What to do about it.
        hint: String,
    },

    /// `patch`: the file on disk is neither the original nor what Brawn made of it.
    #[error("{} changed since Brawn patched it", .0.display())]
    ChangedSince(PathBuf),

    /// `restore`: there is nothing to restore.
    #[error("{} was not patched by Brawn: {} is missing", path.display(), missing.display())]
    NotPatched {
        /// The libc.a.
        path: PathBuf,
        /// The manifest that should be beside it.
        missing: PathBuf,
    },

    /// The original that was kept beside a patched file is gone.
    #[error("{} was patched by Brawn, and its original {} is gone", path.display(), original.display())]
    OriginalLost {
        /// The libc.a.
        path: PathBuf,
        /// The copy that should be beside it.
        original: PathBuf,
    },

    /// The original kept beside a patched file is not the one that the manifest describes.
    #[error("{} is not the original that was kept when {} was patched", original.display(), path.display())]
    OriginalChanged {
        /// The libc.a.
        path: PathBuf,
        /// The copy beside it.
        original: PathBuf,
    },

    /// A manifest that cannot be read.
    #[error("{} is not a manifest that this version of Brawn can read", path.display())]
    BadManifest {
        /// The manifest.
        path: PathBuf,
        /// What the parser said.
        #[source]
        source: serde_json::Error,
    },
}

impl Diagnostic for Error {
    fn code(&self) -> Code {
        match self {
            Error::Io(error) | Error::Unwritable { source: error, .. } => error.code(),
            Error::NotAnOverlay(_) => Code::Io,
            Error::NoKit(_) => Code::Missing,
            Error::UnknownName { .. }
            | Error::Untrusted { .. }
            | Error::UnknownKnob { .. }
            | Error::KnobOfAnother { .. }
            | Error::KnobValue { .. }
            | Error::NotForArchitecture { .. }
            | Error::WithoutStrings { .. } => Code::Usage,
            Error::NotAnArchive(_)
            | Error::Truncated(..)
            | Error::Thin(_)
            | Error::BadMember { .. }
            | Error::Glibc(_)
            | Error::NotALibc(_)
            | Error::WrongArch { .. }
            | Error::UnsupportedArch { .. }
            | Error::TooOld { .. }
            | Error::AlreadyPatched { .. }
            | Error::Unresolved { .. }
            | Error::TwoOwners { .. }
            | Error::Note { .. }
            | Error::UnknownHeapLayout { .. }
            | Error::HeapElsewhere { .. }
            | Error::ChangedSince(_)
            | Error::NotPatched { .. }
            | Error::OriginalLost { .. }
            | Error::OriginalChanged { .. }
            | Error::BadManifest { .. } => Code::Input,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Error::NotAnArchive(_) | Error::NotALibc(_) => {
                "give the path of a musl libc.a, or leave --from away to use the Rust toolchain's".into()
            }
            Error::Truncated(..) => "install it again, or copy it again from where it is whole".into(),
            Error::Thin(path) => format!(
                "make it self-contained first: `printf 'create full.a\\naddlib {}\\nsave\\n' | ar -M`",
                path.display()
            ),
            Error::BadMember { .. } => {
                "Brawn needs plain ELF objects: a libc.a that was built without -flto".into()
            }
            Error::Glibc(_) => {
                "Brawn makes programs static with musl: on Debian `apt-get install musl-dev`, \
                                for Rust `rustup target add x86_64-unknown-linux-musl`"
                    .into()
            }
            Error::WrongArch { wanted, .. } => format!(
                "give the libc.a of {wanted}, for Rust with `rustup target add {}`, or change --target",
                wanted.musl_triple()
            ),
            Error::NoKit(arch) => format!(
                "a released brawn holds the kits for all architectures; from its sources, `cargo install --path crates/brawn \
                 --features {arch}` builds this one as well, with zig or another C compiler for {arch}-linux-musl"
            ),
            Error::UnsupportedArch { .. } => {
                let known: Vec<_> = Arch::ALL.iter().map(|arch| arch.name()).collect();
                format!("there are kits for {}", known.join(" and "))
            }
            Error::TooOld { .. } => {
                "use musl 1.2.2 or newer: Rust ships 1.2.5 since version 1.93, Debian 12 \
                                     has 1.2.3"
                    .into()
            }
            Error::AlreadyPatched { path, .. } if crate::patch::is_patched(path) => {
                format!("`brawn restore {}` brings the original back", path.display())
            }
            Error::AlreadyPatched { .. } => {
                "no original is kept beside it: start from the libc.a that it was made from, or install that again"
                    .into()
            }
            Error::Unresolved { .. } | Error::TwoOwners { .. } | Error::Note { .. } => {
                "this libc.a is laid out in a way that Brawn does not know: please report where it came from"
                    .into()
            }
            Error::UnknownName { kind: "preset", given, .. } if is_allocator(given) => {
                format!("'{given}' is an allocator: --malloc {given}")
            }
            Error::UnknownName { kind: "allocator", given, .. } if is_preset(given) => {
                format!("'{given}' is a preset: --preset {given}")
            }
            Error::UnknownName { given, known, .. } => {
                let nearest = nearest(given, known);
                match nearest {
                    Some(name) => format!("did you mean '{name}'? There are: {}", known.join(", ")),
                    None => format!("there are: {}", known.join(", ")),
                }
            }
            Error::UnknownKnob { .. } => {
                format!("the knob that every allocator takes is {}", crate::LEVEL_KNOB)
            }
            Error::KnobOfAnother { owners, .. } => format!("it is one of {}", owners.join(", ")),
            Error::KnobValue { value, values, words, nearest, .. } => match (nearest, self::nearest(value, words)) {
                (Some(number), _) => format!("it takes {values}; the nearest is {number}"),
                (None, Some(word)) => format!("did you mean '{word}'? It takes {values}"),
                (None, None) => format!("it takes {values}"),
            },
            Error::NotForArchitecture { known, .. } if known.is_empty() => "leave it away".into(),
            Error::NotForArchitecture { known, .. } => format!("there are: {}", known.join(", ")),
            Error::WithoutStrings { .. } => {
                "leave one of the two away: the setting, or --no-strings (the preset stock keeps musl's, too)"
                    .into()
            }
            Error::UnknownHeapLayout { .. } => {
                "the Brawn heap, and with it the presets small and hardened, stands on the mallocng of musl 1.2.2 \
                 to 1.2.6; `--preset balanced` and `--malloc mimalloc-secure` bring all they need along"
                    .into()
            }
            Error::HeapElsewhere { arch, .. } => format!(
                "since 0.16 zig has a heap of its own in the place of musl's mallocng. `rustup target add {}` brings a \
                 libc.a that Brawn takes instead, of the same musl or a newer one; `pip install ziglang==0.15.2` is the \
                 last zig with mallocng; `--preset balanced` and `--malloc mimalloc-secure` need neither",
                arch.musl_triple()
            ),
            Error::Unwritable { source, .. } => brawn_base::hint_of_writing(source).into(),
            Error::Io(error) => return error.hint(),
            Error::NotAnOverlay(_) => "choose a folder without a libc.a, or one that `brawn libc -o` made".into(),
            Error::Untrusted { hint, .. } => hint.clone(),
            Error::ChangedSince(path) => format!(
                "it was probably updated: remove {} and {} if the new file is right",
                crate::patch::original_path(path).display(),
                crate::patch::manifest_path(path).display()
            ),
            Error::NotPatched { .. } => "nothing was changed".into(),
            Error::OriginalChanged { path, .. } | Error::OriginalLost { path, .. } => format!(
                "reinstall the toolchain's libc.a, then remove {} and {}",
                crate::patch::original_path(path).display(),
                crate::patch::manifest_path(path).display()
            ),
            Error::BadManifest { path, .. } => format!(
                "it is damaged, or another version's: remove {}; `brawn restore` then goes by the note in libc.a",
                path.display()
            ),
        })
    }
}

impl Error {
    /// [`Error::Unwritable`].
    pub fn unwritable(path: &Path, source: std::io::Error) -> Error {
        Error::Unwritable { path: path.to_owned(), source }
    }
}

fn is_allocator(name: &str) -> bool {
    crate::Malloc::names().contains(&name)
}

fn is_preset(name: &str) -> bool {
    crate::PRESETS.iter().any(|preset| preset.name == name)
}

/// The known name that is nearest to `given`, if any is near enough to be a slip of the hand.
pub fn nearest<'a>(given: &str, known: &'a [String]) -> Option<&'a str> {
    known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), name.as_str()))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}
