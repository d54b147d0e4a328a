//! Under which conditions a program runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a run is held to, and how closely it is looked at.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// Longest time that the run may take.
    pub limit: Duration,
    /// Cores that the program is held to; empty for all.
    pub cores: Vec<usize>,
    /// CPU time that the program may use, in cores: 1.5 for three halves of one. None for no quota.
    pub quota: Option<f64>,
    /// Memory that the program may hold, in bytes; it is killed when it wants more. See [`crate::limits::memory`].
    pub memory: Option<u64>,
    /// How often the resident size is read; none for never. Reading costs the program a little time, which grows with
    /// its size, so it is done less often when needed to stay below one percent, and
    /// after 512 points half as often from there on.
    pub timeline: Option<Duration>,
    /// Whether the machine's [pace](crate::pace) is measured right before and right after the run, on the cores above.
    pub pace: bool,
    /// The folder for the program's output, in unlinked files.
    pub scratch: PathBuf,
    /// Set from elsewhere, it kills the program.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Conditions {
    /// A limit and nothing else.
    pub fn new(limit: Duration) -> Self {
        Self { limit, scratch: std::env::temp_dir(), ..Self::default() }
    }

    /// Whether it was told to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
