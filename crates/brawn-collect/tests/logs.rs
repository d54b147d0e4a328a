//! Whatever becomes of a log, what is found in it is what was written; and what is not found is named.

mod common;

use brawn_collect::block::{self, Block, LINE, Outcome};
use brawn_collect::log::{Found, read_all};
use common::block;
use proptest::prelude::*;

/// Blocks of several lines, with text in them that looks like marks and like the frames of a runtime.
fn written(count: u32) -> Vec<Block> {
    let said = ["brawn-block-end 0", " ", "2026-11-25T20:00:00Z stdout F ", "{\"log\":", "é\n\u{2028}"];
    let reason = |index: u32| said[index as usize % said.len()].repeat(200 + 150 * index as usize);
    (0..count)
        .map(|index| {
            let mut block = block("large", index, &[("now", 1.0), ("other", 0.9)]);
            block.runs[1].outcome = Outcome::Failed { reason: reason(index) };
            block
        })
        .collect()
}

fn log(blocks: &[Block]) -> String {
    blocks.iter().map(block::write).collect()
}

/// Those that were found are among those that were written, and the others have names, as far as their first lines are there.
fn assert_honest(found: &Found, blocks: &[Block], log: &str) {
    for block in &found.blocks {
        assert!(blocks.contains(block), "never written: {block:?}");
        assert_eq!(found.blocks.iter().filter(|other| *other == block).count(), 1, "twice");
    }
    for block in blocks.iter().filter(|block| !found.blocks.contains(block)) {
        let first = block::write(block).lines().next().unwrap().to_owned();
        let named = found.lost.iter().any(|lost| lost.index == Some(block.index));
        assert!(named || !log.contains(&first), "lost without a word: {}", block.index);
    }
}

#[test]
fn what_is_written_is_found() {
    let blocks = written(6);
    let log = log(&blocks);
    assert!(log.lines().all(|line| line.len() <= LINE) && log.lines().count() > 20);
    assert_eq!(read_all(log.as_bytes()), Found { blocks, lost: vec![] });
    assert_eq!(read_all(b""), Found::default());
}

#[test]
fn runtimes_frame_and_split_lines() {
    let blocks = written(5);
    let log = log(&blocks);
    let time = "2026-11-25T20:00:00.123456789Z";
    let pieces = |line: &str, length: usize| -> Vec<String> {
        let chars: Vec<char> = line.chars().collect();
        chars.chunks(length).map(|piece| piece.iter().collect()).collect()
    };
    for length in [300, 1000, 16_384] {
        let framed = |frame: &dyn Fn(&str, bool) -> String| -> String {
            log.lines()
                .flat_map(|line| {
                    let pieces = pieces(line, length);
                    let last = pieces.len() - 1;
                    pieces
                        .into_iter()
                        .enumerate()
                        .map(|(at, piece)| frame(&piece, at < last))
                        .collect::<Vec<_>>()
                })
                .collect()
        };
        let node = |piece: &str, more| format!("{time} stdout {} {piece}\n", if more { "P" } else { "F" });
        let docker = |piece: &str, more| {
            let end = if more { "" } else { "\n" };
            let text = serde_json::to_string(&format!("{piece}{end}")).unwrap();
            format!("{{\"log\":{text},\"stream\":\"stdout\",\"time\":\"{time}\"}}\n")
        };
        let kubectl = |piece: &str, _| format!("[pod/brawn-x-1/runner] {time} {piece}\n");
        let windows = |piece: &str, _| format!("{piece}\r\n");
        for frame in [&node as &dyn Fn(&str, bool) -> String, &docker, &kubectl, &windows] {
            let found = read_all(framed(frame).as_bytes());
            assert_eq!((found.blocks.len(), &found.lost[..]), (5, &[][..]), "{length}");
            assert!(found.blocks == blocks);
        }
    }
}

