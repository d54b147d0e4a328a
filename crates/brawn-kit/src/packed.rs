use std::sync::OnceLock;

/// A file that the library carries compressed: the kit has many, and a command needs two of them at most.
pub struct Packed {
    pub(crate) compressed: &'static [u8],
    pub(crate) length: usize,
    pub(crate) sha256: &'static str,
    /// Files that this one is like: compressed, it holds the differences from all of them alone.
    pub(crate) base: &'static [&'static Packed],
    pub(crate) unpacked: OnceLock<Vec<u8>>,
}

impl Packed {
    /// The file. It is decompressed when it is first asked for, and then stays.
    ///
    /// # Panics
    /// If the library's own data is damaged.
    pub fn bytes(&self) -> &[u8] {
        self.unpacked.get_or_init(|| {
            let like: Vec<u8> = self.base.iter().flat_map(|base| base.bytes()).copied().collect();
            zstd::bulk::Decompressor::with_dictionary(&like)
                .and_then(|mut zstd| zstd.decompress(self.compressed, self.length))
                .expect("the build script compressed it")
        })
    }

    /// The SHA-256 of the file in hexadecimal digits, which needs no decompression.
    pub fn sha256(&self) -> &'static str {
        self.sha256
    }
}

impl std::fmt::Debug for Packed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{} bytes]", self.length)
    }
}
