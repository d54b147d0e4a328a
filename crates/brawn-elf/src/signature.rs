//! Constant data by which a library can be told in a stripped executable, and the one pass that looks for all of
//! it.
//!
//! A signature must come with the code that it stands for, whatever options that was built with, must be long
//! enough never to occur by accident, and must be there once per copy, so that two copies can be told from one.
//!
//! All are [obfuscated](crate::obfuscated), so that a program built with this module is not told to contain every
//! heap.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};
use object::elf;

use crate::obfuscated::{obfuscate, reveal};
use crate::symbols::Owner;
use crate::{Image, embedded};

/// What a signature is evidence for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// The start of a kit's marker string; the allocator's name and version follow.
    Kit,
    /// What an allocator holds once per copy. Of mallocng it is the table of size classes, to which every one of its functions
    /// refers that takes a pointer or a size (`get_meta`, `size_to_class`); of musl's malloc before 1.2.1 the table by
    /// which it found the bin of a size; of Go the magic bytes before its build information.
    Heap(Owner),
    Mimalloc2,
    Mimalloc3,
    TcmallocGoogle,
    /// Text that stands in glibc and nowhere else.
    Glibc,
    /// The line with which glibc names its version; that follows.
    GlibcVersion,
    /// Text that stands in musl's `printf` and `strerror`, and nowhere else.
    Musl,
    /// The folder of the standard library's sources; the compiler's commit follows.
    RustCommit,
}

/// What every kit allocator carries in read-only data: this, its name, a space, its version, a NUL byte.
const KIT_MARKER: [u8; 11] = obfuscate(b"brawn-kit: ");

/// The length of a kit's marker up to the allocator's name.
pub(crate) const KIT_MARKER_LENGTH: usize = KIT_MARKER.len();

/// mallocng's size classes in units of 16 bytes: musl, `src/malloc/mallocng/malloc.c`, unchanged since 1.2.1.
const SIZE_CLASSES: [u16; 48] = obfuscate_all([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 18, 20, 25, 31, 36, 42, 50, 63, 72, 84, 102, 127, 146, 170, 204,
    255, 292, 340, 409, 511, 584, 682, 818, 1023, 1169, 1364, 1637, 2047, 2340, 2730, 3276, 4095, 4680, 5460,
    6552, 8191,
]);

/// The length of the tables by which musl's own heaps are known; the older one is a little shorter.
pub(crate) const TABLE_BYTES: u64 = size_of_val(&SIZE_CLASSES) as u64;

/// mallocng's size classes in units of 16 bytes, for anyone who must know an archive's heap. They are made at run time: an executable
/// that held them as data would be told to contain mallocng.
pub fn mallocng_size_classes() -> [u16; 48] {
    std::hint::black_box(SIZE_CLASSES).map(|class| !class)
}

/// The table of 60 bytes in musl's malloc before 1.2.1, and in `oldmalloc` since (`bin_index`): the bin of a size, four
/// for each power of two. Worked out at run time, so that this program does not hold it.
fn old_malloc_bins() -> Vec<u8> {
    let of = |units: u32| {
        let power = units.ilog2();
        std::hint::black_box(32 + 4 * (power - 2)) + ((units >> (power - 2)) & 3)
    };
    (4..64).map(|units| of(units) as u8).collect()
}

const fn obfuscate_all(mut numbers: [u16; 48]) -> [u16; 48] {
    let mut index = 0;
    while index < numbers.len() {
        numbers[index] = !numbers[index];
        index += 1;
    }
    numbers
}

/// The texts. Each ends in the NUL byte where it is a whole string: the linker may have merged it with the end
/// of a longer one, but never with the beginning.
const TEXTS: &[(Mark, &[u8])] = &[
    (Mark::Kit, &KIT_MARKER),
    (Mark::Heap(Owner::Mimalloc), &obfuscate(b"mimalloc: warning: \0")),
    (Mark::Mimalloc2, &obfuscate(b"commit mask overflow: idx=%zu count=%zu")),
    (Mark::Mimalloc3, &obfuscate(b"page_max_candidates\0")),
    (Mark::Heap(Owner::Jemalloc), &obfuscate(b"<jemalloc>: Unsupported system page size\n\0")),
    (Mark::Heap(Owner::Tcmalloc), &obfuscate(b"MALLOC:   %12lu              Tcmalloc page size")),
    (Mark::TcmallocGoogle, &obfuscate(b"tcmalloc.per_cpu_caches_active")),
    (Mark::Heap(Owner::Snmalloc), &obfuscate(b"Failed to initialise snmalloc.")),
    (Mark::Heap(Owner::HardenedMalloc), &obfuscate(b"fatal allocator error: \0")),
    (Mark::Heap(Owner::Scudo), &obfuscate(b"Scudo ERROR: ")),
    (Mark::Heap(Owner::Ptmalloc), &obfuscate(b"malloc(): corrupted top size\0")),
    (Mark::Glibc, &obfuscate(b"Fatal glibc error: ")),
    (Mark::Glibc, &obfuscate(b"FATAL: kernel too old\n\0")),
    (Mark::GlibcVersion, &obfuscate(b"GNU C Library (")),
    (Mark::Musl, &obfuscate(b"-0X+0X 0X-0x+0x 0x\0")),
    (Mark::Musl, &obfuscate(b"Result not representable\0Not a tty\0")),
    (Mark::Heap(Owner::Go), &obfuscate(b"\xff Go buildinf:")),
    (Mark::RustCommit, &obfuscate(b"/rustc/")),
];

