//! The memory that the functions work on: two regions whose place does not depend on the libc.

use std::ffi::c_void;

use crate::common::fail;

const PAGE: usize = 4096;

/// Two regions, the second above the first.
pub struct Operands {
    /// The lower region.
    pub first: *mut u8,
    /// The higher one.
    pub second: *mut u8,
    /// Where a wide text stands in the lower region: wide characters must be aligned to their size.
    pub wide: *mut u32,
}

unsafe extern "C" {
    fn mmap(
        start: *mut c_void,
        length: usize,
        access: i32,
        flags: i32,
        file: i32,
        offset: i64,
    ) -> *mut c_void;
    fn madvise(start: *mut c_void, length: usize, advice: i32) -> i32;
}

impl Operands {
    /// Regions for `longest` wide characters each, both `offset` bytes off a multiple of 64. Straight from the kernel, in
    /// small pages: a heap would place them as it likes, and one variant would get huge pages where the other has none.
    pub fn new(longest: usize, offset: usize) -> Self {
        const READ_WRITE: i32 = 1 | 2;
        const PRIVATE_ANONYMOUS: i32 = 2 | 0x20;
        const NO_HUGE_PAGES: i32 = 15;
        // Half a page between the two modulo the page size: equal offsets would make the processor take stores to the one
        // for stores to the other.
        let room = (4 * longest).next_multiple_of(PAGE) + 2 * PAGE;
        let length = 2 * room + PAGE;
        // SAFETY: a new mapping touches no other memory; advice changes no content, and may fail.
        let start = unsafe {
            let start = mmap(std::ptr::null_mut(), length, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
            if start.addr() == usize::MAX {
                fail("there is no memory for the operands");
            }
            madvise(start, length, NO_HUGE_PAGES);
            start.cast::<u8>()
        };
        // SAFETY: both lie within the mapping, with the room that was promised behind them.
        unsafe {
            Self {
                first: start.add(offset),
                second: start.add(room + PAGE / 2 + offset),
                wide: start.add(offset.next_multiple_of(4)).cast(),
            }
        }
    }

    /// Empties what `digest` looks at and wide texts fill: calls of `memmove_fw` leave as much behind as there were calls.
    pub fn clear(&mut self, length: usize) {
        for region in [self.first, self.second] {
            // SAFETY: the regions hold four times their longest length, and two pages more.
            unsafe { region.write_bytes(0, 4 * length + 64) };
        }
    }

    /// Fills the lower region with a text of `length` letters from `a` to `y` and its end.
    pub fn text(&mut self, length: usize) {
        for index in 0..length {
            // SAFETY: lengths are at most what the regions were made for.
            unsafe { self.first.add(index).write(letter(index)) };
        }
        // SAFETY: there is room for the end.
        unsafe { self.first.add(length).write(0) };
    }

    /// The same text in both regions.
    pub fn twice(&mut self, length: usize) {
        self.text(length);
        for index in 0..length {
            // SAFETY: as in `text`.
            unsafe { self.second.add(index).write(letter(index)) };
        }
    }

    /// A text of wide letters in the lower region.
    pub fn wide(&mut self, length: usize) {
        for index in 0..=length {
            let letter = if index < length { u32::from(letter(index)) } else { 0 };
            // SAFETY: the regions hold as many wide characters.
            unsafe { self.wide.add(index).write(letter) };
        }
    }

    /// A digest of the first bytes of both regions: twice the length and then some.
    pub fn digest(&self, length: usize) -> u64 {
        let mut digest = 0xcbf2_9ce4_8422_2325u64;
        for region in [self.first, self.second] {
            for index in 0..2 * length + 64 {
                // SAFETY: the regions hold four times their longest length, and more.
                let byte = unsafe { region.add(index).read() };
                digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        digest
    }
}

fn letter(index: usize) -> u8 {
    b'a' + (index * 7 % 25) as u8
}
