//! Saying that something takes long. A library prints nothing by itself: the program says how.

use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

static SAY: OnceLock<fn(&str)> = OnceLock::new();

/// Work that ends before this needs no word.
const SHORT: Duration = Duration::from_secs(2);
/// Between two words about the same work.
const PAUSE: Duration = Duration::from_secs(10);

/// Has `say` called with a line about what takes long.
pub fn on_progress(say: fn(&str)) {
    let _ = SAY.set(say);
}

/// Does `work`, and says `what` if it takes long, then again and again how long it has taken.
pub(crate) fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let Some(say) = SAY.get() else { return work() };
    let start = Instant::now();
    let (done, waiting) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut pause = SHORT;
            while waiting.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                match pause {
                    SHORT => say(what),
                    _ => say(&format!("still at it, {} s", start.elapsed().as_secs())),
                }
                pause = PAUSE;
            }
            if pause == PAUSE {
                say(&format!("done after {} s", start.elapsed().as_secs()));
            }
        });
        let result = work();
        drop(done);
        result
    })
}