struct Searcher {
    automaton: AhoCorasick,
    marks: Vec<Mark>,
}

static SEARCHER: LazyLock<Searcher> = LazyLock::new(|| {
    let classes = mallocng_size_classes();
    let mut patterns: Vec<Vec<u8>> = vec![
        classes.iter().flat_map(|class| class.to_le_bytes()).collect(),
        classes.iter().flat_map(|class| class.to_be_bytes()).collect(),
    ];
    patterns.push(old_malloc_bins());
    patterns.extend(TEXTS.iter().map(|text| reveal(text.1)));
    let mut marks =
        vec![Mark::Heap(Owner::Mallocng), Mark::Heap(Owner::Mallocng), Mark::Heap(Owner::OldMalloc)];
    marks.extend(TEXTS.iter().map(|text| text.0));
    // Nearly all of the search is done by its filter; the automaton itself is made for each link, and a table of all states
    // would take longer than the search of a small program.
    let automaton = AhoCorasickBuilder::new()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .match_kind(MatchKind::LeftmostFirst)
        .build(patterns)
        .expect("a few short patterns");
    Searcher { automaton, marks }
});

/// Places in the file where signatures were found, in file order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits {
    found: Vec<(Mark, usize)>,
}

/// No more places than this are kept; a file with more is made to waste memory.
const MOST_HITS: usize = 1000;

impl Hits {
    pub fn count(&self, mark: Mark) -> usize {
        self.offsets(mark).count()
    }

    pub fn has(&self, mark: Mark) -> bool {
        self.offsets(mark).next().is_some()
    }

    /// File offsets of the signature's first byte.
    pub fn offsets(&self, mark: Mark) -> impl Iterator<Item = usize> + '_ {
        self.found.iter().filter(move |hit| hit.0 == mark).map(|hit| hit.1)
    }
}

/// Looks for every signature in the loaded constant data of an executable, each byte once.
pub(crate) fn search(image: &Image<'_>) -> Hits {
    let searcher = &*SEARCHER;
    let mut found = Vec::new();
    for range in constant_data(image) {
        for hit in searcher.automaton.find_iter(&image.data[range.clone()]) {
            let mark = searcher.marks[hit.pattern().as_usize()];
            // Paths of the standard library stand in a Rust program by the hundred, all with the same commit.
            if mark == Mark::RustCommit && found.iter().any(|(mark, _)| *mark == Mark::RustCommit) {
                continue;
            }
            if found.len() < MOST_HITS {
                found.push((mark, range.start + hit.start()));
            }
        }
    }
    Hits { found }
}

/// File ranges that hold constant data: whatever is loaded and not executable. Where a linker put constants and
/// code into one segment (`-z noseparate-code`, `--no-rosegment`), that segment too. Without the ELF files among
/// the data: what those contain is not linked into this one.
pub fn constant_data(image: &Image<'_>) -> Vec<Range<usize>> {
    let loaded = |wanted: &dyn Fn(u32) -> bool| -> Vec<Range<usize>> {
        let wanted = image.loaded().filter(|segment| wanted(segment.flags));
        wanted.map(|segment| segment.file_start..segment.file_start + segment.data.len()).collect()
    };
    let mut ranges = loaded(&|flags| flags & elf::PF_X.0 == 0);
    if loaded(&|flags| flags & (elf::PF_X.0 | elf::PF_W.0) == 0).is_empty() {
        ranges.extend(loaded(&|flags| flags & elf::PF_X.0 != 0));
    }
    let mut own = Vec::new();
    for range in merge(ranges) {
        let mut start = range.start;
        for embedded in embedded::files(image.data, &range) {
            own.push(start..embedded.start);
            start = embedded.end;
        }
        own.push(start..range.end);
    }
    own
}

