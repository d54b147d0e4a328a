//! The heap that counts (`crates/brawn-kit/libc/malloc/trace.c`), in a program that is linked with it.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;
use brawn_libc::{Cache, Choice};
use brawn_tune::trace::{FILE_BYTES, HEAP, Trace, VARIABLE};

/// Asks a function for so many blocks of a size and an alignment, fills them, and gives them back or keeps them. What the program
/// allocates besides does not depend on the numbers.
const PROGRAM: &str = r#"
use std::ffi::c_void;
unsafe extern "C" {
    fn aligned_alloc(alignment: usize, size: usize) -> *mut u8;
    fn memalign(alignment: usize, size: usize) -> *mut u8;
    fn valloc(size: usize) -> *mut u8;
    fn posix_memalign(block: *mut *mut u8, alignment: usize, size: usize) -> i32;
    fn malloc(size: usize) -> *mut u8;
    fn realloc(block: *mut u8, size: usize) -> *mut u8;
    fn free(block: *mut u8);
    fn malloc_usable_size(block: *const c_void) -> usize;
}
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let number = |index: usize| words[index].parse::<usize>().unwrap();
    let (count, alignment, size) = (number(2), number(3), number(4));
    let mut blocks: [*mut u8; 512] = [std::ptr::null_mut(); 512];
    for (index, block) in blocks[..count].iter_mut().enumerate() {
        unsafe {
            *block = match &*words[1] {
                "aligned_alloc" => aligned_alloc(alignment, size),
                "memalign" => memalign(alignment, size),
                "valloc" => valloc(size),
                "posix_memalign" => {
                    assert_eq!(posix_memalign(block, alignment, size), 0);
                    *block
                }
                "malloc" => malloc(size),
                other => panic!("{other}"),
            };
            assert!(!block.is_null() && *block as usize % alignment == 0);
            assert!(malloc_usable_size((*block).cast()) >= size);
            block.write_bytes(index as u8, size);
        }
    }
    for (index, &block) in blocks[..count].iter().enumerate() {
        let bytes = unsafe { std::slice::from_raw_parts(block, size) };
        assert!(bytes.iter().all(|&byte| byte == index as u8), "block {index} has changed");
        unsafe {
            match &*words[5] {
                "free" => free(block),
                "move" => {
                    let moved = realloc(block, 2 * size + 64);
                    let bytes = std::slice::from_raw_parts(moved, size);
                    assert!(bytes.iter().all(|&byte| byte == index as u8), "block {index} was not moved whole");
                    free(moved);
                }
                _ => {}
            }
        }
    }
    // Bad alignments, and sizes that no one has.
    assert!(unsafe { aligned_alloc(48, 96) }.is_null() && unsafe { aligned_alloc(64, usize::MAX - 64) }.is_null());
    let mut block = std::ptr::null_mut();
    assert_eq!(unsafe { posix_memalign(&mut block, 48, 96) }, 22);
    assert_eq!(unsafe { posix_memalign(&mut block, 64, usize::MAX / 2) }, 12);
}
"#;

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Compiles the program with the heap that counts.
fn compiled(folder: &Path) -> PathBuf {
    let target = Arch::host().unwrap().musl_triple();
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]));
    let base = Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib/self-contained/libc.a");
    assert!(base.exists(), "`rustup target add {target}` installs {}", base.display());
    let choice = Choice::malloc(HEAP).unwrap();
    let overlay = Cache::open(&folder.join("cache")).unwrap().overlay(&base, Arch::host(), &choice).unwrap();
    let (source, program) = (folder.join("program.rs"), folder.join("program"));
    fs_err::write(&source, PROGRAM).unwrap();
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "--target", target, "-C", "linker=rust-lld", "-L"]);
    output(rustc.arg(format!("native={}", overlay.dir.display())).arg(&source).arg("-o").arg(&program));
    program
}

/// What the program allocates with these words.
fn trace(program: &Path, words: &str) -> Trace {
    let file = program.with_file_name("figures");
    fs_err::write(&file, [0; FILE_BYTES]).unwrap();
    output(Command::new(program).args(words.split(' ')).env(VARIABLE, &file));
    Trace::read(&fs_err::read(&file).unwrap()).unwrap()
}

#[test]
fn aligned_blocks_count_as_others_do() {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path());
    for (function, alignment, size) in [
        ("malloc", 16, 100),
        ("aligned_alloc", 16, 100),
        ("aligned_alloc", 64, 100),
        ("aligned_alloc", 4096, 300),
        ("memalign", 32, 1000),
        ("posix_memalign", 64, 40),
        ("posix_memalign", 8192, 70_000),
        // These have mappings of their own, and begin more than 65,535 units into them.
        ("posix_memalign", 1 << 21, 200_000),
        ("valloc", 4096, 5000),
    ] {
        let with = |count: usize, then: &str| {
            trace(&program, &format!("{function} {count:03} {alignment:07} {size:06} {then}"))
        };
        let (none, kept, freed, moved) =
            (with(0, "keep"), with(200, "keep"), with(200, "free"), with(200, "move"));
        let what = format!("{function} {alignment} {size}");
        let bits = (u64::BITS - (size as u64).leading_zeros()) as usize;
        for some in [&kept, &freed] {
            assert_eq!(some.allocations - none.allocations, 200, "{what}");
            assert_eq!(some.bytes - none.bytes, 200 * size as u64, "{what}");
            assert_eq!(some.sizes[bits] - none.sizes[bits], 200, "{what}");
            assert!(some.peak >= 200 * size as u64, "{what}: {}", some.peak);
        }
        assert_eq!((kept.live - none.live, kept.frees), (200 * size as u64, none.frees), "{what}");
        assert_eq!((freed.live, freed.frees - none.frees), (none.live, 200), "{what}");
        assert!(freed.watched > none.watched, "{what}: none of 200 was watched");
        // A block that is resized counts as given back and as handed out again.
        assert_eq!((moved.live, moved.reallocations - none.reallocations), (none.live, 200), "{what}");
        assert_eq!(moved.frees - none.frees, 400, "{what}");
    }
}
