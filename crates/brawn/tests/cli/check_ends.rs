//! How a run of `brawn check` ends: nothing of the program, its children or its root is left, and nothing outside has changed.

use std::fs::Permissions;
use std::io::BufRead;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Sandbox, ok};

/// An ordinary user, whom tests of a changed machine run as root become.
const ORDINARY: u32 = 65534;

/// A program in a folder that everyone may enter, with a copy of `brawn` for those who may not enter this repository, and
/// a folder for temporary files.
struct Stage {
    sandbox: Sandbox,
    name: String,
}

impl Stage {
    fn new(name: &str, source: &str) -> Stage {
        let sandbox = Sandbox::new();
        // So that its processes can be counted.
        let name = format!("{name}{}", std::process::id());
        sandbox.write("program.c", source);
        ok(sandbox.command("musl-gcc").args(["-static", "-O1", "program.c", "-o", &name]));
        let stage = Stage { sandbox, name };
        fs_err::create_dir(stage.temporary()).unwrap();
        for (path, mode) in [(stage.sandbox.path().to_owned(), 0o755), (stage.temporary(), 0o1777)] {
            fs_err::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
        stage
    }

    fn temporary(&self) -> PathBuf {
        self.sandbox.path().join("temporary")
    }

    fn left(&self) -> usize {
        fs_err::read_dir(self.temporary()).unwrap().count()
    }

    fn check(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.brawn(&["check"]);
        command.args(args).env("TMPDIR", self.temporary());
        command
    }

    /// The same as an ordinary user.
    fn check_ordinary(&self, args: &[&str]) -> Command {
        if !is_root() {
            return self.check(args);
        }
        let brawn = self.sandbox.path().join("brawn");
        if !brawn.exists() {
            fs_err::copy(env!("CARGO_BIN_EXE_brawn"), &brawn).unwrap();
        }
        let mut command = self.sandbox.command(brawn.to_str().unwrap());
        command.arg("check").args(args).env("TMPDIR", self.temporary()).env("HOME", "/");
        command.uid(ORDINARY).gid(ORDINARY);
        command
    }

    /// Processes of the program that are alive.
    fn alive(&self) -> Vec<u32> {
        let is = |pid: &u32| {
            let read = |file: &str| fs_err::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
            // What has ended and was not waited for has no command line.
            read("cmdline").contains(&self.name)
        };
        let pids = fs_err::read_dir("/proc").unwrap();
        let pids = pids.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
        pids.filter(|pid| *pid != std::process::id()).filter(is).filter(|pid| !is_brawn(*pid)).collect()
    }

    /// Waits until the kernel has let go of what was killed from outside.
    fn all_gone(&self) -> bool {
        (0..1_000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            self.alive().is_empty()
        })
    }
}

fn is_root() -> bool {
    // SAFETY: the call only returns a number.
    unsafe { libc::geteuid() == 0 }
}

fn is_brawn(pid: u32) -> bool {
    let words = fs_err::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    words.split(|byte| *byte == 0).nth(1) == Some(b"check")
}

fn send(child: &Child, signal: i32) {
    // SAFETY: the child has not been waited for, so the number is its own.
    unsafe { libc::kill(child.id().cast_signed(), signal) };
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o7777
}

/// Starts it, and waits until so many processes of the program have said that they run.
fn started(command: &mut Command, processes: usize) -> Child {
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
    for _ in 0..processes {
        let line = lines.next().unwrap().unwrap();
        assert!(line.starts_with("ready"), "{line}");
    }
    // Read on, so that nothing is stopped for a reader that is gone.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

/// Says that it runs, twice, and stays.
const STAYS: &str = "#include <stdio.h>\n#include <unistd.h>\n\
    int main(void) { fork(); fprintf(stderr, \"ready\\n\"); for (;;) pause(); }\n";

#[test]
fn every_signal_that_ends_it_ends_the_program_and_removes_the_root() {
    let stage = Stage::new("stays", STAYS);
    let signals = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGALRM, libc::SIGXCPU];
    for signal in signals {
        let mut child = started(&mut stage.check(&["--seconds", "3600", &stage.name]), 2);
        assert_eq!((stage.left(), stage.alive().len()), (1, 2));
        send(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(130), "signal {signal}");
        assert_eq!((stage.left(), stage.alive()), (0, Vec::new()), "signal {signal}");
    }
}

/// A shell sends on what it gets from the kernel, so that a closed terminal sends this more than once.
#[test]
fn a_closed_terminal_leaves_nothing_and_nohup_is_heeded() {
    let stage = Stage::new("hangup", STAYS);
    let mut child = started(&mut stage.check(&["--seconds", "3600", &stage.name]), 2);
    for _ in 0..3 {
        send(&child, libc::SIGHUP);
    }
    assert_eq!((child.wait().unwrap().code(), stage.left()), (Some(130), 0));

    let mut command = stage.check(&["--seconds", "3600", &stage.name]);
    // SAFETY: one system call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
            Ok(())
        });
    }
    let mut child = started(&mut command, 2);
    send(&child, libc::SIGHUP);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((child.try_wait().unwrap(), stage.left()), (None, 1));
    send(&child, libc::SIGTERM);
    assert_eq!((child.wait().unwrap().code(), stage.left()), (Some(130), 0));
}

