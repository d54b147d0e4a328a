//! mimalloc for Rust code, and some of its names called directly.

use std::ffi::{CStr, c_void};

use libmimalloc_sys as mi;

#[global_allocator]
static HEAP: mimalloc::MiMalloc = mimalloc::MiMalloc;

unsafe extern "C" {
    fn malloc_usable_size(block: *mut c_void) -> usize;
    fn free(block: *mut c_void);
}

fn zeros(block: *mut c_void, from: usize, to: usize) -> bool {
    // SAFETY: as large as the caller knows the block to be.
    unsafe {
        std::slice::from_raw_parts(block.cast::<u8>().add(from), to - from).iter().all(|byte| *byte == 0)
    }
}

fn main() {
    work::work();
    work::in_c();
    work::by_value(&HEAP);
    // SAFETY: every block is as large as it is taken for, and freed once.
    unsafe {
        let block = mi::mi_malloc(100);
        let usable = mi::mi_usable_size(block);
        assert!(usable >= 100 && usable == malloc_usable_size(block) && mi::mi_good_size(100) <= usable);
        assert_eq!(mi::mi_expand(block, usable), block);
        assert!(mi::mi_expand(block, usable + 100_000).is_null());
        free(block);

        for align in [8, 16, 64, 4096] {
            let mut block = mi::mi_zalloc_aligned(10, align);
            let mut before = 0;
            for size in [10, 11, 100, 5_000, 200_000] {
                block = mi::mi_rezalloc_aligned(block, size, align);
                assert!(
                    block.addr() % align == 0 && zeros(block, before.min(size), size),
                    "{size} at {align}"
                );
                block.cast::<u8>().write_bytes(7, size);
                assert!(mi::mi_usable_size(block) >= size);
                before = mi::mi_usable_size(block);
                block.cast::<u8>().write_bytes(7, before);
            }
            block = mi::mi_realloc_aligned(block, 20, align);
            assert!(block.addr() % align == 0 && *block.cast::<u8>().add(19) == 7);
            mi::mi_free_size_aligned(block, 20, align);
        }
        let block = mi::mi_calloc_aligned(3, 100, 512);
        assert!(block.addr() % 512 == 0 && zeros(block, 0, 300));
        mi::mi_free_aligned(block, 512);
        // Zeros from there on that a block could not hold before, whatever it was asked for.
        let block = mi::mi_recalloc(mi::mi_calloc(1, 3), 100, 10);
        assert!(zeros(block, 0, 1_000));
        mi::mi_free(block);
        assert!(mi::mi_calloc(usize::MAX, 2).is_null() && mi::mi_mallocn(usize::MAX, 2).is_null());
        let mut aligned = std::ptr::null_mut();
        assert_eq!(mi::mi_posix_memalign(&mut aligned, 256, 33), 0);
        assert!(aligned.addr() % 256 == 0);
        mi::mi_free(aligned);
        assert_ne!(mi::mi_posix_memalign(&mut aligned, 3, 33), 0);
        let copy = mi::mi_strndup(c"mimalloc".as_ptr(), 2);
        assert_eq!(CStr::from_ptr(copy), c"mi");
        mi::mi_free(mi::mi_reallocf(copy.cast(), 1_000));
        mi::mi_free(std::ptr::null_mut());
        mi::mi_collect(true);
    }
    println!("well");
}
