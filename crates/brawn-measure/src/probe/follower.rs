//! From the first stop of a traced program to its end, with a look at its memory on the way.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use brawn_trace::stops::{Change, Until, follow};
use nix::sys::ptrace;
use nix::unistd::Pid;

use super::memory::{self, Resident};
use super::{Exit, Point, Sample};
use crate::Error;

/// A program that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub sample: Sample,
    pub exit: Exit,
}

/// The children of a program that are there now, as far as they count.
#[derive(Clone, Debug, Default)]
pub(super) struct Children(Arc<Mutex<BTreeSet<i32>>>);

impl Children {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<i32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn insert(&self, pid: Pid) {
        self.lock().insert(pid.as_raw());
    }

    fn remove(&self, pid: Pid) {
        self.lock().remove(&pid.as_raw());
    }

    /// Whether there are some now.
    pub(super) fn any(&self) -> bool {
        !self.lock().is_empty()
    }

    /// The resident sizes of their parent and of them, together; none when the parent cannot be read.
    pub(super) fn resident(&self, parent: Pid) -> Option<Resident> {
        let mut all = Resident::read(parent)?;
        for &child in self.lock().iter() {
            if let Some(resident) = Resident::read(Pid::from_raw(child)) {
                all.rss += resident.rss;
                all.pss += resident.pss;
                all.lazily_freed += resident.lazily_freed;
            }
        }
        Some(all)
    }
}

/// Follows one program through its stops.
#[derive(Debug, Default)]
pub(super) struct Follower {
    with_children: bool,
    timeline: bool,
    children: Children,
    /// Of all children that have ended.
    peaks: u64,
    finals: u64,
    sample: Sample,
}

impl Follower {
    /// `with_children` adds the memory of its children to its own; `timeline` notes the last size as a point.
    pub(super) fn new(with_children: bool, timeline: bool) -> Self {
        Self { with_children, timeline, ..Self::default() }
    }

    /// The children that count, now and later.
    pub(super) fn children(&self) -> Children {
        self.children.clone()
    }

    /// Follows a process to its end. Must be called by the thread that started it.
    pub(super) fn follow(mut self, main: Pid, start: Instant) -> Result<Ended, Error> {
        let followed = follow(main, self.options(), Until::Signal, |pid, change| match change {
            Change::Ended(_) => self.children.remove(pid),
            // The first stop of a child that is traced because its parent is.
            Change::Stopped(_) => self.children.insert(pid),
            Change::Event(libc::PTRACE_EVENT_EXIT) => self.read_memory(pid, pid == main, start),
            _ => {}
        });
        let followed = followed.map_err(Error::system("follow the program"))?;
        let wall = (followed.ended - start).saturating_sub(followed.held);
        Ok(self.finish(followed.usage, wall, Exit::from_raw(followed.status)))
    }

    fn options(&self) -> ptrace::Options {
        let own = ptrace::Options::PTRACE_O_TRACEEXIT | ptrace::Options::PTRACE_O_TRACEEXEC;
        match self.with_children {
            true => own | ptrace::Options::PTRACE_O_TRACEFORK | ptrace::Options::PTRACE_O_TRACEVFORK,
            false => own,
        }
    }

    fn read_memory(&mut self, pid: Pid, is_main: bool, start: Instant) {
        let resident = Resident::read(pid);
        let peak = memory::peak(pid, resident.as_ref());
        if !is_main {
            self.peaks += peak.unwrap_or(0);
            self.finals += resident.map_or(0, |resident| resident.held());
            return;
        }
        self.sample.peak_bytes = peak;
        self.sample.final_bytes = resident.map(|resident| resident.held());
        self.sample.offered_bytes = resident.map(|resident| resident.lazily_freed);
        if let Some(resident) = resident.filter(|_| self.timeline) {
            self.sample.timeline.push(Point {
                seconds: start.elapsed().as_secs_f64(),
                rss_bytes: resident.rss,
                pss_bytes: resident.pss,
            });
        }
    }

    fn finish(&mut self, usage: libc::rusage, wall: Duration, exit: Exit) -> Ended {
        let mut sample = std::mem::take(&mut self.sample);
        sample.wall_seconds = wall.as_secs_f64();
        sample.user_seconds = seconds(usage.ru_utime);
        sample.system_seconds = seconds(usage.ru_stime);
        sample.minor_faults = usage.ru_minflt.cast_unsigned();
        sample.major_faults = usage.ru_majflt.cast_unsigned();
        sample.voluntary_switches = usage.ru_nvcsw.cast_unsigned();
        sample.involuntary_switches = usage.ru_nivcsw.cast_unsigned();
        sample.peak_bytes = sample.peak_bytes.map(|own| own + self.peaks);
        sample.final_bytes = sample.final_bytes.map(|own| own + self.finals);
        Ended { sample, exit }
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}
