//! `brawn tune` as a user runs it: on a package, on what `brawn cc` linked, on any executables, on a server.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Sandbox, fails, ok};
use brawn_measure::results::Results;
use brawn_tune::trace::{self, Trace};
use serde_json::Value;

/// A program that prints what it is told to, fails, hangs, or prints what no two runs share.
const ODD: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
    const char *mode = count > 1 ? words[1] : "";
    char *copy = strdup(mode);
    if (!strcmp(copy, "fail")) { fputs("no such luck\n", stderr); return 3; }
    if (!strcmp(copy, "hang")) for (;;) pause();
    if (!strcmp(copy, "vary")) printf("process %d\n", getpid());
    if (!strcmp(copy, "write")) {
        if (access("mark", F_OK) == 0) return 4;
        fclose(fopen("mark", "w"));
    }
    if (!strcmp(copy, "detach") && !fork()) {
        setsid();
        if (fork()) _exit(0);
        for (int file = 0; file < 3; file++) close(file);
        for (;;) pause();
    }
    printf("%s\n", copy);
    return 0;
}
"#;

/// Threads that each fill some MiB, free them, and stay: a heap that keeps what each thread freed grows with them.
const THREADS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t end;
static char *blocks[8192];
static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 8192; i++) { blocks[i] = malloc(512); memset(blocks[i], i, 512); }
    for (int i = 0; i < 8192; i++) free(blocks[i]);
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&end);
    return NULL;
}
int main(void) {
    enum { COUNT = 40 };
    pthread_t threads[COUNT];
    pthread_barrier_init(&end, NULL, COUNT);
    for (int i = 0; i < COUNT; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < COUNT; i++) pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
"#;

/// A server of small pages over connections that stay open, a thread for each.
const SERVER: &str = r#"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static void *serve(void *place) {
    int connection = (int)(long)place;
    char *request = malloc(4096);
    for (;;) {
        size_t length = 0;
        ssize_t got;
        while (length < 4095 && (got = read(connection, request + length, 4095 - length)) > 0) {
            length += (size_t)got;
            request[length] = 0;
            if (strstr(request, "\r\n\r\n")) break;
        }
        if (length == 0 || got <= 0) break;
        static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
        char *copy = strdup(answer);
        if (write(connection, copy, sizeof answer - 1) < 0) break;
        free(copy);
    }
    free(request);
    close(connection);
    return NULL;
}
int main(int count, char **words) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    place.sin_port = htons((unsigned short)atoi(count > 1 ? words[1] : "0"));
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&place, sizeof place) || listen(listener, 64)) return 5;
    for (;;) {
        pthread_t thread;
        int connection = accept(listener, NULL, NULL);
        pthread_create(&thread, NULL, serve, (void *)(long)connection);
        pthread_detach(thread);
    }
}
"#;

/// Compiles a C program by `brawn cc`, which records the link.
fn compiled(sandbox: &Sandbox, name: &str, text: &str, malloc: &str) -> PathBuf {
    sandbox.write(&format!("{name}.c"), text);
    ok(&mut sandbox.brawn(&["--malloc", malloc, "cc", "-O1", "-pthread", "-o", name, &format!("{name}.c")]));
    sandbox.path().join(name)
}

/// `brawn tune` of an executable, as short as it can be.
fn tune(sandbox: &Sandbox, exe: &str, more: &[&str], args: &[&str]) -> Command {
    tune_for("1s", sandbox, exe, more, args)
}

fn tune_for(budget: &str, sandbox: &Sandbox, exe: &str, more: &[&str], args: &[&str]) -> Command {
    let mut command = sandbox.brawn(&["tune", "--exe", exe, "--seed", "7", "--out", "out"]);
    command.args(["--budget", budget]).args(more).arg("--").args(args);
    command
}

fn answer(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&fs_err::read_to_string(sandbox.path().join("out/answer.json")).unwrap()).unwrap()
}

/// The machine that runs this test may be so busy that there is no answer: that is distinguished by the exit code, and what
/// was measured is there all the same.
fn answered_or_noisy(command: &mut Command) -> bool {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => true,
        Some(8) => {
            assert!(said.contains("too noisy") && said.contains("what was measured is"), "{said}");
            false
        }
        _ => panic!("{command:?}:\n{said}"),
    }
}

