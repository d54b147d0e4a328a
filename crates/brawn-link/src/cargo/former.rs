//! Executables of former commands, which cargo calls up to date.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use brawn_elf::Arch;
use brawn_libc::{Choice, Overlay};

use super::Invocation;
use crate::linkers::Linkers;
use crate::record::Store;
use crate::settings::Gate;
use crate::{Error, replay};

impl Invocation {
    /// Removes the names in cargo's inner folders of executables that no record tells how to link again: of a build by cargo
    /// alone, or of one by Brawn whose cache was not kept beside the target folder. Cargo would call them up to date; without
    /// the name it links them. The names that people use stay until then.
    fn leave_no_unrecorded(&self, dir: &Path, store: &Store) -> Result<(), Error> {
        for triple in &self.triples {
            for profile in entries(&dir.join(triple)) {
                // What another cargo links at this moment has no record yet.
                let Ok(lock) = brawn_base::file::open(profile.join(".cargo-lock")) else { continue };
                if lock.try_lock().is_err() {
                    continue;
                }
                for path in ["deps", "examples"].iter().flat_map(|inner| entries(&profile.join(inner))) {
                    if unhashed(&path).is_none() || !is_executable(&path) || store.is_current(&path) {
                        continue;
                    }
                    // What is no executable at all is not cargo's.
                    let Ok(bytes) = brawn_base::file::elf(&path) else { continue };
                    let Ok(notes) = brawn_elf::read_notes(&bytes) else { continue };
                    // Without an id Brawn did not link it, whatever the record of its name says.
                    if notes.link_id.is_none_or(|id| store.find(&path, Some(&id)).is_err()) {
                        fs_err::remove_file(&path)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Links executables again that are there from a former build with another overlay. Cargo will call them up to
    /// date, for no source has changed, and run or test them as they are. What cannot be linked again is removed, so
    /// that cargo builds it.
    pub(super) fn bring_up_to_date(&self) -> Result<(), Error> {
        let Some(dir) = &self.target_dir else { return Ok(()) };
        let hold = self.cache.hold();
        let mut linkers = Linkers::default();
        let mut relinked = Vec::new();
        let store = Store::new(self.cache.root());
        self.leave_no_unrecorded(dir, &store)?;
        type Key = (PathBuf, Arch, Option<PathBuf>);
        let mut overlays: HashMap<Key, (Choice, Gate, Overlay)> = HashMap::new();
        for folder in store.below(dir) {
            let Ok(record) = store.read(&folder) else { continue };
            if !record.output.exists() || !self.arches.contains(&record.arch) {
                continue;
            }
            let key = (record.base.clone(), record.arch, record.package.clone());
            if !overlays.contains_key(&key) {
                let settings = self.settings(record.package.as_deref())?;
                let (choice, gate) = (settings.choice()?, settings.gate());
                let Ok(overlay) = crate::base::overlay(&self.cache, &record.base, record.arch, &choice)
                else {
                    continue;
                };
                overlays.insert(key.clone(), (choice, gate, overlay));
            }
            let (choice, gate, wanted) = &overlays[&key];
            let removed = |names: Vec<PathBuf>| {
                names.iter().filter(|name| name.exists()).try_for_each(fs_err::remove_file)
            };
            // A replay would leave the crate's allocator out again.
            if !gate.one_heap && !record.serves.is_empty() {
                removed(names_of(&record.output)?)?;
                continue;
            }
            if store.overlay(&folder).as_deref() == Some(&wanted.manifest.id) {
                // What was only warned of before: cargo has to link it again, and that is refused, or has one heap.
                if gate.strict || gate.one_heap {
                    let names = names_of(&record.output)?;
                    if let Err(Error::Unverified { .. }) = crate::link::verify(&record.output, wanted, *gate)
                    {
                        removed(names)?;
                    }
                }
                continue;
            }
            let may = linkers.check(&record);
            let replayed = may
                .and_then(|()| replay::replay(&self.cache, &folder, &record, choice, *gate, &record.output));
            match replayed {
                Ok(_) => relinked.push(uplifted(&record.output)),
                Err(_) => fs_err::remove_file(&record.output)?,
            }
        }
        drop(hold);
        relinked.sort();
        relinked.dedup();
        // One command brings them up to date once.
        let _ = self.relinked.set(relinked);
        Ok(())
    }
}

/// The names of a file that cargo linked: `deps/NAME-HASH` and, in the folder above, `NAME`.
fn names_of(output: &Path) -> Result<Vec<PathBuf>, Error> {
    let identity = |data: std::fs::Metadata| (data.dev(), data.ino());
    let file = identity(fs_err::metadata(output)?);
    let folders = output.ancestors().skip(1).take(2);
    let mut names = Vec::new();
    for folder in folders {
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            if entry.metadata().is_ok_and(|data| identity(data) == file) {
                names.push(entry.path());
            }
        }
    }
    Ok(names)
}

/// What is in a folder; nothing, where there is none.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn is_executable(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_file() && data.mode() & 0o111 != 0)
}

/// The `app` of a name that cargo gives an executable in its inner folders, `app-0123456789abcdef`.
fn unhashed(path: &Path) -> Option<&str> {
    let (name, hash) = path.file_name()?.to_str()?.rsplit_once('-')?;
    (hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(name)
}

/// Where cargo puts a second name for what rustc has written, `debug/app` for `debug/deps/app-0123456789abcdef`; the same path
/// where there is none, as for tests.
fn uplifted(path: &Path) -> PathBuf {
    let second = || {
        let folder = path.parent()?;
        let folder = if folder.ends_with("deps") { folder.parent()? } else { folder };
        unhashed(path).map(|name| folder.join(name)).filter(|path| path.exists())
    };
    second().unwrap_or_else(|| path.to_owned())
}
