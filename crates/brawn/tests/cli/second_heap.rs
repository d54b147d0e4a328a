//! Rust programs that bring a heap of their own: they build and run, the user is told, and the gate says what is so.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{DEFAULT_MALLOC, Sandbox, fails, note, ok};
use crate::once::once;

fn projects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn-elf/tests/projects")
}

/// A target folder in which the crates' heaps are compiled already, kept between runs: jemalloc takes a minute of a processor.
/// Each test gets a copy, as a build brings the executables of others in its folder up to date.
fn target(name: &str) -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let compiled = once(temporary.join("crates-heaps"), |folder| {
        let sandbox = Sandbox::new();
        let mut check = sandbox.brawn(&["--quiet", "cargo", "check", "--workspace", "--target-dir"]);
        ok(check.arg(folder).current_dir(one_heap_project()));
    });
    let target = temporary.join(name);
    if !target.exists() {
        // Of the same times, by which cargo knows what is up to date.
        ok(Command::new("cp").arg("-a").arg(compiled).arg(&target));
    }
    target
}

#[test]
fn a_global_allocator_is_said_refused_or_allowed() {
    let sandbox = Sandbox::new();
    let target = target("second-heap");
    let mut command = sandbox.brawn(&["build", "--workspace", "--target-dir"]);
    let output = command.arg(&target).current_dir(projects()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert_eq!(summary.matches("verified: static, two heaps: ").count(), 2, "{summary}");
    assert_eq!(summary.matches("verified: static, one heap: ").count(), 1, "{summary}");

    for (name, second) in [("mimalloc", Some("mimalloc")), ("jemalloc", Some("jemalloc")), ("plain", None)] {
        let program = target.join("x86_64-unknown-linux-musl/debug").join(format!("{name}-program"));
        assert_eq!(ok(sandbox.command(program.to_str().unwrap()).args(["a", "b"])), "3\n");
        // Linkers merge the texts of two copies, and stripping takes the names: the tables tell it all the same.
        let bare = sandbox.path().join(format!("{name}-stripped"));
        ok(sandbox.command("strip").arg("--strip-all").arg("-o").arg(&bare).arg(&program));
        let kit = note(&program).malloc_version.unwrap();
        for path in [&program, &bare] {
            let shown = ok(sandbox.brawn(&["inspect", "--json"]).arg(path));
            assert_eq!(shown.contains("\"second-heap\""), second.is_some(), "{}: {shown}", path.display());
            let inspection: serde_json::Value = serde_json::from_str(&shown).unwrap();
            let heaps: Vec<_> = inspection["allocators"].as_array().unwrap().iter().collect();
            assert_eq!((heaps.len(), &heaps[0]["kit"]), (1 + usize::from(second.is_some()), &true.into()));
            let Some(second) = second else {
                ok(sandbox.brawn(&["verify"]).arg(path));
                continue;
            };
            assert_eq!((heaps[1]["name"].as_str(), &heaps[1]["kit"]), (Some(second), &false.into()));
            let refused = fails(sandbox.brawn(&["verify"]).arg(path), 1);
            let both = format!("two heaps: {DEFAULT_MALLOC} {kit} of Brawn's kit, and {second}");
            assert!(refused.contains(&both) && refused.contains("[second-heap]"), "{refused}");
            let two = format!("static, two heaps: {DEFAULT_MALLOC} {kit} and {second}");
            let allowed = ok(sandbox.brawn(&["verify", "--allow-second-heap"]).arg(path));
            assert!(allowed.contains(&two), "{allowed}");
            let allowed = ok(sandbox.brawn(&["verify"]).arg(path).env("BRAWN_ALLOW_SECOND_HEAP", "yes"));
            assert!(allowed.contains(&two), "{allowed}");
        }
        let about: Vec<_> = said.lines().filter(|line| line.contains(&format!("{name}-program: "))).collect();
        assert_eq!(about.len(), usize::from(second.is_some()), "{said}");
        assert!(
            about.iter().all(|line| line.starts_with("warning: ") && line.contains("two heaps: ")),
            "{about:?}"
        );
    }
    // What an earlier state of Brawn left in the folder is linked again, which has a hint of its own.
    let hints: Vec<_> = said
        .lines()
        .filter(|line| line.starts_with("hint: ") && !line.contains("CARGO_TARGET_DIR"))
        .collect();
    assert_eq!(hints.len(), 2, "{said}");
    assert!(said.contains("#[global_allocator]"), "{said}");

    // Beside a kit's heap of another name its version is known as well.
    let program = target.join("x86_64-unknown-linux-musl/debug/jemalloc-program");
    let mut relink = sandbox.brawn(&["relink", "--malloc", "mimalloc", "--allow-second-heap", "-o", "other"]);
    ok(relink.arg(&program));
    ok(sandbox.command("strip").args(["--strip-all", "-o", "bare", "other"]));
    for name in ["other", "bare"] {
        let inspection: serde_json::Value =
            serde_json::from_str(&ok(&mut sandbox.brawn(&["inspect", "--json", name]))).unwrap();
        let second = &inspection["allocators"][1];
        assert_eq!((second["name"].as_str(), second["version"].as_str()), (Some("jemalloc"), Some("5.3.1")));
        let refused = fails(&mut sandbox.brawn(&["verify", name]), 1);
        assert!(refused.contains("two heaps: mimalloc ") && refused.contains("and jemalloc"), "{refused}");
    }
}

/// By every way of asking for it, with the executable there from before and without.
#[test]
fn what_is_strict_hands_over_no_second_heap() {
    let sandbox = Sandbox::new();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("second-heap-strict");
    let program = target.join("x86_64-unknown-linux-musl/debug/mimalloc-program");
    let build = |strict: &[&str], variable: Option<&str>| {
        let mut command = sandbox.brawn(&["build", "--package", "mimalloc-program", "--target-dir"]);
        command.arg(&target).args(strict).current_dir(projects());
        command.envs(variable.map(|value| ("BRAWN_STRICT", value)));
        command
    };
    ok(&mut build(&[], None));
    let refused = |output: std::process::Output| {
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("two heaps: "), "{said}");
        assert!(!program.exists(), "it was handed over");
    };
    refused(build(&["--strict"], None).output().unwrap());
    // Cargo has to link it now, and that fails.
    refused(build(&["--strict"], None).output().unwrap());
    refused(build(&[], Some("yes")).output().unwrap());
    sandbox.write("config/brawn/config.toml", "strict = true\n");
    refused(build(&[], None).output().unwrap());
    ok(&mut build(&[], Some("no")));
    assert!(program.exists());
    let mut run = sandbox.brawn(&["cargo", "run", "--package", "mimalloc-program", "--target-dir"]);
    refused(run.arg(&target).current_dir(projects()).output().unwrap());

    // Both together: this heap is allowed, and nothing is left to warn of.
    let output = build(&["--allow-second-heap"], None).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !said.contains("warning: "), "{said}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("two heaps: "));

    let relink = |args: &[&str]| {
        let mut command = sandbox.brawn(&["relink", "--malloc", "brawn", "-o", "other"]);
        command.args(args).arg(&program);
        command
    };
    let message = fails(&mut relink(&[]), 1);
    assert!(message.contains("two heaps: brawn "), "{message}");
    assert!(!sandbox.path().join("other").exists());
    assert!(ok(&mut relink(&["--allow-second-heap"])).contains("verified: static, two heaps: brawn "));
}

