use std::time::Duration;

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

    pub fn passing(error: Error) -> Failure {
        Failure { error: error.into(), transient: true, after: None }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::lasting(error)
    }
}

/// How often and how patiently.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retry {
    pub attempts: u32,
    /// Before the second attempt; twice as long before each later one.
    pub first_wait: Duration,
}

/// The longest wait that a registry may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

impl Retry {
    /// Four attempts in a second and a half.
    pub const USUAL: Retry = Retry { attempts: 4, first_wait: Duration::from_millis(200) };

    /// Does it until it works, fails for good, or has failed often enough.
    pub fn run<T>(self, mut attempt: impl FnMut() -> Result<T, Failure>) -> Result<T, Error> {
        let mut wait = self.first_wait;
        for left in (0..self.attempts).rev() {
            match attempt() {
                Ok(value) => return Ok(value),
                Err(failure) if left == 0 || !failure.transient => return Err(*failure.error),
                Err(failure) => std::thread::sleep(failure.after.unwrap_or(wait).min(LONGEST_WAIT)),
            }
            wait *= 2;
        }
        unreachable!("the last attempt returns")
    }
}
