//! Replacing a toolchain's `libc.a` in place, and bringing the original back to the byte.
//!
//! Beside `libc.a` stand, once it is patched, `libc.a.brawn-original` (the very file that was there, by hard link
//! where the file system has them) and `libc.a.brawn.json` (what was done). Each step leaves a state from which both
//! commands go on: original and record come first, then one rename puts the new archive in place.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use brawn_base::file;
use brawn_elf::Arch;
use serde::{Deserialize, Serialize};

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
    let _lock = lock(libc_a)?;
    let current = file::archive(libc_a)?;
    let record = read_record(libc_a)?;
    let (original, kept) = match &record {
        None => (current.clone(), false),
        Some(record) => match state(libc_a, &current, record)? {
            State::Original => (current.clone(), original_path(libc_a).exists()),
            State::Patched => (read_original(libc_a, record)?, true),
        },
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
    let _lock = lock(libc_a)?;
    let record = read_record(libc_a)?
        .ok_or_else(|| Error::NotPatched { path: libc_a.to_owned(), missing: manifest_path(libc_a) })?;
    let current = file::archive(libc_a)?;
    let state = state(libc_a, &current, &record)?;
    if state == State::Patched {
        read_original(libc_a, &record)?;
    }
    if !dry_run {
        let original = original_path(libc_a);
        let fail = |source| Error::unwritable(libc_a, source);
        match state {
            State::Patched => fs_err::rename(&original, libc_a).map_err(fail)?,
            // A patch was broken off before its last step: only what it left behind has to go.
            State::Original if original.exists() => fs_err::remove_file(&original).map_err(fail)?,
            State::Original => {}
        }
        fs_err::remove_file(manifest_path(libc_a)).map_err(fail)?;
    }
    Ok(Outcome::Restored { sha256: record.original_sha256 })
}

/// The original archive of a toolchain that was patched in place, or `libc_a` itself: what an overlay starts from.
pub fn base_of(libc_a: &Path) -> Result<PathBuf, Error> {
    let Some(record) = read_record(libc_a)? else { return Ok(libc_a.to_owned()) };
    match state(libc_a, &file::archive(libc_a)?, &record)? {
        State::Original => Ok(libc_a.to_owned()),
        State::Patched => read_original(libc_a, &record).map(|_| original_path(libc_a)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The file is the original: a patch was broken off before its last step, or a reinstallation undid it.
    Original,
    /// The file is what the record describes.
    Patched,
}

fn state(libc_a: &Path, current: &[u8], record: &Record) -> Result<State, Error> {
    let sha256 = sha256_hex(current);
    if sha256 == record.overlay.sha256 {
        Ok(State::Patched)
    } else if sha256 == record.original_sha256 {
        Ok(State::Original)
    } else {
        Err(Error::ChangedSince(libc_a.to_owned()))
    }
}

fn read_record(libc_a: &Path) -> Result<Option<Record>, Error> {
    let path = manifest_path(libc_a);
    let text = match file::read(&path, file::TEXT) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    serde_json::from_slice(&text).map(Some).map_err(|source| Error::BadManifest { path, source })
}

fn read_original(libc_a: &Path, record: &Record) -> Result<Vec<u8>, Error> {
    let original = original_path(libc_a);
    if !original.exists() {
        return Err(Error::NotPatched { path: libc_a.to_owned(), missing: original });
    }
    let bytes = file::archive(&original)?;
    if sha256_hex(&bytes) != record.original_sha256 {
        return Err(Error::OriginalChanged { path: libc_a.to_owned(), original });
    }
    Ok(bytes)
}

fn write(libc_a: &Path, kept: bool, made: &Made) -> Result<(), Error> {
    let original = original_path(libc_a);
    if !kept {
        keep_original(libc_a, &original).map_err(|source| Error::unwritable(&original, source))?;
    }
    let record = Record {
        format: FORMAT,
        original_sha256: made.manifest.libc_sha256.clone(),
        overlay: made.manifest.clone(),
    };
    let mut json = serde_json::to_vec_pretty(&record).expect("a record has only string keys");
    json.push(b'\n');
    let mode = fs_err::metadata(libc_a)?.permissions().mode() & 0o7777;
    // Between the next two steps a re-patched archive is neither the original nor what the new record says, so the
    // archive goes back to the original first; from there on every state is one that both commands understand.
    if kept && sha256_hex(&file::archive(libc_a)?) != record.original_sha256 {
        let bytes = file::archive(&original)?;
        atomic::write(libc_a, &bytes, mode)?;
    }
    atomic::write(&manifest_path(libc_a), &json, 0o644)?;
    atomic::write(libc_a, &made.libc_a, mode)
}

/// Keeps the very file, with its dates and owner, where the file system can.
fn keep_original(libc_a: &Path, original: &Path) -> std::io::Result<()> {
    match fs_err::hard_link(libc_a, original) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            // Left by a patch that was broken off before it wrote its record; the archive itself is untouched.
            fs_err::remove_file(original)?;
            fs_err::hard_link(libc_a, original)
        }
        Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {
            fs_err::copy(libc_a, original)?;
            let modified = fs_err::metadata(libc_a)?.modified()?;
            File::options().write(true).open(original)?.set_modified(modified)
        }
        Err(error) => Err(error),
    }
}

/// One `patch` or `restore` at a time in a folder. The lock is on the folder itself, so that no lock file stays.
fn lock(libc_a: &Path) -> Result<File, Error> {
    let folder = libc_a.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let handle = fs_err::File::open(folder)?.into_file();
    handle.lock()?;
    Ok(handle)
}
