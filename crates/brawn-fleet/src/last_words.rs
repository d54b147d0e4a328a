//! What a block says before each candidate, in case that it is killed together with it.
//!
//! In newer versions of Kubernetes the kernel kills all of a container that passes its limit of memory, Brawn with it. Then
//! the last of these lines is what is known of the block.

use brawn_collect::block::{Block, write};

/// What such a line begins with.
const MARK: &str = "brawn-block-if-killed ";

/// The line for a log, with a line break.
pub fn line(block: &Block) -> String {
    format!("{MARK}{}\n", serde_json::to_string(block).expect("a block is plain data"))
}

/// A log, with the last words in it made the block that it lacks: of a container that the kernel killed for its memory.
pub fn heeded(log: &str) -> String {
    let last = log.lines().rev().find_map(|line| line.split_once(MARK));
    match last.and_then(|(_, json)| serde_json::from_str::<Block>(json).ok()) {
        Some(block) => format!("{log}\n{}", write(&block)),
        None => log.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use brawn_collect::block::{BlockRun, Outcome};
    use brawn_collect::log::read_all;

    use super::*;

    #[test]
    fn the_last_words_are_a_block() {
        let run = |candidate: &str, outcome| BlockRun { candidate: candidate.into(), outcome };
        let before =
            run("a", Outcome::Sample(brawn_measure::Sample { wall_seconds: 1.5, ..Default::default() }));
        let killed = run("b", Outcome::OverMemory { limit: 7, peak: None });
        let first = Block {
            fleet: "f".into(),
            pool: "p".into(),
            index: 3,
            runs: vec![killed.clone()],
            ..Block::default()
        };
        let second = Block { runs: vec![before, killed], ..first.clone() };
        let log = format!("{}noise\n{}", line(&first), line(&second));
        assert_eq!(read_all(log.as_bytes()).blocks, []);
        assert_eq!(read_all(heeded(&log).as_bytes()).blocks, [second]);
        assert_eq!(heeded("killed at once"), "killed at once");
    }
}
