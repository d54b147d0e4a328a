//! The heap as the one of this program: layouts and threads.

use std::alloc::{GlobalAlloc as _, Layout};

use brawn_heap::BrawnHeap;

#[global_allocator]
static HEAP: BrawnHeap = BrawnHeap;

/// A block that is filled, checked and freed by its last owner.
struct Block(*mut u8, Layout, u8);

// SAFETY: it belongs to one thread at a time.
unsafe impl Send for Block {}

impl Block {
    fn new(size: usize, align: usize, fill: u8) -> Block {
        let layout = Layout::from_size_align(size, align).unwrap();
        // SAFETY: the layout has a size.
        let start = unsafe { HEAP.alloc(layout) };
        assert!(!start.is_null() && (start as usize).is_multiple_of(align), "{layout:?}");
        // SAFETY: the block is this one's, and so large.
        unsafe { start.write_bytes(fill, size) };
        Block(start, layout, fill)
    }

    /// The first bytes and the last, up to `size`.
    fn check(&self, size: usize) {
        // SAFETY: it was written by `new`.
        let bytes = unsafe { std::slice::from_raw_parts(self.0, size) };
        assert!(bytes.iter().take(100).chain(bytes.iter().rev().take(100)).all(|byte| *byte == self.2));
    }

    fn resize(mut self, size: usize) -> Block {
        // SAFETY: the block is this one's, and the size is not 0.
        self.0 = unsafe { HEAP.realloc(self.0, self.1, size) };
        assert!(!self.0.is_null() && (self.0 as usize).is_multiple_of(self.1.align()));
        self.check(size.min(self.1.size()));
        self.1 = Layout::from_size_align(size, self.1.align()).unwrap();
        // SAFETY: as in `new`.
        unsafe { self.0.write_bytes(self.2, size) };
        self
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.check(self.1.size());
        // SAFETY: no one else has it.
        unsafe { HEAP.dealloc(self.0, self.1) }
    }
}

/// The borders of the classes, of what is large, and of a chunk.
fn sizes() -> impl Iterator<Item = usize> {
    let edges = [16, 32, 144, 1_004, 1_008, 4_096, 8_192, 131_051, 1 << 20, (1 << 20) + 40_000, 5 << 20];
    edges.into_iter().flat_map(|edge| [edge - 5, edge - 1, edge, edge + 1])
}

#[test]
fn every_size_at_every_alignment() {
    for (number, size) in sizes().enumerate() {
        let held: Vec<Block> = (0..17).map(|shift| Block::new(size, 1 << shift, number as u8)).collect();
        held.iter().for_each(|block| block.check(size));
    }
}

#[test]
fn blocks_that_grow_and_shrink_keep_what_is_in_them() {
    for align in [8, 64, 65_536] {
        let mut block = Block::new(1, align, 0xa5);
        for size in sizes().chain(sizes().map(|size| 6 << 20 >> (size % 23))) {
            block = block.resize(size);
        }
    }
}

#[test]
fn zeroed_blocks_are_zero_where_others_were() {
    for size in sizes() {
        for align in [1, 16, 4_096] {
            drop(Block::new(size, align, 0xff));
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the layout has a size, and the block is read within it.
            unsafe {
                let start = HEAP.alloc_zeroed(layout);
                assert!(std::slice::from_raw_parts(start, size).iter().all(|byte| *byte == 0), "{layout:?}");
                HEAP.dealloc(start, layout);
            }
        }
    }
}

#[test]
fn what_cannot_be_is_null() {
    let layout = Layout::from_size_align(isize::MAX as usize - 65_536, 16).unwrap();
    let aligned = Layout::from_size_align(1 << 20, 1 << 46).unwrap();
    // SAFETY: the layouts have sizes.
    unsafe {
        assert!(HEAP.alloc(layout).is_null() && HEAP.alloc_zeroed(layout).is_null());
        assert!(HEAP.alloc(aligned).is_null());
        let block = Block::new(200_000, 16, 7);
        assert!(HEAP.realloc(block.0, block.1, layout.size()).is_null());
        block.check(200_000);
    }
}

#[test]
fn threads_that_end_leave_their_blocks_to_others() {
    let (give, take) = std::sync::mpsc::channel();
    for thread in 0..40_u8 {
        let give = give.clone();
        let work = move || (0..300).for_each(|at| give.send(Block::new(1 + at * 7, 16, thread)).unwrap());
        std::thread::spawn(work).join().unwrap();
    }
    drop(give);
    assert_eq!(take.into_iter().count(), 40 * 300);
    HEAP.trim();
}

/// Pages that this thread touched first.
fn page_faults() -> u64 {
    let stat = fs_err::read_to_string("/proc/thread-self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.split(' ').nth(7).unwrap().parse().unwrap()
}

/// A program that works file by file drops large blocks, and some smaller ones, and wants the same again.
#[test]
fn large_blocks_that_come_back_stay_mapped() {
    const SIZES: [usize; 2] = [13 << 20, 4 << 20];
    let pages = SIZES.iter().sum::<usize>() as u64 / 4_096;
    let before = page_faults();
    for _ in 0..40 {
        let large = SIZES.map(|size| Block::new(size, 16, 7));
        drop((0..12).map(|at| Block::new(150_000 + at * 9_000, 16, 8)).collect::<Vec<_>>());
        drop(large);
    }
    let faults = page_faults() - before;
    assert!(faults < 12 * pages, "{faults} pages in 40 rounds of {pages}");
}

/// Blocks of any size come and go in places that others of another size had. Where each got pages of its own from the system,
/// and gave them back, there were as many faults as pages.
#[test]
fn large_blocks_of_other_sizes_take_the_same_pages() {
    for (least, most) in [(140_000, 900_000), (1_200_000, 3_600_000)] {
        let mut size = least;
        let mut next = || {
            size = least + (size * 7 + 100_000) % (most - least);
            Block::new(size, 16, 5)
        };
        let mut held: Vec<Block> = (0..12).map(|_| next()).collect();
        let (before, mut pages) = (page_faults(), 0);
        for turn in 0..600 {
            let block = &mut held[turn * 5 % 12];
            *block = next();
            pages += block.1.size() as u64 / 4_096;
        }
        let faults = page_faults() - before;
        assert!(faults < pages / 3, "{least} to {most} bytes: {faults} faults in {pages} pages");
    }
}

/// What a thread frees is the first that it is given again, aligned or not.
#[test]
fn medium_blocks_come_back_from_the_threads_list() {
    for align in [16, 64, 1_024] {
        let first = Block::new(5_000, align, 1);
        let place = first.0;
        drop(first);
        assert_eq!(Block::new(5_000, align, 2).0, place, "aligned to {align}");
    }
}
