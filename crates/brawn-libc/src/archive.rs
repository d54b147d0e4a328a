//! Reading a static library: its members and the symbols that each defines and needs.

use std::collections::{HashMap, HashSet};
use std::io::Cursor;
use std::path::Path;

use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use brawn_elf::Arch;
use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile64, FileHeader as _};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

use crate::Error;

/// A static library in memory.
pub struct Archive<'data> {
    /// The members in file order, without the symbol table.
    pub members: Vec<Member<'data>>,
}

/// One object file of an [`Archive`].
pub struct Member<'data> {
    /// The file name: not unique, and never used to choose a member.
    pub name: String,
    /// The object file.
    pub data: &'data [u8],
    /// Its architecture's `e_machine`.
    pub machine: u16,
    /// Every global symbol that the member defines.
    pub defined: Vec<Definition<'data>>,
    /// Every symbol that the member needs from elsewhere; weak needs are left out, since no one has to meet them.
    pub needed: Vec<&'data str>,
    /// Whether the member holds a `.note.brawn` section, that is, has been through Brawn.
    pub has_note: bool,
}

/// A global symbol that a member defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition<'data> {
    /// The symbol's name.
    pub name: &'data str,
    /// A weak definition yields to a strong one and is no conflict.
    pub weak: bool,
}

const THIN_MAGIC: &[u8] = b"!<thin>\n";
const MAGIC: &[u8] = b"!<arch>\n";

impl<'data> Archive<'data> {
    /// Reads the library in `data`; `path` is only for messages.
    pub fn parse(path: &Path, data: &'data [u8]) -> Result<Archive<'data>, Error> {
        if data.starts_with(THIN_MAGIC) {
            return Err(Error::Thin { path: path.to_owned() });
        }
        if !data.starts_with(MAGIC) {
            return Err(Error::NotAnArchive { path: path.to_owned() });
        }
        let damaged = |error: object::read::Error| truncated(path, error.into());
        let file = ArchiveFile::parse(data).map_err(damaged)?;
        let mut members = Vec::new();
        let mut places = HashMap::new();
        for member in file.members() {
            let member = member.map_err(damaged)?;
            let name = String::from_utf8_lossy(member.name()).into_owned();
            let bytes = member.data(data).map_err(damaged)?;
            places.insert(member.file_range(), members.len());
            members.push(Member::parse(path, name, bytes)?);
        }
        let archive = Archive { members };
        archive.compare_with_index(&file, &places).map_err(|source| truncated(path, source))?;
        Ok(archive)
    }

    /// Makes sure that every symbol of the archive's index is defined by the member that the index names. An archive
    /// that was cut off between two members shows it here and nowhere else. One without an index is taken as it is.
    fn compare_with_index(
        &self,
        file: &ArchiveFile<'data>,
        places: &HashMap<(u64, u64), usize>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let Some(symbols) = file.symbols()? else { return Ok(()) };
        let mut defined: HashSet<(usize, &[u8])> = HashSet::new();
        for (at, member) in self.members.iter().enumerate() {
            defined.extend(member.defined.iter().map(|symbol| (at, symbol.name.as_bytes())));
        }
        for symbol in symbols {
            let symbol = symbol?;
            let name = String::from_utf8_lossy(symbol.name());
            let begins =
                file.member(symbol.offset()).ok().and_then(|member| places.get(&member.file_range()));
            let Some(at) = begins else {
                let offset = symbol.offset().0;
                return Err(
                    format!("its index has `{name}` at offset {offset}, where no member begins").into()
                );
            };
            if !defined.contains(&(*at, symbol.name())) {
                let member = &self.members[*at].name;
                return Err(format!(
                    "its index has `{name}` in the member {member}, which does not define it"
                )
                .into());
            }
        }
        Ok(())
    }

    /// Whether any member defines `symbol`, weakly or strongly.
    pub fn mentions(&self, symbol: &str) -> bool {
        self.members.iter().any(|member| member.defined.iter().any(|definition| definition.name == symbol))
    }

    /// The member with a strong definition of `symbol`.
    pub fn owner(&self, symbol: &str) -> Option<&Member<'data>> {
        self.members.iter().find(|member| member.defines(symbol))
    }
}

