//! Knobs baked into executables: they do what they say, the environment has no say unless it is given one, and what
//! is wrong is refused.

use crate::common::{Sandbox, fails, note, ok, redact};
use insta::assert_snapshot;

/// Prints the first byte of a new block: jemalloc's knob `junk` fills it.
const FIRST_BYTE: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    unsigned char *volatile \
                          block = malloc(200);\n    printf(\"%d\\n\", block[100]);\n    return 0;\n}\n";

/// Asks the Brawn driver for the program with these options.
fn link(sandbox: &Sandbox, options: &[&str]) {
    sandbox.write("first.c", FIRST_BYTE);
    ok(sandbox.brawn(options).args(["cc", "-w", "first.c", "-o", "first"]));
}

#[test]
fn a_knob_of_jemalloc_changes_what_the_program_does() {
    let sandbox = Sandbox::new();
    link(&sandbox, &["--malloc", "jemalloc"]);
    assert_eq!(ok(&mut sandbox.command("./first")), "0\n");
    assert_eq!(
        ok(sandbox.command("./first").env("MALLOC_CONF", "junk:true")),
        "0\n",
        "the environment has no say"
    );
    link(&sandbox, &["--malloc", "jemalloc", "--knob", "jemalloc.junk=alloc"]);
    assert_eq!(ok(&mut sandbox.command("./first")), "165\n");
    let of_note = note(&sandbox.path().join("first"));
    assert_eq!(of_note.knobs["jemalloc.junk"], "alloc");
    let shown = ok(&mut sandbox.brawn(&["inspect", "first"]));
    assert!(shown.contains("jemalloc.junk=alloc"), "{shown}");
    // Without compiling anything again.
    ok(&mut sandbox.brawn(&["relink", "first", "--malloc", "jemalloc"]));
    assert_eq!(ok(&mut sandbox.command("./first")), "0\n");
}

#[test]
fn the_environment_may_override_where_a_knob_says_so() {
    let sandbox = Sandbox::new();
    let knobs = ["--knob", "jemalloc.environment=true", "--knob", "jemalloc.junk=false"];
    link(&sandbox, &[&["--malloc", "jemalloc"], &knobs[..]].concat());
    assert_eq!(ok(sandbox.command("./first").env("MALLOC_CONF", "junk:true")), "165\n");
    assert_eq!(ok(&mut sandbox.command("./first")), "0\n");
}

/// Frees 80 MB, does nothing, and ends when most of it has gone back; after 30 seconds it gives up.
const IDLE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long resident(void) {
    long all = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &all, &pages) != 2) exit(2);
    fclose(file);
    return pages;
}
int main(void) {
    enum { BLOCKS = 20000 };
    static char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) memset(blocks[i] = malloc(4000), 1, 4000);
    const long peak = resident();
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    for (int tenths = 0; tenths < 300; tenths++) {
        if (resident() < peak / 4) {
            puts("gone");
            return 0;
        }
        usleep(100000);
    }
    puts("kept");
    return 0;
}
"#;

#[test]
fn a_background_thread_gives_memory_back_while_the_program_is_idle() {
    let sandbox = Sandbox::new();
    sandbox.write("idle.c", IDLE);
    let knobs = ["--knob", "jemalloc.background_thread=true", "--knob", "jemalloc.dirty_decay_ms=200"];
    ok(sandbox.brawn(&["--malloc", "jemalloc"]).args(knobs).args(["cc", "-w", "idle.c", "-o", "idle"]));
    assert_eq!(ok(&mut sandbox.command("./idle")), "gone\n");
}

#[test]
fn the_brawn_heap_says_at_the_end_what_it_did_if_it_is_asked_to() {
    let sandbox = Sandbox::new();
    let told = |variable: &str| {
        let output =
            sandbox.command("./first").env("BRAWN_MALLOC_STATS", variable).output().expect("it starts");
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("text")
    };
    for malloc in ["brawn", "brawn-hardened"] {
        link(&sandbox, &["--malloc", malloc]);
        assert_eq!(told("1"), "", "off, and the environment has no say");
        link(&sandbox, &["--malloc", malloc, "--knob", "brawn.stats=true"]);
        let lines = told("0");
        assert!(lines.lines().count() >= 14, "{lines}");
        assert!(lines.lines().all(|line| line.starts_with("brawn.")), "{lines}");
        let refills = lines.lines().find_map(|line| line.strip_prefix("brawn.refills ")).expect("a line");
        assert!(refills.parse::<u64>().expect("a number") >= 1, "{lines}");
        let bound = |lines: &str| {
            let of =
                lines.lines().find_map(|line| line.strip_prefix("brawn.shared_bound ")?.parse::<u64>().ok());
            of.expect("a number")
        };
        for (keep, hundredths) in [("0", 0), ("25", 25), ("400", 400)] {
            let knob = format!("brawn.keep={keep}");
            link(&sandbox, &["--malloc", malloc, "--knob", "brawn.stats=true", "--knob", &knob]);
            assert_eq!(bound(&told("0")), bound(&lines) * hundredths / 100, "{malloc}, {knob}");
        }
        link(&sandbox, &["--malloc", malloc, "--knob", "brawn.environment=true"]);
        assert_eq!(told("0"), "");
        assert!(told("1").contains("brawn.shared_bound "));
    }
}

