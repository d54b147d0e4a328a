use std::io::{self, Read};
use std::time::{Duration, Instant};

use super::{Event, Limits, Reporter};

/// A body that came or went too slowly.
#[derive(Debug, thiserror::Error)]
#[error("fewer than {} bytes in {} s", Limits::SLOWEST, .0.as_secs_f32())]
pub(super) struct TooSlow(Duration);

/// Watches a body on its way: whether enough of it moves, and how far it is.
pub(super) struct Paced<R> {
    inner: R,
    stall: Duration,
    /// When the present window began, and how much has moved in it.
    window: (Instant, u64),
    done: u64,
    total: u64,
    reporter: Reporter,
}

impl<R> Paced<R> {
    /// `total` are the bytes that are expected.
    pub fn new(inner: R, total: u64, stall: Duration, reporter: Reporter) -> Paced<R> {
        Paced { inner, stall, window: (Instant::now(), 0), done: 0, total, reporter }
    }
}

impl<R: Read> Read for Paced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.done += count as u64;
        self.window.1 += count as u64;
        if count > 0 && self.window.0.elapsed() >= self.stall {
            if self.window.1 < Limits::SLOWEST {
                return Err(io::Error::other(TooSlow(self.stall)));
            }
            self.window = (Instant::now(), 0);
        }
        (self.reporter)(&Event::Moved { done: self.done, total: self.total });
        Ok(count)
    }
}

impl<R> Drop for Paced<R> {
    fn drop(&mut self) {
        (self.reporter)(&Event::Ended);
    }
}
