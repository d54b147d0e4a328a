//! jemalloc for Rust code, and some of its names called directly.

use std::ffi::{c_int, c_void};

use tikv_jemalloc_sys as je;

#[global_allocator]
static HEAP: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// As many programs have it: settings of an allocator that is not there are for nobody.
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static CONFIGURATION: Option<&'static std::ffi::c_char> =
    // SAFETY: a byte is a character.
    Some(unsafe { &*c"narenas:1".as_ptr() });

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
        let block = je::malloc(100);
        let usable = je::sallocx(block, 0);
        assert!(
            usable >= 100 && usable == malloc_usable_size(block) && usable == je::malloc_usable_size(block)
        );
        let size = je::nallocx(100, 0);
        assert!((100..=usable).contains(&size));
        // It stays where it is, and says how large it is.
        assert_eq!(je::xallocx(block, 50, 0, 0), usable);
        assert_eq!(je::xallocx(block, 1 << 30, 0, je::MALLOCX_ZERO), usable);
        free(block);
        assert_eq!(je::nallocx(usize::MAX, 0), 0);

        for align in [1usize, 8, 16, 64, 4096, 1 << 20] {
            let others: c_int = je::MALLOCX_TCACHE_NONE | je::MALLOCX_ARENA(0);
            for flags in [je::MALLOCX_ALIGN(align), je::MALLOCX_ALIGN(align) | others] {
                let mut block = je::mallocx(10, flags | je::MALLOCX_ZERO);
                assert!(block.addr() % align == 0 && zeros(block, 0, je::sallocx(block, flags)));
                block.cast::<u8>().write_bytes(7, 10);
                let mut before = je::sallocx(block, flags);
                for size in [11, 100, 5_000, 200_000] {
                    block = je::rallocx(block, size, flags | je::MALLOCX_ZERO);
                    assert!(block.addr() % align == 0 && *block.cast::<u8>().add(9) == 7);
                    let now = je::sallocx(block, flags);
                    assert!(now >= size && (now <= before || zeros(block, before, now)), "{size} at {align}");
                    before = now;
                }
                block = je::rallocx(block, 20, flags);
                assert!(block.addr() % align == 0 && *block.cast::<u8>().add(9) == 7);
                je::sdallocx(block, 20, flags);
            }
        }
        let block = je::calloc(3, 100);
        assert!(zeros(block, 0, 300));
        je::dallocx(je::realloc(block, 10_000), 0);
        assert!(je::calloc(usize::MAX, 2).is_null());
        let mut aligned = std::ptr::null_mut();
        assert_eq!(je::posix_memalign(&mut aligned, 256, 33), 0);
        assert!(aligned.addr() % 256 == 0);
        je::free_sized(aligned, 33);
        let aligned = je::aligned_alloc(512, 1024);
        assert!(aligned.addr() % 512 == 0);
        je::free_aligned_sized(aligned, 512, 1024);
        je::free(std::ptr::null_mut());
    }
    println!("well");
}
