//! What container runtimes put around the lines that a program prints.

use std::borrow::Cow;

use serde::Deserialize;

/// A line of Docker's files.
#[derive(Deserialize)]
struct Docker<'a> {
    #[serde(borrow)]
    log: Cow<'a, str>,
}

/// What a program printed, without the end of the line. What is no UTF-8 was not written by Brawn.
pub fn content(line: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(line);
    if line.starts_with(b"{\"log\":")
        && let Ok(docker) = serde_json::from_slice::<Docker<'_>>(line)
    {
        return Cow::Owned(docker.log.trim_end_matches(['\r', '\n']).to_owned());
    }
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_end_matches(['\r', '\n'])),
        Cow::Owned(text) => Cow::Owned(text.trim_end_matches(['\r', '\n']).to_owned()),
    }
}

/// The line without what `kubectl logs` and the files of a node have before it: `[pod/NAME/CONTAINER]`, the time, the
/// stream, and whether the line goes on.
pub fn without_time(line: &str) -> &str {
    let after_time =
        |line| str::split_once(line, ' ').filter(|(time, _)| is_time(time)).map(|(_, after)| after);
    if let Some((_, after)) = line.strip_prefix("[pod/").and_then(|pod| pod.split_once("] ")) {
        return after_time(after).unwrap_or(after);
    }
    let Some(after) = after_time(line) else { return line };
    let stream = ["stdout ", "stderr "].into_iter().find_map(|stream| after.strip_prefix(stream));
    stream.and_then(|tag| tag.strip_prefix("P ").or_else(|| tag.strip_prefix("F "))).unwrap_or(after)
}

/// Whether it is a time as in `2026-11-25T20:00:00.123456789Z`.
fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 20
        && bytes[4] == b'-'
        && bytes[10] == b'T'
        && bytes.iter().all(|byte| byte.is_ascii_digit() || b"-:.TZ+".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_taken_off() {
        let docker = br#"{"log":"a \"b\"\n","stream":"stdout","time":"2026-11-25T20:00:00Z"}"#;
        assert_eq!(content(docker), "a \"b\"");
        assert_eq!(content(b"{\"log\":\n"), "{\"log\":", "no frame");
        assert_eq!(content(b"a b \r\n"), "a b ");
        for line in [
            "rest of it",
            "2026-11-25T20:00:00.123456789Z stdout F rest of it",
            "2026-11-25T20:00:00.123456789+01:00 stderr P rest of it",
            "2026-11-25T20:00:00.123456789Z rest of it",
            "[pod/fleet-abc/runner] 2026-11-25T20:00:00.123456789Z rest of it",
        ] {
            assert_eq!(without_time(line), "rest of it");
        }
        assert_eq!(without_time("2026-11-25T20:00:00Z\",\"x\": 1"), "2026-11-25T20:00:00Z\",\"x\": 1");
    }
}
