//! Executables and object files that another file carries as data.
//!
//! An installer may hold the programs that it installs, and `brawn` holds the objects of its kit. What they contain
//! says nothing about the file around them: their heaps are not its heaps.

use std::ops::Range;

/// The ranges of `data[within]` that belong to whole ELF files, in order.
pub(crate) fn files(data: &[u8], within: &Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for start in memchr::memmem::find_iter(&data[within.clone()], &object::elf::ELFMAG) {
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
    const HEADER: usize = 64;
    const PROGRAM_HEADER: usize = 56;
    /// More than any linker writes; a bound, so that a file made of nothing but headers costs little.
    const MOST_SEGMENTS: usize = 64;
    let u16_at = |at: usize| Some(usize::from(u16::from_le_bytes(*data.get(at..)?.first_chunk()?)));
    let u64_at = |at: usize| usize::try_from(u64::from_le_bytes(*data.get(at..)?.first_chunk()?)).ok();
    let [class, order, version] = [4, 5, 6].map(|at| data.get(at).copied().unwrap_or(0));
    if (class, order, version) != (object::elf::ELFCLASS64.0, object::elf::ELFDATA2LSB.0, 1) {
        return None;
    }
    let (segments, sections) = (u64_at(0x20)?, u64_at(0x28)?);
    let (segment_count, section_size, section_count) = (u16_at(0x38)?, u16_at(0x3a)?, u16_at(0x3c)?);
    if segment_count > MOST_SEGMENTS {
        return None;
    }
    let mut end = HEADER;
    if sections != 0 {
        end = end.max(sections.checked_add(section_size * section_count)?);
    }
    for index in 0..segment_count {
        let header = segments.checked_add(index * PROGRAM_HEADER)?;
        let (offset, size) = (u64_at(header.checked_add(8)?)?, u64_at(header.checked_add(32)?)?);
        end = end.max(offset.checked_add(size)?);
    }
    (end > HEADER && end <= data.len()).then_some(end)
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