#[test]
fn a_package_is_compiled_once_and_linked_for_each_candidate() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("small");
    // Every call of the compiler goes through here.
    let wrapper = sandbox.write("wrapper", "#!/bin/sh\necho \"$@\" >> \"$CALLS\"\nexec \"$@\"\n");
    fs_err::set_permissions(&wrapper, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command =
        sandbox.brawn(&["tune", "--no-glibc", "--budget", "1s", "--out", "out", "--apply", "--keep", "--"]);
    command.current_dir(&package).env("RUSTC_WRAPPER", &wrapper).env("CALLS", sandbox.path().join("calls"));
    let answered = answered_or_noisy(&mut command);
    let calls = fs_err::read_to_string(sandbox.path().join("calls")).unwrap();
    let compiled = calls.lines().filter(|line| line.contains("--crate-name small")).count();
    assert_eq!(compiled, 1, "{calls}");

    let linked: Vec<_> = fs_err::read_dir(package.join("out/programs")).unwrap().collect();
    assert!(linked.len() >= 4, "every allocator is linked: {linked:?}");
    let results = Results::load(&package.join("out/results.json")).unwrap();
    assert_eq!(results.complete, answered);
    let first = &results.suites[0];
    assert_eq!(first.name, "tune-allocators");
    assert!(first.cases[0].rows.iter().any(|row| row.name == "peak memory" && row.cells.len() >= 4));
    if answered {
        let report = fs_err::read_to_string(package.join("out/tune.md")).unwrap();
        assert!(report.starts_with("## brawn tune\n\n**"), "{report}");
        assert!(report.contains("links in") && report.contains("no compilation"), "{report}");
    }
}

/// Of `THREADS`: its own blocks, and few others.
fn assert_blocks_of_threads(trace: &Trace) {
    let blocks = 40 * 8192;
    assert!((blocks..blocks + 1000).contains(&trace.allocations), "{trace:?}");
    assert!(trace.sizes[10] >= blocks, "512 is a number of ten bits: {trace:?}");
    assert!(trace.peak >= 8192 * 512 && trace.live < 1 << 20, "{trace:?}");
    let died: u64 = trace.ages.iter().sum();
    assert!(trace.watched > 1000 && died > trace.watched / 2 && died <= trace.watched, "{trace:?}");
}

#[test]
fn what_a_program_allocates_is_counted() {
    let sandbox = Sandbox::new();
    let threads = compiled(&sandbox, "threads", THREADS, trace::HEAP);
    let file = sandbox.path().join("trace");
    fs_err::write(&file, vec![0; trace::FILE_BYTES]).unwrap();
    ok(Command::new(threads).env(trace::VARIABLE, &file));
    assert_blocks_of_threads(&Trace::read(&fs_err::read(&file).unwrap()).unwrap());
}

#[test]
fn under_a_limit_what_would_be_killed_is_not_chosen() {
    let sandbox = Sandbox::new();
    // 160 MiB go through the hands of 40 threads, 4 MiB at a time.
    compiled(&sandbox, "threads", THREADS, "mimalloc2");
    let free = tune(&sandbox, "threads", &["--no-knobs"], &[]).output().unwrap();
    assert!(matches!(free.status.code(), Some(0 | 8)));
    let results = Results::load(&sandbox.path().join("out/results.json")).unwrap();
    let row = results.suites[0].cases[0].rows.iter().find(|row| row.name == "peak memory").unwrap();
    let peak = |name: &str| row.cells.iter().find(|cell| cell.variant == name).unwrap().summary.median;
    let (large, small) = (peak("mimalloc2"), peak("stock"));
    assert!(large > 3.0 * small, "this program shows nothing: {large} and {small}");

    let limit = ((large + small) / 2.0) as u64;
    fs_err::remove_dir_all(sandbox.path().join("out")).unwrap();
    // Enough that the allocations are counted to the end.
    ok(&mut tune_for("10s", &sandbox, "threads", &["--no-knobs", "--limit", &limit.to_string()], &[]));
    let answer = answer(&sandbox);
    assert_eq!(
        (answer["advice"].as_str(), answer["now"].as_str()),
        (Some("change-for-failure"), Some("mimalloc2"))
    );
    let pick = answer["pick"].as_str().unwrap();
    assert!(peak(pick) < limit as f64, "{pick}");
    let failed = &answer["failed"][0];
    assert_eq!(failed["name"].as_str(), Some("mimalloc2"));
    assert!(failed["reason"].as_str().unwrap().starts_with("would be killed"), "{failed}");
    assert!(!answer["points"].as_array().unwrap().iter().any(|point| point["name"] == "mimalloc2"));
    assert!(answer["flags"].as_str().unwrap().contains(pick), "{answer}");

    // What the program allocates was counted beside that, or it is said that the budget did not last for it.
    match serde_json::from_value::<Option<Trace>>(answer["trace"].clone()).unwrap() {
        Some(trace) => {
            assert_blocks_of_threads(&trace);
            assert!(
                answer["words"][2].as_str().unwrap().starts_with("It allocates 328 thousand blocks"),
                "{answer}"
            );
        }
        None => assert!(answer["notes"].to_string().contains("was not counted to the end"), "{answer}"),
    }

    let said = fails(&mut tune(&sandbox, "threads", &["--no-knobs", "--limit", "100k"], &[]), 8);
    assert!(said.contains("error: no candidate stays within 100 KiB\n"), "{said}");
    assert!(said.contains("takes the least: ") && said.contains("raise --limit"), "{said}");
}

