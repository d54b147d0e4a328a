//! What the figures were measured on, without a word about whose machine it is.

use serde::{Deserialize, Serialize};

/// The parts of a machine that change measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Machine {
    /// Architecture, as the kernel calls it.
    pub architecture: String,
    /// Name of the processor; empty where the kernel does not tell.
    pub processor: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Main memory, in bytes.
    pub memory_bytes: u64,
    /// Release of the kernel.
    pub kernel: String,
    /// Name and version of the distribution.
    pub system: String,
    /// When transparent huge pages are used: `always`, `madvise` or `never`.
    pub huge_pages: String,
    /// Processes that wanted to run in the last minute, on average, before the measurement began.
    pub load: f64,
}

impl Machine {
    /// Reads the description of this machine from the kernel; what it does not tell is left empty or 0.
    pub fn read() -> Self {
        let read = |path: &str| fs_err::read_to_string(path).unwrap_or_default();
        let uname = rustix::system::uname();
        Self {
            architecture: uname.machine().to_string_lossy().into_owned(),
            processor: field(&read("/proc/cpuinfo"), "model name", ':').unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: memory_bytes(&read("/proc/meminfo")),
            kernel: uname.release().to_string_lossy().into_owned(),
            system: field(&read("/etc/os-release"), "PRETTY_NAME", '=').unwrap_or_default(),
            huge_pages: chosen(&read("/sys/kernel/mm/transparent_hugepage/enabled")),
            load: read("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0),
        }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        format!(
            "{} ({}), {} cores, {}, {}, Linux {}, huge pages: {}, load {:.1}",
            self.processor,
            self.architecture,
            self.cores,
            crate::format::bytes(self.memory_bytes as f64),
            self.system,
            self.kernel,
            self.huge_pages,
            self.load
        )
    }
}

/// The value after `key` and the separator, without quotes.
fn field(text: &str, key: &str, separator: char) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(separator)?;
        (name.trim() == key).then(|| value.trim().trim_matches('"').to_owned())
    })
}

fn memory_bytes(meminfo: &str) -> u64 {
    field(meminfo, "MemTotal", ':')
        .and_then(|value| value.strip_suffix("kB")?.trim().parse::<u64>().ok())
        .map_or(0, |kibibytes| kibibytes * 1024)
}

/// The word in brackets, which is how the kernel marks the choice in force.
fn chosen(choices: &str) -> String {
    choices
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or(String::new(), |(word, _)| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_files_are_understood() {
        assert_eq!(field("a : b\nmodel name\t: Some CPU\n", "model name", ':').unwrap(), "Some CPU");
        assert_eq!(field("PRETTY_NAME=\"An OS\"\n", "PRETTY_NAME", '=').unwrap(), "An OS");
        assert_eq!(memory_bytes("MemTotal:       24576 kB\n"), 24576 * 1024);
        assert_eq!(memory_bytes(""), 0);
        assert_eq!(chosen("always [madvise] never\n"), "madvise");
        assert_eq!(chosen(""), "");
    }

    #[test]
    fn this_machine_has_cores_memory_and_a_kernel() {
        let machine = Machine::read();
        assert!(machine.cores > 0 && machine.memory_bytes > 1 << 20 && !machine.kernel.is_empty());
    }
}