/// What cannot be caught: the kernel ends the program, and the next run removes the root.
#[test]
fn the_root_of_a_killed_run_is_removed_by_the_next() {
    let stage = Stage::new("killed", STAYS);
    let mut killed = started(&mut stage.check(&["--seconds", "3600", &stage.name]), 2);
    let mut other = started(&mut stage.check(&["--seconds", "3600", &stage.name]), 2);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!((0..1_000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        stage.alive().len() == 2
    }));
    assert_eq!(stage.left(), 2);
    // What another run uses stays.
    stage.check(&["--seconds", "1", &stage.name]).output().unwrap();
    assert_eq!(stage.left(), 1);
    send(&other, libc::SIGTERM);
    other.wait().unwrap();
    assert_eq!((stage.left(), stage.all_gone()), (0, true));
}

#[test]
fn what_a_hostile_program_leaves_goes_and_nothing_outside_is_touched() {
    let stage = Stage::new(
        "hostile",
        "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/stat.h>\n\
         #include <unistd.h>\n#define DO(what) if (what) { perror(#what); exit(1); }\n\
         int main(int n, char **v) {\n\
         char below[4096], name[64];\n\
         DO(chdir(\"/tmp\"))\n\
         DO(symlink(v[1], \"file\")) DO(symlink(v[2], \"folder\")) DO(symlink(\"/\", \"root\"))\n\
         DO(mkfifo(\"fifo\", 0600)) DO(mkdir(\"new\\nline \\033[31m\", 0700))\n\
         DO(close(creat(\"own\", 0400))) DO(link(\"own\", \"hard\"))\n\
         DO(mkdir(\"closed\", 0700)) DO(mkdir(\"closed/inside\", 0700))\n\
         snprintf(below, sizeof below, \"%s/file\", v[2]); DO(symlink(below, \"closed/inside/link\"))\n\
         DO(chmod(\"closed/inside\", 0)) DO(chmod(\"closed\", 0))\n\
         DO(mkdir(\"deep\", 0700)) DO(chdir(\"deep\"))\n\
         for (int i = 0; i < 1500; i++) { DO(mkdir(\"d\", 0700)) DO(chdir(\"d\")) }\n\
         DO(chdir(\"/tmp\")) DO(mkdir(\"many\", 0700))\n\
         for (int i = 0; i < 4500; i++) { sprintf(name, \"many/%d\", i); DO(close(creat(name, 0))) }\n\
         DO(chmod(\"many\", 0500))\n\
         /* As an ordinary user it owns the root, and what stood there becomes a link. */\n\
         if (!chmod(\"/\", 0755)) { DO(rename(\"/tmp\", \"/moved\")) DO(symlink(v[1], \"/tmp\")) DO(chmod(\"/\", 0)) }\n\
         return 0; }\n",
    );
    let outside = stage.sandbox.path().join("outside");
    let (file, inside) = (stage.sandbox.path().join("secret"), outside.join("file"));
    fs_err::create_dir(&outside).unwrap();
    for path in [&file, &inside] {
        fs_err::write(path, "secret").unwrap();
    }
    let owned = [(&file, 0o600), (&inside, 0o600), (&outside, 0o500)];
    for (path, mode) in owned {
        fs_err::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        if is_root() {
            chown(path, Some(ORDINARY), Some(ORDINARY)).unwrap();
        }
    }
    let args = ["--with", "tmp", &stage.name, "--", file.to_str().unwrap(), outside.to_str().unwrap()];
    for command in [&mut stage.check(&args), &mut stage.check_ordinary(&args)] {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(stage.left(), 0);
        for (path, was) in owned {
            assert_eq!(mode(path), was, "{}", path.display());
        }
        assert_eq!(fs_err::read_to_string(&file).unwrap(), "secret");
        assert!(inside.exists());
    }
    fs_err::set_permissions(&outside, Permissions::from_mode(0o700)).unwrap();
}

/// A second fork, a session of its own, the group of its parent, and a child that no tracer hears of.
#[test]
fn detached_children_are_killed() {
    let stage = Stage::new(
        "detached",
        "#define _GNU_SOURCE\n#include <sched.h>\n#include <signal.h>\n#include <sys/syscall.h>\n\
         #include <sys/wait.h>\n#include <unistd.h>\n\
         static void stay(void) { for (int i = 0; i < 3; i++) close(i); for (;;) pause(); }\n\
         static int untraced(void) { return syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0); }\n\
         int main(int n, char **v) {\n\
         if (!fork()) { setsid(); if (!fork()) { setsid(); if (!fork()) stay(); stay(); } _exit(0); }\n\
         if (!untraced()) { setsid(); if (!untraced()) { setpgid(0, 0); signal(SIGTERM, SIG_IGN); stay(); } stay(); }\n\
         wait(0); if (n > 1) stay(); return 0; }\n",
    );
    for args in [&[stage.name.as_str()][..], &["--seconds", "1", &stage.name, "--", "stay"]] {
        for command in [&mut stage.check(args), &mut stage.check_ordinary(args)] {
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            // At once: what is left when `check` has ended was not killed by it.
            assert_eq!((stage.alive(), stage.left()), (Vec::new(), 0), "{args:?}");
        }
    }
}