#[test]
fn any_executables_can_be_compared() {
    let sandbox = Sandbox::new();
    let odd = compiled(&sandbox, "odd", ODD, "stock");
    fs_err::copy(&odd, sandbox.path().join("copy")).unwrap();
    let mut command = sandbox.brawn(&["tune", "--exe", "one=odd", "--exe", "two=copy", "--budget", "1s"]);
    command.args(["--out", "out", "--", "x"]);
    if answered_or_noisy(&mut command) {
        let answer = answer(&sandbox);
        assert_eq!((answer["now"].as_str(), answer["setting"].is_null()), (Some("one"), true));
    }
    let same = fails(&mut sandbox.brawn(&["tune", "--exe", "odd", "--exe", "./odd", "--"]), 2);
    assert!(same.contains("two executables are called 'odd'"), "{same}");
}

/// Of a program that no one else runs, only what its runs read lies in the page cache then.
#[test]
fn executables_are_read_afresh() {
    let sandbox = Sandbox::new();
    let paths = ["one", "two"].map(|name| sandbox.path().join(name));
    let ends_in_cache = |path: &PathBuf| {
        let file = fs_err::File::open(path).unwrap();
        let (end, mut byte) = (file.metadata().unwrap().len() - 1, [0]);
        let buffers = &mut [std::io::IoSliceMut::new(&mut byte)];
        rustix::io::preadv2(&file, buffers, end, rustix::io::ReadWriteFlags::NOWAIT).is_ok()
    };
    for path in &paths {
        fs_err::write(path, [fs_err::read("/bin/echo").unwrap(), vec![1; 32 << 20]].concat()).unwrap();
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(ends_in_cache(path));
    }
    let mut command = sandbox.brawn(&["tune", "--exe", "one", "--exe", "two", "--budget", "1s"]);
    answered_or_noisy(command.args(["--out", "out", "--", "x"]));
    // What a tmpfs holds is nowhere else.
    if rustix::fs::statfs(sandbox.path()).unwrap().f_type != libc::TMPFS_MAGIC {
        assert_eq!(paths.iter().filter(|path| ends_in_cache(path)).count(), 0);
    }
}

#[test]
fn a_candidate_and_a_reference_can_be_added() {
    let sandbox = Sandbox::new();
    let odd = compiled(&sandbox, "odd", ODD, "stock");
    fs_err::copy(&odd, sandbox.path().join("copy")).unwrap();
    let more =
        ["--no-knobs", "--reference", "theirs=copy", "--also", "--malloc jemalloc --knob jemalloc.narenas=2"];
    let answered = answered_or_noisy(&mut tune(&sandbox, "odd", &more, &["x"]));
    let results = Results::load(&sandbox.path().join("out/results.json")).unwrap();
    let row = &results.suites[0].cases[0].rows[0];
    for name in ["theirs", "jemalloc narenas=2"] {
        assert!(row.cells.iter().any(|cell| cell.variant == name), "no {name}");
    }
    if answered {
        let answer = answer(&sandbox);
        assert!(answer["against"].as_array().unwrap().iter().any(|against| against["name"] == "theirs"));
        assert_ne!(answer["pick"], "theirs");
    }
    let twice = fails(&mut tune(&sandbox, "odd", &["--reference", "stock=copy"], &["x"]), 2);
    assert!(twice.contains("two executables are called 'stock'"), "{twice}");
    let unknown = fails(&mut tune(&sandbox, "odd", &["--also", "--mallok jemalloc"], &["x"]), 2);
    assert!(unknown.contains("--also '--mallok jemalloc': unexpected argument '--mallok'"), "{unknown}");
    assert!(unknown.contains("Usage: brawn tune "), "{unknown}");
    let unknown = fails(&mut tune(&sandbox, "odd", &["--also", "--malloc jemaloc"], &["x"]), 2);
    assert!(unknown.contains("jemaloc") && unknown.contains("jemalloc"), "{unknown}");
    let nowhere = ["tune", "--exe", "odd", "--out", "new", "--reference", "nowhere", "--", "x"];
    assert!(fails(&mut sandbox.brawn(&nowhere), 5).contains("nowhere"));
    assert!(!sandbox.path().join("new").exists(), "a folder is left of a run that never began");
}

