//! What the tests share.

/// Says why a test did not look; in CI, where everything must be there, that is a failure.
pub fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
}
