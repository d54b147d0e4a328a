//! Shared libraries for programs that load musl at run time: what is in them, that such a program loads them, and what is
//! refused.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::{Arch, Role};
use object::{Object as _, ObjectSymbol as _};

use crate::common::{Sandbox, fails, long, ok};

/// Prints what the library's function makes of a text.
const HOST: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **arguments) {
    void *const library = dlopen(arguments[1], RTLD_NOW);
    size_t (*tally)(const char *) = NULL;
    if (library == NULL || !(*(void **)&tally = dlsym(library, "tally"))) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    printf("%zu\n", tally(arguments[2]));
    return count != 3;
}
"#;

const RUST: &str = r#"
use std::ffi::{CStr, c_char};

/// # Safety
/// A text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tally(text: *const c_char) -> usize {
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    let words: std::collections::HashSet<String> = text.split(' ').map(str::to_lowercase).collect();
    // Unwinds in the library, with an unwinder of its own.
    std::panic::catch_unwind(|| std::panic::panic_any(words.len())).unwrap_err().downcast_ref::<usize>().copied().unwrap()
}
"#;

const CARGO: &str = r#"
[package]
name = "tally"
version = "0.1.0"
edition = "2024"

[lib]
crate-type = ["cdylib"]

[workspace]
"#;

const DYNAMIC: &str = "-C target-feature=-crt-static";

fn flags(arch: Arch) -> String {
    format!("CARGO_TARGET_{}_RUSTFLAGS", arch.musl_triple().to_uppercase().replace('-', "_"))
}

fn package() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", CARGO);
    sandbox.write("src/lib.rs", RUST);
    sandbox
}

/// What a library needs, and whether it has its own `strlen`, which it shows to no one.
fn looked(path: &Path) -> (Vec<String>, bool) {
    let bytes = fs_err::read(path).unwrap();
    let report = brawn_elf::inspect(&bytes).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    assert!(!file.dynamic_symbols().any(|symbol| symbol.name() == Ok("strlen")), "it is the program's");
    (report.needed, has(path, "strlen"))
}

/// Whether a library defines a function for itself.
fn has(path: &Path, name: &str) -> bool {
    let bytes = fs_err::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    file.symbols().any(|symbol| symbol.name() == Ok(name) && !symbol.is_undefined())
}

/// Functions of several families. What they answer is counted; the numbers are of a kind that all libms agree on.
const FAMILIES: &str = r#"
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>
static int by_value(const void *a, const void *b) {
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}
size_t tally(const char *text) {
    int numbers[1000], right = 0;
    volatile double one = 1, huge = 1e308, two = 2;
    volatile float half = 0.5F;
    for (int i = 0; i < 1000; i++) {
        numbers[i] = (i * 7919) % 1000;
    }
    qsort(numbers, 1000, sizeof *numbers, by_value);
    for (int i = 0; i < 1000; i++) {
        right += numbers[i] == i;
    }
    right += log(one) == 0 && exp10(two) == 100 && pow(two, 10) == 1024 && cosf(half - half) == 1;
    right += fabs(sin(two) * sin(two) + cos(two) * cos(two) - 1) < 1e-15 && tanh(one * 30) == 1;
    right += fma(two, two, one) == 5 && floor(-one / 2) == -1 && rint(two + 0.5) == 2;
    feclearexcept(FE_ALL_EXCEPT);
    right += isinf(pow(huge, two)) && fetestexcept(FE_OVERFLOW) != 0;
    feclearexcept(FE_ALL_EXCEPT);
    right += isnan(log(-one)) && fetestexcept(FE_INVALID) != 0;
    errno = 0;
    right += strtol("99999999999999999999", NULL, 10) == __LONG_MAX__ && errno == ERANGE;
    right += getenv("TALLY") != NULL && strcmp(getenv("TALLY"), text) == 0 && getenv("TALL") == NULL;
    right += setenv("TALLY", "other", 1) == 0 && strcmp(getenv("TALLY"), "other") == 0 && unsetenv("TALLY") == 0;
    right += getenv("TALLY") == NULL && iswspace(L' ') && strtoul("0x1f", NULL, 0) == 31;
    char *made = NULL;
    right += asprintf(&made, "%s %.2f", text, two) > 0 && strcmp(made + strlen(text), " 2.00") == 0;
    free(made);
    return (size_t)right;
}
"#;

