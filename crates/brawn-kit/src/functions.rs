use brawn_elf::Arch;

use crate::{FAMILIES, FUNCTIONS, Packed};

/// Functions of libc that take the place of musl's together, or stay musl's together.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// Its name for `--musl`.
    pub name: &'static str,
    /// What is in it, in a few words.
    pub title: &'static str,
    /// Structures of musl's that its functions read or write, by symbol, with their sizes in bytes.
    pub structures: &'static [(&'static str, u64)],
    /// Definitions of musl's that stay behind its functions, by the name that [`behind`] gives.
    pub behind: &'static [&'static str],
    /// Calls in members of musl's that go to its functions instead: a symbol that the member defines, the function that it
    /// calls, and the kit's.
    pub instead: &'static [(&'static str, &'static str, &'static str)],
    /// Why none of its functions can do without the musl that the kit is laid over: they read what its other code makes.
    pub attached: Option<&'static str>,
    /// The same of single members, by name.
    pub attached_objects: &'static [(&'static str, &'static str)],
}

/// The functions for one architecture: all families but that of strings.
#[derive(Debug)]
pub struct Functions {
    /// The architecture that they were compiled for.
    pub arch: Arch,
    /// A static library with one member per function.
    pub archive: Packed,
    /// The compiler that made them, as it names itself.
    pub compiler: &'static str,
    /// The flags that they were compiled with, less those that name folders of the build machine.
    pub flags: &'static [&'static str],
}

impl Functions {
    /// The family of a member by its name, such as `brawn-sort-qsort.o`.
    pub fn family_of(member: &str) -> Option<&'static Family> {
        let rest = member.strip_prefix("brawn-")?;
        FAMILIES
            .iter()
            .find(|family| rest.strip_prefix(family.name).is_some_and(|stem| stem.starts_with('-')))
    }
}

impl Functions {
    /// Why a member works only in the musl that the kit was laid over, if it does: it can be grafted into no finished
    /// program, and linked into no shared library.
    pub fn attached(member: &str) -> Option<&'static str> {
        let family = Functions::family_of(member)?;
        let object = family.attached_objects.iter().find(|(name, _)| *name == member);
        object.map(|(_, why)| *why).or(family.attached)
    }
}

/// What the names of musl's own definitions behind the kit's begin with.
pub const BEHIND: &str = "__brawn_musl_";

/// The name of musl's own definition behind one of the kit's.
pub fn behind(name: &str) -> String {
    format!("{BEHIND}{name}")
}

/// The functions for an architecture.
pub fn functions(arch: Arch) -> Option<&'static Functions> {
    FUNCTIONS.iter().find(|set| set.arch == arch)
}