fn one_heap_project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/one-heap")
}

/// With the same allocator behind them, with another, and with musl's own; as for debugging, and as for a release. One test,
/// because each build brings the executables of those before it up to date.
#[test]
fn one_heap_takes_the_place_of_a_crates_own() {
    let sandbox = Sandbox::new();
    let target = target("one-heap");
    let build = |options: &[&str], bin: &str| {
        let mut command = sandbox.brawn(&["build", "--bin", bin, "--target-dir"]);
        command.arg(&target).args(options).current_dir(one_heap_project());
        command
    };
    let program = |bin: &str| target.join("x86_64-unknown-linux-musl/debug").join(bin);
    let presets = [
        ("balanced", "brawn 0"),
        ("fast", "jemalloc 5"),
        ("stock", "musl's mallocng"),
        ("hardened", "brawn-hardened 0"),
    ];
    for (bin, own) in [("with-mimalloc", "mimalloc"), ("with-jemalloc", "jemalloc")] {
        let path = program(bin);
        for (preset, heap) in presets {
            let output = build(&["--one-heap", "--preset", preset], bin).output().unwrap();
            let (summary, said) =
                (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
            assert!(output.status.success() && !said.contains("two heaps"), "{said}");
            let one = format!("static, one heap: {heap}");
            assert!(summary.contains(&one), "{summary}");
            assert!(
                summary.contains(&format!("in the place of the program's own {own} as well")),
                "{summary}"
            );
            assert_eq!(ok(&mut sandbox.command(path.to_str().unwrap())), "well\n", "{bin} with {preset}");
            assert!(ok(sandbox.brawn(&["verify"]).arg(&path)).contains(&one));
            let noted = note(&path);
            assert_eq!((noted.heaps.serves, noted.heaps.malloc_owner), (vec![own.to_owned()], None));
            let shown = ok(sandbox.brawn(&["inspect"]).arg(&path));
            assert!(
                shown.contains(&format!("callers of {own}\n")) && !shown.contains("second heap"),
                "{shown}"
            );
        }
        let bare = sandbox.path().join("bare");
        ok(sandbox.command("strip").arg("-o").arg(&bare).arg(&path));
        assert!(ok(sandbox.brawn(&["verify"]).arg(&bare)).contains("one heap: brawn-hardened"));

        // A recorded link keeps it. So does the next command, unless it asks for something else.
        let other = sandbox.path().join("other");
        ok(sandbox.brawn(&["relink", "--malloc", "mimalloc", "-o"]).arg(&other).arg(&path));
        assert_eq!(ok(&mut sandbox.command(other.to_str().unwrap())), "well\n");
        assert!(ok(sandbox.brawn(&["verify"]).arg(&other)).contains("one heap: mimalloc 3"));
    }
    let summary = ok(&mut build(&["--preset", "hardened"], "with-mimalloc"));
    assert!(summary.contains("two heaps: brawn-hardened 0.1.0 and mimalloc"), "{summary}");
    let summary = ok(build(&["--preset", "hardened"], "with-mimalloc").env("BRAWN_ONE_HEAP", "yes"));
    assert!(summary.contains("one heap: brawn-hardened 0.1.0, in the place of"), "{summary}");
    ok(&mut sandbox.command(program("with-mimalloc").to_str().unwrap()));

    // What another heap does not have.
    let more = [
        ("more-of-mimalloc", "mimalloc", "mi_heap_destroy, mi_heap_malloc, mi_heap_new\n"),
        ("more-of-jemalloc", "jemalloc", "_rjem_mallctl\n"),
    ];
    for (bin, own, names) in more {
        let message = fails(&mut build(&["--one-heap"], bin), 101);
        let last = format!(
            "error: the linker failed: --one-heap leaves {own} out, and the program calls more of it than another \
             heap has: {names}"
        );
        assert!(message.contains(&last) && message.contains("hint: leave out what calls these"), "{message}");
        assert!(!program(bin).exists());
        let summary = ok(&mut build(&[], bin));
        assert!(summary.contains("two heaps: "), "{summary}");
        // It is up to date for cargo, and that does not let it pass.
        fails(&mut build(&["--one-heap"], bin), 101);
        assert!(!program(bin).exists());
    }

    // One object of intermediate code for all crates, and stripped by the linker.
    let summary = ok(build(&["--release"], "with-mimalloc").env("BRAWN_ONE_HEAP", "yes"));
    assert!(summary.contains(&format!("one heap: {DEFAULT_MALLOC} ")), "{summary}");
    let path = target.join("x86_64-unknown-linux-musl/release/with-mimalloc");
    assert_eq!(ok(&mut sandbox.command(path.to_str().unwrap())), "well\n");
    let verified = ok(sandbox.brawn(&["verify"]).arg(&path));
    assert!(verified.contains("in the place of the program's own mimalloc as well"), "{verified}");
}

/// An archive of C, which the linker finds by its name; and what is not the crates' kind.
#[test]
fn one_heap_is_for_archives_of_c_too_and_refuses_what_it_does_not_know() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "heap.c",
        "static char pool[100];\nvoid *mi_malloc(unsigned long n) { return pool + n; }\nvoid mi_free(void *p) {}\n\
         int mi_version(void) { return 1; }\n",
    );
    sandbox.write("other.c", "int other(void) { return 3; }\n");
    sandbox.write(
        "main.c",
        "#include <stdio.h>\nvoid *mi_malloc(unsigned long);\nvoid mi_free(void *);\nint other(void);\n\
         int main(void) { int *p = mi_malloc(4096); for (int i = 0; i < 1024; i++) p[i] = i;\n\
         printf(\"%d\\n\", p[1023] + other()); mi_free(p); return 0; }\n",
    );
    ok(&mut sandbox.brawn(&["cc", "-c", "heap.c"]));
    ok(&mut sandbox.brawn(&["cc", "-c", "other.c"]));
    ok(sandbox.command("ar").args(["rcs", "libheap.a", "heap.o", "other.o"]));
    let cc = |last: &[&str]| {
        let mut command = sandbox.brawn(&["--one-heap", "--preset", "small", "cc", "main.c", "-o", "main"]);
        command.args(last);
        command
    };
    for library in [&["libheap.a"][..], &["-L.", "-lheap"], &["-L", ".", "-Wl,-lheap"]] {
        ok(&mut cc(library));
        assert_eq!(ok(&mut sandbox.command("./main")), "1026\n");
        let verified = ok(&mut sandbox.brawn(&["verify", "main"]));
        assert!(
            verified.contains("one heap: brawn 0.1.0, in the place of the program's own mimalloc"),
            "{verified}"
        );
    }
    // An object is the program's own.
    fs_err::remove_file(sandbox.path().join("main")).unwrap();
    let message = fails(&mut cc(&["heap.o", "other.o"]), 1);
    assert!(message.contains("mimalloc that the program brings itself"), "{message}");
    assert!(!sandbox.path().join("main").exists());
    // Nothing to serve.
    sandbox.write("plain.c", "#include <stdlib.h>\nint main(void) { free(malloc(1)); return 0; }\n");
    ok(&mut sandbox.brawn(&["--one-heap", "--preset", "small", "cc", "plain.c", "-o", "plain"]));
    assert!(ok(&mut sandbox.brawn(&["verify", "plain"])).contains("one heap: brawn 0.1.0, musl"));
}

