//! Which system calls look for something, and what they look for.

use std::io::IoSliceMut;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// Something that a program looked for outside itself, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Access {
    /// A path from the root on, or an address such as `192.0.2.1:443`.
    pub target: String,
    /// What it wanted to do.
    pub operation: Operation,
    /// The kernel's answer when it was no: an `errno`.
    pub error: Option<i32>,
    /// How often.
    pub count: u64,
}

brawn_base::named! {
    /// What a program wanted to do with something outside itself.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Operation {
        /// Read or write a file or folder that is there.
        Open = "opened",
        /// Ask whether it is there, or what it is.
        Look = "looked for",
        /// Make a file or folder.
        Create = "made",
        /// Run a program.
        Execute = "ran",
        /// Talk to a socket.
        Connect = "connected to",
    }
}

/// A call on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub target: String,
    pub operation: Operation,
}

/// Where a call has its path: the number of the argument with the folder, if there is one, and of that with the path.
struct Shape {
    operation: Operation,
    folder: Option<usize>,
    path: usize,
    /// The number of the argument with the flags of `open`.
    flags: Option<usize>,
}

const fn shape(operation: Operation, folder: Option<usize>, path: usize) -> Option<Shape> {
    Some(Shape { operation, folder, path, flags: None })
}

#[cfg(target_arch = "x86_64")]
const fn older(number: libc::c_long) -> Option<Shape> {
    match number {
        libc::SYS_open => Some(Shape { operation: Operation::Open, folder: None, path: 0, flags: Some(1) }),
        libc::SYS_creat | libc::SYS_mkdir => shape(Operation::Create, None, 0),
        libc::SYS_stat | libc::SYS_lstat | libc::SYS_access | libc::SYS_readlink => {
            shape(Operation::Look, None, 0)
        }
        _ => None,
    }
}

#[cfg(not(target_arch = "x86_64"))]
const fn older(_: libc::c_long) -> Option<Shape> {
    None
}

const fn shape_of(number: libc::c_long) -> Option<Shape> {
    match number {
        libc::SYS_openat => {
            Some(Shape { operation: Operation::Open, folder: Some(0), path: 1, flags: Some(2) })
        }
        libc::SYS_openat2 => shape(Operation::Open, Some(0), 1),
        libc::SYS_newfstatat
        | libc::SYS_statx
        | libc::SYS_faccessat
        | libc::SYS_faccessat2
        | libc::SYS_readlinkat => shape(Operation::Look, Some(0), 1),
        libc::SYS_mkdirat | libc::SYS_mknodat => shape(Operation::Create, Some(0), 1),
        libc::SYS_chdir | libc::SYS_statfs => shape(Operation::Look, None, 0),
        libc::SYS_inotify_add_watch => shape(Operation::Look, None, 1),
        libc::SYS_execve => shape(Operation::Execute, None, 0),
        libc::SYS_execveat => shape(Operation::Execute, Some(0), 1),
        number => older(number),
    }
}

/// What a system call that is about to be made looks for, if anything. `root` is the program's root as this process sees
/// it.
pub(super) fn wanted(pid: Pid, number: libc::c_long, arguments: &[u64; 6], root: &Path) -> Option<Wanted> {
    if number == libc::SYS_connect {
        let length = usize::try_from(arguments[2]).ok()?.min(128);
        let target = address(&memory(pid, arguments[1], length))?;
        return Some(Wanted { target, operation: Operation::Connect });
    }
    let shape = shape_of(number)?;
    let path = text(pid, arguments[shape.path]);
    // With an empty path, the call is about an open file.
    if path.is_empty() {
        return None;
    }
    let creates = shape.flags.is_some_and(|flags| arguments[flags] & libc::O_CREAT as u64 != 0);
    let operation = if creates { Operation::Create } else { shape.operation };
    if path.starts_with('/') {
        return Some(Wanted { target: tidy(&path), operation });
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a file descriptor is an int, and the rest of the register noise"
    )]
    let folder = shape.folder.map_or(libc::AT_FDCWD, |folder| arguments[folder] as i32);
    let link = match folder {
        libc::AT_FDCWD => format!("/proc/{pid}/cwd"),
        folder => format!("/proc/{pid}/fd/{folder}"),
    };
    let folder = fs_err::read_link(link).unwrap_or_else(|_| "/".into());
    let folder = folder.strip_prefix(root).map_or(folder.clone(), |inside| Path::new("/").join(inside));
    Some(Wanted { target: tidy(&format!("{}/{path}", folder.display())), operation })
}

