use std::time::Duration;

use super::Event;
use super::client::Client;
use crate::Error;

/// A failed attempt.
pub(super) struct Failure {
    pub error: Box<Error>,
    /// Whether the same may work a moment later.
    pub transient: bool,
    /// How long the registry asks to wait.
    pub after: Option<Duration>,
}

impl Failure {
    pub fn lasting(error: Error) -> Failure {
        Failure { error: error.into(), transient: false, after: None }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::lasting(error)
    }
}

const ATTEMPTS: u32 = 4;
/// Before the second attempt; twice as long before each later one: a second and a half in all.
const FIRST_WAIT: Duration = Duration::from_millis(200);

impl Client {
    /// Tries until it works, fails for good, has failed often enough, or would take longer than it may.
    pub fn attempts<T>(&self, mut attempt: impl FnMut() -> Result<T, Failure>) -> Result<T, Error> {
        let _running = self.access.clock.run();
        let mut usual = FIRST_WAIT;
        for left in (0..ATTEMPTS).rev() {
            let failure = match attempt() {
                Ok(value) => return Ok(value),
                Err(failure) if left == 0 || !failure.transient => return Err(*failure.error),
                Err(failure) => failure,
            };
            let longest = self.access.limits.wait;
            if let Some(wait) = failure.after.filter(|asked| *asked > longest) {
                return Err(Error::Busy { registry: self.registry.clone(), wait, longest });
            }
            let wait = failure.after.unwrap_or(usual);
            if self.access.clock.left().is_none_or(|left| left <= wait) {
                return Err(self.out_of_time());
            }
            if failure.after.is_some() && !wait.is_zero() {
                let registry = self.registry.clone();
                (self.access.reporter)(&Event::Waiting { registry, wait });
            }
            std::thread::sleep(wait);
            usual *= 2;
        }
        unreachable!("the last attempt returns")
    }
}
