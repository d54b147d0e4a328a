//! Replacing a toolchain's `libc.a` in place, and bringing the original back to the byte.
//!
//! Beside `libc.a` stand, once it is patched, `libc.a.brawn-original` (the very file that was there, by hard link
//! where the file system has them) and `libc.a.brawn.json` (what was done). Everything that takes room is written first,
//! under temporary names; then original and record get theirs, and one rename puts the new archive in place. Each step
//! leaves a state from which both commands go on, and what a killed one left goes with the next one.
//!
//! The record can be lost: the note inside the patched archive has the original's digest as well.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use brawn_base::{file, temporary};
use brawn_elf::Arch;
use serde::{Deserialize, Serialize};

use crate::archive::Archive;
use crate::choice::Choice;
use crate::overlay::{Made, Manifest, make};
use crate::{Error, atomic, sha256_hex};

/// What was done to a `libc.a`; written beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Record {
    /// Version of this format.
    pub format: u32,
    /// SHA-256 of the original.
    pub original_sha256: String,
    /// What stands in its place.
    pub overlay: Manifest,
}

/// What `patch` or `restore` did, or would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// The archive was replaced.
    Patched {
        /// What stands there now.
        overlay: Box<Manifest>,
    },
    /// It was patched already, with the same overlay.
    Unchanged {
        /// What stands there.
        overlay: Box<Manifest>,
    },
    /// The original is back.
    Restored {
        /// Its SHA-256.
        sha256: String,
    },
}

const FORMAT: u32 = 1;

/// Where the original of `libc_a` is kept.
pub fn original_path(libc_a: &Path) -> PathBuf {
    beside(libc_a, ".brawn-original")
}

