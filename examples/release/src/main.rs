//! Counts the words of standard input.

use std::collections::BTreeMap;
use std::io::Read as _;

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut counts = BTreeMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word).or_insert(0) += 1;
    }
    for (word, count) in counts {
        println!("{word} {count}");
    }
    Ok(())
}