impl<'data> Member<'data> {
    /// Reads one object file; `archive` is only for messages.
    pub fn parse(archive: &Path, name: String, data: &'data [u8]) -> Result<Member<'data>, Error> {
        let bad = |what: String| Error::BadMember { path: archive.to_owned(), member: name.clone(), what };
        if data.starts_with(b"BC\xc0\xde") {
            return Err(bad("is LLVM bitcode, not machine code".into()));
        }
        if !data.starts_with(&object::elf::ELFMAG) {
            return Err(bad("is not an ELF object".into()));
        }
        if data.get(4) != Some(&object::elf::ELFCLASS64.0) {
            let machine = data
                .get(18..20)
                .map_or(0, |bytes| u16::from_le_bytes(bytes.try_into().expect("two bytes were taken")));
            return Err(Error::UnsupportedArch {
                path: archive.to_owned(),
                found: format!("a 32-bit architecture (ELF machine {machine})"),
            });
        }
        let malformed = |error: object::read::Error| bad(format!("is damaged: {error}"));
        let file = ElfFile64::<object::Endianness>::parse(data).map_err(malformed)?;
        let machine = file.elf_header().e_machine(file.endian()).0;
        let mut defined = Vec::new();
        let mut needed = Vec::new();
        for symbol in file.symbols() {
            if !symbol.is_global() {
                continue;
            }
            let symbol_name = symbol.name().map_err(malformed)?;
            if symbol_name.is_empty() {
                continue;
            }
            // GCC's mark of an object without machine code. Beside machine code (`-ffat-lto-objects`) it is absent.
            if symbol_name == "__gnu_lto_slim" {
                return Err(bad("is GCC's intermediate code, not machine code".into()));
            }
            if !symbol.is_undefined() {
                defined.push(Definition { name: symbol_name, weak: symbol.is_weak() });
            } else if !symbol.is_weak() {
                needed.push(symbol_name);
            }
        }
        let has_note = file.section_by_name_bytes(brawn_elf::note::NOTE_SECTION.as_bytes()).is_some();
        Ok(Member { name, data, machine, defined, needed, has_note })
    }

    /// Whether this member has a strong definition of `symbol`.
    pub fn defines(&self, symbol: &str) -> bool {
        self.defined.iter().any(|definition| !definition.weak && definition.name == symbol)
    }

    /// The size of a data symbol, and what its section holds from there on: nothing where the object has no bytes for it.
    pub(crate) fn data_of(&self, symbol: &str) -> Option<(u64, &'data [u8])> {
        let file = object::File::parse(self.data).ok()?;
        let symbol = file.symbols().find(|known| known.name() == Ok(symbol) && !known.is_undefined())?;
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        let content = section.and_then(|section| section.data().ok()).unwrap_or_default();
        let start = usize::try_from(symbol.address()).ok()?;
        Some((symbol.size(), content.get(start..).unwrap_or_default()))
    }
}

fn truncated(path: &Path, source: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::Truncated { path: path.to_owned(), source }
}

/// A copy of an archive without some of its members: those for which `goes` says so, of their bytes. Members that are no
/// objects stay as they are. None for what is no archive of this kind, and where nothing goes.
///
/// # Errors
/// [`Error::Truncated`] where members cannot be read; [`Error::Io`] where the copy cannot be written.
pub fn without(
    path: &Path,
    data: &[u8],
    mut goes: impl FnMut(&[u8]) -> bool,
) -> Result<Option<Vec<u8>>, Error> {
    if !data.starts_with(MAGIC) {
        return Ok(None);
    }
    let damaged = |error: object::read::Error| truncated(path, error.into());
    let file = ArchiveFile::parse(data).map_err(damaged)?;
    let mut members = Vec::new();
    let mut gone = 0;
    for member in file.members() {
        let member = member.map_err(damaged)?;
        let bytes = member.data(data).map_err(damaged)?;
        if goes(bytes) {
            gone += 1;
            continue;
        }
        let name = String::from_utf8_lossy(member.name()).into_owned();
        members.push((name, bytes));
    }
    if gone == 0 { Ok(None) } else { write(members).map(Some) }
}

/// Writes an archive of these members, without dates or owners.
pub(crate) fn write<'a>(members: impl IntoIterator<Item = (String, &'a [u8])>) -> Result<Vec<u8>, Error> {
    let new = |(name, bytes)| NewArchiveMember::new(bytes, &DEFAULT_OBJECT_READER, name);
    let members: Vec<_> = members.into_iter().map(new).collect();
    let mut out = Cursor::new(Vec::new());
    write_archive_to_stream(&mut out, &members, ArchiveKind::Gnu, false, None)?;
    Ok(out.into_inner())
}

/// The name of the architecture with this `e_machine`, or its number.
pub(crate) fn machine_name(machine: u16) -> String {
    Arch::from_elf_machine(machine).map_or_else(
        || match machine {
            243 => "riscv64".to_owned(),
            3 => "i386".to_owned(),
            40 => "32-bit Arm".to_owned(),
            21 => "powerpc64".to_owned(),
            22 => "s390x".to_owned(),
            258 => "loongarch64".to_owned(),
            other => format!("ELF machine {other}"),
        },
        |arch| arch.name().to_owned(),
    )
}