/// How many are right.
const RIGHT: &str = "1010\n";

/// A program of this machine's musl, if there is one.
fn host(sandbox: &Sandbox) -> Option<PathBuf> {
    let source = sandbox.write("host.c", HOST);
    let program = sandbox.path().join("host");
    let compiled = Command::new("musl-gcc").arg(source).arg("-o").arg(&program).status();
    let is_there = compiled.is_ok_and(|status| status.success());
    assert!(is_there || std::env::var_os("CI").is_none(), "no musl-gcc; `make setup` installs it");
    is_there.then_some(program)
}

#[test]
fn a_cdylib_has_its_own_string_functions_and_needs_musl_alone() {
    let sandbox = package();
    let arches = if long() { Arch::ALL.to_vec() } else { Arch::host().into_iter().collect() };
    for arch in arches.into_iter().filter(|arch| brawn_kit::strings(*arch, None).is_some()) {
        let args = ["--target", arch.musl_triple(), "cargo", "build"];
        ok(sandbox.brawn(&args).env(flags(arch), DYNAMIC));
        let library = sandbox.path().join("target").join(arch.musl_triple()).join("debug/libtally.so");
        assert_eq!(looked(&library), (vec![format!("libc.musl-{arch}.so.1")], true));
        if Arch::host() == Some(arch)
            && let Some(program) = host(&sandbox)
        {
            let told = ok(Command::new(program).arg(library).arg("one two One three"));
            assert_eq!(told, "3\n");
        }
    }
}

#[test]
fn a_c_library_has_them_too_unless_they_are_left_to_musl() {
    let sandbox = Sandbox::new();
    let text = "#include <string.h>\n#include <unistd.h>\nsize_t tally(const char *text) { return strlen(text) + (getpid() == 0); }\n";
    sandbox.write("tally.c", text);
    let compile = ["cc", "-shared", "-fPIC", "-fno-builtin", "-x", "c", "tally.c", "-o", "libtally.so"];
    let library = sandbox.path().join("libtally.so");
    ok(&mut sandbox.brawn(&compile));
    assert!(looked(&library).1);
    if let Some(program) = host(&sandbox) {
        assert_eq!(ok(Command::new(program).arg(&library).arg("seven..")), "7\n");
    }
    let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    if long() && zig.exists() {
        let zig = format!("{} cc -target {}-linux-musl", zig.display(), std::env::consts::ARCH);
        ok(sandbox.brawn(&compile).env("BRAWN_CC", zig));
        assert_eq!(looked(&library), (vec!["libc.so".to_owned()], true));
    }
    ok(sandbox.brawn(&["--musl", "strings"]).args(compile));
    let bytes = fs_err::read(&library).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    assert!(file.dynamic_symbols().any(|symbol| symbol.name() == Ok("strlen") && symbol.is_undefined()));
}

/// They are the kit's, those of musl behind them where the processor lacks an instruction, or the program's.
#[test]
fn a_c_library_has_functions_of_other_families_for_itself() {
    let sandbox = Sandbox::new();
    sandbox.write("families.c", FAMILIES);
    let library = sandbox.path().join("libfamilies.so");
    let compile = ["cc", "-shared", "-fPIC", "-O1", "-fno-builtin", "-D_GNU_SOURCE", "-Wl,-z,defs"];
    let compile = [&compile[..], &["-x", "c", "families.c", "-o", "libfamilies.so"]].concat();
    let program = host(&sandbox);
    for (options, own) in [
        (&[][..], true),
        (&["--knob", "strings.level=sse2"], true),
        (&["--musl", "strings"], true),
        (&["--musl", "all"], false),
    ] {
        let is_x86 = Arch::host() == Some(Arch::X86_64);
        if options.contains(&"strings.level=sse2") && !is_x86 {
            continue;
        }
        ok(sandbox.brawn(options).args(&compile));
        assert_eq!(has(&library, "qsort"), own, "{options:?}");
        // Where the toolchain's archive can be linked into libraries, musl's own stands behind it.
        assert_eq!(has(&library, "pow"), own, "{options:?}");
        assert!(!has(&library, "putenv") && !has(&library, "vsnprintf"));
        if let Some(program) = &program {
            let mut run = Command::new(program);
            assert_eq!(ok(run.arg(&library).arg("a text").env("TALLY", "a text")), RIGHT, "{options:?}");
        }
    }
}

