//! One pass over an executable's code for all anchors, and one for branches.

use std::collections::{BTreeMap, HashMap};

use brawn_elf::{Arch, Image};
use object::elf;

use crate::anchor::{self, LENGTH};
use crate::field::branch;
use crate::filter::Filter;
use crate::index::Index;
use crate::signature::Signature;

/// More executable segments than any linker writes.
const MOST_SEGMENTS: usize = 16;
/// After so many false alarms a signature is given up: a file that repeats an anchor would cost time without end.
const MOST_ALARMS: u32 = 1 << 16;
/// More places than this say nothing.
const MOST_PLACES: usize = 64;
const MOST_SITES: usize = 4096;

/// Code and where it is loaded. What two segments share is looked through once.
pub fn code<'data>(image: &Image<'data>) -> Vec<(u64, &'data [u8])> {
    let executable = |kind: u32, flags: u32| kind == elf::PT_LOAD.0 && flags & elf::PF_X.0 != 0;
    let mut parts: Vec<_> =
        image.segments.iter().filter(|s| executable(s.kind, s.flags)).take(MOST_SEGMENTS).collect();
    parts.sort_by_key(|segment| segment.file_start);
    let mut end = 0;
    let mut code = Vec::new();
    for segment in parts {
        if segment.file_start >= end && segment.address.checked_add(segment.data.len() as u64).is_some() {
            end = segment.file_start + segment.data.len();
            code.push((segment.address, segment.data));
        }
    }
    code
}

/// Where the bytes of each signature are, by its number. Branches and references are not looked at yet.
pub fn places(index: &Index<'_>, code: &[(u64, &[u8])]) -> BTreeMap<u32, Vec<u64>> {
    let (signatures, filter) = (index.signatures, &index.filter);
    let mut alarms = vec![0; signatures.functions.len()];
    let mut places: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for (address, bytes) in code {
        for (at, window) in bytes.windows(LENGTH).enumerate().step_by(anchor::step(signatures.arch)) {
            let anchor = u64::from_le_bytes(window.try_into().expect("eight bytes"));
            if !filter.may_have(anchor) {
                continue;
            }
            for (id, offset) in index.anchors.get(&anchor).into_iter().flatten() {
                let function = &signatures.functions[*id as usize];
                let Some(start) = at.checked_sub(*offset as usize) else { continue };
                let place = address + start as u64;
                if alarms[*id as usize] >= MOST_ALARMS || !aligned(function, place) {
                    continue;
                }
                let found = places.get(id).map_or(0, Vec::len);
                if found < MOST_PLACES && function.matches(signatures.arch, &bytes[start..]) {
                    places.entry(*id).or_default().push(place);
                } else {
                    alarms[*id as usize] += 1;
                }
            }
        }
    }
    places
}

/// Whether a function may begin here.
pub fn aligned(function: &Signature, address: u64) -> bool {
    address.trailing_zeros() >= u32::from(function.align)
}

/// Where branches and calls lead.
#[derive(Default)]
pub struct Branches {
    /// By target, of those that were asked for: the addresses of the fields.
    pub sites: HashMap<u64, Vec<u64>>,
    /// Parts of the code, and a bit for each byte of them to which one leads.
    called: Vec<(u64, Vec<u64>)>,
}

impl Branches {
    /// Looks for all, and keeps those to `targets`.
    pub fn new(arch: Arch, code: &[(u64, &[u8])], targets: impl Iterator<Item = u64> + Clone) -> Branches {
        let filter = Filter::new(targets.clone());
        let sites = targets.map(|target| (target, Vec::new())).collect();
        let called = code.iter().map(|(start, bytes)| (*start, vec![0; bytes.len().div_ceil(64)])).collect();
        let mut branches = Branches { sites, called };
        for (address, bytes) in code {
            match arch {
                Arch::X86_64 => {
                    for at in memchr::memchr2_iter(0xe8, 0xe9, bytes) {
                        if let Some(distance) = bytes.get(at + 1..at + 5) {
                            let distance = i32::from_le_bytes(distance.try_into().expect("four bytes"));
                            let site = address + at as u64 + 1;
                            branches.note(&filter, (site + 4).wrapping_add_signed(i64::from(distance)), site);
                        }
                    }
                }
                Arch::Aarch64 => {
                    for (at, word) in bytes.chunks_exact(4).enumerate() {
                        let site = address + at as u64 * 4;
                        let word = u32::from_le_bytes(word.try_into().expect("four bytes"));
                        if let Some(target) = branch(word, site) {
                            branches.note(&filter, target, site);
                        }
                    }
                }
            }
        }
        branches
    }

    fn note(&mut self, filter: &Filter, target: u64, site: u64) {
        for (start, bits) in &mut self.called {
            let at = target.wrapping_sub(*start);
            if let Some(word) = bits.get_mut((at / 64) as usize) {
                *word |= 1 << (at % 64);
            }
        }
        if filter.may_have(target)
            && let Some(sites) = self.sites.get_mut(&target)
            && sites.len() < MOST_SITES
        {
            sites.push(site);
        }
    }

    /// Whether one leads there.
    pub fn lead_to(&self, address: u64) -> bool {
        self.called.iter().any(|(start, bits)| {
            let at = address.wrapping_sub(*start);
            bits.get((at / 64) as usize).is_some_and(|word| word >> (at % 64) & 1 == 1)
        })
    }
}
