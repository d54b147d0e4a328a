//! May programs be traced?

use super::machine::kernel_setting;
use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    match crate::can_trace() {
        Ok(()) => Finding::good("programs can be traced"),
        Err(error) => {
            let hint = match kernel_setting("kernel.yama.ptrace_scope") {
                Some(scope) if scope > 1 => "sysctl kernel.yama.ptrace_scope=1",
                _ => "in a container: --cap-add SYS_PTRACE --security-opt seccomp=unconfined",
            };
            let cost = "`brawn bench` measures no memory, and `brawn check` only looks at the file";
            Finding::missing(error.to_string(), cost, hint)
        }
    }
}
