//! Counts the words of standard input.

use std::collections::BTreeMap;

fn main() -> std::io::Result<()> {
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for line in std::io::stdin().lines() {
        for word in line?.split_whitespace() {
            *words.entry(word.to_owned()).or_default() += 1;
        }
    }
    for (word, count) in words {
        println!("{word} {count}");
    }
    Ok(())
}