#[test]
fn a_server_is_started_loaded_measured_and_stopped() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, "server", SERVER, "mimalloc");
    let serve =
        ["--serve", "--ready", "http://127.0.0.1:{port}/", "--connections", "2", "--load-time", "60ms"];
    let more: Vec<&str> =
        serve.into_iter().chain(["--idle", "20ms", "--no-knobs", "--goal", "time"]).collect();
    answered_or_noisy(&mut tune(&sandbox, "server", &more, &["{port}"]));
    let results = Results::load(&sandbox.path().join("out/results.json")).unwrap();
    let rows = &results.suites[0].cases[0].rows;
    for name in [
        "requests",
        "latency, median",
        "latency, 99 %",
        "peak memory",
        "memory after the load",
        "until ready",
    ] {
        let row = rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no row {name}"));
        assert!(row.cells.iter().all(|cell| cell.summary.median > 0.0), "{name}");
        assert!(row.cells.len() >= 3, "{name}");
    }
}

#[test]
fn a_server_that_is_never_ready_and_a_port_in_use_are_told_apart() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, "server", SERVER, "stock");
    let never = ["--serve", "--ready", "1", "--ready-limit", "100ms", "--url", "http://127.0.0.1:1/"];
    let said = fails(&mut tune(&sandbox, "server", &never, &["{port}"]), 1);
    assert!(
        said.contains("the program fails under every candidate") && said.contains("was not ready within"),
        "{said}"
    );
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let taken = ["--serve", "--ready", &port, "--url", "http://127.0.0.1:1/"];
    let said = fails(&mut tune(&sandbox, "server", &taken, &["{port}"]), 1);
    assert!(
        said.contains("something already accepts connections") && said.contains("another port"),
        "{said}"
    );
    let wrong = ["--serve", "--ready", "https://127.0.0.1/", "--load", "true"];
    let said = fails(&mut tune(&sandbox, "server", &wrong, &[]), 2);
    assert!(said.contains("only plain HTTP") && said.contains("hint: give a URL"), "{said}");
}

#[test]
fn each_way_to_fail_has_its_own_words() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, "odd", ODD, "stock");
    let said = fails(&mut tune(&sandbox, "odd", &[], &["fail"]), 1);
    assert!(
        said.contains("ended with status 3, expected status 0") && said.contains("no such luck"),
        "{said}"
    );
    let said = fails(&mut tune(&sandbox, "odd", &["--run-limit", "100ms"], &["hang"]), 1);
    assert!(said.contains("does not end within 100 ms under any candidate"), "{said}");
    let said = fails(&mut tune(&sandbox, "odd", &[], &["vary"]), 1);
    assert!(said.contains("print different output") && said.contains("--output ignore"), "{said}");
    answered_or_noisy(&mut tune(&sandbox, "odd", &["--output", "ignore"], &["vary"]));
    let said = fails(&mut tune(&sandbox, "odd", &["--setup", "echo broken >&2; exit 9"], &["x"]), 1);
    assert!(said.contains("the setup command ended with") && said.contains("broken"), "{said}");
    let said = fails(&mut tune(&sandbox, "odd", &["--check", "grep -q nothing"], &["x"]), 1);
    assert!(said.contains("the check ended with"), "{said}");
    let said = fails(&mut tune(&sandbox, "odd", &["--goal", "latency"], &["x"]), 2);
    assert!(said.contains("needs the latency") && said.contains("--serve"), "{said}");
    let said = fails(&mut sandbox.brawn(&["tune", "--exe", "odd"]), 2);
    assert!(said.contains("the program's arguments are missing"), "{said}");
    let said = fails(&mut sandbox.brawn(&["tune", "--exe", "odd", "--apply", "--"]), 2);
    assert!(said.contains("--apply writes into a package's Cargo.toml"), "{said}");
}

