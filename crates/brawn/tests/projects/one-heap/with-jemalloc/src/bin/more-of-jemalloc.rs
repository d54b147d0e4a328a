//! Calls what only jemalloc has.

#[global_allocator]
static HEAP: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    let mut allocated = 0usize;
    let mut size = size_of::<usize>();
    // SAFETY: the answer is as large as it says.
    let error = unsafe {
        let place = (&raw mut allocated).cast();
        tikv_jemalloc_sys::mallctl(c"stats.allocated".as_ptr(), place, &mut size, std::ptr::null_mut(), 0)
    };
    println!("{error} {}", vec![1; std::env::args().count()].len());
}
