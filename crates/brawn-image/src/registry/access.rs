use std::sync::Arc;
use std::time::Duration;

use super::Limits;
use super::clock::Clock;

/// How registries may be spoken to.
#[derive(Clone)]
pub struct Access {
    /// Without TLS. Only for registries on this machine.
    pub insecure: bool,
    /// Hosts that may be sent the login besides the registry's own, if the registry says so.
    pub token_hosts: Vec<String>,
    /// How long everything may take.
    pub limits: Limits,
    /// Who is told how far it is.
    pub reporter: Reporter,
    pub(super) clock: Arc<Clock>,
}

impl Access {
    /// Access with these limits, which hold for all repositories that are opened with it or with clones of it, together.
    pub fn new(limits: Limits) -> Access {
        Access {
            insecure: false,
            token_hosts: Vec::new(),
            limits,
            reporter: Arc::new(|_| {}),
            clock: Arc::new(Clock::new(limits.total)),
        }
    }

    /// Without TLS; only for registries on this machine.
    pub fn insecure() -> Access {
        Access { insecure: true, ..Access::default() }
    }
}

impl Default for Access {
    fn default() -> Access {
        Access::new(Limits::default())
    }
}

/// What takes time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// So many bytes of a body have come or gone.
    Moved {
        /// Bytes until now.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
    /// The body is there, or given up.
    Ended,
    /// A registry asks to wait before another attempt.
    Waiting {
        /// Host and port.
        registry: String,
        /// For how long.
        wait: Duration,
    },
}

/// What is told of events.
pub type Reporter = Arc<dyn Fn(&Event) + Send + Sync>;
