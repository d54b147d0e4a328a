//! Compresses what the library carries.

use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The slowest level without long windows: it runs once, in the build.
const LEVEL: i32 = 19;

/// A file as the library will carry it.
pub struct Packed {
    file: PathBuf,
    length: usize,
    sha256: String,
}

impl Packed {
    /// Compresses `bytes` into this file.
    pub fn write(file: PathBuf, bytes: &[u8]) -> Result<Packed, std::io::Error> {
        fs_err::write(&file, zstd::bulk::compress(bytes, LEVEL)?)?;
        let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Packed { file, length: bytes.len(), sha256 })
    }

    /// The library's `Packed`, as an expression.
    pub fn expression(&self) -> String {
        format!(
            "Packed {{ compressed: include_bytes!({:?}), length: {}, sha256: {:?}, unpacked: std::sync::OnceLock::new() }}",
            self.file, self.length, self.sha256
        )
    }
}