/// Without doubled slashes and points.
fn tidy(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The address in a `sockaddr`: a path, a name of the abstract sort after `@`, or an address with its port. None for
/// other families and for what is cut off.
fn address(bytes: &[u8]) -> Option<String> {
    let family = i32::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
    let port = || Some(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?));
    match family {
        libc::AF_UNIX => {
            let name = &bytes[2..];
            let (sign, name) = match name {
                [0, rest @ ..] => ("@", rest),
                name => ("", name),
            };
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            Some(format!("{sign}{}", String::from_utf8_lossy(name)))
        }
        libc::AF_INET => {
            let address: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
            Some(SocketAddr::from((Ipv4Addr::from(address), port()?)).to_string())
        }
        libc::AF_INET6 => {
            let address: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
            Some(SocketAddr::from((Ipv6Addr::from(address), port()?)).to_string())
        }
        _ => None,
    }
}

/// The program's memory from `address` on; shorter where it ends.
fn memory(pid: Pid, address: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let Ok(base) = usize::try_from(address) else { return Vec::new() };
    let remote = RemoteIoVec { base, len: length };
    let read = process_vm_readv(pid, &mut [IoSliceMut::new(&mut bytes)], &[remote]).unwrap_or(0);
    bytes.truncate(read);
    bytes
}

/// The text at `address`, up to its end or the longest path (4,096 bytes).
fn text(pid: Pid, address: u64) -> String {
    const PAGE: u64 = 4096;
    let mut text = Vec::new();
    let mut at = address;
    while text.len() < libc::PATH_MAX as usize {
        // To the end of the page: the next may not be there.
        let length = usize::try_from(PAGE - at % PAGE).expect("at most a page");
        let piece = memory(pid, at, length);
        if let Some(end) = piece.iter().position(|byte| *byte == 0) {
            text.extend_from_slice(&piece[..end]);
            break;
        }
        text.extend_from_slice(&piece);
        if piece.len() < length {
            break;
        }
        at = at.saturating_add(length as u64);
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_tidy() {
        assert_eq!(tidy("//etc/./ssl//certs/../cert.pem"), "/etc/ssl/cert.pem");
        assert_eq!(tidy("/../.."), "/");
    }

    #[test]
    fn addresses_of_each_family_are_read_and_damage_is_not() {
        let mut inet = 2u16.to_ne_bytes().to_vec();
        inet.extend([0x01, 0xbb, 192, 0, 2, 1]);
        assert_eq!(address(&inet).as_deref(), Some("192.0.2.1:443"));
        assert_eq!(address(&inet[..6]), None);
        let mut inet6 = 10u16.to_ne_bytes().to_vec();
        inet6.extend([0, 53, 0, 0, 0, 0]);
        inet6.extend([0; 15]);
        inet6.push(1);
        assert_eq!(address(&inet6).as_deref(), Some("[::1]:53"));
        let unix = [&1u16.to_ne_bytes()[..], b"/dev/log\0"].concat();
        assert_eq!(address(&unix).as_deref(), Some("/dev/log"));
        let unnamed = [&1u16.to_ne_bytes()[..], b"\0bus\0"].concat();
        assert_eq!(address(&unnamed).as_deref(), Some("@bus"));
        assert_eq!(address(&[16, 0, 0, 0]), None);
        assert_eq!(address(&[]), None);
    }
}
