//! Files that others name: regular ones only, their first bytes first, and no more than a limit.
//!
//! A named pipe would keep a command waiting, a device gives bytes without end, and a sparse file is larger than all memory.
//! Errors are [`io::Error`]s that name the path; those that are about the file, and not about reading it, hold a
//! [`Refusal`].

use std::error::Error;
use std::fmt;
use std::fs::{FileType, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{FileExt as _, FileTypeExt as _};
use std::path::{Path, PathBuf};

use fs_err::File;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use rustix::fs::OFlags;

use crate::text::shown;

/// Most bytes of an executable, a library or an object file: 4 GiB, twice the largest with debug information that are
/// known.
pub const OBJECT: u64 = 4 << 30;

/// Most bytes of an archive such as a libc.a, which takes some MiB: 128 MiB. Several copies of one are in memory at once.
pub const ARCHIVE: u64 = 128 << 20;

/// Most bytes of a text: settings, manifests, records, results, certificates. 64 MiB.
pub const TEXT: u64 = 64 << 20;

/// How much is read before anything is known about a file, in bytes.
pub const HEAD: usize = 4096;

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is something else than a regular file: what it is.
    NotRegular {
        /// The file.
        path: PathBuf,
        /// `a directory`, `a named pipe`, …
        kind: &'static str,
    },
    /// It is longer than anything of its sort.
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes, as far as it is known.
        size: u64,
        /// The largest that is read, in bytes.
        limit: u64,
    },
}

impl Refusal {
    /// The refusal that an error of the system stands for, if it does.
    pub fn in_io(error: &io::Error) -> Option<&Refusal> {
        error.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotRegular { path, kind } => write!(f, "{} is {kind}, not a regular file", shown(path)),
            Refusal::TooLarge { path, size, limit } => {
                let [size, limit] = [size, limit].map(|bytes| *bytes as f64 / f64::from(1 << 20));
                write!(f, "{} has {size:.0} MiB or more; the limit is {limit:.0} MiB", shown(path))
            }
        }
    }
}

impl Error for Refusal {}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> io::Error {
        let kind = match refusal {
            Refusal::NotRegular { .. } => io::ErrorKind::InvalidInput,
            // Not FileTooLarge, which is what the system says of a file that may not grow.
            Refusal::TooLarge { .. } => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, refusal)
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// A [`Refusal`] for everything else, without waiting for it; or why it cannot be opened.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    // Opening a device can already do something to it, so it is looked at before; what counts is what was opened.
    if let Ok(data) = fs_err::metadata(path) {
        regular(path, &data)?;
    }
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = fs_err::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    regular(path, &file.metadata()?)?;
    Ok(file)
}

fn regular(path: &Path, data: &Metadata) -> io::Result<()> {
    match kind(data.file_type()) {
        None => Ok(()),
        Some(kind) => Err(Refusal::NotRegular { path: path.to_owned(), kind }.into()),
    }
}

fn kind(kind: FileType) -> Option<&'static str> {
    Some(match kind {
        kind if kind.is_file() => return None,
        kind if kind.is_dir() => "a directory",
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_char_device() || kind.is_block_device() => "a device",
        _ => "something else",
    })
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// A [`Refusal`], or why it cannot be read.
pub fn read(path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
    read_if(path, limit, |_| true)
}

/// Reads a regular file of at most `limit` bytes that is UTF-8.
///
/// # Errors
/// A [`Refusal`], or why it cannot be read.
pub fn read_text(path: impl AsRef<Path>, limit: u64) -> io::Result<String> {
    let path = path.as_ref();
    String::from_utf8(read(path, limit)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, format!("{} is not UTF-8 text", shown(path))))
}

/// Reads settings, a manifest or another text of at most [`TEXT`] bytes.
///
/// # Errors
/// A [`Refusal`], or why it cannot be read.
pub fn text(path: impl AsRef<Path>) -> io::Result<String> {
    read_text(path, TEXT)
}

/// Reads an executable or another ELF file of at most [`OBJECT`] bytes; of any other file its first bytes alone.
///
/// # Errors
/// A [`Refusal`], or why it cannot be read.
pub fn elf(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_if(path, OBJECT, |head| head.starts_with(b"\x7fELF"))
}

/// Reads an archive of at most [`ARCHIVE`] bytes; of any other file its first bytes alone.
///
/// # Errors
/// A [`Refusal`], or why it cannot be read.
pub fn archive(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_if(path, ARCHIVE, |head| head.starts_with(b"!<"))
}

