//! Digests of files, remembered while a file is the same.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes` in lower-case hexadecimal, as `sha256sum` prints it.
pub fn sha256_hex(bytes: &[u8]) -> String {
    brawn_base::text::hex(&Sha256::digest(bytes))
}

/// The SHA-256 of the archive at `path`, and its size in bytes.
///
/// Without instructions for it, the digest of a `libc.a` takes 30 ms, as long as everything else together. So it is
/// remembered in `memory` under the file's identity: device, inode, size, modification and status change time, the
/// last of which no one can set back. Then the file is not even read.
pub(crate) fn of_archive(memory: &Path, path: &Path) -> std::io::Result<(String, u64)> {
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
    // That of a Rust library may hold whatever its program embeds.
    let bytes = brawn_base::file::read(path, brawn_base::file::OBJECT)?;
    let digest = sha256_hex(&bytes);
    // Only a memory: without it the next call computes the digest again. What changes while it is read is not remembered.
    if data.size() == bytes.len() as u64 && fs_err::create_dir_all(memory).is_ok() {
        let _ = crate::atomic::write(&entry, digest.as_bytes(), 0o644);
    }
    Ok((digest, bytes.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rust_library_may_be_larger_than_a_libc() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libembeds.rlib");
        fs_err::write(&path, "!<arch>\n").unwrap();
        let size = brawn_base::file::ARCHIVE + 1;
        fs_err::OpenOptions::new().write(true).open(&path).unwrap().set_len(size).unwrap();
        let memory = folder.path().join("memory");
        let first = of_archive(&memory, &path).unwrap();
        assert_eq!(first.1, size);
        assert_eq!(fs_err::read_dir(&memory).unwrap().count(), 1);
        assert_eq!(of_archive(&memory, &path).unwrap(), first);
    }
}
