//! Everything that a run starts, and the end of all that is left of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::group::{Group, fork_into};

/// How long the last look for what is left may take. Only processes that fork faster than they are found need so much.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the kernel is given to bury what was killed, before the next look.
const PAUSE: Duration = Duration::from_millis(1);

/// How often those are buried that ended by themselves.
const ROUND: Duration = Duration::from_millis(100);

/// What holds a program and everything that it starts, so that neither a second fork nor a session of its own takes a
/// process out of reach. When this is dropped, all of that is killed:
///
/// - Where a control group can be made below the one of this process, the program is born in it, and the kernel ends it
///   with all that is in it. Not even processes that fork without end outrun that.
/// - Everywhere, while there are families, what loses its parent becomes a child of this process (the kernel's *child
///   subreaper*). With the last family such processes are looked for and killed, with everything below them. What forks
///   faster than it is found, for five seconds, outruns that.
///
/// The program itself is not meant: who called [`Launch::spawn`] ends it before. A program must have a process group of its
/// own, since children in the group of this process count as its own commands.
#[derive(Debug)]
pub struct Family {
    /// Ended when this is dropped.
    group: Option<Group>,
}

/// A program that is about to be started in a [`Family`].
#[derive(Debug)]
pub struct Launch {
    /// Where a group is to hold it: tells which process became the program, and when, as nanoseconds after a moment.
    births: Option<(OwnedFd, Instant)>,
}

/// A program that was started in a [`Family`].
#[derive(Debug)]
pub struct Started {
    /// Its number.
    pub pid: i32,
    /// When it was forked.
    pub start: Instant,
    /// What signals are sent by.
    pub handle: OwnedFd,
}

/// What holds while there are families.
struct Watch {
    families: usize,
    /// Whether orphans came to this process before.
    reaped_before: bool,
    /// Children that were there before: they belong to the program that ran in this process before `brawn`.
    before: Vec<Process>,
    /// Programs that were started: others wait for them.
    programs: BTreeSet<i32>,
    /// Ends the thread that buries orphans, when dropped.
    burying: Option<Sender<()>>,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch {
    families: 0,
    reaped_before: false,
    before: Vec::new(),
    programs: BTreeSet::new(),
    burying: None,
});

fn watch() -> MutexGuard<'static, Watch> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a control group can hold programs here, found out by doing it.
///
/// # Errors
/// What the kernel says.
pub fn can_group() -> io::Result<()> {
    let group = Group::create()?;
    let mut command = Command::new("/proc/self/exe");
    let launch = Launch::into_group(&group, &mut command)?;
    // SAFETY: the closure ends the child between fork and exec.
    unsafe { command.pre_exec(|| Err(io::Error::from_raw_os_error(libc::ECANCELED))) };
    let _ = command.spawn();
    match launch.birth() {
        Some((pid, _)) => {
            wait_for(pid, 0);
            Ok(())
        }
        None => Err(io::Error::other("the kernel starts no program in a control group")),
    }
}

impl Launch {
    /// Has a command become its program in a group: the process that is forked for it forks once more, into the group,
    /// and is gone. What that costs comes before the program's birth. Where the kernel refuses, the first process goes on.
    fn into_group(group: &Group, command: &mut Command) -> io::Result<Self> {
        let (births, tell) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let (folder, epoch) = (group.folder()?, Instant::now());
        // SAFETY: the closure runs between fork and exec and makes system calls only.
        unsafe {
            command.pre_exec(move || {
                let leads = libc::getpgrp() == libc::getpid();
                match fork_into(folder.as_fd()) {
                    Some(0) => {
                        let birth = epoch.elapsed().as_nanos() as u64;
                        let mut message = [0; 12];
                        message[..4].copy_from_slice(&libc::getpid().to_ne_bytes());
                        message[4..].copy_from_slice(&birth.to_ne_bytes());
                        let _ = rustix::io::write(&tell, &message);
                        if leads && libc::setpgid(0, 0) < 0 {
                            return Err(io::Error::last_os_error());
                        }
                        Ok(())
                    }
                    None => Ok(()),
                    Some(_) => libc::_exit(0),
                }
            });
        }
        Ok(Self { births: Some((births, epoch)) })
    }

    /// The process that was born in the group. It is there before [`Command::spawn`] returns.
    fn birth(&self) -> Option<(i32, Instant)> {
        let (births, epoch) = self.births.as_ref()?;
        let mut message = [0; 12];
        rustix::io::read(births, &mut message).ok().filter(|read| *read == message.len())?;
        let (pid, birth) = message.split_at(4);
        let birth = u64::from_ne_bytes(birth.try_into().ok()?);
        Some((i32::from_ne_bytes(pid.try_into().ok()?), *epoch + Duration::from_nanos(birth)))
    }

