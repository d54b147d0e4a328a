//! What shows that a text is by `brawn init`, and untouched: a comment before it that holds the digest of it.

use sha2::{Digest as _, Sha256};

const START: &str = "# brawn init ";

/// What is known of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// There is no mark.
    No,
    /// What begins at this byte, and ends before that one, is as it was written.
    Whole(usize, usize),
    /// There is a mark, and what follows is something else than was written.
    Changed,
}

/// The text with its mark before it. It ends with a line break, and holds no empty line if it is to stand among others.
pub fn marked(text: &str) -> String {
    format!("{START}{} {}: `brawn init --undo` takes these lines out\n{text}", digest(text), text.len())
}

/// Looks for a mark.
pub fn find(text: &str) -> Found {
    let start = match text.starts_with(START) {
        true => 0,
        false => match text.find(&format!("\n{START}")) {
            Some(place) => place + 1,
            None => return Found::No,
        },
    };
    let rest = &text[start + START.len()..];
    let Some((line, body)) = rest.split_once('\n') else { return Found::Changed };
    let mut words = line.trim_end_matches('\r').split([' ', ':']);
    let (sum, length) = (words.next().unwrap_or_default(), words.next().and_then(|word| word.parse().ok()));
    match length.and_then(|length: usize| body.get(..length)) {
        Some(body) if digest(body) == sum => {
            Found::Whole(start, start + START.len() + line.len() + 1 + body.len())
        }
        _ => Found::Changed,
    }
}

fn digest(text: &str) -> String {
    let sum = Sha256::digest(text.as_bytes());
    sum.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_known_again_and_what_was_changed_is_seen() {
        let text = marked("a = 1\nb = 2\n");
        assert_eq!(find(&text), Found::Whole(0, text.len()));
        let among = format!("x\n\n{text}\n[more]\n");
        assert_eq!(find(&among), Found::Whole(3, 3 + text.len()));
        assert_eq!(find(&text.replace("b = 2", "b = 3")), Found::Changed);
        assert_eq!(find(text.trim_end_matches("b = 2\n")), Found::Changed);
        assert_eq!(find("# brawn init"), Found::No);
        assert_eq!(find("# brawn init x"), Found::Changed);
        assert_eq!(find("nothing\n"), Found::No);
    }
}
