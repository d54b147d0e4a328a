//! How large a process is, from `/proc`.

use nix::unistd::Pid;

/// Sizes out of `smaps_rollup`, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Resident {
    pub rss: u64,
    pub pss: u64,
    /// Pages that the process has offered back (`MADV_FREE`) and the kernel has not needed yet.
    pub lazily_freed: u64,
}

impl Resident {
    /// None when the process is gone or may not be looked at.
    pub(super) fn read(pid: Pid) -> Option<Self> {
        Self::parse(&read(pid, "smaps_rollup"))
    }

    fn parse(rollup: &str) -> Option<Self> {
        Some(Self {
            rss: kibibytes(rollup, "Rss")?,
            pss: kibibytes(rollup, "Pss").unwrap_or(0),
            lazily_freed: kibibytes(rollup, "LazyFree").unwrap_or(0),
        })
    }

    /// What the process holds: the resident size less what it has offered back.
    pub(super) fn held(&self) -> u64 {
        self.rss.saturating_sub(self.lazily_freed)
    }
}

/// The largest resident size that a process has had, in bytes, given what it is now.
///
/// Newer kernels count pages per core and add up rarely: for a process of half a MiB `VmHWM` can lie a hundred KiB below what
/// `smaps_rollup`, which walks the page tables, finds at the same moment.
pub(super) fn peak(pid: Pid, now: Option<&Resident>) -> Option<u64> {
    let recorded = kibibytes(&read(pid, "status"), "VmHWM")?;
    Some(now.map_or(recorded, |now| recorded.max(now.rss)))
}

fn read(pid: Pid, file: &str) -> String {
    fs_err::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default()
}

/// The value of a line `KEY:   123 kB`, in bytes.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_tables_are_read_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t    1234 kB\nVmRSS:\t  12 kB\n";
        assert_eq!(kibibytes(status, "VmHWM"), Some(1234 * 1024));
        assert_eq!(kibibytes(status, "VmPeak"), None);
        assert_eq!(kibibytes("VmHWM: many kB\n", "VmHWM"), None);
        assert_eq!(kibibytes(&format!("Rss: {} kB\n", u64::MAX), "Rss"), None);
    }

    #[test]
    fn offered_pages_are_not_held() {
        let rollup =
            "00400000-7ffd ---p 00000000 00:00 0 [rollup]\nRss: 100 kB\nPss: 60 kB\nLazyFree: 30 kB\n";
        let resident = Resident::parse(rollup).unwrap();
        assert_eq!((resident.pss, resident.held()), (60 * 1024, 70 * 1024));
        assert_eq!(Resident::parse(""), None);
    }
}
