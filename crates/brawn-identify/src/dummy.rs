//! Functions that do nothing, which stand in for musl's inner ones where a program needs none.

use brawn_elf::Arch;

const ENDBR64: &[u8] = &[0xf3, 0x0f, 0x1e, 0xfa];

/// The size of a function that only returns, with nothing or with 0, if `code` begins with one.
pub fn does_nothing(arch: Arch, code: &[u8]) -> Option<usize> {
    let (own, whole): (&[u8], &[&[u8]]) = match arch {
        Arch::X86_64 => {
            let own = code.strip_prefix(ENDBR64).unwrap_or(code);
            (own, &[&[0xc3], &[0xf3, 0xc3], &[0x31, 0xc0, 0xc3]])
        }
        // ret, with mov w0, #0 before it or without.
        Arch::Aarch64 => {
            (code, &[&[0xc0, 0x03, 0x5f, 0xd6], &[0x00, 0x00, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6]])
        }
    };
    let whole = whole.iter().find(|whole| own.starts_with(whole))?;
    Some(code.len() - own.len() + whole.len())
}
