//! Programs made byte by byte, so that digests are the same wherever the tests run.

// Every test file uses some of this, and none all of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use brawn_elf::Arch;
use brawn_image::{Base, Bundle, Epoch, Executable, Request, Settings};

/// A static executable that prints `hello`. `texts` are constants in it.
pub fn program(arch: Arch, texts: &[&str]) -> Vec<u8> {
    let code: &[u8] = match arch {
        // write(1, message, 6); exit_group(0); the message follows the code.
        Arch::X86_64 => &[
            0xb8, 1, 0, 0, 0, 0xbf, 1, 0, 0, 0, 0x48, 0x8d, 0x35, 16, 0, 0, 0, 0xba, 6, 0, 0, 0, 0x0f, 5,
            0xb8, 231, 0, 0, 0, 0x31, 0xff, 0x0f, 5,
        ],
        // mov x0,1; adr x1,+28; mov x2,6; mov x8,64; svc 0; mov x0,0; mov x8,94; svc 0
        Arch::Aarch64 => &[
            0x20, 0, 0x80, 0xd2, 0xe1, 0, 0, 0x10, 0xc2, 0, 0x80, 0xd2, 8, 8, 0x80, 0xd2, 1, 0, 0, 0xd4, 0,
            0, 0x80, 0xd2, 0xc8, 0x0b, 0x80, 0xd2, 1, 0, 0, 0xd4,
        ],
    };
    let mut body = code.to_vec();
    body.extend_from_slice(b"hello\n\0");
    for text in texts {
        body.extend_from_slice(text.as_bytes());
        body.push(0);
    }
    let headers = 64 + 56;
    let base: u64 = 0x40_0000;
    let length = (headers + body.len()) as u64;
    let mut file = Vec::new();
    file.extend_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend_from_slice(&2u16.to_le_bytes());
    file.extend_from_slice(&arch.elf_machine().to_le_bytes());
    file.extend_from_slice(&1u32.to_le_bytes());
    for word in [base + headers as u64, 64, 0] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    file.extend_from_slice(&0u32.to_le_bytes());
    for half in [64u16, 56, 1, 64, 0, 0] {
        file.extend_from_slice(&half.to_le_bytes());
    }
    // One segment, readable and executable.
    file.extend_from_slice(&1u32.to_le_bytes());
    file.extend_from_slice(&5u32.to_le_bytes());
    for word in [0, base, base, length, length, 0x1000] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    file.extend_from_slice(&body);
    file
}

/// A folder with the program in it.
pub struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox { dir: tempfile::Builder::new().prefix("brawn-image-test-").tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The names in the folder that are not as a test left them: what a failed command forgot.
    pub fn names(&self) -> Vec<String> {
        let entries = fs_err::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn executable(&self, arch: Arch, texts: &[&str]) -> Executable {
        let path = self.path(&format!("hello-{arch}"));
        fs_err::write(&path, program(arch, texts)).unwrap();
        Executable::read(&path, Some("hello")).unwrap()
    }

    /// An image of the program.
    pub fn bundle(&self, settings: &Settings) -> Bundle {
        build(&[self.executable(Arch::X86_64, &[])], settings, None)
    }
}

pub fn build(executables: &[Executable], settings: &Settings, base: Option<&Base>) -> Bundle {
    brawn_image::build(&request(executables, settings, base)).unwrap()
}

pub fn request<'a>(
    executables: &'a [Executable],
    settings: &'a Settings,
    base: Option<&'a Base>,
) -> Request<'a> {
    Request { executables, settings, base, beside: &[], package: None, epoch: Epoch::default() }
}

pub fn with(parts: &[&str]) -> Settings {
    Settings { with: parts.iter().map(|part| (*part).to_owned()).collect(), ..Settings::default() }
}

/// Writes a layout, and gives its folder.
pub fn layout(sandbox: &Sandbox, name: &str, bundle: &Bundle) -> PathBuf {
    let path = sandbox.path(name);
    brawn_image::sink::layout(bundle, &path, &"hello".parse().unwrap()).unwrap();
    path
}

/// Changes one byte of a file.
pub fn corrupt(path: &Path) {
    let mut bytes = fs_err::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs_err::write(path, bytes).unwrap();
}
