//! Recognising a C library by what its archive holds.

use std::path::Path;

use brawn_elf::Arch;

use crate::Error;
use crate::archive::{Archive, machine_name};

/// What Brawn needs to know about a musl `libc.a`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Musl {
    /// The architecture of its members.
    pub arch: Arch,
    /// The version that the archive states, such as `1.2.5`, when it states one.
    pub version: Option<String>,
}

/// The symbol that every executable needs from its libc, and whose member therefore carries the note.
pub const ENTRY: &str = "__libc_start_main";

/// The first version whose own calls can be redirected, and the oldest that Brawn accepts.
pub const OLDEST: (u32, u32, u32) = (1, 2, 2);

impl Musl {
    /// Makes sure that `archive` is a musl that Brawn can work with, for `wanted` if one is asked for.
    pub fn recognise(path: &Path, archive: &Archive<'_>, wanted: Option<Arch>) -> Result<Musl, Error> {
        if archive.owner(ENTRY).is_none() {
            return Err(Error::NotALibc { path: path.to_owned() });
        }
        if archive.mentions("gnu_get_libc_version") {
            return Err(Error::Glibc { path: path.to_owned() });
        }
        let arch = architecture(path, archive, wanted)?;
        if let Some(member) = archive.members.iter().find(|member| member.has_note) {
            return Err(Error::AlreadyPatched {
                path: path.to_owned(),
                note: brawn_elf::note::read_notes(member.data).ok().and_then(|notes| notes.note).map_or_else(
                    || "without a readable note".into(),
                    |note| format!("malloc {}", note.malloc),
                ),
            });
        }
        let version = version(archive);
        // Without a version string, the first function that 1.2.2 added tells. It may stand in another archive
        // than libc.a (zig keeps the heap apart), but then there is always a version string.
        let too_old = match version.as_deref().and_then(parse_version) {
            Some(numbers) => numbers < OLDEST,
            None => archive.owner("reallocarray").is_none(),
        };
        if too_old {
            let version = version.unwrap_or_else(|| "of an unstated version without reallocarray".into());
            return Err(Error::TooOld { path: path.to_owned(), version });
        }
        Ok(Musl { arch, version })
    }

    /// `musl 1.2.5`, or `musl` when the archive does not state its version.
    pub fn title(&self) -> String {
        self.version.as_ref().map_or_else(|| "musl".to_owned(), |version| format!("musl {version}"))
    }

    /// The numbers of the version, to compare it with another.
    pub fn numbers(&self) -> Option<(u32, u32, u32)> {
        parse_version(self.version.as_deref()?)
    }
}

fn architecture(path: &Path, archive: &Archive<'_>, wanted: Option<Arch>) -> Result<Arch, Error> {
    let machine = archive.members.first().map_or(0, |member| member.machine);
    if let Some(member) = archive.members.iter().find(|member| member.machine != machine) {
        return Err(Error::BadMember {
            path: path.to_owned(),
            member: member.name.clone(),
            what: format!(
                "is for {}, while the first one is for {}",
                machine_name(member.machine),
                machine_name(machine)
            ),
        });
    }
    let found = Arch::from_elf_machine(machine);
    match (found, wanted) {
        (Some(found), Some(wanted)) if found == wanted => Ok(found),
        (Some(found), None) => Ok(found),
        (_, Some(wanted)) => {
            Err(Error::WrongArch { path: path.to_owned(), found: machine_name(machine), wanted })
        }
        (None, None) => Err(Error::UnsupportedArch { path: path.to_owned(), found: machine_name(machine) }),
    }
}

/// The text of musl's hidden `__libc_version`.
fn version(archive: &Archive<'_>) -> Option<String> {
    let (_, text) = archive.owner("__libc_version")?.data_of("__libc_version")?;
    let text = std::str::from_utf8(text.split(|byte| *byte == 0).next()?).ok()?;
    parse_version(text).map(|_| text.to_owned())
}

/// The three numbers at the start of `1.2.5` or `1.2.5-git-12-gabcdef`.
pub(crate) fn parse_version(text: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = text.split('-').next()?.split('.').map(|part| part.parse().ok());
    let version = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use super::parse_version;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(parse_version("1.2.10"), Some((1, 2, 10)));
        assert_eq!(parse_version("1.2.5-git-40-gabc"), Some((1, 2, 5)));
        assert_eq!(parse_version("1.2"), None);
        assert_eq!(parse_version("GNU"), None);
        assert!(parse_version("1.1.24") < Some(super::OLDEST));
        assert!(parse_version("1.2.2") >= Some(super::OLDEST));
    }
}
