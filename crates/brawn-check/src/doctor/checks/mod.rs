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

pub use registry::login_files;

/// The name of something that is looked at, and what looks.
pub type Check = (&'static str, fn() -> Finding);

/// Everything that is looked at, what the main job needs first.
pub const CHECKS: &[Check] = &[
    ("rust-toolchain", rust_toolchain::look),
    ("musl-target", musl_target::look),
    ("linker", linker::look),
    ("c-compiler", c_compiler::look),
    ("kit", kit::look),
    ("cache", cache::look),
    ("ptrace", ptrace::look),
    ("user-namespaces", user_namespaces::look),
    ("perf", perf::look),
    ("cgroup", cgroup::look),
    ("leftovers", leftovers::look),
    ("registry-login", registry::look),
];
