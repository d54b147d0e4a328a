//! The small C programs that the tests measure, and what the tests do to this machine.
#![allow(dead_code, reason = "no test uses everything")]

use std::path::PathBuf;
use std::process::Command;

pub const MIB: u64 = 1 << 20;

#[path = "../../../../tests/once.rs"]
mod once;

use once::once;

/// Compiles tests/programs/NAME.c, once for all tests.
pub fn program(name: &str) -> PathBuf {
    let source = format!("{}/tests/programs/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let place = once(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("programs").join(name), |place| {
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"]);
        assert!(
            compiler.arg(place.join(name)).arg(&source).status().unwrap().success(),
            "cc could not compile {source}"
        );
    });
    place.join(name)
}

/// Makes the kernel refuse `ptrace` to this thread and everything that it starts, as containers do.
pub fn refuse_ptrace() {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let mut filter = [
        // The number of the system call is the first field of what a filter sees.
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0),
        libc::sock_filter {
            code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
            jt: 0,
            jf: 1,
            k: libc::SYS_ptrace as u32,
        },
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the filter lives until the kernel has copied it; neither call touches other memory of ours.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
    }
}

/// A file system with room for very little; none where we may not mount one.
pub struct SmallDisk {
    pub folder: tempfile::TempDir,
}

impl SmallDisk {
    pub fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(folder.path());
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        mounted.then_some(Self { folder })
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.folder.path()).status();
    }
}
