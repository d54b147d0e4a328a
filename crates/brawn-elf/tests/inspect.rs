//! What `inspect` says about executables that real compilers made, stripped and not.

mod common;

use brawn_elf::inspection::{Endian, Kind, LibcName, Relro, Severity, StringsOwner, ThreadStackSource};
use brawn_elf::{
    Arch, CpuEvidence, CpuLevel, Error, EvidenceKind, HeapFacts, Inspection, LinkId, Role, inspect,
    link_note_object,
};
use common::archive::with_note;
use common::{Sandbox, musl_folder, note};

const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char *text = strdup(argv[0]);
    text = realloc(text, 100 * (size_t)argc);
    printf("%s %.1f\n", text, argc * 0.5);
    free(text);
    return 0;
}
"#;

/// Compiles `PROGRAM` and looks into the result and into a stripped copy of it.
fn compiled(tool: &str, flags: &str) -> [Inspection; 2] {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", PROGRAM);
    sandbox.tool(tool, &format!("main.c -O1 {flags} -o program"));
    sandbox.tool("strip", "--strip-all program -o stripped");
    ["program", "stripped"].map(|name| inspect(&sandbox.read(name)).unwrap())
}

fn codes(inspection: &Inspection) -> Vec<&str> {
    inspection.verdict.iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn a_dynamic_executable_on_glibc() {
    for (inspection, stripped) in
        compiled("gcc", "-Wl,-z,now -Wl,-rpath,/opt/x").into_iter().zip([false, true])
    {
        assert_eq!(inspection.kind, Kind::DynamicPie);
        assert_eq!(inspection.interpreter.as_deref(), Some("/lib64/ld-linux-x86-64.so.2"));
        assert_eq!(inspection.needed, ["libc.so.6"]);
        assert_eq!(inspection.rpath, ["/opt/x"]);
        assert_eq!(inspection.libc.name, LibcName::Glibc);
        assert_eq!(inspection.libc.version, None);
        assert_eq!(inspection.libc.minimum_version.as_deref(), Some("2.34"));
        let [heap] = &inspection.allocators[..] else { panic!("{inspection:#?}") };
        assert_eq!((heap.name.as_str(), heap.role), ("ptmalloc", Role::LibcHeap));
        assert_eq!(heap.evidence[0].kind, EvidenceKind::Dynamic);
        assert_eq!(inspection.stripped, stripped);
        assert_eq!(inspection.hardening.relro, Relro::Full);
        assert!(inspection.hardening.nx_stack && inspection.hardening.pie);
        assert_eq!(inspection.thread_stack.source, ThreadStackSource::ResourceLimit);
        assert_eq!(inspection.build_id.as_ref().map(String::len), Some(40));
        assert!(
            inspection.compilers.iter().any(|line| line.starts_with("GCC: ")),
            "{:?}",
            inspection.compilers
        );
        assert_eq!(codes(&inspection), ["dynamic-executable"]);
    }
}

#[test]
fn a_static_executable_on_glibc() {
    for inspection in compiled("gcc", "-static") {
        assert_eq!(inspection.kind, Kind::Static);
        assert_eq!((inspection.libc.name, inspection.interpreter.as_deref()), (LibcName::Glibc, None));
        let [heap] = &inspection.allocators[..] else { panic!("{inspection:#?}") };
        assert_eq!((heap.name.as_str(), heap.role), ("ptmalloc", Role::LibcHeap));
    }
    for inspection in compiled("gcc", "-static-pie") {
        assert_eq!((inspection.kind, inspection.libc.name), (Kind::StaticPie, LibcName::Glibc));
    }
}

/// glibc keeps the text with its version out of programs that never ask for it; one that does, tells.
#[test]
fn the_version_of_a_static_glibc_is_told_where_it_is_linked_in() {
    let sandbox = Sandbox::new();
    let source = "void __libc_print_version(void);\nint main(void) { __libc_print_version(); return 0; }\n";
    sandbox.write("main.c", source);
    sandbox.tool("gcc", "-static main.c -o program");
    let printed = sandbox.run("program");
    sandbox.tool("strip", "--strip-all program");
    let version = inspect(&sandbox.read("program")).unwrap().libc.version.expect("a version");
    assert!(printed.contains(&format!("release version {version}")), "{version} is not in {printed}");
}

#[test]
fn a_static_executable_on_musl() {
    for (inspection, stripped) in compiled("musl-gcc", "-static").into_iter().zip([false, true]) {
        assert_eq!(inspection.kind, Kind::Static);
        assert_eq!((inspection.libc.name, inspection.libc.version.as_deref()), (LibcName::Musl, None));
        let [heap] = &inspection.allocators[..] else { panic!("{inspection:#?}") };
        assert_eq!((heap.name.as_str(), heap.role), ("mallocng", Role::LibcHeap));
        let kinds: Vec<_> = heap.evidence.iter().map(|evidence| evidence.kind).collect();
        let expected = [EvidenceKind::Symbols, EvidenceKind::Data];
        assert_eq!(kinds, expected[usize::from(stripped)..]);
        assert_eq!(inspection.thread_stack.bytes, Some(128 * 1024));
        assert_eq!(inspection.thread_stack.source, ThreadStackSource::MuslDefault);
        assert_eq!(inspection.hardening.relro, Relro::NotApplied);
        assert_eq!(
            codes(&inspection),
            ["slow-heap", "small-thread-stack", "slow-strings", "relro-not-applied"]
        );
    }
}

#[test]
fn a_dynamic_executable_on_musl() {
    for inspection in compiled("musl-gcc", "-Wl,-z,stack-size=2097152") {
        assert!(!inspection.kind.is_static());
        assert_eq!(inspection.libc.name, LibcName::Musl);
        let [heap] = &inspection.allocators[..] else { panic!("{inspection:#?}") };
        assert_eq!((heap.name.as_str(), heap.role), ("musl", Role::LibcHeap));
        assert_eq!(inspection.thread_stack.bytes, Some(2 * 1024 * 1024));
        assert_eq!(inspection.thread_stack.source, ThreadStackSource::ProgramHeader);
    }
}

#[test]
fn what_brawn_noted_is_told_stripped_or_not() {
    let sandbox = Sandbox::new();
    let id = LinkId::new("0a1b").unwrap();
    with_note(&sandbox, &musl_folder().join("libc.a"), &note("stock", None));
    sandbox.write("link.o", link_note_object(Arch::X86_64, &id, &HeapFacts::default()));
    sandbox.write("main.c", PROGRAM);
    sandbox.tool("musl-gcc", "-static -L. main.c link.o -s -o program");
    let inspection = inspect(&sandbox.read("program")).unwrap();
    assert_eq!(inspection.note, Some(note("stock", None)));
    assert_eq!(inspection.link_id, Some(id));
    assert_eq!(inspection.libc.version.as_deref(), Some("1.2.3"));
}

/// `unknown` is an answer, a guess is none.
#[test]
fn what_cannot_be_told_is_unknown() {
    let sandbox = Sandbox::new();
    sandbox.write("bare.c", "void _start(void) { for (;;) {} }");
    sandbox.tool("gcc", "-static -nostdlib -ffreestanding bare.c -o bare");
    let inspection = inspect(&sandbox.read("bare")).unwrap();
    assert_eq!(inspection.libc.name, LibcName::Unknown);
    assert!(inspection.libc.evidence.is_empty() && inspection.allocators.is_empty());
    assert_eq!(inspection.thread_stack.source, ThreadStackSource::Unknown);
    assert_eq!((inspection.rust, inspection.go), (None, None));
}

#[test]
fn a_malloc_of_the_programs_own_is_told_and_not_named() {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", PROGRAM);
    let own = "#include <stddef.h>\nstatic char pool[65536]; static size_t used;\n\
               void *malloc(size_t n) { used += n; return pool + used - n; }\nvoid free(void *p) { (void)p; }\n\
               void *realloc(void *p, size_t n) { (void)p; return malloc(n); }\n\
               void *calloc(size_t n, size_t m) { return malloc(n * m); }\n";
    sandbox.write("own.c", own);
    sandbox.tool("musl-gcc", "-static main.c own.c -o program");
    let inspection = inspect(&sandbox.read("program")).unwrap();
    let [heap] = &inspection.allocators[..] else { panic!("{inspection:#?}") };
    assert_eq!((heap.name.as_str(), heap.role), ("unknown", Role::LibcHeap));
}

#[test]
fn a_shared_library_and_what_is_neither() {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", PROGRAM);
    sandbox.tool("gcc", "-shared -fPIC main.c -o library.so");
    assert_eq!(inspect(&sandbox.read("library.so")).unwrap().kind, Kind::SharedObject);
    sandbox.tool("gcc", "-c main.c -o object.o");
    assert!(matches!(
        inspect(&sandbox.read("object.o")),
        Err(Error::WrongKind { found: "an object file", .. })
    ));
    assert_eq!(inspect(PROGRAM.as_bytes()), Err(Error::NotElf));
}

#[test]
fn weak_spots_are_told() {
    let [inspection, _] = compiled("gcc", "-z execstack -Wl,-z,norelro -g");
    assert!(!inspection.hardening.nx_stack);
    assert_eq!(inspection.hardening.relro, Relro::None);
    assert!(inspection.debug_info && inspection.sizes.debug > 0);
    assert!(codes(&inspection).contains(&"executable-stack"));
}

/// Sizes by section must agree with those that the linker's own tool gives.
#[test]
fn sizes_are_those_of_binutils() {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", PROGRAM);
    sandbox.tool("musl-gcc", "-static main.c -o program");
    let sizes = inspect(&sandbox.read("program")).unwrap().sizes;
    let table = sandbox.tool("size", "-B program");
    let line: Vec<u64> =
        table.lines().nth(1).unwrap().split_whitespace().take(3).map(|n| n.parse().unwrap()).collect();
    assert_eq!([sizes.text + sizes.read_only, sizes.data, sizes.bss], line[..]);
    assert!(sizes.by_section);
    assert_eq!(sizes.file, sandbox.read("program").len() as u64);
}

/// The other class and byte order: a 32-bit big-endian header made by hand, since no compiler here makes one.
#[test]
fn thirty_two_bits_and_big_endian() {
    let mut file = vec![0u8; 52 + 32];
    file[..8].copy_from_slice(b"\x7fELF\x01\x02\x01\x00");
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(16, &2u16.to_be_bytes()); // ET_EXEC
    put(18, &8u16.to_be_bytes()); // EM_MIPS
    put(20, &1u32.to_be_bytes());
    put(28, &52u32.to_be_bytes()); // Program headers, one of 32 bytes.
    put(40, &52u16.to_be_bytes());
    put(42, &32u16.to_be_bytes());
    put(44, &1u16.to_be_bytes());
    put(52, &1u32.to_be_bytes()); // PT_LOAD
    let inspection = inspect(&file).unwrap();
    assert_eq!((inspection.format.bits, inspection.format.endian), (32, Endian::Big));
    assert_eq!(inspection.format.arch, "machine 8");
    assert_eq!(inspection.kind, Kind::Static);
}

/// Compiles and looks, with and without symbols.
fn inspected(tool: &str, flags: &str, source: &str) -> [Inspection; 2] {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", source);
    sandbox.tool(tool, &format!("main.c {flags} -o program"));
    sandbox.tool("strip", "--strip-all program -o stripped");
    ["program", "stripped"].map(|name| inspect(&sandbox.read(name)).unwrap())
}

const VECTORS: &str = "float a[1024], b[1024];\nint main(int n, char **v) {\n\
    for (int i = 0; i < 1024; i++) a[i] = a[i] * b[i] + (float)n;\n return a[n] != 0; }\n";

#[test]
fn the_processor_that_code_needs() {
    for inspection in inspected("musl-gcc", "-static -O1", VECTORS) {
        let cpu = inspection.cpu.clone().unwrap();
        assert_eq!((cpu.required, cpu.how), (Some(CpuLevel::V1), CpuEvidence::Baseline), "{cpu:?}");
        assert_eq!((cpu.highest, cpu.above_baseline), (CpuLevel::V1, 0));
        assert!(cpu.functions > 0 && !codes(&inspection).contains(&"new-processor"));
    }
    for (flags, level) in
        [("-mavx2 -mfma", CpuLevel::V3), ("-march=x86-64-v4 -mprefer-vector-width=512", CpuLevel::V4)]
    {
        for inspection in inspected("musl-gcc", &format!("-static -O3 -ffast-math {flags}"), VECTORS) {
            let cpu = inspection.cpu.clone().unwrap();
            assert_eq!((cpu.required, cpu.how), (Some(level), CpuEvidence::NoChoice), "{cpu:?}");
            assert!(codes(&inspection).contains(&"new-processor"));
        }
    }
}

#[test]
fn a_program_that_chooses_needs_no_new_processor() {
    let source = "#include <cpuid.h>\n__attribute__((target(\"avx2\"), noinline)) static float newer(float *a) {\n\
        float s = 0; for (int i = 0; i < 64; i++) s += a[i] * a[i]; return s; }\n\
        int main(int n, char **v) { unsigned a, b, c, d; float f[64] = {(float)n}; __get_cpuid(7, &a, &b, &c, &d);\n\
        return b & bit_AVX2 ? newer(f) != 0 : v[0] == 0; }\n";
    for inspection in inspected("musl-gcc", "-static -O3", source) {
        let cpu = inspection.cpu.unwrap();
        assert_eq!((cpu.required, cpu.how), (Some(CpuLevel::V1), CpuEvidence::Chosen), "{cpu:?}");
        assert_eq!(cpu.highest, CpuLevel::V3);
        assert!(cpu.above_baseline >= 1);
    }
}

#[test]
fn what_the_linker_wrote_down_counts() {
    let bare = "__attribute__((force_align_arg_pointer)) void _start(void) { for (;;) {} }\n";
    let flags = "-static -nostdlib -ffreestanding -fcf-protection=full -Wl,-z,x86-64-v3,-z,ibt,-z,shstk";
    for inspection in inspected("gcc", flags, bare) {
        let cpu = inspection.cpu.unwrap();
        assert_eq!((cpu.required, cpu.how), (Some(CpuLevel::V3), CpuEvidence::Property), "{cpu:?}");
        assert!(inspection.hardening.branch_targets && inspection.hardening.return_addresses);
    }
    let [plain, _] = inspected("gcc", "-static -nostdlib -ffreestanding -fcf-protection=none", bare);
    assert!(!plain.hardening.branch_targets && !plain.hardening.return_addresses);
}

#[test]
fn stack_canaries_are_seen_in_code() {
    for (flag, expected) in [("-fstack-protector-all", true), ("-fno-stack-protector", false)] {
        // Without libc, which may have been compiled with them.
        let bare = "void __stack_chk_fail(void) { for (;;) {} }\nvoid _start(void) { volatile char a[99]; a[1] = 0; }\n";
        for inspection in inspected("gcc", &format!("-static -nostdlib -ffreestanding -O1 {flag}"), bare) {
            assert_eq!(inspection.hardening.stack_canary, Some(expected), "{flag}");
        }
    }
}

#[test]
fn string_functions_have_an_owner() {
    let owner = |inspection: &Inspection| (inspection.strings.owner, inspection.strings.evidence[0].kind);
    for inspection in inspected("musl-gcc", "-static -O1", PROGRAM) {
        assert_eq!(owner(&inspection), (StringsOwner::Musl, EvidenceKind::Code));
    }
    for inspection in inspected("gcc", "-static -O1", PROGRAM) {
        assert_eq!(owner(&inspection), (StringsOwner::Glibc, EvidenceKind::Data));
    }
    for inspection in inspected("gcc", "-O1", PROGRAM) {
        assert_eq!(owner(&inspection), (StringsOwner::Glibc, EvidenceKind::Dynamic));
    }
}

/// The numbers of these allocators, in a program that only has the numbers: the allocators themselves are in the list of
/// real executables and in the kit's own tests.
#[test]
fn heaps_without_texts_are_told_by_their_numbers() {
    let bins: Vec<String> = (4u32..64)
        .map(|units| {
            let power = units.ilog2();
            (32 + 4 * (power - 2) + (units >> (power - 2) & 3)).to_string()
        })
        .collect();
    let source = format!(
        "static const volatile unsigned char bins[60] = {{{}}};\nint main(int n, char **v) {{ return bins[n]; }}\n",
        bins.join(",")
    );
    let [_, stripped] = inspected("musl-gcc", "-static -O1", &source);
    let names: Vec<&str> = stripped.allocators.iter().map(|heap| heap.name.as_str()).collect();
    assert_eq!(names, ["oldmalloc"], "{:#?}", stripped.allocators);

    let source = "int main(int n, char **v) { unsigned long id = (unsigned long)v;\n\
                  return (int)(id % 47) + (id > 4128640); }\n";
    let [_, stripped] = inspected("musl-gcc", "-static -O2", source);
    let heap = &stripped.allocators[0];
    assert_eq!((heap.name.as_str(), heap.evidence[0].kind), ("rpmalloc", EvidenceKind::Code));
}

/// What `cargo auditable` writes, put into an executable as it does.
fn with_crates(sandbox: &Sandbox, json: &str) {
    sandbox.write("crates.json", miniz_oxide::deflate::compress_to_vec_zlib(json.as_bytes(), 6));
    sandbox.tool(
        "objcopy",
        "--add-section .dep-v0=crates.json --set-section-flags .dep-v0=readonly,data program listed",
    );
}

#[test]
fn crates_are_listed_where_they_are_recorded() {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", PROGRAM);
    sandbox.tool("musl-gcc", "-static main.c -o program");
    assert_eq!(inspect(&sandbox.read("program")).unwrap().crates, None);
    with_crates(
        &sandbox,
        r#"{"packages":[{"name":"serde","version":"1.0.1","source":"crates.io","dependencies":[]},
           {"name":"app","version":"0.1.0","source":"local","dependencies":[0,2],"root":true},
           {"name":"cc","version":"1.2.3","source":"crates.io","kind":"build"}]}"#,
    );
    let crates = inspect(&sandbox.read("listed")).unwrap().crates.unwrap();
    let names: Vec<String> = crates.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["app 0.1.0", "cc 1.2.3", "serde 1.0.1"]);
    assert_eq!(
        crates.iter().map(|of| (of.root, of.build_only)).collect::<Vec<_>>(),
        [(true, false), (false, true), (false, false)]
    );

    with_crates(&sandbox, "{\"packages\":");
    let inspection = inspect(&sandbox.read("listed")).unwrap();
    assert_eq!(inspection.crates, None);
    assert!(codes(&inspection).contains(&"crates-damaged"));
    // A list that would fill the memory is refused before it does.
    sandbox.write("crates.json", miniz_oxide::deflate::compress_to_vec_zlib(&vec![b' '; 64 << 20], 9));
    sandbox.tool("objcopy", "--add-section .dep-v0=crates.json program listed");
    assert!(codes(&inspect(&sandbox.read("listed")).unwrap()).contains(&"crates-damaged"));
}

