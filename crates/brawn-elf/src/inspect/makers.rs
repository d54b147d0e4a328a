//! What made a file: compilers, their versions, and the identity of the build.

use object::elf;
use object::read::elf::Note;

use crate::Image;
use crate::cpu::CpuLevel;
use crate::inspection::Rust;
use crate::property::gnu_notes;
use crate::signature::{self, Hits, Mark};
use crate::symbols::Owner;

/// Go's build information: the magic, at offset 15 flags, from offset 32 the length and the text of the version
/// (since Go 1.18; earlier ones have a pointer there, and are not read).
pub(super) fn go_version(image: &Image<'_>, hits: &Hits) -> Option<String> {
    const INLINE: u8 = 2;
    hits.offsets(Mark::Heap(Owner::Go)).find_map(|offset| {
        let info = image.data.get(offset..)?;
        let length = usize::from(*info.get(32)?);
        let text = std::str::from_utf8(info.get(33..33 + length)?).ok()?;
        (info[15] & INLINE != 0 && length < 128 && text.starts_with("go")).then(|| text.to_owned())
    })
}

/// The level that Go's compiler was told, from the build information: `build\tGOAMD64=v3`.
pub(super) fn go_level(image: &Image<'_>) -> Option<CpuLevel> {
    let data = signature::constant_data(image);
    let finder = memchr::memmem::Finder::new(b"build\tGOAMD64=");
    data.into_iter().find_map(|range| {
        let data = &image.data[range];
        let name = data.get(finder.find(data)? + finder.needle().len()..)?.get(..2)?;
        ["v1", "v2", "v3", "v4"].iter().position(|known| known.as_bytes() == name).map(|at| CpuLevel::ALL[at])
    })
}

pub(super) fn comments(image: &Image<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let data = image.section(".comment").map(|section| section.data).unwrap_or_default();
    for line in data[..data.len().min(64 * 1024)].split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let line = String::from_utf8_lossy(line).into_owned();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

pub(super) fn rust(image: &Image<'_>, hits: &Hits, comments: &[String]) -> Option<Rust> {
    let version = comments.iter().find_map(|line| {
        let version = line.strip_prefix("rustc version ")?;
        Some(version.split_whitespace().next()?.to_owned())
    });
    let commit = hits.offsets(Mark::RustCommit).find_map(|offset| {
        let hash = image.data.get(offset + 7..offset + 7 + 40)?;
        let hash = std::str::from_utf8(hash).ok()?;
        hash.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| hash.to_owned())
    });
    (version.is_some() || commit.is_some()).then_some(Rust { version, commit })
}

pub(super) fn build_id(image: &Image<'_>) -> Option<String> {
    let place = (elf::PT_NOTE, &b".note.gnu.build-id"[..]);
    let ids = gnu_notes(image, place, 4, elf::NT_GNU_BUILD_ID);
    ids.iter().map(Note::desc).find(|id| id.len() <= 64).map(brawn_base::text::hex)
}