    /// Starts the program, as a child of this thread.
    ///
    /// # Errors
    /// Those of [`Command::spawn`].
    pub fn spawn(self, command: &mut Command) -> io::Result<Started> {
        // With the lock, so that it is known before it can be taken for an orphan.
        let mut watch = watch();
        let begun = Instant::now();
        let spawned = command.spawn();
        let birth = self.birth();
        if let (Some((pid, _)), true) = (birth, spawned.is_err()) {
            wait_for(pid, 0);
        }
        let first: Child = spawned?;
        let (pid, start) = birth.unwrap_or((first.id().cast_signed(), begun));
        if birth.is_some() {
            wait_for(first.id().cast_signed(), 0);
        }
        let handle = pidfd_open(Pid::from_raw(pid).expect("a process has a number"), PidfdFlags::empty())
            .inspect_err(|_| {
                // SAFETY: the child was not waited for, so the number is its own.
                unsafe { libc::kill(pid, libc::SIGKILL) };
                wait_for(pid, 0);
            })?;
        watch.programs.insert(pid);
        Ok(Started { pid, start, handle })
    }
}

/// Buries the orphans that ended by themselves: a server may make thousands in a run, and each keeps its number.
fn bury(watch: &Watch) {
    // Of a group outside, as the first process of a namespace may be, the number is 0 here, which rustix does not expect.
    // SAFETY: the call reads and writes nothing of ours.
    let group_of = |pid| Some(unsafe { libc::getpgid(pid) }).filter(|group| *group >= 0);
    let own = group_of(0);
    // One that somebody else waits for ends the round; it is gone at the next.
    while let Ok(Some(pid)) = ended_child() {
        let group = group_of(pid);
        let known = watch.programs.contains(&pid) || watch.before.iter().any(|known| known.pid == pid);
        let awaited = known || is_traced(pid);
        if awaited || group.is_none() || group == own {
            return;
        }
        wait_for(pid, libc::WNOHANG);
    }
}

impl Family {
    /// From now on, nothing that is started gets away. To be called before anything else is to be done between the
    /// command's fork and its exec.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn begin(command: &mut Command) -> io::Result<(Self, Launch)> {
        let mut watch = watch();
        if watch.families == 0 {
            watch.reaped_before = rustix::process::child_subreaper()?.is_some();
            watch.before = if has_children() { children(&processes()?).collect() } else { Vec::new() };
            rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
            let (stop, stopped) = channel();
            std::thread::Builder::new().spawn(move || {
                while stopped.recv_timeout(ROUND) == Err(RecvTimeoutError::Timeout) {
                    bury(&self::watch());
                }
            })?;
            watch.burying = Some(stop);
        }
        watch.families += 1;
        drop(watch);
        let mut family = Self { group: None };
        // Most users of most machines may make no group.
        let Ok(group) = Group::create() else { return Ok((family, Launch { births: None })) };
        let launch = Launch::into_group(&group, command)?;
        family.group = Some(group);
        Ok((family, launch))
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        drop(self.group.take());
        let mut watch = watch();
        watch.families -= 1;
        if watch.families > 0 {
            return;
        }
        watch.burying = None;
        watch.programs.clear();
        kill_all(&watch);
        if !watch.reaped_before {
            let _ = rustix::process::set_child_subreaper(None);
        }
    }
}

/// Whether a process or thread, ended or not, is traced: then its tracer waits for it.
fn is_traced(pid: i32) -> bool {
    let status = fs_err::read(format!("/proc/{pid}/status")).unwrap_or_default();
    let tracer = String::from_utf8_lossy(&status)
        .lines()
        .find_map(|line| Some(line.strip_prefix("TracerPid:")?.trim() != "0"));
    tracer.unwrap_or(false)
}