#[test]
fn what_a_program_of_musl_could_not_load_is_refused_and_removed() {
    let sandbox = Sandbox::new();
    let cases = [
        (
            "__thread int x __attribute__((tls_model(\"initial-exec\")));\nint *tally(void) { return &x; }\n",
            "has thread-local storage of the initial-exec model",
            "disable_initial_exec_tls",
        ),
        (
            "void *malloc(unsigned long n) { return (void *)n; }\n",
            "defines malloc for others to see",
            "brawn-heap",
        ),
    ];
    for (text, what, hint) in cases {
        sandbox.write("bad.c", text);
        let message = fails(&mut sandbox.brawn(&["cc", "-shared", "-fPIC", "bad.c", "-o", "bad.so"]), 1);
        assert!(message.contains(&format!("error: bad.so {what}")), "{message}");
        assert!(message.contains("hint: ") && message.contains(hint), "{message}");
        assert!(!sandbox.path().join("bad.so").exists());
    }
}

#[test]
fn a_cdylib_for_a_musl_that_is_linked_in_is_told_what_it_lacks() {
    let sandbox = package();
    for command in [&["build"][..], &["cargo", "build"]] {
        let message = fails(&mut sandbox.brawn(command), 101);
        assert!(message.contains("cannot produce cdylib"), "{message}");
        let hint = message.lines().last().unwrap();
        assert!(hint.starts_with("hint: ") && hint.contains(DYNAMIC), "{message}");
    }
}

#[test]
fn the_heap_of_a_library_is_recognised() {
    let sandbox = Sandbox::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn-heap/c/heap.c");
    let marker = ["-DBRAWN_KIT_NAME=\"brawn-heap\"", "-DBRAWN_KIT_VERSION=\"0.1.0\""];
    let mut compile = sandbox.brawn(&["cc", "-shared", "-fPIC", "-ftls-model=local-dynamic", "-O1"]);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn-kit/libc");
    ok(compile.args(marker).arg("-I").arg(sources).arg(source).args([
        "-o",
        "heap.so",
        "-Wl,--no-gc-sections",
    ]));
    let report = brawn_elf::inspect(&fs_err::read(sandbox.path().join("heap.so")).unwrap()).unwrap();
    let heaps: Vec<_> = report.allocators.iter().map(|heap| (heap.name.as_str(), heap.role)).collect();
    assert_eq!(heaps, [("musl", Role::LibcHeap), ("brawn-heap", Role::SecondHeap)]);
    assert!(report.verdict.iter().all(|finding| !finding.message.contains("second heap")), "{report:?}");
}

/// The crate compiles C, and what compiles that: for `make test-long`.
#[test]
fn an_executable_with_the_heap_of_libraries_is_refused() {
    if !long() {
        return;
    }
    let sandbox = Sandbox::new();
    let heap = Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn-heap");
    let manifest = CARGO.replace("[lib]\ncrate-type = [\"cdylib\"]", "[dependencies]");
    let depends = format!("[dependencies]\nbrawn-heap = {{ path = \"{}\" }}", heap.display());
    sandbox.write("Cargo.toml", manifest.replace("[dependencies]", &depends));
    let main = "#[global_allocator]\nstatic HEAP: brawn_heap::BrawnHeap = brawn_heap::BrawnHeap;\n\
                fn main() { println!(\"{:?}\", vec![1, 2]); }\n";
    sandbox.write("src/main.rs", main);
    let message = fails(&mut sandbox.brawn(&["build"]), 101);
    assert!(
        message.contains("two allocators of the kit") && message.contains("and brawn-heap 0.1.0"),
        "{message}"
    );
    assert!(message.contains("hint: brawn-heap is for libraries"), "{message}");
    // On the condition that the hint names, the executable has one heap.
    sandbox.write("src/main.rs", format!("#[cfg(not(target_feature = \"crt-static\"))]\n{main}"));
    ok(&mut sandbox.brawn(&["build"]));
}
