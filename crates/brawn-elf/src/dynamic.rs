use object::Endianness;
use object::elf;
use object::read::elf::{Dyn as _, FileHeader, ProgramHeader as _};

use crate::Image;

/// What the dynamic section tells the loader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dynamic {
    /// Whether there is a dynamic section at all.
    pub present: bool,
    pub needed: Vec<String>,
    pub rpath: Vec<String>,
    pub runpath: Vec<String>,
    /// `DF_1_PIE` is set: this is an executable, although its type is that of a shared library.
    pub marked_pie: bool,
    pub bind_now: bool,
    /// The highest `GLIBC_` version of a symbol that it takes from glibc.
    pub glibc_minimum: Option<String>,
}

/// Entries after this many are not looked at. Real files have some dozens, one for each needed library.
const MOST_ENTRIES: usize = 1024;

/// Names are cut off after this many bytes (`PATH_MAX`). Only a hostile file has longer ones, and by the thousand.
const LONGEST_NAME: usize = 4096;

pub(crate) fn read(image: &Image<'_>) -> Dynamic {
    let entries = match image.is_64 {
        true => entries::<elf::FileHeader64<Endianness>>(image),
        false => entries::<elf::FileHeader32<Endianness>>(image),
    };
    let Some(entries) = entries else { return Dynamic::default() };
    let value = |tag: i64| entries.iter().find(|entry| entry.0 == tag).map(|entry| entry.1);
    let strings =
        value(elf::DT_STRTAB.0).and_then(|address| image.bytes_at_address(address)).unwrap_or_default();
    let length = value(elf::DT_STRSZ.0).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
    let strings = &strings[..length.min(strings.len())];
    let all = |tag: i64| -> Vec<String> {
        let wanted = entries.iter().filter(|entry| entry.0 == tag);
        wanted.map(|entry| text_at(strings, entry.1)).collect()
    };
    let flags = value(elf::DT_FLAGS.0).unwrap_or(0);
    let flags_1 = value(elf::DT_FLAGS_1.0).unwrap_or(0);
    Dynamic {
        present: true,
        needed: all(elf::DT_NEEDED.0),
        rpath: all(elf::DT_RPATH.0),
        runpath: all(elf::DT_RUNPATH.0),
        marked_pie: flags_1 & elf::DF_1_PIE.0 != 0,
        bind_now: value(elf::DT_BIND_NOW.0).is_some()
            || flags & elf::DF_BIND_NOW.0 != 0
            || flags_1 & elf::DF_1_NOW.0 != 0,
        glibc_minimum: glibc_minimum(strings),
    }
}

fn entries<Elf: FileHeader<Endian = Endianness>>(image: &Image<'_>) -> Option<Vec<(i64, u64)>> {
    let header = Elf::parse(image.data).ok()?;
    let segments = header.program_headers(image.endian, image.data).ok()?;
    let table = segments.iter().find_map(|segment| segment.dynamic(image.endian, image.data).ok()?)?;
    let entries = table
        .iter()
        .take(MOST_ENTRIES)
        .map(|entry| (entry.d_tag(image.endian).0, entry.d_val(image.endian).into()));
    Some(entries.take_while(|entry| entry.0 != elf::DT_NULL.0).collect())
}

fn text_at(strings: &[u8], offset: u64) -> String {
    let rest = usize::try_from(offset).ok().and_then(|offset| strings.get(offset..)).unwrap_or_default();
    let rest = &rest[..rest.len().min(LONGEST_NAME)];
    String::from_utf8_lossy(&rest[..memchr::memchr(0, rest).unwrap_or(rest.len())]).into_owned()
}

/// Names of symbol versions stand in the dynamic string table, so they are found without the version tables,
/// which need section headers to be read.
fn glibc_minimum(strings: &[u8]) -> Option<String> {
    let versions = strings.split(|byte| *byte == 0).filter_map(|name| {
        let version = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
        let parts = version.split('.').map(|part| part.parse::<u32>().ok()).collect::<Option<Vec<u32>>>()?;
        Some((parts, version))
    });
    versions.max().map(|(_, version)| version.to_owned())
}