#[test]
fn programs_that_write_get_a_fresh_folder() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, "odd", ODD, "stock");
    sandbox.write("data/input", "text");
    // The second run in one folder finds what the first one wrote.
    let said = fails(&mut tune(&sandbox, "odd", &["--dir", "data"], &["write"]), 1);
    assert!(said.contains("ended with status 4"), "{said}");
    fs_err::remove_file(sandbox.path().join("data/mark")).unwrap();
    let more = ["--copy-dir", "data", "--setup", "test -e input", "--check", "test -e mark && grep -q write"];
    answered_or_noisy(&mut tune(&sandbox, "odd", &more, &["write"]));
    assert!(!sandbox.path().join("data/mark").exists());
}

/// A daemon would take time from all runs after it.
#[test]
fn detached_children_end_with_their_run() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, "odd", ODD, "stock");
    answered_or_noisy(&mut tune(&sandbox, "odd", &[], &["detach"]));
    let folder = sandbox.path().to_str().unwrap();
    let processes = fs_err::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let left = processes.filter(|path| {
        fs_err::read_to_string(path.join("cmdline")).is_ok_and(|words| words.contains(folder))
    });
    assert_eq!(left.collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

#[test]
fn a_record_whose_inputs_are_gone_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("odd.c", ODD);
    ok(&mut sandbox.brawn(&["cc", "-O1", "-c", "odd.c"]));
    ok(&mut sandbox.brawn(&["cc", "odd.o", "-o", "odd"]));
    fs_err::remove_file(sandbox.path().join("odd.o")).unwrap();
    let said = fails(&mut tune(&sandbox, "odd", &[], &["x"]), 3);
    assert!(said.contains("odd.o is gone since") && said.contains("hint: build the program again"), "{said}");
    fs_err::copy("/bin/true", sandbox.path().join("alien")).unwrap();
    let said = fails(&mut tune(&sandbox, "alien", &[], &[]), 3);
    assert!(said.contains("there is no record of how"), "{said}");
}

#[test]
fn an_interrupted_run_is_kept_and_gone_on_with() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, "odd", ODD, "stock");
    let mut command =
        sandbox.brawn(&["tune", "--exe", "odd", "--budget", "60s", "--precision", "0.0001", "--out", "out"]);
    let mut child = command.args(["--", "x"]).stderr(Stdio::piped()).spawn().unwrap();
    let state = sandbox.path().join("out/tune.json");
    until(|| blocks(&state) >= 2);
    // SAFETY: the child has not been waited for, so the number is its own.
    unsafe { libc::kill(i32::try_from(child.id()).unwrap(), libc::SIGINT) };
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let before = blocks(&state);
    let results = Results::load(&sandbox.path().join("out/results.json")).unwrap();
    assert!(!results.complete && before >= 2);

    let mut child = sandbox.brawn(&["tune", "--resume", "out"]).stderr(Stdio::piped()).spawn().unwrap();
    until(|| blocks(&state) > before);
    // SAFETY: as above.
    unsafe { libc::kill(i32::try_from(child.id()).unwrap(), libc::SIGINT) };
    assert_eq!(child.wait().unwrap().code(), Some(130));
    compiled(&sandbox, "odd", &ODD.replace("no such luck", "other"), "stock");
    let said = fails(&mut sandbox.brawn(&["tune", "--resume", "out"]), 3);
    assert!(said.contains("the program has changed since") && said.contains("without --resume"), "{said}");
    let said = fails(&mut sandbox.brawn(&["tune", "--resume=out", "--", "other"]), 2);
    assert!(said.contains("leave out `-- other`"), "{said}");
    let said = fails(&mut sandbox.brawn(&["tune", "--resume", "nowhere"]), 3);
    assert!(said.contains("there is no such file"), "{said}");
}

/// Waits for what must come; a test that hangs would say nothing.
fn until(mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "it does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn blocks(state: &Path) -> usize {
    let text = fs_err::read_to_string(state).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let rounds = value["rounds"].as_array().cloned().unwrap_or_default();
    rounds.iter().filter_map(|round| round["blocks"].as_u64()).sum::<u64>() as usize
}
