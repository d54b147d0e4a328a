//! Folders that are named by a digest of what went into them, each built once.

use std::path::{Path, PathBuf};

use brawn_libc::sha256_hex;

use super::Workshop;
use crate::Error;

/// Version of what the workshop does with its inputs.
const FORMAT: u32 = 2;

/// A folder of the workshop for one program.
pub struct Slot {
    folder: PathBuf,
    // Held while the slot is in use: two runs at once must not build into the same folder.
    _lock: fs_err::File,
}

impl Workshop {
    /// The folder for `name`, built from `inputs`: everything that the result depends on, such as sources, flags and the
    /// compiler's version. Waits while another process uses it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn slot(&self, name: &str, inputs: &[&str]) -> Result<Slot, Error> {
        let mut text = format!("brawn workshop {FORMAT}\n{}\n", self.arch());
        for input in inputs {
            text.push_str(&format!("{}\n{input}\n", input.len()));
        }
        let folder = self.root().join("programs").join(name).join(&sha256_hex(text.as_bytes())[..16]);
        fs_err::create_dir_all(&folder)?;
        let lock = fs_err::File::create(folder.join("lock"))?;
        if let Err(std::fs::TryLockError::WouldBlock) = lock.file().try_lock() {
            self.say(&format!("waiting for another run that builds {name}"));
            lock.file().lock()?;
        }
        Ok(Slot { folder, _lock: lock })
    }
}

impl Slot {
    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The file `name` in the folder, made by `make` unless it was made before from the same `stamp`. A step that was
    /// interrupted is done again.
    ///
    /// # Errors
    /// Those of `make`; [`Error::Io`] when it leaves no such file.
    pub fn once(
        &self,
        name: &str,
        stamp: &str,
        make: impl FnOnce(&Path) -> Result<(), Error>,
    ) -> Result<PathBuf, Error> {
        let path = self.folder.join(name);
        let mark = self.folder.join(format!("{name}.done"));
        if self.has(name, stamp) {
            return Ok(path);
        }
        let _ = fs_err::remove_file(&mark);
        make(&path)?;
        // A step that succeeds without its result would be taken for done the next time.
        fs_err::metadata(&path)?;
        fs_err::write(&mark, stamp)?;
        Ok(path)
    }

    /// Whether the file `name` was made from this `stamp`.
    pub fn has(&self, name: &str, stamp: &str) -> bool {
        self.folder.join(name).exists()
            && brawn_base::file::text(self.folder.join(format!("{name}.done")))
                .is_ok_and(|text| text == stamp)
    }
}
