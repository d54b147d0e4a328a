//! Doing a recorded link again with another overlay.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use brawn_base::temporary;
use brawn_libc::cache::Hold;
use brawn_libc::{Cache, Choice};

use crate::link::{Linked, Verified, fill, run, verify};
use crate::linkers::Linkers;
use crate::record::{Record, Store};
use crate::settings::Gate;
use crate::{Error, base};

/// The recorded link of an executable, which stays in the cache while the value lives.
pub struct Recorded {
    folder: PathBuf,
    record: Record,
    /// Whether its linker may be run.
    trusted: Cell<bool>,
    _hold: Hold,
}

/// Finds how the executable at `path` was linked.
pub fn find(cache: &Cache, path: &Path) -> Result<Recorded, Error> {
    let hold = cache.hold();
    let store = Store::new(cache.root());
    let absolute = fs_err::canonicalize(path)?;
    let notes = brawn_elf::read_notes(&brawn_base::file::elf(&absolute)?).ok();
    let id = notes.and_then(|notes| notes.link_id);
    let folder = store.find(&absolute, id.as_ref())?;
    Ok(Recorded { record: store.read(&folder)?, folder, trusted: Cell::new(false), _hold: hold })
}

impl Recorded {
    /// The folder of the package that was built.
    pub fn package(&self) -> Option<&Path> {
        self.record.package.as_deref()
    }

    /// Whether every input is still the one that was linked.
    pub fn check(&self) -> Result<(), Error> {
        check(&self.folder, &self.record)
    }

    /// Whether the current settings would have the program linked by the same linker.
    ///
    /// # Errors
    /// [`Error::ForeignLinker`] when they would not, unless [`Recorded::trust`] was called.
    pub fn authorise(&self) -> Result<(), Error> {
        if !self.trusted.get() {
            Linkers::default().check(&self.record)?;
            self.trusted.set(true);
        }
        Ok(())
    }

    /// Allows the record's linker, whatever it is.
    pub fn trust(&self) {
        self.trusted.set(true);
    }

    /// Does the link again with the overlay for `choice`, and writes the result to `to`, which appears whole or not
    /// at all. The file's time stays what it was: build systems compare times, and no source has changed.
    pub fn replay(&self, cache: &Cache, choice: &Choice, gate: Gate, to: &Path) -> Result<Linked, Error> {
        self.authorise()?;
        replay(cache, &self.folder, &self.record, choice, gate, to)
    }
}

/// The same, for a record whose linker may be run.
pub(crate) fn replay(
    cache: &Cache,
    folder: &Path,
    record: &Record,
    choice: &Choice,
    gate: Gate,
    to: &Path,
) -> Result<Linked, Error> {
    check(folder, record)?;
    let overlay = base::overlay(cache, &record.base, record.arch, choice)?;
    let to = crate::link::absolute(&std::env::current_dir()?, to);
    let parent = to.parent().unwrap_or(Path::new("/"));
    temporary::sweep(parent);
    let scratch =
        temporary::folder_in(parent).map_err(|source| brawn_libc::Error::unwritable(&to, source))?;
    let fresh = scratch.path().join(to.file_name().unwrap_or_default());

    let mut command = Command::new(&record.linker[0]);
    command.args(&record.linker[1..]).current_dir(&record.cwd).envs(record.env.iter().cloned());
    run(command, &fill(&record.args, &overlay.dir, folder, &fresh))?;
    let Verified { warnings, heaps, .. } = verify(&fresh, &overlay, gate)?;
    if let Ok(time) = to.metadata().and_then(|data| data.modified()) {
        set_modified(&fresh, time)?;
    }
    fs_err::rename(&fresh, &to)?;
    if to == record.output {
        Store::new(cache.root()).set_overlay(folder, &overlay.manifest.id)?;
    }
    Ok(Linked { overlay, warnings, heaps })
}

fn check(folder: &Path, record: &Record) -> Result<(), Error> {
    for input in &record.inputs {
        // Copies are recorded by name alone, relative to the record's folder, and everything else by its absolute path.
        let path = folder.join(&input.path);
        if input.path.is_relative() && !path.exists() {
            return Err(Error::Trimmed { output: record.output.clone() });
        }
        input.check(&path, &record.output)?;
    }
    Ok(())
}

fn set_modified(path: &Path, time: SystemTime) -> Result<(), Error> {
    fs_err::OpenOptions::new().append(true).open(path)?.into_file().set_modified(time)?;
    Ok(())
}
