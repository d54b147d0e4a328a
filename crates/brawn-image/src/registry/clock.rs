use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long registries may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Everything together that is asked of registries, waits between attempts included; what is done meanwhile, such as a
    /// compilation, does not count.
    pub total: Duration,
    /// Without progress: no answer, or fewer than [`Limits::SLOWEST`] bytes.
    pub stall: Duration,
    /// The longest wait that a registry may ask for before another attempt.
    pub wait: Duration,
}

impl Limits {
    /// The bytes that have to come or go within [`Limits::stall`].
    pub const SLOWEST: u64 = 4 << 10;
}

impl Default for Limits {
    fn default() -> Limits {
        let seconds = Duration::from_secs;
        Limits { total: seconds(30 * 60), stall: seconds(30), wait: seconds(30) }
    }
}

/// Adds up the time that is spent with registries.
#[derive(Debug)]
pub(super) struct Clock {
    total: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    spent: Duration,
    since: Option<Instant>,
}

/// Time counts while this lives.
pub(super) struct Running<'a>(Option<&'a Clock>);

impl Clock {
    pub fn new(total: Duration) -> Clock {
        Clock { total, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets time count until the result is dropped. Within another run it counts once.
    pub fn run(&self) -> Running<'_> {
        let mut state = self.state();
        let begins = state.since.is_none();
        state.since.get_or_insert_with(Instant::now);
        Running(begins.then_some(self))
    }

    /// What is left; nothing if it is spent.
    pub fn left(&self) -> Option<Duration> {
        let state = self.state();
        let running = state.since.map(|since| since.elapsed()).unwrap_or_default();
        self.total.checked_sub(state.spent + running).filter(|left| !left.is_zero())
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(clock) = self.0 {
            let mut state = clock.state();
            let spent = state.since.take().map(|since| since.elapsed());
            state.spent += spent.unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_with_registries_counts() {
        let clock = Clock::new(Duration::from_secs(60));
        let pause = || std::thread::sleep(Duration::from_millis(20));
        pause();
        assert_eq!(clock.left(), Some(Duration::from_secs(60)));
        let outer = clock.run();
        let inner = clock.run();
        pause();
        drop(inner);
        pause();
        drop(outer);
        let left = clock.left().unwrap();
        assert!(left <= Duration::from_millis(59_960), "{left:?}");
        pause();
        assert_eq!(clock.left(), Some(left));
        assert_eq!(Clock::new(Duration::ZERO).left(), None);
    }
}