/// As bash and tcmalloc do. libc keeps some blocks of its own for `atexit`.
const OWN: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
static char pool[1 << 20];
static size_t used;
void *malloc(size_t size) {
    size_t start = (used + 31) & ~(size_t)15;
    used = start + size;
    memcpy(pool + start - sizeof size, &size, sizeof size);
    return pool + start;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *old, size_t size) { return old ? memcpy(malloc(size), old, size) : malloc(size); }
static void end(void) { }
int main(int count, char **words) {
    atexit(end);
    char *text = strdup(words[count - 1]);
    puts(text >= pool && text < pool + sizeof pool ? "own" : "other");
    free(text);
    return 0;
}
"#;

#[test]
fn a_c_program_with_its_own_malloc_links_where_musl_gcc_links_it() {
    let sandbox = Sandbox::new();
    sandbox.write("own.c", OWN);
    let cc = |options: &[&str]| {
        let mut command = sandbox.brawn(options);
        command.args(["cc", "own.c", "-o", "own"]);
        command
    };
    let message = fails(&mut cc(&["--preset", "stock"]), 1);
    assert!(message.contains("--allow-second-heap"), "{message}");
    assert!(!sandbox.path().join("own").exists());

    ok(&mut cc(&["--preset", "stock", "--allow-second-heap"]));
    assert_eq!(ok(sandbox.command("./own").arg("a")), "own\n");
    let verified = ok(&mut sandbox.brawn(&["verify", "--allow-second-heap", "own"]));
    assert!(verified.contains("two heaps: a malloc of the program's own and musl's bump"), "{verified}");
    fails(&mut sandbox.brawn(&["verify", "own"]), 1);

    // The note says whose it is, so that this stays known without symbols: stripped later, or by the linker.
    let stripped = |name: &str| {
        let shown = ok(&mut sandbox.brawn(&["inspect", name]));
        assert!(shown.contains("owner of malloc the program itself\n"), "{shown}");
        let message = fails(&mut sandbox.brawn(&["verify", name]), 1);
        assert!(message.contains("malloc belongs to a malloc of the program's own"), "{message}");
        let verified = ok(&mut sandbox.brawn(&["verify", "--allow-second-heap", name]));
        assert!(verified.contains("two heaps: a malloc of the program's own and musl's bump"), "{verified}");
    };
    let noted = note(&sandbox.path().join("own"));
    assert_eq!(
        (noted.heaps.malloc_owner.as_deref(), noted.heaps.libc_heap.as_deref()),
        (Some("program"), Some("bump"))
    );
    ok(sandbox.command("strip").args(["-o", "bare", "own"]));
    stripped("bare");
    for option in ["-s", "-Wl,-O1,--strip-all"] {
        let strip = |options: &[&str]| {
            let mut command = sandbox.brawn(options);
            command.args(["cc", option, "own.c", "-o", "small"]);
            command
        };
        let message = fails(&mut strip(&["--preset", "stock"]), 1);
        assert!(message.contains("--allow-second-heap"), "{message}");
        assert!(!sandbox.path().join("small").exists());
        ok(&mut strip(&["--preset", "stock", "--allow-second-heap"]));
        assert_eq!(ok(sandbox.command("./small").arg("a")), "own\n");
        stripped("small");
    }
    // So it stays when it is linked again.
    ok(&mut sandbox.brawn(&["relink", "--preset", "stock", "--allow-second-heap", "own"]));
    assert_eq!(note(&sandbox.path().join("own")).heaps.malloc_owner.as_deref(), Some("program"));
    // One whose malloc is Brawn's has no such entry.
    sandbox.write("plain.c", "#include <stdlib.h>\nint main(void) { free(malloc(1)); return 0; }\n");
    ok(&mut sandbox.brawn(&["cc", "plain.c", "-o", "plain"]));
    assert_eq!(note(&sandbox.path().join("plain")).heaps.malloc_owner, None);

    // Libc's own mallocng may be there as well, for what it keeps to itself: dlerror's texts, for one.
    let dlerror = OWN.replace("atexit(end);", "atexit(end); if (dlsym(0, words[0])) puts(dlerror());");
    sandbox.write("loader.c", format!("#include <dlfcn.h>\n{dlerror}"));
    let loader = |source: &str| {
        let mut command = sandbox.brawn(&["--preset", "stock", "--allow-second-heap", "cc"]);
        command.args([source, "-o", "loader"]);
        command
    };
    ok(&mut loader("loader.c"));
    assert_eq!(ok(sandbox.command("./loader").arg("a")), "own\n");
    assert_eq!(note(&sandbox.path().join("loader")).heaps.libc_heap.as_deref(), Some("mallocng"));
    // But not where the program leaves a block of its own to musl's free or realloc.
    for name in ["void free(void *block) { (void)block; }", "void *realloc(void *old, size_t size)"] {
        let other = name.replace(" free", " other").replace("*realloc", "*other");
        let source =
            sandbox.write("part.c", format!("#include <dlfcn.h>\n{}", dlerror.replace(name, &other)));
        let message = fails(&mut loader(source.to_str().unwrap()), 1);
        assert!(message.contains("leave that out"), "{message}");
    }

    // Brawn's heap has more names than these: which of them the program calls, no table says.
    let message = fails(&mut cc(&["--allow-second-heap"]), 1);
    assert!(message.contains("--preset stock --allow-second-heap"), "{message}");
}

