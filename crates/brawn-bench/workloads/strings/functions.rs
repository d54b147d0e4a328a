//! The functions, each with the operands that it is called with. Pointers to them pass through `black_box`, so that every
//! call is really made to the C library: the compiler knows most of these names and would put its own code in their place.

use std::ffi::{c_char, c_int, c_void};
use std::hint::black_box;
use std::time::Duration;

use crate::operands::Operands;
use crate::{Row, measure};

/// All, by their names in the field's tables. Five of them need a word:
///
/// * `memmove_fw` moves a text up by at most 16 bytes, so that source and destination overlap;
/// * `memmove_nop` moves it to where it is;
/// * `memcpy_r` is `memcpy` from the higher region to the lower;
/// * `strchr` looks for a letter that is only at the text's end, `strrchr` for one only at its beginning: both see it all;
/// * `strnlen`, `wcsnlen`, `strncmp` and `strncpy` get the text's length as their limit.
pub const ALL: &[&str] = &[
    "strlen",
    "strnlen",
    "wcslen",
    "wcsnlen",
    "memcmp",
    "memset",
    "memmove",
    "memmove_fw",
    "memmove_nop",
    "memcpy",
    "memcpy_r",
    "strcmp",
    "strncmp",
    "strcpy",
    "strncpy",
    "strchr",
    "strrchr",
];