#[test]
fn pods_that_write_at_once_and_lines_out_of_order_do_no_harm() {
    let blocks = written(4);
    let mut lines: Vec<String> = blocks
        .iter()
        .flat_map(|block| block::write(block).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    fastrand::Rng::with_seed(3).shuffle(&mut lines);
    let mut found = read_all(lines.join("\nsomebody else\n").as_bytes());
    found.blocks.sort_by_key(|block| block.index);
    assert_eq!(found, Found { blocks, lost: vec![] });
}

#[test]
fn a_garbled_copy_is_no_loss_where_a_whole_one_is() {
    let blocks = written(2);
    let log = log(&blocks);
    let garbled = log.replace("wall_seconds", "wall_secondz");
    let both = read_all(format!("{garbled}{log}").as_bytes());
    assert_eq!(both, Found { blocks, lost: vec![] });
    let alone = read_all(garbled.as_bytes());
    assert_eq!((alone.blocks.len(), alone.lost.len()), (0, 2));
    let names: Vec<_> = alone.lost.iter().map(|lost| (lost.pool.as_deref(), lost.index)).collect();
    assert_eq!(names, [(Some("large"), Some(0)), (Some("large"), Some(1))]);
    assert!(alone.lost[1].reason.contains("lines are whole"), "{:?}", alone.lost);
}

#[test]
fn a_first_line_of_another_block_is_noticed() {
    let log = block::write(&block("large", 0, &[("now", 1.0)])).replacen(" large 0 ", " large 7 ", 1);
    let found = read_all(log.as_bytes());
    assert_eq!(
        (found.blocks.len(), found.lost[0].reason.as_str()),
        (0, "its first line names another block")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_cut_log_has_the_blocks_before_the_cut(at in 0_usize..40_000, after in any::<bool>()) {
        let blocks = written(5);
        let log = log(&blocks);
        let at = (0..=at.min(log.len())).rev().find(|at| log.is_char_boundary(*at)).unwrap();
        let part = if after { &log[at..] } else { &log[..at] };
        let found = read_all(part.as_bytes());
        assert_honest(&found, &blocks, part);
        // The last line says nothing that a whole block needs, nor does the first.
        let data = |block: &Block| {
            let text = block::write(block);
            text.lines().filter(|line| line.contains("-data ")).all(|line| part.contains(line))
        };
        prop_assert_eq!(found.blocks.len(), blocks.iter().filter(|block| data(block)).count());
    }

    #[test]
    fn changed_bytes_never_make_another_block(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)
    ) {
        let blocks = written(5);
        let mut bytes = log(&blocks).into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        assert_honest(&read_all(&bytes), &blocks, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn lines_lost_repeated_and_mixed_with_others(
        what in prop::collection::vec(0_u8..12, 60), seed in any::<u64>()
    ) {
        let blocks = written(6);
        let mut random = fastrand::Rng::with_seed(seed);
        let whole = log(&blocks);
        let lines: Vec<&str> = whole.lines().collect();
        let mut log = Vec::new();
        for (line, what) in lines.iter().zip(what.iter().cycle()) {
            match what {
                0 => {}
                1 => log.extend([*line, lines[random.usize(..lines.len())]]),
                2 => log.extend([*line, "noise", "brawn-block-", "brawn-block-data 0 0 0 0 "]),
                3 if line.is_char_boundary(line.len() / 2) && line.len() > 250 => {
                    let (one, two) = line.split_at(line.len() / 2);
                    log.extend([one, "someone else's error", two]);
                }
                _ => log.push(line),
            }
        }
        let end = if seed % 2 == 0 { "\n" } else { "\r\n" };
        let log = log.join(end);
        let found = read_all(log.as_bytes());
        assert_honest(&found, &blocks, &log);
        let kept = |block: &Block| {
            let text = block::write(block);
            text.lines().filter(|line| line.contains("-data ")).all(|line| {
                what.iter().cycle().zip(&lines).any(|(what, other)| *other == line && *what != 0)
            })
        };
        for block in blocks.iter().filter(|block| kept(block)) {
            prop_assert!(found.blocks.contains(block), "{} was whole", block.index);
        }
    }
}