/// Sorts ranges and joins those that overlap, so that a file with a thousand headers for the same bytes costs no
/// more than one.
pub(crate) fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ if range.is_empty() => {}
            _ => merged.push(range),
        }
    }
    merged
}

/// How many copies of mimalloc the constant data holds, by the table with which every heap of it begins.
///
/// Linkers merge equal texts of two copies into one, but no tables. This one lists the queues of pages: for each,
/// two to four empty words (the pointers, and counters in later versions) and the size of its blocks, from 8 bytes
/// on in the steps of `MI_PAGE_QUEUES_EMPTY` (`src/init.c`, in later versions `src/heap/init.c`). Versions of one
/// layout hold it so many times: counted in objects of 2.0.9, 2.3.2, 2.5.2, 3.3.2 and 3.6.0.
pub(crate) fn mimalloc_copies(image: &Image<'_>) -> usize {
    const WORDS: [u64; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16];
    const EMPTY_WORDS_AND_TIMES: [(usize, usize); 3] = [(2, 2), (3, 3), (4, 1)];
    let ranges = constant_data(image);
    let mut copies = 0;
    for (empty, times) in EMPTY_WORDS_AND_TIMES {
        let mut table = Vec::new();
        for words in WORDS {
            table.resize(table.len() + empty * size_of::<u64>(), 0);
            table.extend_from_slice(&(words * 8).to_le_bytes());
        }
        let finder = memchr::memmem::Finder::new(&table);
        let found: usize =
            ranges.iter().map(|range| finder.find_iter(&image.data[range.clone()]).count()).sum();
        copies += found.div_ceil(times);
    }
    copies
}

/// How many copies of jemalloc the constant data holds, by the table of its decay: how much of what was freed may still
/// be kept, in 200 steps (`include/jemalloc/internal/smoothstep.h`, the same since 4.1). It stands once in a copy.
pub(crate) fn jemalloc_copies(image: &Image<'_>) -> usize {
    // Hidden from the compiler, which would put the table itself into this program and so make it a copy.
    let steps: [u16; 8] = std::hint::black_box([0x14, 0xa5, 0x229, 0x516, 0x9dc, 0x10e8, 0x1aa4, 0x2777]);
    let table: Vec<u8> = steps.into_iter().flat_map(|step| u64::from(step).to_le_bytes()).collect();
    let finder = memchr::memmem::Finder::new(&table);
    constant_data(image).into_iter().map(|range| finder.find_iter(&image.data[range]).count()).sum()
}

/// The text from `offset` to the next NUL byte, if it is short, printable and there.
pub(crate) fn text_from(data: &[u8], offset: usize, longest: usize) -> Option<&str> {
    let rest = data.get(offset..)?;
    let rest = &rest[..rest.len().min(longest)];
    let text = std::str::from_utf8(&rest[..memchr::memchr(0, rest)?]).ok()?;
    (!text.chars().any(char::is_control)).then_some(text)
}

/// jemalloc holds its version as text, such as `5.3.0-0-g` and the 40 digits of a commit.
pub fn jemalloc_version(image: &Image<'_>) -> Option<String> {
    const COMMIT: usize = 40;
    for range in constant_data(image) {
        let data = &image.data[range];
        for at in memchr::memmem::find_iter(data, b"-g") {
            let Some(tail) = data.get(at + 2..at + 2 + COMMIT + 1) else { continue };
            if tail[COMMIT] != 0 || !tail[..COMMIT].iter().all(u8::is_ascii_hexdigit) {
                continue;
            }
            // What stands before it need not be text: a linker puts other constants there.
            let head = &data[at.saturating_sub(24)..at];
            let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
            let start = head.iter().rposition(|byte| !is_part(byte)).map_or(0, |other| other + 1);
            let Ok(text) = std::str::from_utf8(&head[start..]) else { continue };
            let Some((version, commits)) = text.rsplit_once('-') else { continue };
            let digits =
                |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            if digits(version) && digits(commits) {
                return Some(version.to_owned());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined() {
        assert_eq!(merge(vec![5..9, 0..3, 2..4, 7..8, 20..20]), vec![0..4, 5..9]);
        assert!(merge(Vec::new()).is_empty());
    }

    /// Leftmost-first search drops a pattern that starts inside another's match, so none may.
    #[test]
    fn no_signature_hides_another() {
        for (mark, text) in TEXTS {
            let hits: Vec<_> = SEARCHER.automaton.find_iter(&reveal(text)).collect();
            assert_eq!(hits.len(), 1, "{mark:?}");
            assert_eq!(SEARCHER.marks[hits[0].pattern().as_usize()], *mark);
        }
    }
}
