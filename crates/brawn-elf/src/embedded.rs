//! Executables and object files that another file carries as data.
//!
//! An installer may hold the programs that it installs, and `brawn` holds the objects of its kit. What they contain
//! says nothing about the file around them: their heaps are not its heaps.

use std::ops::Range;

use object::read::elf::{FileHeader as _, ProgramHeader as _};
use object::{LittleEndian, elf};

/// The ranges of `data[within]` that belong to whole ELF files, in order.
pub(crate) fn files(data: &[u8], within: &Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for start in memchr::memmem::find_iter(&data[within.clone()], &elf::ELFMAG) {
        let start = within.start + start;
        // The file's own header is at its beginning; a hit inside the last one found is a part of that.
        let inside = found.last().is_some_and(|last| start < last.end);
        if start != 0
            && !inside
            && let Some(length) = length(&data[start..within.end])
        {
            found.push(start..start + length);
        }
    }
    found
}

/// The length of the 64-bit, little-endian ELF file at the beginning of `data`: up to the end of its section
/// headers or of its last segment. `None` if it is no such file, or not whole.
fn length(data: &[u8]) -> Option<usize> {
    /// More than any linker writes; a bound, so that a file made of nothing but headers costs little.
    const MOST_SEGMENTS: u16 = 64;
    let header = elf::FileHeader64::<LittleEndian>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    if header.e_phnum(endian) > MOST_SEGMENTS {
        return None;
    }
    let mut end = size_of_val(header) as u64;
    if header.e_shoff(endian) != 0 {
        let table = u64::from(header.e_shentsize(endian)) * u64::from(header.e_shnum(endian));
        end = end.max(header.e_shoff(endian).checked_add(table)?);
    }
    for segment in header.program_headers(endian, data).ok()? {
        end = end.max(segment.p_offset(endian).checked_add(segment.p_filesz(endian))?);
    }
    let end = usize::try_from(end).ok()?;
    (end > size_of_val(header) && end <= data.len()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(sections: u64, count: u16, length: usize) -> Vec<u8> {
        let mut file = vec![0; length];
        file[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1]);
        file[0x28..0x30].copy_from_slice(&sections.to_le_bytes());
        file[0x3a..0x3c].copy_from_slice(&64u16.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&count.to_le_bytes());
        file
    }

    #[test]
    fn whole_files_are_found_and_others_are_not() {
        let mut data = elf(0, 0, 100);
        data.extend(elf(200, 2, 328));
        data.extend_from_slice(b"between");
        data.extend(elf(200, 2, 300));
        let all = 0..data.len();
        assert_eq!(files(&data, &all), vec![100..428]);
        assert!(files(b"\x7fELF\x02\x01\x01", &(0..7)).is_empty());
    }

    #[test]
    fn headers_at_the_end_of_all_addresses_are_none() {
        for segments in [u64::MAX - 8, u64::MAX - 12, u64::MAX - 32, u64::MAX - 56, u64::MAX] {
            let mut file = elf(0, 0, 100);
            file[0x20..0x28].copy_from_slice(&segments.to_le_bytes());
            file[0x38..0x3a].copy_from_slice(&1u16.to_le_bytes());
            let data = [vec![0; 8], file].concat();
            assert!(files(&data, &(0..data.len())).is_empty(), "{segments}");
        }
    }
}
