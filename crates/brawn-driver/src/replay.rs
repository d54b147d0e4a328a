//! Doing a recorded link again with another overlay.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use brawn_libc::{Cache, Choice, Overlay};

use crate::Error;
use crate::link::{fill, run, verify};
use crate::record::{Record, Store};

/// Links the executable at `path` again with the overlay for `choice`, and writes the result to `to`, which appears
/// whole or not at all. `to` keeps the modification time of a file that it replaces, if `keep_time` is set: build
/// systems compare times, and nothing that they know of has changed.
pub fn relink(
    cache: &Cache,
    path: &Path,
    choice: &Choice,
    to: &Path,
    keep_time: bool,
) -> Result<Overlay, Error> {
    let store = Store::new(cache.root());
    let absolute = path
        .canonicalize()
        .map_err(|source| std::io::Error::new(source.kind(), format!("{}: {source}", path.display())))?;
    let notes = brawn_elf::read_notes(&fs_err::read(&absolute)?).ok();
    let id = notes.and_then(|notes| notes.link_id);
    let folder = store.find(&absolute, id.as_ref())?;
    let record = store.read(&folder)?;
    replay(cache, &folder, &record, choice, to, keep_time)
}

/// Does the link of `record` again.
pub fn replay(
    cache: &Cache,
    folder: &Path,
    record: &Record,
    choice: &Choice,
    to: &Path,
    keep_time: bool,
) -> Result<Overlay, Error> {
    for input in &record.inputs {
        input.check(&locate(folder, record, &input.path), &record.output)?;
    }
    let overlay = cache.overlay(&record.base, Some(record.arch), choice)?;
    let to = crate::link::absolute(&std::env::current_dir()?, to);
    let parent = to.parent().unwrap_or(Path::new("/"));
    let scratch = tempfile::Builder::new().prefix(".brawn-relink-").tempdir_in(parent)?;
    let fresh = scratch.path().join(to.file_name().unwrap_or_default());

    let mut command = Command::new(&record.linker[0]);
    command.args(&record.linker[1..]).current_dir(&record.cwd).envs(record.env.iter().cloned());
    run(command, &fill(&record.args, &overlay.dir, folder, &fresh))?;
    verify(&fresh, &overlay)?;
    if keep_time && let Ok(time) = to.metadata().and_then(|data| data.modified()) {
        set_modified(&fresh, time)?;
    }
    fs_err::rename(&fresh, &to)?;
    if to == record.output {
        Store::new(cache.root()).set_overlay(folder, &overlay.manifest.id)?;
    }
    Ok(overlay)
}

fn locate(folder: &Path, record: &Record, path: &Path) -> PathBuf {
    // Copies are recorded by name alone, relative to the record's folder.
    if path.components().count() == 1 && folder.join(path).exists() {
        folder.join(path)
    } else {
        record.cwd.join(path)
    }
}

fn set_modified(path: &Path, time: SystemTime) -> Result<(), Error> {
    fs_err::OpenOptions::new().append(true).open(path)?.into_file().set_modified(time)?;
    Ok(())
}
