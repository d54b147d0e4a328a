//! Things that several tests need and the first one to ask makes, while the others wait for it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock};

type Cell<V> = Arc<OnceLock<Result<V, String>>>;

/// What has been made so far; a failure is kept like a success.
pub struct OnceMap<K, V>(Mutex<HashMap<K, Cell<V>>>);

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> OnceMap<K, V> {
        OnceMap(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> OnceMap<K, V> {
    /// What belongs to `key`, made now if it was never asked for.
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<V, String>) -> Result<V, String> {
        // The map is free again while one thing is made: others can be made at the same time.
        let cell = self.0.lock().expect("nothing panics under this lock").entry(key).or_default().clone();
        cell.get_or_init(make).clone()
    }
}
