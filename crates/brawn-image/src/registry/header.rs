//! What the head of an answer says, as far as it is understood: whatever else it says counts as nothing.

use std::time::{Duration, SystemTime};

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

/// How long to wait before another attempt: so many seconds, or until a date.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let until = |date: SystemTime| {
        let left = date.duration_since(SystemTime::now()).unwrap_or_default();
        Duration::from_secs(left.as_secs_f64().ceil() as u64)
    };
    text.parse().ok().map(Duration::from_secs).or_else(|| httpdate::parse_http_date(text).ok().map(until))
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

#[cfg(test)]
mod tests {
    use ureq::http::HeaderValue;

    use super::*;

    #[test]
    fn a_registry_says_how_long_to_wait_or_until_when() {
        let wait = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_str(value).unwrap());
            retry_after(&headers).map(|wait| wait.as_secs())
        };
        assert_eq!((wait("7"), wait("soon"), wait("-1")), (Some(7), None, None));
        let ahead = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(20));
        assert!((18..=20).contains(&wait(&ahead).unwrap()), "{ahead}");
        for past in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(wait(past), Some(0), "{past}");
        }
    }
}
