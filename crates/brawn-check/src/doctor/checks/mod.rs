//! One file for each thing that is looked at.

mod c_compiler;
mod cache;
mod cgroup;
mod kit;
mod leftovers;
mod linker;
mod machine;
mod musl_target;
mod perf;
mod ptrace;
mod registry;
mod rust_toolchain;
mod user_namespaces;

use crate::doctor::Finding;

/// Something that is looked at.
#[derive(Debug)]
pub struct Check {
    /// Its name, which its finding bears.
    pub name: &'static str,
    /// Looks.
    pub look: fn() -> Finding,
}

/// Everything that is looked at, what the main job needs first.
pub const CHECKS: &[Check] = &[
    Check { name: rust_toolchain::NAME, look: rust_toolchain::look },
    Check { name: musl_target::NAME, look: musl_target::look },
    Check { name: linker::NAME, look: linker::look },
    Check { name: c_compiler::NAME, look: c_compiler::look },
    Check { name: kit::NAME, look: kit::look },
    Check { name: cache::NAME, look: cache::look },
    Check { name: ptrace::NAME, look: ptrace::look },
    Check { name: user_namespaces::NAME, look: user_namespaces::look },
    Check { name: perf::NAME, look: perf::look },
    Check { name: cgroup::NAME, look: cgroup::look },
    Check { name: leftovers::NAME, look: leftovers::look },
    Check { name: registry::NAME, look: registry::look },
];
