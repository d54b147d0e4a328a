//! Where logs come from.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use brawn_base::file::Refusal;

use crate::Error;
use crate::kept::{Added, Kept};
use crate::log::Reader;

/// Most bytes of a log: rotated ones have ten MiB.
const LONGEST: u64 = 1 << 30;

/// A place with logs: files, or a cluster, whose errors are `E`.
pub trait Source<E: From<Error>> {
    /// Gives each log to `take`, once, as a reader. It is no error that a log is not at its end.
    ///
    /// # Errors
    /// Those of the place, and of `take`.
    fn each(&mut self, take: &mut dyn FnMut(&mut dyn BufRead) -> Result<(), Error>) -> Result<(), E>;

    /// Logs that should have had a block and did not give one, each with the reason: of the last [`Source::each`].
    fn unread(&self) -> &[String] {
        &[]
    }
}

/// Logs in files, and in all files of folders.
#[derive(Clone, Debug)]
pub struct Files(pub Vec<PathBuf>);

impl<E: From<Error>> Source<E> for Files {
    fn each(&mut self, take: &mut dyn FnMut(&mut dyn BufRead) -> Result<(), Error>) -> Result<(), E> {
        Ok(self.read(take)?)
    }
}

impl Files {
    fn read(&self, take: &mut dyn FnMut(&mut dyn BufRead) -> Result<(), Error>) -> Result<(), Error> {
        for path in &self.0 {
            let mut files = Vec::new();
            match fs_err::metadata(path)?.is_dir() {
                true => walk(path, &mut files)?,
                false => files.push(path.clone()),
            }
            if files.is_empty() {
                return Err(Error::NoLogs { path: path.clone() });
            }
            for file in files {
                let log = brawn_base::file::open(&file)?;
                let size = log.metadata()?.len();
                if size > LONGEST {
                    return Err(Error::Io(Refusal::TooLarge { path: file, size, limit: LONGEST }.into()));
                }
                take(&mut BufReader::with_capacity(64 << 10, log))?;
            }
        }
        Ok(())
    }
}

/// All regular files below a folder, by their names.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let mut entries = fs_err::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs_err::DirEntry::file_name);
    for entry in entries {
        // A link may lead to a folder above.
        let kind = entry.file_type()?;
        match (kind.is_dir(), kind.is_file() || kind.is_symlink() && entry.path().is_file()) {
            (true, _) => walk(&entry.path(), files)?,
            (false, true) => files.push(entry.path()),
            (false, false) => {}
        }
    }
    Ok(())
}

/// Reads all logs of a source into the file of a fleet. As often as it is done, and by as many at once, the file is the same in
/// the end.
///
/// # Errors
/// Those of the source, and of [`Kept::update`].
pub fn collect<E: From<Error>>(path: &Path, source: &mut dyn Source<E>) -> Result<(Kept, Added), E> {
    // Before logs are read, which may take minutes, and without holding anyone up.
    Kept::load(path)?;
    let mut reader = Reader::default();
    source.each(&mut |log| Ok(reader.read(log)?))?;
    let found = reader.finish();
    Ok(Kept::update(path, |kept| kept.add(found.blocks, found.lost))?)
}
