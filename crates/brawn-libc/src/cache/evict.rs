//! Taking things out of a cache: the least recently used ones when it is too large, or all of a kind.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::time::{Duration, SystemTime};

use super::Cache;
use super::usage::{Item, KINDS, Kind, Meter};
use crate::Error;
use brawn_base::temporary;

/// What was taken out, or would be.
#[derive(Debug, Default)]
pub struct Removed {
    /// The things.
    pub items: Vec<Item>,
    /// What they took on the disk, in bytes.
    pub size: u64,
}

impl Removed {
    fn of(items: Vec<Item>) -> Removed {
        Removed { size: items.iter().map(|item| item.size).sum(), items }
    }
}

impl Cache {
    /// Takes out what was used longest ago until the rest of the limited kinds takes at most `limit` bytes. What was used
    /// after `since` stays: a command that ends has just told its user about it. Nothing goes, and there is no answer, while
    /// another process holds the cache: that one does it when it ends. Nor is a cache looked through twice a minute that was
    /// less than half full: it may hold tens of thousands of files, and a build links many programs a minute.
    pub fn trim(&self, limit: u64, since: SystemTime, dry_run: bool) -> Option<Removed> {
        let mut lock = self.lock_file()?;
        if !dry_run && (lock.try_lock().is_err() || counted(&mut lock).is_some_and(|size| size < limit / 2)) {
            return None;
        }
        let mut meter = Meter::default();
        let limited = KINDS.iter().filter(|kind| kind.limited);
        let mut items: Vec<Item> = limited.flat_map(|kind| self.items(kind, &mut meter)).collect();
        let mut total: u64 = items.iter().map(|item| item.size).sum();
        items.sort_by_key(|item| item.used);
        items.retain(|item| {
            let goes = total > limit && item.used < since && (dry_run || self.remove(item).is_ok());
            if goes {
                total -= item.size;
            }
            goes
        });
        if !dry_run {
            self.sweep();
            let _ = lock.rewind().and_then(|()| lock.write_all(&total.to_le_bytes()));
        }
        Some(Removed::of(items))
    }

    /// Takes out everything of these kinds. `wait` is called before waiting for processes that hold the cache.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for what cannot be removed.
    pub fn clear(&self, kinds: &[&Kind], dry_run: bool, wait: impl FnOnce()) -> Result<Removed, Error> {
        let lock = self.lock_file();
        if let Some(lock) = lock.as_ref().filter(|_| !dry_run)
            && lock.try_lock().is_err()
        {
            wait();
            let _ = lock.lock();
        }
        let mut meter = Meter::default();
        let items: Vec<Item> = kinds.iter().flat_map(|kind| self.items(kind, &mut meter)).collect();
        if !dry_run {
            items.iter().try_for_each(|item| self.remove(item))?;
            self.sweep();
        }
        Ok(Removed::of(items))
    }

    /// Out of its place in one step, so that no one finds half of it.
    fn remove(&self, item: &Item) -> Result<(), Error> {
        let fail = |source| Error::unwritable(&item.path, source);
        let folder = temporary::folder_of(&item.path);
        let away = temporary::folder_in(folder).map_err(fail)?;
        for (index, part) in item.parts.iter().enumerate() {
            fs_err::rename(part, away.path().join(index.to_string())).map_err(fail)?;
        }
        Ok(())
    }

    /// What killed processes left unfinished.
    fn sweep(&self) {
        for folder in KINDS.iter().flat_map(|kind| kind.folders) {
            temporary::sweep(&self.part(folder));
        }
    }
}

/// What the limited kinds took when they were counted, if that was in this minute: it stands in the lock.
fn counted(lock: &mut File) -> Option<u64> {
    let age = lock.metadata().ok()?.modified().ok()?.elapsed().ok()?;
    let mut size = [0; 8];
    (age < Duration::from_secs(60)).then(|| lock.read_exact(&mut size).ok())??;
    Some(u64::from_le_bytes(size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn cache(place: &Path) -> Cache {
        Cache::open(&place.join("cache")).unwrap()
    }

    /// An overlay of 40 KiB that was used `age` seconds ago.
    fn add(cache: &Cache, name: &str, age: u64) {
        let folder = cache.part(super::super::OVERLAYS).join(name);
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join("libc.a"), vec![1; 40 << 10]).unwrap();
        let time = SystemTime::now() - Duration::from_secs(age);
        fs_err::File::open(&folder).unwrap().into_file().set_modified(time).unwrap();
    }

    fn left(cache: &Cache) -> Vec<String> {
        let items = cache.items(&KINDS[0], &mut Meter::default());
        let mut names: Vec<_> =
            items.iter().map(|item| item.path.file_name().unwrap().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_used_longest_ago_goes_first_and_what_is_new_stays() {
        let place = tempfile::tempdir().unwrap();
        let cache = cache(place.path());
        for (name, age) in [("old", 300), ("older", 400), ("recent", 100), ("new", 0)] {
            add(&cache, name, age);
        }
        let now = SystemTime::now() - Duration::from_secs(50);
        assert_eq!(cache.trim(100 << 10, now, true).unwrap().items.len(), 2);
        assert_eq!(left(&cache).len(), 4, "a dry run");
        let removed = cache.trim(100 << 10, now, false).unwrap();
        assert!(removed.size >= 80 << 10, "{}", removed.size);
        assert_eq!(left(&cache), ["new", "recent"]);
        cache.trim(0, now, false);
        assert_eq!(left(&cache), ["new"]);
    }

    #[test]
    fn nothing_goes_while_it_is_held() {
        let place = tempfile::tempdir().unwrap();
        let cache = cache(place.path());
        add(&cache, "old", 300);
        let hold = cache.hold();
        assert!(cache.trim(0, SystemTime::now(), false).is_none());
        drop(hold);
        assert_eq!(cache.trim(0, SystemTime::now(), false).unwrap().items.len(), 1);
    }

    #[test]
    fn a_cache_with_room_is_not_looked_through_twice_a_minute() {
        let place = tempfile::tempdir().unwrap();
        let cache = cache(place.path());
        add(&cache, "old", 300);
        let trim = |limit| cache.trim(limit, SystemTime::now(), false).map(|removed| removed.items.len());
        assert_eq!(trim(1 << 20), Some(0));
        assert_eq!(trim(1 << 20), None, "a moment later");
        assert_eq!(trim(10 << 10), Some(1), "less room than it takes");
        add(&cache, "old", 300);
        let lock = cache.lock_file().unwrap();
        lock.set_modified(SystemTime::now() - Duration::from_secs(61)).unwrap();
        assert_eq!(trim(1 << 20), Some(0), "a minute later");
    }

    #[test]
    fn unfinished_things_of_killed_processes_go_with_the_rest() {
        let place = tempfile::tempdir().unwrap();
        let cache = cache(place.path());
        add(&cache, "one", 0);
        let folder = temporary::folder_in(&cache.part(super::super::OVERLAYS)).unwrap();
        folder.keep();
        cache.clear(&[&KINDS[0]], false, || panic!("no one holds it")).unwrap();
        assert_eq!(fs_err::read_dir(cache.part(super::super::OVERLAYS)).unwrap().count(), 0);
    }
}
