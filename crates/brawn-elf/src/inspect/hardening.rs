//! What protects a program from attackers and from deep recursion.

use object::elf;

use crate::Image;
use crate::code::CodeFacts;
use crate::dynamic::Dynamic;
use crate::inspection::{Hardening, Kind, Libc, LibcName, Relro, ThreadStack, ThreadStackSource};
use crate::property::{self, Properties};

pub(super) fn hardening(
    image: &Image<'_>,
    dynamic: &Dynamic,
    kind: Kind,
    libc: &Libc,
    code: CodeFacts,
) -> Hardening {
    let relro = match image.segment(elf::PT_GNU_RELRO) {
        None => Relro::None,
        Some(_) if kind.is_static() && libc.name == LibcName::Musl => Relro::NotApplied,
        Some(_) if kind.is_static() || dynamic.bind_now => Relro::Full,
        Some(_) => Relro::Partial,
    };
    let Properties { branch_targets, return_addresses, .. } = property::read(image);
    Hardening {
        pie: matches!(kind, Kind::StaticPie | Kind::DynamicPie),
        relro,
        // Without the header, the kernel gives an executable stack on x86.
        nx_stack: image.segment(elf::PT_GNU_STACK).is_some_and(|stack| stack.flags & elf::PF_X.0 == 0),
        writable_code: image.code().any(|segment| segment.flags & elf::PF_W.0 != 0),
        stack_canary: stack_canary(image, kind, code),
        branch_targets,
        return_addresses,
    }
}

/// On x86-64, code that checks reads the canary from its place in the thread's block. Elsewhere, a dynamic file asks
/// for the function that is called when the check fails; a static one has it whether it checks or not.
fn stack_canary(image: &Image<'_>, kind: Kind, code: CodeFacts) -> Option<bool> {
    if elf::Machine(image.machine) == elf::EM_X86_64 {
        return Some(code.canary_reads > 0);
    }
    if kind.is_static() {
        return None;
    }
    let symbols = image.dynamic_symbols()?;
    Some(symbols.iter().any(|symbol| symbol.name == b"__stack_chk_fail"))
}

pub(super) fn thread_stack(image: &Image<'_>, kind: Kind, libc: &Libc) -> ThreadStack {
    // musl: `__default_stacksize`, which start-up raises to PT_GNU_STACK's size but not above DEFAULT_STACK_MAX
    // (src/internal/pthread_impl.h, src/env/__init_tls.c, ldso/dynlink.c).
    const MUSL_DEFAULT: u64 = 128 * 1024;
    const MUSL_MOST: u64 = 8 * 1024 * 1024;
    let size = image.segment(elf::PT_GNU_STACK).map_or(0, |segment| segment.memory_size);
    let (bytes, source) = match libc.name {
        _ if kind == Kind::SharedObject => (None, ThreadStackSource::Unknown),
        LibcName::Musl if size > MUSL_DEFAULT => {
            (Some(size.min(MUSL_MOST)), ThreadStackSource::ProgramHeader)
        }
        LibcName::Musl => (Some(MUSL_DEFAULT), ThreadStackSource::MuslDefault),
        LibcName::Glibc => (None, ThreadStackSource::ResourceLimit),
        LibcName::None => (None, ThreadStackSource::Runtime),
        LibcName::Bionic | LibcName::Unknown => (None, ThreadStackSource::Unknown),
    };
    ThreadStack { bytes, source }
}
