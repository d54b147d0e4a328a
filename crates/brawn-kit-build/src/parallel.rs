//! Work on as many threads as Cargo allows.

use std::env;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the jobs on as many threads as Cargo allows, and returns the results in the order of the jobs, or the
/// first error.
pub fn in_parallel<J: Sync, T: Send, E: Send>(
    jobs: &[J],
    work: impl Fn(&J) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let threads = env::var("NUM_JOBS").ok().and_then(|text| text.parse().ok()).unwrap_or(1usize);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1).min(jobs.len()) {
            scope.spawn(|| {
                while let Some((index, job)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(index).map(|job| (index, job))
                } {
                    let result = work(job);
                    results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