/// An archive in the shape of tcmalloc's: one member with its own names, C's as further names of the same functions, and
/// C++'s.
const TCMALLOC: &str = r#"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#define AS(name) __attribute__((alias(#name)))
static char pool[1 << 22];
static size_t used;
void *tc_memalign(size_t align, size_t size) {
    size_t start = (used + sizeof size + align - 1) & -align;
    used = start + size;
    memcpy(pool + start - sizeof size, &size, sizeof size);
    return pool + start;
}
void *tc_malloc(size_t size) { return tc_memalign(16, size); }
void tc_free(void *block) { if (block && ((char *)block < pool || (char *)block >= pool + sizeof pool)) __builtin_trap(); }
void *tc_calloc(size_t count, size_t size) { return tc_malloc(count * size); }
size_t tc_malloc_size(void *block) { return *((size_t *)block - 1); }
void *tc_realloc(void *old, size_t size) {
    void *fresh = tc_malloc(size);
    if (old) memcpy(fresh, old, tc_malloc_size(old) < size ? tc_malloc_size(old) : size);
    return fresh;
}
int tc_posix_memalign(void **place, size_t align, size_t size) { return *place = tc_memalign(align, size), 0; }
void *malloc(size_t) AS(tc_malloc);
void free(void *) AS(tc_free);
void *calloc(size_t, size_t) AS(tc_calloc);
void *realloc(void *, size_t) AS(tc_realloc);
void *memalign(size_t, size_t) AS(tc_memalign);
void *aligned_alloc(size_t, size_t) AS(tc_memalign);
int posix_memalign(void **, size_t, size_t) AS(tc_posix_memalign);
size_t malloc_usable_size(void *) AS(tc_malloc_size);
void *_Znwm(size_t) AS(tc_malloc);
void _ZdlPv(void *) AS(tc_free);
"#;

