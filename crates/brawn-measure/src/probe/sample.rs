//! What one run took.

use std::collections::BTreeMap;
use std::fmt;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

/// What one run of a variant took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Sample {
    /// Wall-clock time, in seconds, by the monotonic clock. Of a server, that of its client.
    pub wall_seconds: f64,
    /// CPU time in user mode, in seconds, waited-for children included.
    pub user_seconds: f64,
    /// CPU time in the kernel, in seconds, waited-for children included.
    pub system_seconds: f64,
    /// Peak resident size of the main process, in bytes (`VmHWM`); none when `ptrace` was refused. Of a server whose
    /// children count, the sum of all peaks.
    pub peak_bytes: Option<u64>,
    /// Resident size of the main process as it ended, in bytes, less pages that it had offered back
    /// (`Rss` less `LazyFree` of `smaps_rollup`); none when that could not be read.
    pub final_bytes: Option<u64>,
    /// Bytes that the main process had offered back as it ended (`MADV_FREE`) and the kernel had not taken yet; none when
    /// that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_bytes: Option<u64>,
    /// Seconds that a fixed piece of work took around the run (the geometric mean of [`crate::pace::seconds`] right before
    /// it and right after; of a server, around its client); none when no one asked, or the kernel refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace_seconds: Option<f64>,
    /// Page faults served without I/O.
    pub minor_faults: u64,
    /// Page faults that waited for I/O.
    pub major_faults: u64,
    /// Times that a thread gave up its core to wait.
    pub voluntary_switches: u64,
    /// Times that a thread was taken off its core for another.
    pub involuntary_switches: u64,
    /// Figures that the program gave of itself on stderr, in lines `metric NAME VALUE`.
    pub metrics: BTreeMap<String, f64>,
    /// Resident size over time, when it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<Point>,
}

impl Sample {
    /// CPU time in user mode and in the kernel, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        self.user_seconds + self.system_seconds
    }
}

/// How large a process was at one moment: `[seconds, rss, pss]` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(from = "(f64, u64, u64)", into = "(f64, u64, u64)")]
pub struct Point {
    /// Time since the process was started, in seconds.
    pub seconds: f64,
    /// Resident size, in bytes.
    pub rss_bytes: u64,
    /// Resident size with shared pages divided among those who share them, in bytes.
    pub pss_bytes: u64,
}

impl From<(f64, u64, u64)> for Point {
    fn from((seconds, rss_bytes, pss_bytes): (f64, u64, u64)) -> Self {
        Self { seconds, rss_bytes, pss_bytes }
    }
}

impl From<Point> for (f64, u64, u64) {
    fn from(point: Point) -> Self {
        (point.seconds, point.rss_bytes, point.pss_bytes)
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this status.
    Status(i32),
    /// This signal ended it.
    Signal(Signal),
}

impl Exit {
    /// From what `wait` tells of a process that has ended.
    pub(super) fn from_raw(status: i32) -> Self {
        if libc::WIFEXITED(status) {
            return Self::Status(libc::WEXITSTATUS(status));
        }
        let number = libc::WTERMSIG(status);
        // As a shell puts it, where the signal has no name.
        Signal::try_from(number).map_or(Self::Status(128 + number), Self::Signal)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "status {status}"),
            Self::Signal(signal) => write!(formatter, "signal {signal}"),
        }
    }
}

/// The lines `metric NAME VALUE` of what a program wrote.
pub(super) fn metrics(text: &str) -> BTreeMap<String, f64> {
    let line = |line: &str| {
        let (name, value) = line.strip_prefix("metric ")?.split_once(' ')?;
        let value = value.trim().parse().ok().filter(|value: &f64| value.is_finite())?;
        Some((name.to_owned(), value))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_that_wait_tells() {
        assert_eq!(Exit::from_raw(3 << 8), Exit::Status(3));
        assert_eq!(Exit::from_raw(9), Exit::Signal(Signal::SIGKILL));
        assert_eq!(Exit::from_raw(34), Exit::Status(162), "a real-time signal has no name");
    }

    #[test]
    fn metrics_are_told_from_other_talk() {
        let found = metrics(
            "hello\nmetric operations_per_second 12.5e6\nmetric broken\nmetric also broken\nmetric endless inf\n",
        );
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [("operations_per_second".to_owned(), 12.5e6)]);
    }

    #[test]
    fn older_samples_load_and_new_ones_survive() {
        let old: Sample = serde_json::from_str(r#"{"wall_seconds": 1.5, "metrics": {"a": 2.0}}"#).unwrap();
        assert_eq!((old.wall_seconds, old.peak_bytes, old.metrics["a"]), (1.5, None, 2.0));
        assert!(!serde_json::to_string(&old).unwrap().contains("timeline"));
        let new = Sample { timeline: vec![(0.5, 4096, 2048).into()], ..old };
        let text = serde_json::to_string(&new).unwrap();
        assert!(text.contains("[0.5,4096,2048]"), "{text}");
        assert_eq!(serde_json::from_str::<Sample>(&text).unwrap(), new);
    }
}