/// Where the record of what was done to `libc_a` is kept.
pub fn manifest_path(libc_a: &Path) -> PathBuf {
    beside(libc_a, ".brawn.json")
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Replaces the archive at `libc_a`. With `dry_run`, everything is checked and made, and nothing is written.
pub fn patch(libc_a: &Path, wanted: Option<Arch>, choice: &Choice, dry_run: bool) -> Result<Outcome, Error> {
    let _lock = lock(libc_a, dry_run)?;
    let current = file::archive(libc_a)?;
    let record = read_record(libc_a)?;
    let (original, kept) = match state(libc_a, &current, record.as_ref())? {
        State::Untouched => (current.clone(), false),
        State::Original => (current.clone(), original_path(libc_a).exists()),
        State::Patched { original_sha256 } => (read_original(libc_a, &original_sha256)?, true),
    };
    let made = make(libc_a, &original, wanted, choice)?;
    if record.is_some() && sha256_hex(&current) == made.manifest.sha256 {
        return Ok(Outcome::Unchanged { overlay: Box::new(made.manifest) });
    }
    if !dry_run {
        write(libc_a, kept, &made)?;
    }
    Ok(Outcome::Patched { overlay: Box::new(made.manifest) })
}

/// Brings the original of `libc_a` back. With `dry_run`, everything is checked and nothing is written.
pub fn restore(libc_a: &Path, dry_run: bool) -> Result<Outcome, Error> {
    let _lock = lock(libc_a, dry_run)?;
    let record = read_record(libc_a)?;
    let current = file::archive(libc_a)?;
    let original = original_path(libc_a);
    let fail = |source| Error::unwritable(libc_a, source);
    let sha256 = match state(libc_a, &current, record.as_ref())? {
        State::Patched { original_sha256 } => {
            read_original(libc_a, &original_sha256)?;
            if !dry_run {
                fs_err::rename(&original, libc_a).map_err(fail)?;
            }
            original_sha256
        }
        // A patch was broken off before its last step: only what it left behind has to go.
        State::Untouched if !is_same(&original, libc_a, &current) => {
            return Err(Error::NotPatched { path: libc_a.to_owned(), missing: manifest_path(libc_a) });
        }
        State::Untouched | State::Original => {
            if !dry_run && original.exists() {
                fs_err::remove_file(&original).map_err(fail)?;
            }
            sha256_hex(&current)
        }
    };
    if !dry_run && record.is_some() {
        fs_err::remove_file(manifest_path(libc_a)).map_err(fail)?;
    }
    Ok(Outcome::Restored { sha256 })
}

/// Whether there is anything to restore, or left to clean up.
pub fn is_patched(libc_a: &Path) -> bool {
    manifest_path(libc_a).exists() || original_path(libc_a).exists()
}

/// The original archive of a toolchain that was patched in place, or `libc_a` itself: what an overlay starts from.
pub fn base_of(libc_a: &Path) -> Result<PathBuf, Error> {
    if !is_patched(libc_a) {
        return Ok(libc_a.to_owned());
    }
    match state(libc_a, &file::archive(libc_a)?, read_record(libc_a)?.as_ref())? {
        State::Untouched | State::Original => Ok(libc_a.to_owned()),
        State::Patched { original_sha256 } => {
            read_original(libc_a, &original_sha256).map(|_| original_path(libc_a))
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// There is no record, and the archive is not one of Brawn's. A patch that was broken off may have kept the original.
    Untouched,
    /// The file is the original: a patch was broken off before its last step, or a reinstallation undid it.
    Original,
    /// The file is what the record describes, or, without a record, has a note that says what it was made from.
    Patched { original_sha256: String },
}

fn state(libc_a: &Path, current: &[u8], record: Option<&Record>) -> Result<State, Error> {
    let Some(record) = record else {
        let kept = original_path(libc_a).exists();
        return Ok(match noted_original(libc_a, current).filter(|_| kept) {
            Some(original_sha256) => State::Patched { original_sha256 },
            None => State::Untouched,
        });
    };
    let sha256 = sha256_hex(current);
    if sha256 == record.overlay.sha256 {
        Ok(State::Patched { original_sha256: record.original_sha256.clone() })
    } else if sha256 == record.original_sha256 {
        Ok(State::Original)
    } else {
        Err(Error::ChangedSince { path: libc_a.to_owned() })
    }
}

/// The digest of the archive that `current` was made from, by the note in it.
fn noted_original(libc_a: &Path, current: &[u8]) -> Option<String> {
    let archive = Archive::parse(libc_a, current).ok()?;
    let member = archive.members.iter().find(|member| member.has_note)?;
    Some(brawn_elf::note::read_notes(member.data).ok()?.note?.libc_sha256)
}

/// Whether the original that is kept is the archive that stands in its place.
fn is_same(original: &Path, libc_a: &Path, current: &[u8]) -> bool {
    let identity = |path: &Path| path.metadata().map(|data| (data.dev(), data.ino()));
    match (identity(original), identity(libc_a)) {
        (Ok(kept), Ok(placed)) => {
            kept == placed || file::archive(original).is_ok_and(|bytes| current.starts_with(&bytes))
        }
        _ => false,
    }
}

fn read_record(libc_a: &Path) -> Result<Option<Record>, Error> {
    let path = manifest_path(libc_a);
    let text = match file::read(&path, file::TEXT) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Record::parse(&path, &text).map(Some)
}

impl Record {
    /// Reads a record's text; `path` is its name for messages.
    pub fn parse(path: &Path, text: &[u8]) -> Result<Record, Error> {
        serde_json::from_slice(text).map_err(|source| Error::BadManifest { path: path.to_owned(), source })
    }
}

fn read_original(libc_a: &Path, sha256: &str) -> Result<Vec<u8>, Error> {
    let original = original_path(libc_a);
    if !original.exists() {
        return Err(Error::OriginalLost { path: libc_a.to_owned(), original });
    }
    let bytes = file::archive(&original)?;
    if sha256_hex(&bytes) != sha256 {
        return Err(Error::OriginalChanged { path: libc_a.to_owned(), original });
    }
    Ok(bytes)
}

fn write(libc_a: &Path, kept: bool, made: &Made) -> Result<(), Error> {
    let original = original_path(libc_a);
    let record = Record {
        format: FORMAT,
        original_sha256: made.manifest.libc_sha256.clone(),
        overlay: made.manifest.clone(),
    };
    let mut json = serde_json::to_vec_pretty(&record).expect("a record has only string keys");
    json.push(b'\n');
    let mode = fs_err::metadata(libc_a)?.permissions().mode() & 0o7777;
    let archive = atomic::stage(libc_a, &made.libc_a, mode)?;
    let record_file = atomic::stage(&manifest_path(libc_a), &json, 0o644)?;
    if !kept {
        keep_original(libc_a, &original).map_err(|source| Error::unwritable(&original, source))?;
    } else if sha256_hex(&file::archive(libc_a)?) != record.original_sha256 {
        // Between the next two steps a re-patched archive is neither the original nor what the new record says, so the
        // archive goes back to the original first; from there on every state is one that both commands understand.
        atomic::write(libc_a, &file::archive(&original)?, mode)?;
    }
    let placed = record_file.place().and_then(|()| archive.place());
    if placed.is_err() && !kept {
        // As it was: the archive itself is still the original.
        let _ = fs_err::remove_file(manifest_path(libc_a));
        let _ = fs_err::remove_file(&original);
    }
    placed
}

/// Keeps the very file, with its dates and owner, where the file system can.
fn keep_original(libc_a: &Path, original: &Path) -> std::io::Result<()> {
    use std::io::ErrorKind::{AlreadyExists, PermissionDenied, TooManyLinks, Unsupported};
    match fs_err::hard_link(libc_a, original) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == AlreadyExists => {
            // Left by a patch that was broken off before it wrote its record; the archive itself is untouched.
            fs_err::remove_file(original)?;
            keep_original(libc_a, original)
        }
        // FAT says that links are not permitted.
        Err(error) if [Unsupported, PermissionDenied, TooManyLinks].contains(&error.kind()) => {
            copy_original(libc_a, original)
        }
        Err(error) => Err(error),
    }
}

fn copy_original(libc_a: &Path, original: &Path) -> std::io::Result<()> {
    let mut from = fs_err::File::open(libc_a)?;
    let data = from.metadata()?;
    let mut copy = temporary::file_in(temporary::folder_of(original), data.permissions().mode() & 0o7777)?;
    std::io::copy(&mut from, &mut copy)?;
    copy.as_file().set_modified(data.modified()?)?;
    copy.as_file().sync_all()?;
    copy.persist(original).map(drop).map_err(|error| error.error)
}

/// One `patch` or `restore` at a time in a folder, after what killed ones left is gone. The lock is on the folder itself, so
/// that no lock file stays.
fn lock(libc_a: &Path, dry_run: bool) -> Result<File, Error> {
    let folder = temporary::folder_of(libc_a);
    let handle = fs_err::File::open(folder)?.into_file();
    handle.lock()?;
    if !dry_run {
        temporary::sweep(folder);
    }
    Ok(handle)
}