/// Reads a regular file whose first bytes, at most [`HEAD`], are what is wanted. Of any other it gives these bytes
/// alone, for a message about what it is. Holes of a sparse file take no memory.
///
/// # Errors
/// A [`Refusal`] of one that is wanted and longer than `limit` bytes, or why it cannot be read.
pub fn read_if(
    path: impl AsRef<Path>,
    limit: u64,
    wanted: impl FnOnce(&[u8]) -> bool,
) -> io::Result<Vec<u8>> {
    let path = path.as_ref();
    let file = open(path)?;
    let mut head = Vec::new();
    (&file).take(HEAD as u64).read_to_end(&mut head)?;
    if !wanted(&head) {
        return Ok(head);
    }
    let too_large = |size| Refusal::TooLarge { path: path.to_owned(), size, limit };
    let size = file.metadata()?.len();
    if size > limit {
        return Err(too_large(size).into());
    }
    let mut bytes = match usize::try_from(size) {
        Ok(size) if size > HEAD => data(&file, size)?,
        _ => head,
    };
    // It may have grown, and files of the kernel do not know their size.
    file.file().seek(SeekFrom::Start(bytes.len() as u64))?;
    let rest = (limit + 1).saturating_sub(bytes.len() as u64);
    (&file).take(rest).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        length if length > limit => Err(too_large(length).into()),
        _ => Ok(bytes),
    }
}

/// The first `size` bytes of a file, of which only those are touched that the file has on disk.
fn data(file: &File, size: usize) -> io::Result<Vec<u8>> {
    // An allocation that fails is an error here, and ends the process below.
    Vec::<u8>::new().try_reserve_exact(size)?;
    let mut bytes = vec![0; size];
    let mut at = 0;
    while at < size {
        let (start, end) = match extent(file, at) {
            Some(extent) => extent,
            // Nothing but a hole up to the end.
            None => break,
        };
        let end = end.min(size);
        let mut from = start.min(size);
        while from < end {
            match file.file().read_at(&mut bytes[from..end], from as u64)? {
                0 => {
                    // It was cut off meanwhile.
                    bytes.truncate(from);
                    return Ok(bytes);
                }
                count => from += count,
            }
        }
        at = end;
    }
    Ok(bytes)
}

/// The next range of data from `at` on; everything, on file systems that know no holes.
fn extent(file: &File, at: usize) -> Option<(usize, usize)> {
    let seek = |from| rustix::fs::seek(file.file(), from);
    match seek(rustix::fs::SeekFrom::Data(at as u64)) {
        Ok(start) => {
            let end = seek(rustix::fs::SeekFrom::Hole(start)).unwrap_or(u64::MAX);
            Some((usize::try_from(start).ok()?, usize::try_from(end).unwrap_or(usize::MAX)))
        }
        Err(rustix::io::Errno::NXIO) => None,
        Err(_) => Some((at, usize::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(folder: &Path, name: &str, head: &[u8], size: u64) -> PathBuf {
        let path = folder.join(name);
        fs_err::write(&path, head).unwrap();
        let file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(size).unwrap();
        path
    }

    fn refused(result: io::Result<Vec<u8>>) -> String {
        let error = result.unwrap_err();
        let refusal = Refusal::in_io(&error).expect("a refusal");
        assert_eq!(error.to_string(), refusal.to_string());
        refusal.to_string()
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fi\nfo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(refused(read(&fifo, TEXT)).ends_with(r"fi\nfo is a named pipe, not a regular file"));
        assert!(refused(read(folder.path(), TEXT)).ends_with(" is a directory, not a regular file"));
        assert!(refused(read(&socket, TEXT)).ends_with(" is a socket, not a regular file"));
        assert_eq!(refused(read("/dev/zero", TEXT)), "/dev/zero is a device, not a regular file");
    }

    #[test]
    fn limits_hold_and_name_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let large = sparse(folder.path(), "large", b"\x7fELF", 20 << 30);
        let message = refused(read(&large, OBJECT));
        assert!(message.ends_with("large has 20480 MiB or more; the limit is 4096 MiB"), "{message}");
        assert_eq!(read_if(&large, OBJECT, |head| head.starts_with(b"!<arch>")).unwrap().len(), HEAD);
        let exact = sparse(folder.path(), "exact", b"", 10_000);
        assert_eq!(read(&exact, 10_000).unwrap().len(), 10_000);
        assert!(refused(read(&exact, 9_999)).contains("limit"));
    }

    #[test]
    fn files_are_read_whole_with_their_holes() {
        let folder = tempfile::tempdir().unwrap();
        let path = sparse(folder.path(), "file", b"begin", 3 << 20);
        let file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
        file.file().write_all_at(b"middle", 1 << 20).unwrap();
        file.file().write_all_at(b"end", (3 << 20) - 3).unwrap();
        assert!(read(&path, TEXT).unwrap() == fs_err::read(&path).unwrap());
        for size in [0, 1, HEAD - 1, HEAD, HEAD + 1, 100_000] {
            let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            fs_err::write(&path, &bytes).unwrap();
            assert!(read(&path, TEXT).unwrap() == bytes, "{size}");
        }
        assert!(!read_text("/proc/self/status", TEXT).unwrap().is_empty(), "its size is said to be 0");
    }
}
