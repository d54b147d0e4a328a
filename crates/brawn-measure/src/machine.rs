//! What the figures were measured on, without a word about whose machine it is.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

/// The parts of a machine that change measurements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Caches of the first core, the nearest first.
    #[serde(default)]
    pub caches: Vec<Cache>,
    /// Whether this is a virtual machine: it shares its cores with others that it cannot see. None where nothing tells.
    #[serde(default)]
    pub virtual_machine: Option<bool>,
    /// What sets the clock rate, as the kernel calls it: `performance`, `powersave`; empty where it does not tell.
    #[serde(default)]
    pub governor: String,
    /// Whether the clock rate may rise above the nominal one for a while; none where the kernel does not tell.
    #[serde(default)]
    pub turbo: Option<bool>,
    /// Version of the control groups: `v1`, `v2` or `v1 and v2`; empty without any.
    #[serde(default)]
    pub control_groups: String,
    /// The system's own C library, with its version; empty where none was found.
    #[serde(default)]
    pub libc: String,
}

/// One cache of a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cache {
    /// Level and, where there are two of it, kind: `L1d`, `L1i`, `L2`.
    pub name: String,
    /// Size, in bytes.
    pub bytes: u64,
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
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            virtual_machine: is_virtual(&read("/proc/cpuinfo"), Path::new("/sys/hypervisor/type").exists()),
            governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").trim().to_owned(),
            turbo: turbo(
                &read("/sys/devices/system/cpu/intel_pstate/no_turbo"),
                &read("/sys/devices/system/cpu/cpufreq/boost"),
            ),
            control_groups: control_groups(&read("/proc/self/mountinfo")),
            libc: system_libc(),
        }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        format!(
            "{} ({}), {} cores{}, {}, {}, Linux {}, huge pages: {}, load {:.1}",
            self.processor,
            self.architecture,
            self.cores,
            if self.virtual_machine == Some(true) { " of a virtual machine" } else { "" },
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

/// The caches in a folder of sysfs, the nearest first.
fn caches(folder: &Path) -> Vec<Cache> {
    let cache = |index: usize| {
        let read = |file: &str| fs_err::read_to_string(folder.join(format!("index{index}/{file}"))).ok();
        let kind = match read("type")?.trim() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        let size = read("size")?;
        let kibibytes: u64 = size.trim().strip_suffix('K')?.parse().ok()?;
        Some(Cache { name: format!("L{}{kind}", read("level")?.trim()), bytes: kibibytes * 1024 })
    };
    (0..).map_while(cache).collect()
}

/// Hypervisors show themselves by a flag on x86_64, where its absence says something, too, and some in sysfs.
fn is_virtual(cpuinfo: &str, in_sysfs: bool) -> Option<bool> {
    let flags = field(cpuinfo, "flags", ':');
    let flagged = flags.map(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    if in_sysfs { Some(true) } else { flagged }
}

/// From what the kernel's drivers tell: Intel's whether turbo is off, the others whether it is on.
fn turbo(no_turbo: &str, boost: &str) -> Option<bool> {
    match (no_turbo.trim(), boost.trim()) {
        ("0", _) | ("", "1") => Some(true),
        ("1", _) | ("", "0") => Some(false),
        _ => None,
    }
}

fn control_groups(mountinfo: &str) -> String {
    let mounted = |name: &str| {
        mountinfo
            .lines()
            .any(|line| line.split_once(" - ").is_some_and(|(_, rest)| rest.split(' ').next() == Some(name)))
    };
    match (mounted("cgroup"), mounted("cgroup2")) {
        (true, true) => "v1 and v2",
        (true, false) => "v1",
        (false, true) => "v2",
        (false, false) => "",
    }
    .to_owned()
}

/// What `ldd` says of the library that it belongs to.
fn system_libc() -> String {
    let output = Command::new("ldd").arg("--version").stdin(Stdio::null()).output();
    let Ok(output) = output else { return String::new() };
    libc_of(&String::from_utf8_lossy(&output.stdout), &String::from_utf8_lossy(&output.stderr))
}

/// glibc tells its version at the end of the first line, musl behind a word on stderr.
fn libc_of(stdout: &str, stderr: &str) -> String {
    if stderr.starts_with("musl") {
        let version = stderr.lines().find_map(|line| line.strip_prefix("Version "));
        return version.map_or_else(|| "musl".to_owned(), |version| format!("musl {}", version.trim()));
    }
    let first = stdout.lines().next().unwrap_or_default();
    match first.rsplit(' ').next() {
        Some(version) if version.starts_with(|first: char| first.is_ascii_digit()) => {
            format!("glibc {version}")
        }
        _ => String::new(),
    }
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
    fn caches_are_read_nearest_first() {
        let folder = tempfile::tempdir().unwrap();
        for (index, level, kind, size) in
            [(0, "1", "Data", "48K"), (1, "1", "Instruction", "32K"), (2, "2", "Unified", "2048K")]
        {
            let cache = folder.path().join(format!("index{index}"));
            fs_err::create_dir(&cache).unwrap();
            for (file, text) in [("level", level), ("type", kind), ("size", size)] {
                fs_err::write(cache.join(file), format!("{text}\n")).unwrap();
            }
        }
        let found: Vec<(String, u64)> =
            caches(folder.path()).into_iter().map(|cache| (cache.name, cache.bytes >> 10)).collect();
        assert_eq!(found, [("L1d".into(), 48), ("L1i".into(), 32), ("L2".into(), 2048)]);
        assert!(caches(Path::new("/nonexistent")).is_empty());
    }

    #[test]
    fn what_changes_the_clock_rate_is_told() {
        assert_eq!(is_virtual("flags\t\t: fpu hypervisor lm\n", false), Some(true));
        assert_eq!(is_virtual("flags\t\t: fpu lm\n", false), Some(false));
        assert_eq!((is_virtual("Features: fp\n", false), is_virtual("", true)), (None, Some(true)));
        assert_eq!(
            [turbo("0\n", ""), turbo("1\n", ""), turbo("", "1\n")],
            [Some(true), Some(false), Some(true)]
        );
        assert_eq!(turbo("", ""), None);
    }

    #[test]
    fn control_groups_and_libc_are_named() {
        let (one, two) =
            ("9 1 0:2 / /a rw - cgroup cgroup rw,cpu\n", "9 1 0:2 / /a rw - cgroup2 cgroup2 rw\n");
        assert_eq!([control_groups(one), control_groups(two), control_groups("")], ["v1", "v2", ""]);
        assert_eq!(control_groups(&format!("{one}{two}")), "v1 and v2");
        assert_eq!(libc_of("ldd (Debian GLIBC 2.36-9+deb12u9) 2.36\nCopyright\n", ""), "glibc 2.36");
        assert_eq!(libc_of("", "musl libc (x86_64)\nVersion 1.2.5\nDynamic Program Loader\n"), "musl 1.2.5");
        assert_eq!(libc_of("", ""), "");
    }

    #[test]
    fn this_machine_has_cores_memory_and_a_kernel() {
        let machine = Machine::read();
        assert!(machine.cores > 0 && machine.memory_bytes > 1 << 20 && !machine.kernel.is_empty());
    }
}
