//! Can programs be held to a share of the CPU time?

use brawn_measure::limits;

use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    let mounts = fs_err::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let version = version(&mounts);
    match limits::quota(1.0) {
        Ok(_) => Finding::good(format!("{version}, and groups can be made")),
        Err(error) => {
            let reason =
                std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            let cost =
                "`brawn bench` and `brawn tune` cannot hold programs to a quota of CPU time, only to cores";
            let hint = "run it as root, or: systemd-run --user --scope -p Delegate=yes brawn …";
            Finding::limited(format!("{version}; {reason}"), cost, hint)
        }
    }
}

/// Which version is mounted, by the file systems that `/proc/self/mountinfo` lists after the dash.
fn version(mounts: &str) -> &'static str {
    let has = |kind: &str| {
        mounts
            .lines()
            .any(|line| line.split_once(" - ").is_some_and(|(_, rest)| rest.split(' ').next() == Some(kind)))
    };
    match (has("cgroup"), has("cgroup2")) {
        (false, false) => "none mounted",
        (true, false) => "version 1",
        (false, true) => "version 2",
        (true, true) => "versions 1 and 2",
    }
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_told_by_file_systems() {
        let one = "31 23 0:26 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu\n";
        let two = "24 1 0:21 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(version(one), "version 1");
        assert_eq!(version(two), "version 2");
        assert_eq!(version(&format!("{one}{two}")), "versions 1 and 2");
        assert_eq!(version("24 1 0:21 / /cgroup rw - tmpfs cgroup rw\n"), "none mounted");
    }
}