unsafe extern "C" {
    fn strlen(text: *const c_char) -> usize;
    fn strnlen(text: *const c_char, limit: usize) -> usize;
    fn wcslen(text: *const u32) -> usize;
    fn wcsnlen(text: *const u32, limit: usize) -> usize;
    fn memcmp(left: *const c_void, right: *const c_void, length: usize) -> c_int;
    fn memset(to: *mut c_void, byte: c_int, length: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void;
    fn memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void;
    fn strcmp(left: *const c_char, right: *const c_char) -> c_int;
    fn strncmp(left: *const c_char, right: *const c_char, limit: usize) -> c_int;
    fn strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn strncpy(to: *mut c_char, from: *const c_char, limit: usize) -> *mut c_char;
    fn strchr(text: *const c_char, letter: c_int) -> *mut c_char;
    fn strrchr(text: *const c_char, letter: c_int) -> *mut c_char;
}

type Length = unsafe extern "C" fn(*const c_char) -> usize;
type LimitedLength = unsafe extern "C" fn(*const c_char, usize) -> usize;
type WideLength = unsafe extern "C" fn(*const u32) -> usize;
type LimitedWideLength = unsafe extern "C" fn(*const u32, usize) -> usize;
type CompareMemory = unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int;
type CompareText = unsafe extern "C" fn(*const c_char, *const c_char) -> c_int;
type CompareLimitedText = unsafe extern "C" fn(*const c_char, *const c_char, usize) -> c_int;
type Fill = unsafe extern "C" fn(*mut c_void, c_int, usize) -> *mut c_void;
type CopyMemory = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void;
type CopyText = unsafe extern "C" fn(*mut c_char, *const c_char) -> *mut c_char;
type CopyLimitedText = unsafe extern "C" fn(*mut c_char, *const c_char, usize) -> *mut c_char;
type Find = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_char;

/// A call of a function that does nothing: what the loop takes.
pub fn nothing(time: Duration) -> Row {
    extern "C" fn nothing(length: usize) -> usize {
        length
    }
    let function = black_box(nothing as extern "C" fn(usize) -> usize);
    measure(time, || function(0), usize::cast_signed, || 0)
}

/// One function at one length.
///
/// # Panics
/// When the name is none of [`ALL`].
pub fn row(name: &str, operands: &mut Operands, length: usize, time: Duration) -> Row {
    operands.clear(length);
    match name {
        "wcslen" | "wcsnlen" => operands.wide(length),
        "memcmp" | "strcmp" | "strncmp" => operands.twice(length),
        _ => operands.text(length),
    }
    // A letter that occurs once. The text is written anew for every row.
    // SAFETY: the text has at least one letter.
    unsafe {
        match name {
            "strchr" => operands.first.add(length - 1).write(b'z'),
            "strrchr" => operands.first.write(b'z'),
            _ => {}
        }
    }
    let (first, second) = (operands.first, operands.second);
    let (text, other) = (first.cast::<c_char>(), second.cast::<c_char>());
    let wide = operands.wide.cast_const();
    let digest = || operands.digest(length);
    let copy = |to: *mut u8, from: *const u8, function: CopyMemory| {
        let function = black_box(function);
        // SAFETY: both regions hold `length` bytes and more; only memmove gets operands that overlap.
        measure(
            time,
            || unsafe { function(to.cast(), from.cast(), length) },
            |end| offset(end.cast(), to),
            digest,
        )
    };

    // SAFETY, for all calls: the operands are texts of `length` characters with their ends, in regions that hold more.
    match name {
        "strlen" => {
            let function = black_box(strlen as Length);
            measure(time, || unsafe { function(text) }, usize::cast_signed, digest)
        }
        "strnlen" => {
            let function = black_box(strnlen as LimitedLength);
            measure(time, || unsafe { function(text, length) }, usize::cast_signed, digest)
        }
        "wcslen" => {
            let function = black_box(wcslen as WideLength);
            measure(time, || unsafe { function(wide) }, usize::cast_signed, digest)
        }
        "wcsnlen" => {
            let function = black_box(wcsnlen as LimitedWideLength);
            measure(time, || unsafe { function(wide, length) }, usize::cast_signed, digest)
        }
        "memcmp" => {
            let function = black_box(memcmp as CompareMemory);
            measure(time, || unsafe { function(first.cast(), second.cast(), length) }, sign, digest)
        }
        "strcmp" => {
            let function = black_box(strcmp as CompareText);
            measure(time, || unsafe { function(text, other) }, sign, digest)
        }
        "strncmp" => {
            let function = black_box(strncmp as CompareLimitedText);
            measure(time, || unsafe { function(text, other, length) }, sign, digest)
        }
        "memset" => {
            let function = black_box(memset as Fill);
            let byte = c_int::from(b'#');
            measure(
                time,
                || unsafe { function(first.cast(), byte, length) },
                |end| offset(end.cast(), first),
                digest,
            )
        }
        "memcpy" => copy(second, first, memcpy),
        "memcpy_r" => {
            // SAFETY: as above; the text now is in the higher region, as the source.
            unsafe { second.copy_from_nonoverlapping(first, length) };
            copy(first, second, memcpy)
        }
        "memmove" => copy(second, first, memmove),
        // SAFETY: the region is larger than the text by more than that.
        "memmove_fw" => copy(unsafe { first.add((length / 2).clamp(1, 16)) }, first, memmove),
        "memmove_nop" => copy(first, first, memmove),
        "strcpy" => {
            let function = black_box(strcpy as CopyText);
            measure(time, || unsafe { function(other, text) }, |end| offset(end.cast(), second), digest)
        }
        "strncpy" => {
            let function = black_box(strncpy as CopyLimitedText);
            measure(
                time,
                || unsafe { function(other, text, length) },
                |end| offset(end.cast(), second),
                digest,
            )
        }
        "strchr" | "strrchr" => {
            let function = black_box(if name == "strchr" { strchr as Find } else { strrchr });
            let letter = c_int::from(b'z');
            measure(time, || unsafe { function(text, letter) }, |end| offset(end.cast(), first), digest)
        }
        _ => panic!("no function is called {name}"),
    }
}

fn sign(order: c_int) -> isize {
    order.signum() as isize
}

/// Where a pointer points, in bytes from `start`; the null pointer is -1.
fn offset(pointer: *const u8, start: *const u8) -> isize {
    if pointer.is_null() { -1 } else { pointer.addr().cast_signed() - start.addr().cast_signed() }
}
