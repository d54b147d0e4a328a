//! Where functions begin and end: by the symbol table, and by the table for unwinding, which `strip` keeps.

use std::ops::Range;

use object::elf;

use crate::Image;

/// The code of an executable, cut into functions.
pub(crate) struct Functions<'data> {
    /// Address and code of each, in order and without overlap.
    pub known: Vec<(u64, &'data [u8])>,
    /// The rest of the executable segments: functions that no table names, padding, and perhaps data.
    pub gaps: Vec<(u64, &'data [u8])>,
}

/// More executable segments than any linker writes; a bound for files that were made to waste time.
const MOST_SEGMENTS: usize = 16;

/// The functions of an executable.
pub(crate) fn functions<'data>(image: &Image<'data>) -> Functions<'data> {
    let code = code(image);
    let mut ranges = by_unwinding(image, &code);
    if ranges.is_empty() {
        ranges = by_records(image);
    }
    ranges.extend(by_symbols(image));
    // Of two that begin together, the longer: one may be a label.
    ranges.sort_by_key(|range| (range.start, u64::MAX - range.end));
    let mut known = Vec::new();
    let mut end = 0;
    for range in ranges {
        let start = range.start.max(end);
        if let Some(bytes) = slice(&code, start..range.end) {
            known.push((start, bytes));
            end = range.end;
        }
    }
    let gaps = gaps(&code, &known);
    Functions { known, gaps }
}

/// What lies between the functions. Both lists are in order.
fn gaps<'data>(code: &[(u64, &'data [u8])], known: &[(u64, &'data [u8])]) -> Vec<(u64, &'data [u8])> {
    /// Less is padding.
    const SHORTEST: u64 = 16;
    let mut gaps = Vec::new();
    let mut known = known.iter().peekable();
    for (address, data) in code {
        let end = address + data.len() as u64;
        let mut at = *address;
        while let Some((start, bytes)) = known.next_if(|(start, _)| *start < end) {
            if start.saturating_sub(at) >= SHORTEST {
                gaps.extend(slice(code, at..*start).map(|gap| (at, gap)));
            }
            at = at.max(start + bytes.len() as u64);
        }
        if end.saturating_sub(at) >= SHORTEST {
            gaps.extend(slice(code, at..end).map(|gap| (at, gap)));
        }
    }
    gaps
}

/// The executable segments: address and content.
fn code<'data>(image: &Image<'data>) -> Vec<(u64, &'data [u8])> {
    let mut code: Vec<(u64, &[u8])> = image
        .code()
        .filter(|segment| !segment.data.is_empty())
        // No address space ends in the middle of code.
        .filter(|segment| segment.address.checked_add(segment.data.len() as u64).is_some())
        .map(|segment| (segment.address, segment.data))
        .take(MOST_SEGMENTS)
        .collect();
    code.sort_by_key(|(address, _)| *address);
    let mut end = 0;
    code.retain(|(address, data)| {
        let apart = *address >= end;
        end = end.max(address.saturating_add(data.len() as u64));
        apart
    });
    code
}

fn slice<'data>(code: &[(u64, &'data [u8])], range: Range<u64>) -> Option<&'data [u8]> {
    if range.is_empty() {
        return None;
    }
    code.iter().find_map(|(address, data)| {
        let start = usize::try_from(range.start.checked_sub(*address)?).ok()?;
        let end = usize::try_from(range.end.checked_sub(*address)?).ok()?;
        data.get(start..end)
    })
}

fn by_symbols(image: &Image<'_>) -> Vec<Range<u64>> {
    let symbols = image.symbols().unwrap_or_default();
    let functions = symbols.iter().filter(|symbol| symbol.function && symbol.section != 0 && symbol.size > 0);
    functions.map(|symbol| symbol.value..symbol.value.saturating_add(symbol.size)).collect()
}

/// The sorted table of `.eh_frame_hdr`, in the one encoding that linkers write: every entry holds the offsets of a
/// function and of its record from the beginning of the section.
fn by_unwinding(image: &Image<'_>, code: &[(u64, &[u8])]) -> Vec<Range<u64>> {
    const HEADER: [u8; 4] = [1, 0x1b, 0x03, 0x3b];
    let Some(header) = image.segment(elf::PT_GNU_EH_FRAME) else { return Vec::new() };
    let Some(count) = header.data.get(8..12).filter(|_| header.data[..4] == HEADER) else {
        return Vec::new();
    };
    let count = number(count, 0) as usize;
    let entries = header.data[12..].chunks_exact(8).take(count);
    let offset = |bytes: &[u8]| i64::from(number(bytes, 0).cast_signed());
    let records = records(image);
    let mut starts: Vec<(u64, Option<u64>)> = entries
        .map(|entry| {
            let at = |bytes| header.address.wrapping_add_signed(offset(bytes));
            let (start, record) = (at(&entry[..4]), at(&entry[4..]));
            (start, length(&records, record, start))
        })
        .collect();
    starts.sort_unstable();
    starts.dedup_by_key(|(start, _)| *start);
    let segment_end = |start: u64| {
        let inside =
            |(address, data): &&(u64, &[u8])| start >= *address && start - address < data.len() as u64;
        code.iter().find(inside).map_or(start, |(address, data)| address + data.len() as u64)
    };
    let next = starts.iter().skip(1).map(|(start, _)| *start).chain([u64::MAX]);
    starts
        .iter()
        .zip(next)
        .map(|((start, length), next)| {
            // Without a length, to the next: what lies between may be data.
            let end =
                length.map_or_else(|| next.min(segment_end(*start)), |length| start.saturating_add(length));
            *start..end.min(next)
        })
        .collect()
}

/// The records themselves, where the linker made no table of them: one after the other, each with its length; a
/// common part has 0 in the place where others have their distance to it.
fn by_records(image: &Image<'_>) -> Vec<Range<u64>> {
    let Some(section) = image.section(".eh_frame") else { return Vec::new() };
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(head) = section.data.get(at..at + 8) {
        let size = number(head, 0) as usize;
        // The end, or the long form, which no file below 4 GiB has.
        if size == 0 || size >= 0xffff_fff0 {
            break;
        }
        if number(head, 4) != 0
            && let Some(body) = section.data.get(at + 8..at + 16)
        {
            let own = section.address.wrapping_add(at as u64 + 8);
            let start = own.wrapping_add_signed(i64::from(number(body, 0).cast_signed()));
            ranges.push(start..start.saturating_add(u64::from(number(body, 4))));
        }
        at = at.saturating_add(4 + size);
    }
    ranges
}

/// The four bytes at `at`, which are there.
fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The segments that may hold the records.
fn records<'data>(image: &Image<'data>) -> Vec<(u64, &'data [u8])> {
    image.loaded().map(|segment| (segment.address, segment.data)).take(MOST_SEGMENTS).collect()
}

/// The length of the function whose record stands at `address`: length, distance to its common part, start relative to
/// itself, length. None when the start is not written in this way.
fn length(records: &[(u64, &[u8])], address: u64, start: u64) -> Option<u64> {
    let record = slice(records, address..address.checked_add(16)?)?;
    let told = address.wrapping_add(8).wrapping_add_signed(i64::from(number(record, 8).cast_signed()));
    (told == start).then(|| u64::from(number(record, 12)))
}
