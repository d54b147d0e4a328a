use std::collections::BTreeSet;

use super::first::{Beginning, MOST, Moved};

const BTI_C: u32 = 0xd503_245f;
const PACIASP: u32 = 0xd503_233f;
/// How far a branch reaches, in bytes.
const REACH: i64 = 1 << 27;

pub(super) fn beginning(code: &[u8], address: u64, far: bool) -> Result<Beginning, String> {
    let words: Vec<u32> =
        code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
    let first = words.first().copied();
    // It signs the return address, of which the new code knows nothing: a mark for indirect branches takes its place.
    if first == Some(PACIASP) {
        return Err("it begins by signing its return address".to_owned());
    }
    let skipped = usize::from(first == Some(BTI_C));
    let length = if far { MOST } else { 4 };
    let words = &words[skipped..];
    if words.len() * 4 < length {
        return Err(format!("it has {} bytes, and a jump takes {length}", words.len() * 4));
    }
    let at = address + 4 * skipped as u64;
    Ok(Beginning { at, length, moved: moved(words, at, length) })
}

pub(super) fn jump(from: u64, to: u64, length: usize) -> Option<Vec<u8>> {
    let distance = to.wrapping_sub(from).cast_signed();
    if (-REACH..REACH).contains(&distance) {
        let word = 0x1400_0000 | ((distance >> 2) as u32 & 0x3ff_ffff);
        return Some(word.to_le_bytes().to_vec());
    }
    if length < MOST {
        return None;
    }
    // adrp x16, page; add x16, x16, rest; br x16
    let pages = i32::try_from(((to >> 12).cast_signed()) - ((from >> 12).cast_signed())).ok()?;
    if !(-(1 << 20)..1 << 20).contains(&pages) {
        return None;
    }
    let pages = pages.cast_unsigned();
    let adrp = 0x9000_0010 | (pages & 3) << 29 | (pages >> 2 & 0x7_ffff) << 5;
    let add = 0x9100_0210 | (to as u32 & 0xfff) << 10;
    Some([adrp, add, 0xd61f_0200].into_iter().flat_map(u32::to_le_bytes).collect())
}

pub(super) fn calls(code: &[u8], address: u64) -> BTreeSet<u64> {
    let own = address..address.saturating_add(code.len() as u64);
    let words = code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four")));
    // bl
    let is_call = |word: u32| word >> 26 == 0x25;
    let leads = |(at, word)| {
        branch(word, address + 4 * at as u64).filter(|target| is_call(word) || !own.contains(target))
    };
    words.enumerate().filter_map(leads).collect()
}

/// Whether this is what compilers put between functions.
pub(super) fn is_padding(code: &[u8]) -> bool {
    const NOP: [u8; 4] = 0xd503_201f_u32.to_le_bytes();
    code.chunks(4).all(|word| word == NOP || word == [0; 4])
}

fn moved(words: &[u32], address: u64, length: usize) -> Option<Moved> {
    let count = length / 4;
    let over = address..address + length as u64;
    let comes_back = words.iter().enumerate().any(|(at, word)| {
        branch(*word, address + 4 * at as u64).is_some_and(|target| over.contains(&target))
    });
    if comes_back || words[..count].iter().any(|word| counts_from_its_place(*word)) {
        return None;
    }
    let bytes = words[..count].iter().flat_map(|word| word.to_le_bytes()).collect();
    Some(Moved { bytes, relative: Vec::new(), rest: over.end })
}

/// Where a branch with a distance in it leads.
fn branch(word: u32, at: u64) -> Option<u64> {
    let (bits, shift) = match word {
        _ if word & 0x7c00_0000 == 0x1400_0000 => (26, 0),
        _ if word & 0xff00_0000 == 0x5400_0000 || word & 0x7e00_0000 == 0x3400_0000 => (19, 5),
        _ if word & 0x7e00_0000 == 0x3600_0000 => (14, 5),
        _ => return None,
    };
    let distance = (word << (32 - bits - shift)).cast_signed() >> (32 - bits);
    Some(at.wrapping_add_signed(i64::from(distance) * 4))
}

/// Branches, `adr`, `adrp` and loads from nearby.
fn counts_from_its_place(word: u32) -> bool {
    branch(word, 0).is_some() || word & 0x1f00_0000 == 0x1000_0000 || word & 0x3b00_0000 == 0x1800_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_reach_far_and_near() {
        assert_eq!(jump(0x1000, 0x0ffc, 4).unwrap(), 0x17ff_ffff_u32.to_le_bytes());
        assert_eq!(jump(0, 1 << 27, 4), None);
        let far = jump(0x1000, 0x1000_1234, MOST).unwrap();
        let words: Vec<u32> =
            far.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        // 0x10000 pages: the low two bits stand apart.
        assert_eq!(words, [0x9008_0010, 0x9108_d210, 0xd61f_0200]);
        assert_eq!(branch(0x17ff_ffff, 0x1000), Some(0xffc));
    }

    #[test]
    fn marks_stay_and_what_cannot_move_does_not() {
        let code = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let found = beginning(&code(&[BTI_C, 0xaa00_03e3, 0xd65f_03c0]), 0x1000, false).unwrap();
        assert_eq!((found.at, found.length), (0x1004, 4));
        assert_eq!(found.moved.unwrap().rest, 0x1008);
        // adrp
        assert_eq!(beginning(&code(&[0x9000_0000, 0xd65f_03c0]), 0, false).unwrap().moved, None);
        // b .-4 from the second word
        assert_eq!(beginning(&code(&[0xd503_201f, 0x17ff_ffff]), 0, false).unwrap().moved, None);
        assert!(beginning(&code(&[0xd503_201f]), 0, true).is_err());
    }
}
