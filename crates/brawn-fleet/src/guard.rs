//! Keeps a container within the memory that a candidate may hold.
//!
//! In a container no control group can be made, so the runner watches a candidate's main process alone; what others hold that
//! it started counts as well. The container's own limit is higher, so that the kernel does not kill: in newer versions of
//! Kubernetes it would kill everything, and what was measured until then with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use brawn_measure::limits::memory::held_here;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How often it looks.
const INTERVAL: Duration = Duration::from_millis(4);

/// A thread that ends everything else in this container when that holds too much.
#[derive(Debug)]
pub struct Guard {
    /// The bytes that it found too many; 0 for none.
    bitten: Arc<AtomicU64>,
    enough: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Guard {
    /// For a candidate that may hold so many bytes and is about to begin. Nothing outside a container of our own, where other
    /// processes would count, or be killed.
    pub fn start(limit: u64) -> Option<Guard> {
        let is_first = Pid::this().as_raw() == 1;
        let before = held_here().filter(|_| is_first)?;
        let (bitten, enough) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (bite, stop) = (Arc::clone(&bitten), Arc::clone(&enough));
        let thread = std::thread::spawn(move || {
            while !stop.load(Ordering::Acquire) {
                let held = held_here().unwrap_or_default().saturating_sub(before);
                if held > limit {
                    bite.store(held, Ordering::Release);
                    // All of this container but the first process, which is this one.
                    let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
                    return;
                }
                std::thread::sleep(INTERVAL);
            }
        });
        Some(Guard { bitten, enough, thread })
    }

    /// Ends it. What was held when it had to kill.
    pub fn end(self) -> Option<u64> {
        self.enough.store(true, Ordering::Release);
        let _ = self.thread.join();
        Some(self.bitten.load(Ordering::Acquire)).filter(|held| *held > 0)
    }
}
