//! What a program's loader will do.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use brawn_elf::{Arch, Image};
use object::elf::PT_INTERP;

use crate::{Error, Libc};

/// A program that takes a library.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable that the kernel starts: the program itself, or a script's interpreter.
    pub executable: PathBuf,
    /// The libc that it loads.
    pub libc: Libc,
    /// The architecture that it is for.
    pub arch: Arch,
}

/// Bytes of a program that are read first. What names the loader is almost always in them.
const HEAD: u64 = 64 << 10;

/// A script's interpreter may be a script, and so on; the kernel follows five.
const SCRIPTS: usize = 5;

impl Program {
    /// Looks at the executable that starting this file leads to.
    ///
    /// # Errors
    /// Whatever keeps its loader from taking a library, each with an error of its own.
    pub fn look(path: &Path) -> Result<Program, Error> {
        let mut executable = path.to_owned();
        for _ in 0..=SCRIPTS {
            let head = head(&executable)?;
            match interpreter(&head) {
                Some(interpreter) => executable = interpreter,
                None => return look_into(executable, head),
            }
        }
        Err(Error::ScriptsWithoutEnd { path: path.to_owned() })
    }
}

/// The libc that the programs of this system load: its shell's.
///
/// # Errors
/// [`Error::UnknownSystem`].
pub fn libc_of_system() -> Result<Libc, Error> {
    let shell = Path::new("/bin/sh");
    let unknown = |_| Error::UnknownSystem { path: shell.to_owned() };
    Program::look(shell).map(|program| program.libc).map_err(unknown)
}

