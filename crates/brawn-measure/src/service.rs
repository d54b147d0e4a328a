//! What servers need besides: a port, and a signal to stop by.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Mutex, PoisonError};

pub use nix::sys::signal::Signal;

use crate::Error;

/// A TCP port of this machine that nothing listens on at the moment, and that was not given to another caller in this
/// process.
///
/// # Errors
/// [`Error::System`] when there is none.
pub fn free_port() -> Result<u16, Error> {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    loop {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .map_err(|source| Error::System { doing: "find a free port", source })?
            .port();
        if GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(port) {
            return Ok(port);
        }
    }
}
