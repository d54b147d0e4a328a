//! What images are made of, and the roots that programs are run in.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// A file, folder or link of an image. Owner is root unless said otherwise; the time is the beginning of 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// Permission bits.
    pub mode: u32,
    /// User and group number of the owner.
    pub owner: u32,
}

/// What an [`Entry`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file with these bytes.
    File(Cow<'static, [u8]>),
    /// A folder.
    Directory,
    /// Another name for a file of the same layer, by its path.
    HardLink(String),
}

impl Entry {
    /// A file that everyone may read.
    pub fn file(bytes: impl Into<Cow<'static, [u8]>>) -> Entry {
        Entry { kind: Kind::File(bytes.into()), mode: 0o644, owner: 0 }
    }

    /// A program.
    pub fn program(bytes: Vec<u8>) -> Entry {
        Entry { kind: Kind::File(bytes.into()), mode: 0o755, owner: 0 }
    }

    /// A folder.
    pub fn directory(mode: u32, owner: u32) -> Entry {
        Entry { kind: Kind::Directory, mode, owner }
    }
}

/// The files of a layer, or of a root, by path, without a leading slash. Folders above them need not be listed.
pub type Entries = BTreeMap<String, Entry>;