fn head(path: &Path) -> Result<Vec<u8>, Error> {
    let mut head = Vec::new();
    brawn_base::file::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// The first word behind a script's `#!`.
fn interpreter(head: &[u8]) -> Option<PathBuf> {
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    line.split_whitespace().next().map(PathBuf::from)
}

fn look_into(path: PathBuf, head: Vec<u8>) -> Result<Program, Error> {
    let damaged = |source| match source {
        brawn_elf::Error::NotElf => Error::NotAProgram { path: path.clone() },
        source => Error::Elf { path: path.clone(), source },
    };
    let loader_in = |data: &[u8]| -> Result<(u16, Option<String>, bool), Error> {
        let image = Image::parse(data).map_err(damaged)?;
        let segment = image.segments.iter().find(|segment| segment.kind == PT_INTERP.0);
        let text = |data: &[u8]| {
            String::from_utf8_lossy(data.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
        };
        let cut_off = segment.is_some_and(|segment| segment.cut_off);
        Ok((image.machine, segment.map(|segment| text(segment.data)), cut_off))
    };
    let (machine, loader, cut_off) = match loader_in(&head)? {
        // Tools that change an executable put the loader's name at its end.
        (_, _, true) => loader_in(&brawn_base::file::elf(&path)?)?,
        found => found,
    };
    if cut_off {
        let reason = "the file ends before it".to_owned();
        let source = brawn_elf::Error::Damaged { what: "the name of its loader", reason };
        return Err(Error::Elf { path, source });
    }
    let Some(loader) = loader else { return Err(Error::Static { path }) };
    let arch = Arch::ALL.into_iter().find(|arch| arch.elf_machine() == machine);
    let arch = arch.ok_or_else(|| Error::Architecture {
        path: path.clone(),
        found: format!("another processor (ELF machine {machine})"),
    })?;
    let name = loader.rsplit('/').next().unwrap_or_default();
    let libc = if name.starts_with("ld-musl-") {
        Libc::Musl
    } else if name.starts_with("ld-linux-") {
        Libc::Glibc
    } else {
        return Err(Error::UnknownLoader { path, loader });
    };
    if let Some(what) = privileges(&path)? {
        return Err(Error::Privileged { path, what });
    }
    Ok(Program { executable: path, libc, arch })
}

/// What makes the kernel start this file with other rights than its caller's.
fn privileges(path: &Path) -> Result<Option<&'static str>, Error> {
    const SET_USER: u32 = 0o4000;
    /// Without the group's right to execute, the bit means something else.
    const SET_GROUP: u32 = 0o2010;
    let data = fs_err::metadata(path)?;
    let user = rustix::process::geteuid();
    if data.mode() & SET_USER != 0 && data.uid() != user.as_raw() {
        return Ok(Some("runs as its owner (set-user-ID)"));
    }
    if data.mode() & SET_GROUP == SET_GROUP && data.gid() != rustix::process::getegid().as_raw() {
        return Ok(Some("runs with its group (set-group-ID)"));
    }
    let mut room = [0u8; 64];
    let capable = rustix::fs::getxattr(path, "security.capability", &mut room).is_ok();
    Ok((capable && !user.is_root()).then_some("has capabilities of its own"))
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn file(folder: &tempfile::TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = folder.path().join(name);
        fs_err::write(&path, bytes).unwrap();
        path
    }

    /// An executable with one program header that names a loader, behind `gap` bytes of nothing.
    fn elf(machine: u16, loader: Option<&str>, gap: usize) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(16, 0);
        bytes.extend(2u16.to_le_bytes());
        bytes.extend(machine.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        for field in [0u64, 64, 0] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(0u32.to_le_bytes());
        for field in [64u16, 56, u16::from(loader.is_some()), 64, 0, 0] {
            bytes.extend(field.to_le_bytes());
        }
        if let Some(loader) = loader {
            let start = (64 + 56 + gap) as u64;
            let size = loader.len() as u64 + 1;
            bytes.extend(3u32.to_le_bytes());
            bytes.extend(4u32.to_le_bytes());
            for field in [start, start, start, size, size, 1] {
                bytes.extend(field.to_le_bytes());
            }
            bytes.resize(64 + 56 + gap, 0);
            bytes.extend(loader.as_bytes());
            bytes.push(0);
        }
        bytes
    }

    const X86_64: u16 = 62;
    const GLIBC: &str = "/lib64/ld-linux-x86-64.so.2";

    #[test]
    fn the_loader_says_which_libc_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let look = |bytes: Vec<u8>| Program::look(&file(&folder, "program", bytes));
        let glibc = look(elf(X86_64, Some(GLIBC), 0)).unwrap();
        assert_eq!((glibc.libc, glibc.arch), (Libc::Glibc, Arch::X86_64));
        let musl = look(elf(183, Some("/lib/ld-musl-aarch64.so.1"), 0)).unwrap();
        assert_eq!((musl.libc, musl.arch), (Libc::Musl, Arch::Aarch64));
        let patched = look(elf(X86_64, Some(GLIBC), 200_000)).unwrap();
        assert_eq!(patched.libc, Libc::Glibc, "a loader's name at the end of a file");
    }

    #[test]
    fn programs_without_a_loader_of_ours_are_refused_each_for_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let look = |bytes: Vec<u8>| Program::look(&file(&folder, "program", bytes)).unwrap_err();
        let error = look(elf(X86_64, None, 0));
        assert!(error.to_string().ends_with("no loader that could bring another"), "{error}");
        assert!(error.hint().unwrap().contains("brawn relink"));
        let error = look(elf(X86_64, Some("/system/bin/linker64"), 0));
        assert!(error.to_string().contains("asks for the loader /system/bin/linker64"), "{error}");
        let error = look(elf(243, Some("/lib/ld-linux-riscv64-lp64d.so.1"), 0));
        assert!(matches!(error, Error::Architecture { .. }), "{error}");
        assert!(matches!(look(b"hello".to_vec()), Error::NotAProgram { .. }));
        let mut cut = elf(X86_64, Some(GLIBC), 100);
        cut.truncate(150);
        assert!(matches!(look(cut), Error::Elf { .. }));
    }

    #[test]
    fn scripts_lead_to_their_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let program = file(&folder, "program", elf(X86_64, Some(GLIBC), 0));
        let inner = file(&folder, "inner", format!("#!{}\n", program.display()));
        let outer = file(&folder, "outer", format!("#! {} -x\necho\n", inner.display()));
        assert_eq!(Program::look(&outer).unwrap().executable, program);
        let round = folder.path().join("round");
        fs_err::write(&round, format!("#!{}\n", round.display())).unwrap();
        assert!(matches!(Program::look(&round), Err(Error::ScriptsWithoutEnd { .. })));
    }

    #[test]
    fn a_set_user_id_program_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder, "program", elf(X86_64, Some(GLIBC), 0));
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o4755)).unwrap();
        assert!(Program::look(&path).is_ok(), "one's own has no other rights");
        // Only root can give a file away.
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
            fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o4755)).unwrap();
            let error = Program::look(&path).unwrap_err();
            assert!(error.to_string().contains("set-user-ID"), "{error}");
        }
    }
}
