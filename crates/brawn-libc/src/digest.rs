//! Digests of files, remembered while a file is the same.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes` in lower-case hexadecimal, as `sha256sum` prints it.
pub fn sha256_hex(bytes: &[u8]) -> String {
    brawn_base::text::hex(&Sha256::digest(bytes))
}

/// The SHA-256 of what `read` gives of the archive at `path`, and its size in bytes.
///
/// Without instructions for it, the digest of a `libc.a` takes 30 ms, as long as everything else together. So it is
/// remembered in `memory` under the file's identity: device, inode, size, modification and status change time, the
/// last of which no one can set back. Then the file is not even read.
pub(crate) fn of_archive(
    memory: &Path,
    path: &Path,
    read: impl FnOnce(&Path) -> io::Result<Vec<u8>>,
) -> io::Result<(String, u64)> {
    let data = brawn_base::file::open(path)?.metadata()?;
    let identity = format!(
        "{} {} {} {}.{} {}.{}",
        data.dev(),
        data.ino(),
        data.size(),
        data.mtime(),
        data.mtime_nsec(),
        data.ctime(),
        data.ctime_nsec()
    );
    let entry = memory.join(&sha256_hex(identity.as_bytes())[..32]);
    if let Ok(known) = brawn_base::file::text(&entry)
        && known.len() == 64
    {
        return Ok((known, data.size()));
    }
    let bytes = read(path)?;
    let digest = sha256_hex(&bytes);
    // Only a memory: without it the next call computes the digest again. What changes while it is read is not remembered.
    if data.size() == bytes.len() as u64 && fs_err::create_dir_all(memory).is_ok() {
        let _ = crate::atomic::write(&entry, digest.as_bytes(), 0o644);
    }
    Ok((digest, bytes.len() as u64))
}
