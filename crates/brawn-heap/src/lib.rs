//! The [Brawn](https://github.com/brawn-project/brawn) heap as the `#[global_allocator]` of a library that is loaded into
//! somebody else's program: a Python extension, a Node add-on, a plug-in.
//!
//! ```
//! #[global_allocator]
//! static HEAP: brawn_heap::BrawnHeap = brawn_heap::BrawnHeap;
//! # let grown: Vec<u64> = (0..100_000).collect();
//! # assert_eq!(grown.len(), 100_000);
//! ```
//!
//! Only Rust code of this library uses it: the host's `malloc` stays what it is, and no block of the one ever reaches the
//! other. So a pointer that C code is to `free` must come from C's `malloc`, as with any other Rust allocator.
//!
//! - Two libraries with this crate in one process have two heaps.
//! - The library stays in the process when the host closes it, because threads tell it that they end.
//! - After a fork the child can allocate; what other threads had in their lists is lost to it.
//! - A block that is freed twice, or was written past its end, ends the process with one line on the standard error stream.
//!
//! A static musl executable needs none of this: there `brawn build` puts the heap below C code and libc as well.
#![no_std]

#[cfg(not(all(target_os = "linux", target_pointer_width = "64", target_endian = "little")))]
compile_error!(
    "brawn-heap is for Linux on 64-bit processors; choose the allocator under [target.'cfg(target_os = \"linux\")'.dependencies]"
);

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_int, c_void};

unsafe extern "C" {
    fn brawn_heap_malloc(size: usize) -> *mut c_void;
    fn brawn_heap_calloc(count: usize, size: usize) -> *mut c_void;
    fn brawn_heap_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn brawn_heap_aligned(alignment: usize, size: usize) -> *mut c_void;
    fn brawn_heap_free(block: *mut c_void);
    fn brawn_heap_trim(keep: usize) -> c_int;
}

/// The alignment of every block, in bytes.
const UNIT: usize = 16;

/// The heap. All values of this type are the same one, that of the library.
#[derive(Clone, Copy, Debug, Default)]
pub struct BrawnHeap;

// SAFETY: the functions behind it give blocks of at least `size` bytes that are aligned to UNIT, or to what
// `brawn_heap_aligned` was asked for, and no one else has; they do not unwind; and they may be called from any thread.
unsafe impl GlobalAlloc for BrawnHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size will do, and the alignment of a layout is a power of two.
        unsafe {
            match layout.align() {
                ..=UNIT => brawn_heap_malloc(layout.size()).cast(),
                alignment => brawn_heap_aligned(alignment, layout.size()).cast(),
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller has it from here.
        unsafe { brawn_heap_free(block.cast()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= UNIT {
            // SAFETY: any size will do.
            return unsafe { brawn_heap_calloc(1, layout.size()).cast() };
        }
        // SAFETY: as in `alloc`; what there is of a block is the caller's to write.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= UNIT {
            // SAFETY: the caller has the block from here, and the size is not 0.
            return unsafe { brawn_heap_realloc(block.cast(), size).cast() };
        }
        // SAFETY: the caller answers for `size`; both blocks have the lesser of the two sizes.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, size.min(layout.size()));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

impl BrawnHeap {
    /// Gives back to the system what lies unused, but for what other threads have in their lists. Whether there was any.
    pub fn trim(&self) -> bool {
        // SAFETY: it may be called at any time, from any thread.
        unsafe { brawn_heap_trim(0) != 0 }
    }
}
