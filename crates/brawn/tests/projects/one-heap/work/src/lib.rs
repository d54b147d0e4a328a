//! What a program does with a heap: blocks of every size and alignment, made, filled, grown, shrunk and freed, some by other
//! threads than made them.

use std::alloc::{GlobalAlloc, Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::collections::HashMap;
use std::sync::mpsc;

/// A block that holds one byte many times.
struct Block {
    start: *mut u8,
    layout: Layout,
    byte: u8,
}

// SAFETY: a block is memory that no one else knows.
unsafe impl Send for Block {}

impl Block {
    fn new(size: usize, align: usize, byte: u8, zeroed: bool) -> Block {
        let layout = Layout::from_size_align(size, align).unwrap();
        // SAFETY: no layout here is of size 0, and the block is as large as it says.
        let start = unsafe { if zeroed { alloc_zeroed(layout) } else { alloc(layout) } };
        let block = Block { start, layout, byte };
        block.is_aligned();
        if zeroed {
            assert!(block.bytes().iter().all(|byte| *byte == 0), "{layout:?} is not zero");
        }
        block.fill();
        block
    }

    fn is_aligned(&self) {
        assert!(!self.start.is_null() && self.start.addr() % self.layout.align() == 0, "{:?}", self.layout);
    }

    fn bytes(&self) -> &mut [u8] {
        // SAFETY: the block is this large.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.layout.size()) }
    }

    fn fill(&self) {
        self.bytes().fill(self.byte);
    }

    fn resize(&mut self, size: usize) {
        let kept = size.min(self.layout.size());
        // SAFETY: the layout is the block's.
        self.start = unsafe { realloc(self.start, self.layout, size) };
        self.layout = Layout::from_size_align(size, self.layout.align()).unwrap();
        self.is_aligned();
        assert!(self.bytes()[..kept].iter().all(|byte| *byte == self.byte), "{:?}", self.layout);
        self.fill();
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        assert!(self.bytes().iter().all(|byte| *byte == self.byte), "{:?} was damaged", self.layout);
        // SAFETY: it was made with this layout.
        unsafe { dealloc(self.start, self.layout) }
    }
}

const SIZES: &[usize] =
    &[1, 7, 8, 15, 16, 24, 40, 63, 100, 129, 500, 1000, 4096, 5000, 40_000, 140_000, 3 << 20];
const ALIGNS: &[usize] = &[1, 2, 8, 16, 32, 64, 256, 4096, 65_536];

fn every_block(seed: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (row, size) in SIZES.iter().enumerate() {
        for (column, align) in ALIGNS.iter().enumerate() {
            let byte = (1 + (seed + row * ALIGNS.len() + column) % 255) as u8;
            blocks.push(Block::new(*size, *align, byte, (row + column + seed) % 2 == 0));
        }
    }
    for (index, block) in blocks.iter_mut().enumerate() {
        block.resize(SIZES[(index * 7 + seed) % SIZES.len()]);
    }
    blocks
}

/// All of it, in eight threads that hand their blocks on to the next.
pub fn work() {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..8).map(|_| mpsc::channel::<Vec<Block>>()).unzip();
    std::thread::scope(|scope| {
        for (index, receiver) in receivers.into_iter().enumerate() {
            let next = senders[(index + 1) % senders.len()].clone();
            scope.spawn(move || {
                for round in 0..3 {
                    let blocks = every_block(index * 31 + round);
                    next.send(blocks).unwrap();
                    let mut others = receiver.recv().unwrap();
                    others.reverse();
                    others.truncate(others.len() / 2);
                }
                let words: HashMap<String, Vec<u32>> =
                    (0..2_000u32).map(|number| (number.to_string(), (0..number % 50).collect())).collect();
                assert_eq!(words["1234"].len(), 34);
            });
        }
        drop(senders);
    });
}

/// A `malloc` of C's own, whose blocks come from the same heap.
pub fn in_c() {
    unsafe extern "C" {
        fn strdup(text: *const std::ffi::c_char) -> *mut std::ffi::c_char;
        fn free(block: *mut std::ffi::c_void);
    }
    // SAFETY: `strdup` gives a copy, which is freed once.
    unsafe {
        let copy = strdup(c"of libc".as_ptr());
        assert_eq!(std::ffi::CStr::from_ptr(copy), c"of libc");
        free(copy.cast());
    }
}

/// An allocator as a crate has it, called as its users do that have it twice.
pub fn by_value(heap: &impl GlobalAlloc) {
    let layout = Layout::from_size_align(100, 128).unwrap();
    // SAFETY: a block is made and freed with one layout.
    unsafe {
        let block = heap.alloc_zeroed(layout);
        assert!(block.addr() % 128 == 0 && *block.add(99) == 0);
        heap.dealloc(block, layout);
    }
}
