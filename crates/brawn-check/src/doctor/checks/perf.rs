//! Can programs be profiled?

use brawn_link::toolchain::on_path;

use super::machine::kernel_setting;
use crate::doctor::Finding;

/// `perf_event_attr` up to its first version, in bytes, and what is set of it.
const ATTRIBUTE_SIZE: usize = 64;
const TYPE_HARDWARE: u32 = 0;
const TYPE_SOFTWARE: u32 = 1;
/// Instructions, of the hardware type; the CPU clock, of the software type.
const INSTRUCTIONS: u64 = 1;
const CPU_CLOCK: u64 = 0;
/// Bits of the flags: not the kernel, not the hypervisor.
const EXCLUDE_KERNEL_AND_HYPERVISOR: u64 = 1 << 5 | 1 << 6;

pub(super) fn look() -> Finding {
    const COST: &str = "you cannot see where a program's time goes (`perf record`)";
    let counts = |kind, what| counter(kind, what);
    let paranoid = kernel_setting("kernel.perf_event_paranoid");
    if let Err(error) = counts(TYPE_SOFTWARE, CPU_CLOCK) {
        let hint = match paranoid {
            Some(level) if level > 2 => "sysctl kernel.perf_event_paranoid=1",
            _ => "in a container: --cap-add PERFMON --security-opt seccomp=unconfined",
        };
        return Finding::missing(format!("the kernel refuses: {error}"), COST, hint);
    }
    let hardware = counts(TYPE_HARDWARE, INSTRUCTIONS).is_ok();
    let counters = if hardware { "hardware counters" } else { "no hardware counters (a virtual machine?)" };
    if on_path("perf").is_none() {
        let hint = "apt-get install linux-perf (Debian), linux-tools-generic (Ubuntu)";
        return Finding::limited(format!("no perf on the path; {counters}"), COST, hint);
    }
    if !hardware {
        let cost = "instructions and cache misses cannot be counted; profiles by the clock work";
        return Finding::limited(format!("perf; {counters}"), cost, "use a machine with its own processor");
    }
    Finding::good(format!("perf; {counters}"))
}

/// Opens a counter of this process, and closes it again.
fn counter(kind: u32, what: u64) -> std::io::Result<()> {
    let mut attribute = [0u8; ATTRIBUTE_SIZE];
    attribute[0..4].copy_from_slice(&kind.to_ne_bytes());
    attribute[4..8].copy_from_slice(&(ATTRIBUTE_SIZE as u32).to_ne_bytes());
    attribute[8..16].copy_from_slice(&what.to_ne_bytes());
    attribute[40..48].copy_from_slice(&EXCLUDE_KERNEL_AND_HYPERVISOR.to_ne_bytes());
    let (this_process, any_core, no_group, flags) = (0, -1, -1, 0);
    // SAFETY: the attribute is as long as it says, and the rest are numbers.
    let file = unsafe {
        libc::syscall(libc::SYS_perf_event_open, attribute.as_ptr(), this_process, any_core, no_group, flags)
    };
    let Ok(file) = i32::try_from(file) else { return Err(std::io::Error::other("not a file")) };
    if file < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: it was opened here, and no one else knows it.
    unsafe { libc::close(file) };
    Ok(())
}