/// Counts the pages from which 64 threads that live at once get their first block: without caches of their own, those of
/// one arena get it from the same page. With an argument, the program may use one processor alone.
const ARENAS: &str = r#"#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { THREADS = 64 };
static uintptr_t pages[THREADS];
static pthread_barrier_t all;
static void *take(void *page) {
    *(uintptr_t *)page = (uintptr_t)malloc(16) / 4096;
    pthread_barrier_wait(&all);
    return NULL;
}
int main(int argc, char **argv) {
    cpu_set_t may;
    if (sched_getaffinity(0, sizeof may, &may) != 0) return 2;
    if (argc > 1) {
        for (int i = 0, found = 0; i < CPU_SETSIZE; i++) {
            if (CPU_ISSET(i, &may) && found++ > 0) CPU_CLR(i, &may);
        }
        if (sched_setaffinity(0, sizeof may, &may) != 0) return 2;
        return execl(argv[0], argv[0], (char *)NULL);
    }
    pthread_barrier_init(&all, NULL, THREADS);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, take, &pages[i]) != 0) return 2;
    }
    int arenas = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        int seen = 0;
        for (int j = 0; j < i; j++) seen |= pages[j] == pages[i];
        arenas += !seen;
    }
    printf("%d %d\n", CPU_COUNT(&may), arenas);
    return 0;
}
"#;

#[test]
fn arenas_are_counted_by_the_processors_that_the_program_may_use() {
    let sandbox = Sandbox::new();
    sandbox.write("arenas.c", ARENAS);
    for ratio in [1, 3] {
        let knob = format!("jemalloc.narenas_ratio={ratio}");
        let knobs = ["--knob", &knob, "--knob", "jemalloc.tcache=false"];
        ok(sandbox
            .brawn(&["--malloc", "jemalloc"])
            .args(knobs)
            .args(["cc", "-w", "arenas.c", "-o", "arenas"]));
        let counted = |arguments: &[&str]| {
            let said = ok(sandbox.command("./arenas").args(arguments));
            let numbers = said.split_whitespace().map(|word| word.parse::<u32>().expect("a number"));
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(counted(&["one"]), [1, 1], "a program with one processor has one arena");
        let [processors, arenas] = counted(&[])[..] else { panic!("two numbers") };
        // The control group may allow the time of fewer processors than there are; it allows that of one at least.
        assert!(arenas >= 1 && arenas <= (ratio * processors).min(64), "{ratio}: {arenas} for {processors}");
        if ratio == 3 && processors > 1 {
            assert!(
                arenas > 1 && (arenas % 3 == 0 || arenas == 64),
                "{arenas} arenas for {processors} processors"
            );
        }
    }
}

#[test]
fn knobs_come_from_the_environment_of_the_build_too() {
    let sandbox = Sandbox::new();
    sandbox.write("first.c", FIRST_BYTE);
    let variable = ("BRAWN_KNOBS", "jemalloc.junk=true strings.level=sse2");
    let mut build = sandbox.brawn(&["--malloc", "jemalloc", "cc", "-w", "first.c", "-o", "first"]);
    ok(build.env(variable.0, variable.1));
    assert_eq!(ok(&mut sandbox.command("./first")), "165\n");
}

#[test]
fn what_is_wrong_is_refused_with_the_nearest_right() {
    let sandbox = Sandbox::new();
    let refused = |options: &[&str]| {
        let message = fails(&mut sandbox.brawn(&[&["libc", "-o", "out"], options].concat()), 2);
        assert!(!sandbox.path().join("out").exists(), "something was written");
        redact(&sandbox, &message)
    };
    // The list that follows grows with the table of knobs.
    let message = refused(&["--malloc", "jemalloc", "--knob", "jemalloc.narena=4"]);
    let start = "error: unknown knob 'jemalloc.narena'\nhint: did you mean 'jemalloc.narenas'? There are: ";
    assert!(message.starts_with(start), "{message}");
    assert_snapshot!(refused(&["--malloc", "jemalloc", "--knob", "jemalloc.narenas=0"]), @r"
    error: jemalloc.narenas cannot be '0'
    hint: it takes 1 to 4094, auto; the nearest is 1
    ");
    assert_snapshot!(refused(&["--malloc", "jemalloc", "--knob", "jemalloc.thp=allways"]), @r"
    error: jemalloc.thp cannot be 'allways'
    hint: did you mean 'always'? It takes default, always, never
    ");
    assert_snapshot!(refused(&["--malloc", "mimalloc", "--knob", "jemalloc.narenas=4"]), @r"
    error: 'jemalloc.narenas' is no knob of mimalloc
    hint: it is one of jemalloc
    ");
    assert_snapshot!(refused(&["--malloc", "stock", "--knob", "purge_delay=0"]), @r"
    error: stock has no knob 'purge_delay'
    hint: the knob that every allocator takes is strings.level
    ");
    let message = refused(&["--malloc", "jemaloc"]);
    assert!(
        message.starts_with("error: unknown allocator 'jemaloc'\nhint: did you mean 'jemalloc'?"),
        "{message}"
    );
    assert_snapshot!(refused(&["--preset", "stock", "--malloc", "jemalloc"]), @r"
    error: command line: preset 'stock' is stock, but malloc 'jemalloc' was given as well
    hint: give only one of the two
    ");
}
