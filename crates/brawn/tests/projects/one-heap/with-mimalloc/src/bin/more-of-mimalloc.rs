//! Calls what only mimalloc has.

#[global_allocator]
static HEAP: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    // SAFETY: the heap is used as its documentation says.
    unsafe {
        let heap = libmimalloc_sys::mi_heap_new();
        libmimalloc_sys::mi_heap_malloc(heap, 10);
        libmimalloc_sys::mi_heap_destroy(heap);
    }
    println!("{}", vec![1; std::env::args().count()].len());
}
