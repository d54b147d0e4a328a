//! Compresses what the library carries.

use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The slowest level without long windows for what is released; a quick one where no one keeps what is built.
fn level() -> i32 {
    // Cargo tells build scripts.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") { 3 } else { 19 }
}

/// A file as the library will carry it.
pub struct Packed {
    file: PathBuf,
    length: usize,
    sha256: String,
    /// The expression of the files that this one is like.
    base: String,
}

/// A file that another one is like, and shares most of its compressed form with.
pub struct Base<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Where the library has it, as an expression.
    pub place: String,
}

impl Packed {
    /// Compresses `bytes` into this file, which is read with its bases alone, if it has any.
    pub fn write(file: PathBuf, bytes: &[u8], bases: &[&Base<'_>]) -> Result<Packed, std::io::Error> {
        let like: Vec<u8> = bases.iter().flat_map(|base| base.bytes).copied().collect();
        fs_err::write(&file, zstd::bulk::Compressor::with_dictionary(level(), &like)?.compress(bytes)?)?;
        let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let places: Vec<String> = bases.iter().map(|base| format!("&{}", base.place)).collect();
        let base = format!("&[{}]", places.join(", "));
        Ok(Packed { file, length: bytes.len(), sha256, base })
    }

    /// The library's `Packed`, as an expression.
    pub fn expression(&self) -> String {
        format!(
            "Packed {{ compressed: include_bytes!({:?}), length: {}, sha256: {:?}, base: {}, unpacked: std::sync::OnceLock::new() }}",
            self.file, self.length, self.sha256, self.base
        )
    }
}
