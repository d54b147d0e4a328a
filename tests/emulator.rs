//! Runs programs under a time limit, and under qemu-user once more where it was the emulator that got stuck: a child that is
//! forked while other threads run may inherit a lock of the emulator that no one is left to release. A program on glibc that
//! does nothing but fork among threads that allocate hangs so, with none of our code in it. A deadlock of the program is told
//! apart: it waits in the program's memory, not in the emulator's.

use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::ops::Range;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often a program is started before its emulator is given up: named semaphores of stock musl hang in two runs of three.
const ATTEMPTS: usize = 32;

/// How long nothing may move in a process that waits on the emulator's locks.
const STILL: Duration = Duration::from_secs(5);

/// futex(2) as /proc numbers it.
const FUTEX: &str = if cfg!(target_arch = "aarch64") { "98" } else { "202" };

enum End {
    Exited(ExitStatus),
    Late,
    Stuck,
}

/// How the program ended, or `None` if it did not within the limit. `command` is asked for each attempt, and must write to files:
/// what a program leaves behind holds a pipe open.
pub fn run(
    command: impl Fn() -> io::Result<Command>,
    limit: Duration,
    emulated: bool,
) -> io::Result<Option<ExitStatus>> {
    for _ in 0..ATTEMPTS {
        match once(command()?, limit, emulated)? {
            End::Exited(status) => return Ok(Some(status)),
            End::Late => return Ok(None),
            End::Stuck => eprintln!("the emulator is stuck in a lock of its own after a fork; again"),
        }
    }
    Err(io::Error::other(format!("the emulator got stuck {ATTEMPTS} times")))
}

fn once(mut command: Command, limit: Duration, emulated: bool) -> io::Result<End> {
    // A group of its own, so that all of it can be ended.
    let mut child = command.process_group(0).spawn()?;
    let start = Instant::now();
    let mut looked = start;
    let mut watch = Watch::default();
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break End::Exited(status);
        }
        if start.elapsed() > limit {
            break End::Late;
        }
        if emulated && looked.elapsed() > Duration::from_secs(1) {
            looked = Instant::now();
            if watch.stuck(&child) {
                break End::Stuck;
            }
        }
        std::thread::sleep(Duration::from_millis(4));
    };
    let group = rustix::process::Pid::from_child(&child);
    // Also after a good end: what is left of the group belongs to the program.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    if !matches!(end, End::Exited(_)) {
        child.wait()?;
    }
    Ok(end)
}

/// Since when each process waits in the emulator without having moved.
#[derive(Default)]
struct Watch {
    since: HashMap<String, (String, Instant)>,
}

impl Watch {
    /// Whether a process of the child's group has long been waiting on a lock of the emulator.
    fn stuck(&mut self, child: &Child) -> bool {
        let now = waiting(child.id());
        self.since.retain(|process, (state, _)| now.get(process) == Some(state));
        for (process, state) in now {
            self.since.entry(process).or_insert_with(|| (state, Instant::now()));
        }
        self.since.values().any(|(_, since)| since.elapsed() > STILL)
    }
}

/// The processes of a group that wait on a lock of the emulator, each with all that changes as soon as it moves.
fn waiting(group: u32) -> HashMap<String, String> {
    let Ok(processes) = fs_err::read_dir("/proc") else { return HashMap::new() };
    let processes = processes.flatten().filter_map(|entry| {
        let process = entry.path();
        let stat = fs_err::read_to_string(process.join("stat")).ok()?;
        // Behind the name, which may hold anything: state, parent, group; the processor time is the 12th and 13th.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        if fields.get(2)? != &group.to_string() {
            return None;
        }
        let image = image(&process)?;
        let mut state = format!("{:?}", fields.get(11..13)?);
        let mut inside = 0;
        for task in fs_err::read_dir(process.join("task")).ok()?.flatten() {
            let call = fs_err::read_to_string(task.path().join("syscall")).ok()?;
            let words: Vec<&str> = call.split_whitespace().collect();
            if let [number, address, ..] = words[..]
                && number == FUTEX
                && image.contains(&hexadecimal(address)?)
            {
                inside += 1;
            }
            let _ = write!(state, "{call}");
        }
        // A thread of the emulator's own always waits there.
        (inside >= 2).then(|| (process.display().to_string(), state))
    });
    processes.collect()
}

/// Where the executable of a process lies, its zeros included.
fn image(process: &Path) -> Option<Range<u64>> {
    let executable = fs_err::read_link(process.join("exe")).ok()?.display().to_string();
    let maps = fs_err::read_to_string(process.join("maps")).ok()?;
    let mut image: Option<Range<u64>> = None;
    for line in maps.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (from, to) = words.first()?.split_once('-')?;
        let (from, to) = (hexadecimal(from)?, hexadecimal(to)?);
        let of_executable = words.get(5).is_some_and(|path| *path == executable);
        match &mut image {
            None if of_executable => image = Some(from..to),
            Some(image) if of_executable || image.end == from && words.len() == 5 => image.end = to,
            _ => {}
        }
    }
    image
}

fn hexadecimal(word: &str) -> Option<u64> {
    u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()
}
