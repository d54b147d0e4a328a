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
    /// Links executables again that are there from a former build with another overlay. Cargo will call them up to
    /// date, for no source has changed, and run or test them as they are. What cannot be linked again is removed, so
    /// that cargo builds it.
    pub(super) fn bring_up_to_date(&self) -> Result<(), Error> {
        let Some(dir) = &self.target_dir else { return Ok(()) };
        let hold = self.cache.hold();
        let mut linkers = Linkers::default();
        let mut relinked = Vec::new();
        let store = Store::new(self.cache.root());
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

/// Where cargo puts a second name for what rustc has written, `debug/app` for `debug/deps/app-0123456789abcdef`; the same path
/// where there is none, as for tests.
fn uplifted(path: &Path) -> PathBuf {
    let second = || {
        let (name, hash) = path.file_name()?.to_str()?.rsplit_once('-')?;
        let hashed = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let folder = path.parent()?;
        let folder = if folder.ends_with("deps") { folder.parent()? } else { folder };
        hashed.then(|| folder.join(name)).filter(|path| path.exists())
    };
    second().unwrap_or_else(|| path.to_owned())
}