/// The second of the clock that lies so far ahead.
fn ahead(seconds: u64) -> String {
    (std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() + seconds).to_string()
}

/// Chains of processes of which no tracer hears. They end by themselves after a minute.
fn storm() -> Stage {
    Stage::new("storm", include_str!("../../../brawn-measure/tests/programs/storm.c"))
}

/// Runs a storm that ends by itself, and one that is ended. Nothing of it is left. Its processes live so many microseconds.
fn weather(stage: &Stage, pause: &str, command: impl Fn(&[&str]) -> Command) {
    for stay in [&[][..], &["stay"]] {
        let until = ahead(60);
        let args = [&["--seconds", "1", &stage.name, "--", &until, pause][..], stay].concat();
        let begun = Instant::now();
        let output = command(&args).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!((0..50).all(|_| stage.alive().is_empty()), "with pauses of {pause}");
        assert!(begun.elapsed() < Duration::from_secs(40), "{:?} with pauses of {pause}", begun.elapsed());
    }
}

/// Processes that can be found one by one, and such as fork faster than that.
const SLOW: &str = "20000";
const FAST: &str = "0";

/// Whether `doctor` says so of the control group that ends what is left.
fn has_group(doctor: &mut Command) -> bool {
    let report: serde_json::Value = serde_json::from_str(&ok(doctor)).unwrap();
    let findings = report["findings"].as_array().unwrap();
    findings.iter().find(|finding| finding["name"] == "leftovers").unwrap()["state"] == "good"
}

#[test]
fn what_forks_without_end_is_killed_where_a_control_group_can_be_made() {
    let stage = storm();
    let has_group = has_group(&mut stage.sandbox.brawn(&["doctor", "--json"]));
    weather(&stage, if has_group { FAST } else { SLOW }, |args| stage.check(args));
    // An ordinary user has none on most machines.
    weather(&stage, SLOW, |args| stage.check_ordinary(args));
}

/// A group that root hands to an ordinary user, as systemd does.
#[test]
fn an_ordinary_user_has_a_control_group_where_one_was_handed_down() {
    let stage = storm();
    let Some(given) = Given::new() else {
        assert!(!is_root() || !has_group(&mut stage.sandbox.brawn(&["doctor", "--json"])));
        return;
    };
    let check = |args: &[&str]| {
        let mut command = stage.check_ordinary(args);
        given.hold(&mut command);
        command
    };
    weather(&stage, FAST, check);
    assert_eq!(given.groups(), 0);
    // The group of a killed run, and what is in it, goes with the next.
    let args = ["--seconds", "3600", &stage.name, "--", &ahead(20), SLOW, "stay"];
    let mut killed = started(&mut check(&args), 1);
    killed.kill().and_then(|()| killed.wait()).unwrap();
    assert!(given.groups() == 1 && (0..50).any(|_| !stage.alive().is_empty()));
    weather(&stage, SLOW, check);
    assert_eq!(given.groups(), 0);
}

/// A control group that belongs to the ordinary user.
struct Given(PathBuf);

impl Given {
    /// None where this user can make none.
    fn new() -> Option<Given> {
        let folders = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(Path::new);
        let tree = folders.into_iter().find(|folder| folder.join("cgroup.procs").exists())?;
        let given = Given(tree.join(format!("brawn-test-{}", std::process::id())));
        fs_err::create_dir(&given.0).ok()?;
        for file in ["", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"] {
            chown(given.0.join(file), Some(ORDINARY), Some(ORDINARY)).ok()?;
        }
        Some(given)
    }

    /// Has a command run in it.
    fn hold(&self, command: &mut Command) {
        // By root: a user may not take a process of another group in.
        let members = fs_err::OpenOptions::new().write(true).open(self.0.join("cgroup.procs")).unwrap();
        command.uid(0).gid(0);
        // SAFETY: system calls between fork and exec, on a file that stays open.
        unsafe {
            command.pre_exec(move || {
                let joined = libc::write(members.as_raw_fd(), c"0".as_ptr().cast(), 1) == 1;
                match joined && libc::setgid(ORDINARY) == 0 && libc::setuid(ORDINARY) == 0 {
                    true => Ok(()),
                    false => Err(std::io::Error::last_os_error()),
                }
            });
        }
    }

    fn groups(&self) -> usize {
        let entries = fs_err::read_dir(&self.0).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().file_type().unwrap().is_dir()).count()
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        for entry in fs_err::read_dir(&self.0).unwrap() {
            let _ = fs_err::remove_dir(entry.unwrap().path());
        }
        let _ = fs_err::remove_dir(&self.0);
    }
}
