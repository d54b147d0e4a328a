use std::fs::File;
use std::sync::Arc;

/// Nothing goes out of the cache while this lives.
#[derive(Clone, Debug)]
pub struct Hold(#[allow(dead_code, reason = "it is the lock that counts")] pub(super) Option<Arc<File>>);