/// Kills orphans and their descendants until there are none, or only such as this user may not kill.
fn kill_all(watch: &Watch) {
    let begun = Instant::now();
    // Those that are gone already have no part in the search, and there may be thousands.
    bury(watch);
    while has_children() && begun.elapsed() < PATIENCE {
        let Ok(all) = processes() else { return };
        let known = |child: &Process| watch.before.iter().any(|known| known.is(child));
        let orphans: Vec<Process> = children(&all).filter(|child| !child.ours && !known(child)).collect();
        let killed = below(&all, &orphans).iter().filter(|process| kill(process)).count();
        for orphan in &orphans {
            wait_for(orphan.pid, libc::WNOHANG);
        }
        bury(watch);
        if killed == 0 {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// A process. Its number may be given to another later, but not with the same start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    pid: i32,
    /// In ticks since the machine was started.
    begun: u64,
    parent: i32,
    /// Whether it is in the process group of this process.
    ours: bool,
}

impl Process {
    fn is(&self, other: &Process) -> bool {
        (self.pid, self.begun) == (other.pid, other.begun)
    }
}

/// All processes, by the kernel's table.
fn processes() -> io::Result<Vec<Process>> {
    let mut all = Vec::new();
    for entry in fs_err::read_dir("/proc")? {
        let name = entry?.file_name();
        all.extend(name.to_str().and_then(|name| name.parse().ok()).and_then(process));
    }
    Ok(all)
}

fn process(pid: i32) -> Option<Process> {
    let text = fs_err::read(format!("/proc/{pid}/stat")).ok()?;
    // 0 where it was made outside this namespace of processes. SAFETY: it reads a number.
    parse(pid, &String::from_utf8_lossy(&text), unsafe { libc::getpgrp() })
}

/// A line of `/proc/PID/stat`. The name in it may hold anything, parentheses as well.
fn parse(pid: i32, text: &str, own_group: i32) -> Option<Process> {
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let group: i32 = fields.get(2)?.parse().ok()?;
    let ours = group == own_group;
    Some(Process { pid, begun: fields.get(19)?.parse().ok()?, parent: fields.get(1)?.parse().ok()?, ours })
}

fn children(all: &[Process]) -> impl Iterator<Item = Process> {
    let own = std::process::id().cast_signed();
    all.iter().filter(move |process| process.parent == own).copied()
}

/// These processes and their descendants.
fn below(all: &[Process], roots: &[Process]) -> Vec<Process> {
    let mut children: BTreeMap<i32, Vec<Process>> = BTreeMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(*process);
    }
    let mut found = roots.to_vec();
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        found.extend(children.get(&parent.pid).into_iter().flatten());
        next += 1;
    }
    found
}

/// Kills a process unless its number has become another's; tells whether that could be done.
fn kill(wanted: &Process) -> bool {
    let Some(handle) = Pid::from_raw(wanted.pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
    else {
        return false;
    };
    // The handle is of the process that has the number now.
    let same = process(wanted.pid).is_some_and(|now| now.is(wanted));
    same && pidfd_send_signal(&handle, Signal::KILL).is_ok()
}

/// Buries a child that has ended.
fn wait_for(pid: i32, options: libc::c_int) {
    let mut status = 0;
    // SAFETY: the pointer is to a live, writable value. Only this process can wait for its child, so the number cannot be
    // another's.
    unsafe { libc::waitpid(pid, &raw mut status, options | libc::__WALL) };
}

/// A child that has ended and that no one has waited for, or why there is none: `ECHILD` where this process has no child.
fn ended_child() -> io::Result<Option<i32>> {
    // SAFETY: the structure is plain data, for which all zeroes are a value, and the call fills it in; nothing is reaped. The
    // number is there when the call has found a child, and else 0.
    let (result, pid, code) = unsafe {
        let mut information: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        let result = libc::waitid(libc::P_ALL, 0, &raw mut information, options);
        (result, information.si_pid(), information.si_code)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // The call also finds what another thread traces when that has stopped, whatever the options are.
    let ended = matches!(code, libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED);
    Ok((pid > 0 && ended).then_some(pid))
}

/// Whether this process has any child.
fn has_children() -> bool {
    !ended_child().is_err_and(|error| error.raw_os_error() == Some(libc::ECHILD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_table_is_read_whatever_a_process_calls_itself() {
        let line = "7 (a) S 1 (b\n) R 5 6 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 991 0";
        let process = parse(7, line, 6).unwrap();
        assert_eq!(process, Process { pid: 7, begun: 991, parent: 5, ours: true });
        assert!(!parse(7, line, 8).unwrap().ours);
        assert_eq!(parse(7, "7 (x) R 5", 6), None);
        assert!(processes().unwrap().iter().any(|known| known.pid == std::process::id().cast_signed()));
    }

    #[test]
    fn all_that_is_below_is_found() {
        let process = |pid, parent| Process { pid, begun: 0, parent, ours: false };
        let all = [process(2, 1), process(3, 2), process(4, 3), process(5, 1)];
        assert_eq!(below(&all, &all[..1]).iter().map(|found| found.pid).collect::<Vec<_>>(), [2, 3, 4]);
    }
}
