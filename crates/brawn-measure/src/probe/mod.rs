//! Runs one process and measures it from the outside.
//!
//! The process is traced by `ptrace`, but only to be stopped once when it starts (`execve`) and once when it ends:
//! at `PTRACE_EVENT_EXIT` its address space still exists, so `/proc/PID/status` and `smaps_rollup` tell its peak and its last
//! resident size exactly, however it ends. No system call, no thread and (unless a [`Service`](crate::Service) asks for
//! it) no child is traced, so nothing in between is slowed, apart from signals, each of which passes through the
//! tracer. The time that the process spends stopped is not counted.
//!
//! `ru_maxrss` is of no use here: the kernel takes the larger of the process's own peak and that of the process that
//! forked it, so every small program seems as large as its parent.
//!
//! What the figures cover: wall time, the main process from `fork` to the moment that it is gone; CPU time and page
//! faults, that process and the children it waited for; memory, that process alone, not its children. A program whose main thread calls `pthread_exit` while others
//! go on is measured at that moment.
//!
//! Every program runs in a process group of its own, and whatever of it is left when the run ends is killed, whatever
//! group or session it has moved to ([`brawn_trace::Family`]).

mod afresh;
mod calls;
mod conditions;
mod follower;
mod memory;
mod run;
mod sample;
mod service;
mod tracer;

pub use afresh::read_afresh;
pub use calls::{SystemCalls, count_system_calls};
pub use conditions::Conditions;
pub use run::{Run, last_lines, run, run_under};
pub use sample::{Exit, Point, Sample};
