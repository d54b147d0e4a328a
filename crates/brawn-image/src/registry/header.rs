//! What the head of an answer says, as far as it is understood: whatever else it says counts as nothing.

use std::time::Duration;

use ureq::http::HeaderMap;
use ureq::http::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};

/// How one may log in.
pub fn challenges(headers: &HeaderMap) -> Vec<&str> {
    headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok()).collect()
}

/// Where the asked-for is, or what is sent should go.
pub fn location(headers: &HeaderMap) -> Option<&str> {
    headers.get(LOCATION)?.to_str().ok()
}

/// How long to wait before another attempt. A date instead of a number of seconds is not understood.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

/// The size of the body in bytes.
pub fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The media type of the body without its parameters, or nothing.
pub fn media_type(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

/// The digest of what was put.
pub fn content_digest(headers: &HeaderMap) -> Option<&str> {
    headers.get("docker-content-digest")?.to_str().ok()
}
