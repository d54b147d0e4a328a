//! Taking things out of a cache: the least recently used ones when it is too large, or all of a kind.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::time::{Duration, SystemTime};

use super::Cache;
use super::usage::{Item, KINDS, Kind, Meter};
use crate::Error;
use brawn_base::temporary;

/// So much later than other things goes what only another build makes again.
const GRACE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

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
        Removed { size: total(&items), items }
    }
}

fn total(items: &[Item]) -> u64 {
    items.iter().map(|item| item.size).sum()
}

/// What the limited kinds took at most when a command last counted them, and when that was. It stands in the lock, so that
/// a link looks at what is new and not at tens of thousands of files. What was used again since counts twice.
fn counted(lock: &mut File) -> Option<(u64, SystemTime)> {
    let then = lock.metadata().ok()?.modified().ok()?;
    // A clock that was set back hides what is new.
    then.elapsed().ok().filter(|age| *age < Duration::from_secs(24 * 60 * 60))?;
    let mut size = [0; 8];
    lock.read_exact(&mut size).ok()?;
    // The times of files are those of the kernel's last tick.
    Some((u64::from_le_bytes(size), then - Duration::from_millis(100)))
}

impl Cache {
    /// Takes out what was used longest ago until the rest of the limited kinds takes at most `limit` bytes: records of
    /// executables that are there as if they had been used a week later, since overlays are made again at once. What was used
    /// after `since` stays: a command that ends has just told its user about it. Nothing goes, and there is no answer, while
    /// another process holds the cache: that one does it when it ends.
    pub fn trim(&self, limit: u64, since: SystemTime, dry_run: bool) -> Option<Removed> {
        let mut lock = self.lock_file()?;
        if !dry_run && lock.try_lock().is_err() {
            return None;
        }
        let known = (!dry_run).then(|| counted(&mut lock)).flatten();
        let at_most = known.map(|(size, then)| size.saturating_add(total(&self.limited(then))));
        let mut items = Vec::new();
        let mut size = at_most.unwrap_or(u64::MAX);
        if size > limit {
            items = self.limited(SystemTime::UNIX_EPOCH);
            size = total(&items);
            // Some more than must, or the next link would look through all of it again.
            let goal = if size > limit { limit - limit / 16 } else { limit };
            items.sort_by_key(|item| {
                let grace = if item.needs_build { GRACE } else { Duration::ZERO };
                item.used.checked_add(grace).unwrap_or(item.used) // The time of a file may be any.
            });
            items.retain(|item| {
                let goes = size > goal && item.used < since && (dry_run || self.remove(item).is_ok());
                if goes {
                    size -= item.size;
                }
                goes
            });
        }
        if !dry_run {
            self.sweep();
            let _ = lock.rewind().and_then(|()| lock.write_all(&size.to_le_bytes()));
        }
        Some(Removed::of(items))
    }

    /// The things that count for the limit and were used after a time.
    fn limited(&self, after: SystemTime) -> Vec<Item> {
        let mut meter = Meter::default();
        let limited = KINDS.iter().filter(|kind| kind.limited);
        limited.flat_map(|kind| self.items(kind, after, &mut meter)).collect()
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
        let items: Vec<Item> =
            kinds.iter().flat_map(|kind| self.items(kind, SystemTime::UNIX_EPOCH, &mut meter)).collect();
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
        let items = cache.items(&KINDS[0], SystemTime::UNIX_EPOCH, &mut Meter::default());
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
    fn what_only_a_build_makes_again_stays_a_week_longer() {
        let place = tempfile::tempdir().unwrap();
        let cache = cache(place.path());
        let week = GRACE.as_secs();
        let output = place.path().join("program");
        fs_err::write(&output, "").unwrap();
        let folder = cache.part(super::super::kinds::LINKS).join("record");
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join("output"), output.to_str().unwrap()).unwrap();
        fs_err::write(folder.join("main.o"), vec![1; 40 << 10]).unwrap();
        let record = |age| {
            let time = SystemTime::now() - Duration::from_secs(age);
            fs_err::File::open(&folder).unwrap().into_file().set_modified(time).unwrap();
        };
        add(&cache, "recent", 100);
        record(week);
        assert_eq!(
            cache.trim(60 << 10, SystemTime::now(), true).unwrap().items[0].path.file_name().unwrap(),
            "recent"
        );
        record(week + 200);
        let removed = cache.trim(60 << 10, SystemTime::now(), false).unwrap();
        assert_eq!(removed.items[0].path, folder);
        assert!(folder.join("output").exists() && !folder.join("main.o").exists());
        assert_eq!(left(&cache), ["recent"]);
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
    fn what_is_new_counts_beside_what_was_counted_before() {
        let place = tempfile::tempdir().unwrap();
        let cache = cache(place.path());
        let trim = || cache.trim(100 << 10, SystemTime::now(), false).unwrap().items.len();
        add(&cache, "old", 300);
        assert_eq!(trim(), 0);
        // Not new, and so not counted until it is time to count everything.
        add(&cache, "hidden", 200);
        add(&cache, "also hidden", 200);
        assert_eq!(trim(), 0);
        add(&cache, "new", 0);
        add(&cache, "newer", 0);
        assert_eq!((trim(), left(&cache)), (3, vec!["new".to_owned(), "newer".to_owned()]));
        assert_eq!(trim(), 0);
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