/// libc's own functions take blocks, and so does what C++ would call.
const CALLS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *_Znwm(size_t);
void _ZdlPv(void *);
static void end(void) { }
int main(int count, char **words) {
    char *line = NULL, *text = strdup(words[count - 1]);
    size_t size = 0;
    void *aligned = aligned_alloc(64, 64);
    atexit(end);
    _ZdlPv(_Znwm(10));
    FILE *file = fopen("/proc/self/stat", "r");
    if (getline(&line, &size, file) < 0) return 1;
    fclose(file);
    free(line);
    free(aligned);
    free(realloc(text, 1000));
    puts("well");
    return 0;
}
"#;

#[test]
fn a_linked_tcmalloc_is_known_by_its_name_and_accepted_where_it_is_whole() {
    let sandbox = Sandbox::new();
    sandbox.write("tcmalloc.c", TCMALLOC);
    sandbox.write("calls.c", CALLS);
    ok(&mut sandbox.brawn(&["cc", "-O1", "-fno-builtin", "-c", "tcmalloc.c"]));
    ok(sandbox.command("ar").args(["rcs", "libtcmalloc.a", "tcmalloc.o"]));
    let cc = |options: &[&str]| {
        let mut command = sandbox.brawn(options);
        command.args(["cc", "-O1", "calls.c", "-L.", "-ltcmalloc", "-o", "calls"]);
        command
    };
    for options in [&["--preset", "stock"][..], &["--preset", "stock", "--strict"]] {
        let message = fails(&mut cc(options), 1);
        let both = "malloc belongs to tcmalloc, and libc itself goes on using musl's bump";
        assert!(
            message.contains(both) && message.contains("accept it with --allow-second-heap"),
            "{message}"
        );
        assert!(!sandbox.path().join("calls").exists());
    }
    // Brawn's heap has a name that this one does not.
    for preset in ["small", "balanced"] {
        let message = fails(&mut cc(&["--preset", preset, "--allow-second-heap"]), 1);
        assert!(message.contains("--preset stock --allow-second-heap"), "{message}");
    }
    ok(&mut cc(&["--preset", "stock", "--strict", "--allow-second-heap"]));
    assert_eq!(ok(sandbox.command("./calls").arg("a")), "well\n");
    let noted = note(&sandbox.path().join("calls"));
    assert_eq!(
        (noted.heaps.malloc_owner.as_deref(), noted.heaps.libc_heap.as_deref()),
        (Some("tcmalloc"), Some("bump"))
    );
    ok(sandbox.command("strip").args(["-o", "bare", "calls"]));
    for name in ["calls", "bare"] {
        let shown = ok(&mut sandbox.brawn(&["inspect", name]));
        assert!(
            shown.contains("tcmalloc, serves malloc") && shown.contains("owner of malloc tcmalloc"),
            "{shown}"
        );
        let message = fails(&mut sandbox.brawn(&["verify", name]), 1);
        assert!(message.contains("malloc belongs to tcmalloc"), "{message}");
        let verified = ok(&mut sandbox.brawn(&["verify", "--allow-second-heap", name]));
        assert!(verified.contains("two heaps: tcmalloc and musl's bump allocator"), "{verified}");
    }

    // The libc of zig has a heap of its own since 0.16, and its strdup would hand out blocks of that.
    let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    if !zig.exists() {
        return;
    }
    let by_zig = |mut command: std::process::Command| {
        command.env("BRAWN_CC", format!("{} cc", zig.display()));
        command
    };
    let message = fails(&mut by_zig(cc(&["--preset", "stock", "--allow-second-heap"])), 1);
    let both = "malloc belongs to tcmalloc, and libc itself goes on using the heap of zig's libc";
    assert!(message.contains(both) && message.contains("ziglang==0.15.2"), "{message}");
    sandbox
        .write("plain.c", "#include <stdlib.h>\nint main(int n, char **v) { free(malloc(n)); return 0; }\n");
    ok(&mut by_zig(sandbox.brawn(&["--preset", "stock", "cc", "plain.c", "-o", "plain"])));
    let verified = ok(&mut sandbox.brawn(&["verify", "plain"]));
    assert!(verified.contains("one heap: the heap of zig's libc"), "{verified}");
}
