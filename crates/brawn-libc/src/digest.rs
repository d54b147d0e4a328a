//! Digests of files, remembered while a file is the same.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes` in lower-case hexadecimal, as `sha256sum` prints it.
pub fn sha256_hex(bytes: &[u8]) -> String {
    brawn_base::text::hex(&Sha256::digest(bytes))
}

/// The SHA-256 of the file at `path`, which holds `bytes`.
///
/// Without instructions for it, the digest of a `libc.a` takes 30 ms, as long as everything else together. So it is
/// remembered in `memory` under the file's identity: device, inode, size, modification and status change time, the
/// last of which no one can set back.
pub(crate) fn of_file(memory: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<String> {
    let data = fs_err::metadata(path)?;
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
        && data.size() == bytes.len() as u64
    {
        return Ok(known);
    }
    let digest = sha256_hex(bytes);
    // Only a memory: without it the next call computes the digest again.
    if fs_err::create_dir_all(memory).is_ok() {
        let _ = crate::atomic::write(&entry, digest.as_bytes(), 0o644);
    }
    Ok(digest)
}
