use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use oci_spec::image::{Descriptor, Digest, MediaType};
use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::registry::Repository;

/// Bytes with a digest, wherever they are.
#[derive(Clone, Debug)]
pub struct Blob {
    /// Media type, size and digest.
    pub descriptor: Descriptor,
    /// Where the bytes are.
    pub content: Content,
}

/// Where the bytes of a [`Blob`] are.
#[derive(Clone)]
pub enum Content {
    /// In memory.
    Memory(Arc<[u8]>),
    /// In a part of a file.
    Part(Part),
    /// In a repository of a registry.
    Remote(Arc<Repository>),
}

/// A part of a file that anybody may have made. Nothing in it has been checked.
#[derive(Clone)]
pub struct Part {
    /// The file.
    pub(crate) path: PathBuf,
    /// Where in the file the part begins, in bytes.
    pub(crate) offset: u64,
}

impl Part {
    /// The name of the file for messages.
    fn place(&self) -> String {
        self.path.display().to_string()
    }

    /// A reader of the part's first `size` bytes.
    pub(crate) fn open(&self, size: u64) -> std::io::Result<Reader> {
        let mut file = brawn_base::file::open(&self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        Ok(Box::new(file.take(size)))
    }
}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Content::Memory(bytes) => write!(f, "{} bytes in memory", bytes.len()),
            Content::Part(part) => write!(f, "{} from {}", part.place(), part.offset),
            Content::Remote(repository) => write!(f, "{repository}"),
        }
    }
}

/// Something that bytes can be read from, which holds its own file or buffer.
pub(crate) type Reader = Box<dyn Read + Send>;

/// Reads a file that others read as well, each from its own position.
struct Shared {
    file: Arc<std::fs::File>,
    position: u64,
}

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read_at(buffer, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Blob {
    /// A blob in memory.
    pub fn new(media_type: MediaType, bytes: Vec<u8>) -> Blob {
        let digest: Digest = sha256(&bytes).parse().expect("a SHA-256 digest is well formed");
        let descriptor = Descriptor::new(media_type, bytes.len() as u64, digest);
        Blob { descriptor, content: Content::Memory(bytes.into()) }
    }

    /// The digest: `sha256:…`.
    pub fn digest(&self) -> &str {
        self.descriptor.digest().as_ref()
    }

    /// The size in bytes.
    pub fn size(&self) -> u64 {
        self.descriptor.size()
    }

    /// A reader of the bytes, which have been found to have the digest.
    pub(crate) fn open(&self) -> Result<Reader, Error> {
        match &self.content {
            Content::Memory(bytes) => Ok(Box::new(std::io::Cursor::new(bytes.clone()))),
            Content::Part(part) => {
                let mut check = Checked::new(&self.descriptor, part.place(), part.open(self.size())?);
                std::io::copy(&mut check, &mut std::io::sink())?;
                check.finish()?;
                Ok(part.open(self.size())?)
            }
            Content::Remote(repository) => {
                Ok(Box::new(Shared { file: repository.fetch(&self.descriptor)?, position: 0 }))
            }
        }
    }

    /// The bytes, which have been found to have the digest.
    pub fn read(&self) -> Result<Vec<u8>, Error> {
        if let Content::Memory(bytes) = &self.content {
            return Ok(bytes.to_vec());
        }
        let mut bytes = Vec::new();
        self.open()?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The digest of bytes: `sha256:…`.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    name(&Sha256::digest(bytes))
}

fn name(digest: &[u8]) -> String {
    format!("sha256:{}", brawn_base::text::hex(digest))
}

/// Computes the digest of what is read through it.
pub(crate) struct Hashing<R> {
    reader: R,
    hash: Sha256,
    length: u64,
}

impl<R: Read> Hashing<R> {
    pub fn new(reader: R) -> Hashing<R> {
        Hashing { reader, hash: Sha256::new(), length: 0 }
    }

    /// The digest and the number of bytes.
    pub fn finish(self) -> (String, u64) {
        (name(&self.hash.finalize()), self.length)
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.hash.update(&buffer[..count]);
        self.length += count as u64;
        Ok(count)
    }
}

/// Reads no more than a descriptor promises, and says in the end whether it was what the descriptor promises.
pub(crate) struct Checked<R> {
    inner: Hashing<std::io::Take<R>>,
    descriptor: Descriptor,
    place: String,
}

impl<R: Read> Checked<R> {
    pub fn new(descriptor: &Descriptor, place: String, reader: R) -> Checked<R> {
        // One byte more, so that what is too long is noticed.
        let inner = Hashing::new(reader.take(descriptor.size().saturating_add(1)));
        Checked { inner, descriptor: descriptor.clone(), place }
    }

    /// To be called after the last byte.
    pub fn finish(self) -> Result<(), Error> {
        let expected = self.descriptor.digest().to_string();
        let size = self.descriptor.size();
        let (found, length) = self.inner.finish();
        if length != size {
            let found = if length > size { format!("more than {size}") } else { format!("only {length}") };
            return Err(Error::damaged(
                self.place,
                format!("{expected} should be {size} bytes, and is {found}"),
            ));
        }
        if found != expected {
            return Err(Error::Digest { place: self.place, what: "a blob".into(), expected, found });
        }
        Ok(())
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.inner.read(buffer)
    }
}
