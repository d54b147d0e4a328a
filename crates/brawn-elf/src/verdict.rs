//! What follows from an inspection, for a person.

use crate::heap::HEAP_OF_LIBRARIES;
use crate::inspection::{Finding, Inspection, LibcName, Relro, Severity, StringsOwner, ThreadStackSource};
use crate::{CpuEvidence, CpuLevel, Heap, Role};

/// Below this, deep recursion and large local arrays that work on glibc overflow a thread's stack.
const SMALL_STACK: u64 = 1024 * 1024;

pub(crate) fn verdict(inspection: &Inspection) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut say = |code: &str, severity, message: String, hint: Option<&str>| {
        findings.push(Finding { code: code.to_owned(), severity, message, hint: hint.map(str::to_owned) });
    };
    let musl = inspection.libc.name == LibcName::Musl;
    let is_static = inspection.kind.is_static();
    if let Some(heap) = inspection.allocators.iter().find(|heap| heap.role == Role::LibcHeap) {
        if is_slow(heap) {
            // What calls the other heap by its own name, as Rust code does, does not wait for musl's lock.
            let other = inspection.allocators.iter().find(|heap| heap.role == Role::SecondHeap);
            let (who, unless) = match other {
                Some(other) => ("what allocates from it", format!("; what allocates from {other} is not")),
                None => ("a program that allocates", String::new()),
            };
            say(
                "slow-heap",
                Severity::Warning,
                format!(
                    "malloc is musl's own, which has one lock for all threads: {who} from several threads will \
                     be many times slower than on glibc{unless}"
                ),
                is_static.then_some("build it with `brawn build`, or choose an allocator with `--malloc`"),
            );
        }
        if matches!(heap.name.as_str(), "mimalloc") && !heap.kit {
            say(
                "fat-heap",
                Severity::Info,
                format!(
                    "{heap} serves malloc; with its defaults it can hold many times the memory that musl's own heap \
                     would"
                ),
                Some("measure with `brawn tune` which allocator and which settings fit"),
            );
        }
    }
    // That of libraries is there on purpose.
    let second = |heap: &&Heap| heap.role == Role::SecondHeap && heap.name != HEAP_OF_LIBRARIES;
    for heap in inspection.allocators.iter().filter(second) {
        say(
            "second-heap",
            Severity::Warning,
            format!(
                "{heap} is there as a second heap: memory that one heap keeps free is lost for the other"
            ),
            Some("in a Rust program, remove the #[global_allocator] attribute and the crate that it names"),
        );
    }
    let unknown: Vec<&Heap> =
        inspection.allocators.iter().filter(|heap| heap.role == Role::Unknown).collect();
    if unknown.len() > 1 {
        let names: Vec<String> = unknown.iter().map(ToString::to_string).collect();
        let slow = unknown.iter().find(|heap| is_slow(heap));
        let may = slow.map(|heap| {
            format!(
                ". It may be slow: {heap} has one lock for all threads, and who allocates from it in several of them \
                 waits"
            )
        });
        say(
            "heaps-unclear",
            if slow.is_some() { Severity::Warning } else { Severity::Info },
            format!(
                "malloc is one of {}; which one cannot be told without symbols{}",
                names.join(" and "),
                may.unwrap_or_default()
            ),
            slow.map(|_| "look into the executable as it is before `strip`"),
        );
    }
    if musl && is_static && inspection.strings.owner != StringsOwner::Brawn {
        say(
            "slow-strings",
            Severity::Info,
            "its string functions are musl's: on average a fourth to a fifth of glibc's speed".to_owned(),
            None,
        );
    }
    if let (Some(bytes), true) = (inspection.thread_stack.bytes, musl)
        && bytes < SMALL_STACK
    {
        let source = match inspection.thread_stack.source {
            ThreadStackSource::ProgramHeader => "its program header says so",
            _ => "musl's default",
        };
        say(
            "small-thread-stack",
            Severity::Warning,
            format!("new threads get a stack of {} KiB ({source}); on glibc it is 8 MiB", bytes / 1024),
            Some("link with `-z stack-size=8388608`, as `brawn build` does"),
        );
    }
    if !inspection.hardening.nx_stack {
        say(
            "executable-stack",
            Severity::Warning,
            "its stack is executable: an object without a .note.GNU-stack section went into it".to_owned(),
            Some("link with `-z noexecstack`"),
        );
    }
    if inspection.hardening.writable_code {
        say(
            "writable-code",
            Severity::Warning,
            "a segment is writable and executable at once".to_owned(),
            None,
        );
    }
    if inspection.hardening.relro == Relro::NotApplied {
        say(
            "relro-not-applied",
            Severity::Info,
            "the linker asked for read-only relocations, and musl applies none in a static executable"
                .to_owned(),
            None,
        );
    }
    if inspection.interpreter.is_some() {
        let message = match &inspection.libc.minimum_version {
            Some(version) => format!("it runs only where glibc {version} or newer is installed"),
            None => "it runs only where its interpreter and libraries are installed".to_owned(),
        };
        say("dynamic-executable", Severity::Info, message, None);
    }
    findings
}

/// Whether it is one of musl's own, which have one lock.
fn is_slow(heap: &Heap) -> bool {
    matches!(heap.name.as_str(), "mallocng" | "oldmalloc" | "musl")
}

/// What follows from the code.
pub(crate) fn of_cpu(inspection: &Inspection) -> Option<Finding> {
    let cpu = inspection.cpu.as_ref()?;
    let level = cpu.required.filter(|level| *level > CpuLevel::V1)?;
    let why = match cpu.how {
        CpuEvidence::Property => "its linker wrote it down",
        CpuEvidence::Recorded => "its compiler wrote it down",
        CpuEvidence::NoChoice => "it has such instructions, and never asks the processor what it can do",
        CpuEvidence::Throughout => "most of its vector code is of this kind",
        CpuEvidence::Baseline | CpuEvidence::Chosen | CpuEvidence::Unknown => return None,
    };
    Some(Finding {
        code: "new-processor".to_owned(),
        severity: Severity::Warning,
        message: format!(
            "it needs a processor of level {} ({why}); on an older one it ends with an illegal instruction",
            level.name()
        ),
        hint: Some("if it is to run anywhere, build it without target-cpu and -march".to_owned()),
    })
}
