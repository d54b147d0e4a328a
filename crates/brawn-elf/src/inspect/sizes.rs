//! How large the parts of a file are.

use object::elf;

use crate::Image;
use crate::inspection::Sizes;

pub(super) fn is_debug(name: &[u8]) -> bool {
    name.starts_with(b".debug_") || name.starts_with(b".zdebug_")
}

pub(super) fn sizes(image: &Image<'_>) -> Sizes {
    let mut sizes = Sizes { file: image.data.len() as u64, ..Sizes::default() };
    let loaded = image.sections.iter().any(|section| section.flags & elf::SHF_ALLOC.0 != 0);
    sizes.by_section = loaded;
    if loaded {
        for section in &image.sections {
            let has = |flag: elf::SectionFlags| section.flags & flag.0 != 0;
            let nobits = section.kind == elf::SHT_NOBITS.0;
            let part = if !has(elf::SHF_ALLOC) {
                match section.name {
                    name if is_debug(name) => &mut sizes.debug,
                    b".symtab" | b".strtab" => &mut sizes.symbols,
                    _ => continue,
                }
            } else if nobits && has(elf::SHF_TLS) {
                // Thread-local zeros exist once per thread, and none of them in the executable's own image.
                continue;
            } else if nobits {
                &mut sizes.bss
            } else if has(elf::SHF_EXECINSTR) {
                &mut sizes.text
            } else if has(elf::SHF_WRITE) {
                &mut sizes.data
            } else {
                &mut sizes.read_only
            };
            *part = part.saturating_add(section.size);
        }
    } else {
        for segment in image.loaded() {
            let size = segment.data.len() as u64;
            let part = match segment.flags {
                flags if flags & elf::PF_X.0 != 0 => &mut sizes.text,
                flags if flags & elf::PF_W.0 != 0 => &mut sizes.data,
                _ => &mut sizes.read_only,
            };
            *part = part.saturating_add(size);
            sizes.bss = sizes.bss.saturating_add(segment.memory_size.saturating_sub(size));
        }
    }
    sizes
}