/// A text of mimalloc's, and what makes it part of a program.
const ANOTHER_HEAP: &str = r#"
#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
const char warning[] = "mimalloc: warning: ";
int main(int count, char **words) {
    freelocale(newlocale(LC_ALL_MASK, "C", 0)); /* libc takes memory for itself */
    free(words[count]);
    puts(warning + count);
"#;

/// The heaps of a stripped program with mallocng and that text: names and roles, and the findings about them.
fn of_two_heaps(rest: &str) -> (Vec<(String, Role)>, Vec<String>) {
    let [_, stripped] = inspected("musl-gcc", "-static -O1", &format!("{ANOTHER_HEAP}{rest}"));
    assert!(stripped.stripped);
    let heaps = stripped.allocators.iter().map(|heap| (heap.name.clone(), heap.role)).collect();
    let about_heaps = |code: &&str| code.contains("heap");
    (heaps, codes(&stripped).into_iter().filter(about_heaps).map(str::to_owned).collect())
}

#[test]
fn of_two_heaps_the_one_that_libc_calls_by_the_public_names_serves_malloc() {
    let musl = |role| ("mallocng".to_owned(), role);
    let other = |role| ("mimalloc".to_owned(), role);
    for call in ["opendir(words[0])", "fdopen(count, words[0])"] {
        let found = of_two_heaps(&format!("return malloc(count) != {call}; }}"));
        let heaps = vec![musl(Role::LibcHeap), other(Role::SecondHeap)];
        assert_eq!(found, (heaps, vec!["slow-heap".to_owned(), "second-heap".to_owned()]), "{call}");
        // The program brings its own, and mallocng is left for what libc takes for itself.
        let own = format!(
            "return malloc(count) != {call}; }}
            static char heap[1 << 20], *at = heap;
            void *malloc(size_t size) {{ return at += (size + 31) & ~15ul; }}
            void *calloc(size_t count, size_t size) {{ return malloc(count * size); }}
            void *realloc(void *old, size_t size) {{ return malloc(size); }}
            void free(void *block) {{}}"
        );
        let heaps = vec![other(Role::LibcHeap), musl(Role::SecondHeap)];
        let (found, findings) = of_two_heaps(&own);
        assert_eq!(found, heaps, "{call}");
        assert!(!findings.contains(&"slow-heap".to_owned()), "{findings:?}");
    }
}

#[test]
fn where_code_does_not_say_who_serves_malloc_the_warning_is_weaker() {
    let (heaps, findings) = of_two_heaps("return !malloc(count); }");
    let unknown = |name: &str| (name.to_owned(), Role::Unknown);
    assert_eq!(heaps, [unknown("mallocng"), unknown("mimalloc")]);
    assert_eq!(findings, ["heaps-unclear"]);
    let [_, stripped] =
        inspected("musl-gcc", "-static -O1", &format!("{ANOTHER_HEAP}return !malloc(count); }}"));
    let finding = stripped.verdict.iter().find(|finding| finding.code == "heaps-unclear").unwrap();
    assert_eq!(finding.severity, Severity::Warning);
    assert!(finding.message.contains("one of musl's mallocng and mimalloc"), "{}", finding.message);
    assert!(finding.message.contains("It may be slow"), "{}", finding.message);
}
