//! Finding rustc's folders, and linkers.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;

use crate::{Error, vars};

/// A Rust toolchain: the one that cargo would use here.
#[derive(Clone, Debug)]
pub struct Rust {
    /// rustc's folder.
    pub sysroot: PathBuf,
    /// The triple of the machine that it runs on.
    pub host: String,
}

impl Rust {
    /// Asks rustc, in the current folder, so that rustup's overrides hold.
    pub fn find() -> Result<Rust, Error> {
        let rustc = vars::get("RUSTC").unwrap_or_else(|| "rustc".into());
        let text = query(Command::new(&rustc).args(["--print", "sysroot", "--print", "host-tuple"]))?;
        let mut lines = text.lines();
        match (lines.next(), lines.next()) {
            (Some(sysroot), Some(host)) => Ok(Rust { sysroot: sysroot.into(), host: host.to_owned() }),
            _ => Err(Error::Query { command: rustc, stderr: format!("unexpected answer: {text}") }),
        }
    }

    /// The folder of musl's start files and libc.a for a musl target, if the target is installed.
    pub fn self_contained(&self, arch: Arch) -> Result<PathBuf, Error> {
        let triple = arch.musl_triple();
        let folder = self.sysroot.join("lib/rustlib").join(triple).join("lib/self-contained");
        if folder.join("libc.a").exists() {
            Ok(folder)
        } else {
            Err(Error::NoRustTarget { sysroot: self.sysroot.clone(), triple: triple.to_owned() })
        }
    }

    /// The triple of a musl target as this toolchain calls it: Alpine's own Rust has a vendor of its own.
    pub fn triple(&self, arch: Arch) -> String {
        if musl_arch(&self.host).is_ok_and(|host| host == arch) {
            self.host.clone()
        } else {
            arch.musl_triple().to_owned()
        }
    }

    /// The musl targets that are installed.
    pub fn musl_targets(&self) -> Vec<Arch> {
        Arch::ALL.into_iter().filter(|arch| self.self_contained(*arch).is_ok()).collect()
    }

    /// The linker that every rustup toolchain brings; it links for every architecture.
    pub fn rust_lld(&self) -> Option<PathBuf> {
        let path = self.sysroot.join("lib/rustlib").join(&self.host).join("bin/rust-lld");
        path.exists().then_some(path)
    }
}

/// The cargo that called us as `cargo brawn`, or the one on PATH.
pub(crate) fn cargo() -> String {
    vars::get("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The architecture of a target triple that Brawn can build for.
pub fn musl_arch(triple: &str) -> Result<Arch, Error> {
    Arch::ALL
        .into_iter()
        .find(|arch| arch.musl_triple() == triple)
        .or_else(|| {
            // Alpine's own toolchain says `alpine` where rustup's says `unknown`.
            let arch = Arch::from_triple(triple)?;
            (triple.ends_with("-linux-musl")).then_some(arch)
        })
        .ok_or_else(|| Error::Target { triple: triple.to_owned() })
}

/// The same, or this machine's where there is none.
pub fn arch_of(triple: Option<&str>) -> Result<Arch, Error> {
    let host = || Arch::host().ok_or_else(|| Error::Target { triple: std::env::consts::ARCH.to_owned() });
    triple.map_or_else(host, musl_arch)
}

/// Runs a command that answers on standard output.
pub(crate) fn query(command: &mut Command) -> Result<String, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|source| Error::Spawn { program, source })?;
    if !output.status.success() {
        return Err(Error::Query {
            command: display(command),
            stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A command line for messages.
pub(crate) fn display(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The file that `name` would run, as a shell looks it up.
pub fn on_path(name: &str) -> Option<PathBuf> {
    on_path_of(name, &std::env::var_os("PATH")?)
}

/// The same with another `PATH`.
pub(crate) fn on_path_of(name: &str, path: &OsStr) -> Option<PathBuf> {
    if name.contains('/') {
        return is_executable(Path::new(name)).then(|| name.into());
    }
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_musl_triples_are_targets() {
        assert_eq!(musl_arch("x86_64-unknown-linux-musl").unwrap(), Arch::X86_64);
        assert_eq!(musl_arch("aarch64-alpine-linux-musl").unwrap(), Arch::Aarch64);
        for wrong in
            ["x86_64-unknown-linux-gnu", "riscv64gc-unknown-linux-musl", "x86_64-unknown-linux-muslabi64"]
        {
            assert!(matches!(musl_arch(wrong), Err(Error::Target { .. })), "{wrong}");
        }
    }
}
