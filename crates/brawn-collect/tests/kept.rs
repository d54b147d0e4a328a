//! Whatever is collected, in whatever order and however often, the file is the same in the end.

mod common;

use std::path::Path;

use brawn_base::{Code, Diagnostic};
use brawn_collect::block::{self, Block};
use brawn_collect::kept::Added;
use brawn_collect::source::{Files, collect};
use brawn_collect::{Error, Kept};
use common::{block, plan};

fn measured() -> Vec<Block> {
    let pools = [("small", 4), ("large", 6)];
    let blocks = pools.iter().flat_map(|&(pool, count)| (0..count).map(move |index| (pool, index)));
    blocks.map(|(pool, index)| block(pool, index, &[("now", 1.0), ("other", 0.9)])).collect()
}

fn collected(path: &Path, log: &str) -> (Kept, Added) {
    let logs = path.with_extension("logs");
    fs_err::create_dir_all(logs.join("deep")).unwrap();
    fs_err::write(logs.join("deep/0.log"), log).unwrap();
    collect::<Error>(path, &mut Files(vec![logs])).unwrap()
}

fn logged(blocks: &[Block]) -> String {
    blocks.iter().map(block::write).collect()
}

#[test]
fn collecting_is_idempotent_and_needs_no_order() {
    let folder = tempfile::tempdir().unwrap();
    let blocks = measured();
    let kept = |order: &[&[Block]]| {
        let path = folder.path().join("fleet.json");
        Kept::new(plan(&[("small", 4), ("large", 6)])).save(&path).unwrap();
        for blocks in order {
            collected(&path, &logged(blocks));
        }
        fs_err::read_to_string(&path).unwrap()
    };
    let once = kept(&[&blocks]);
    let mut reversed = blocks.clone();
    reversed.reverse();
    let mut later = blocks.clone();
    later.iter_mut().for_each(|block| block.attempt = 1);
    for order in
        [vec![&blocks[..], &blocks], vec![&reversed], vec![&blocks[5..], &blocks[..7]], vec![&later, &blocks]]
    {
        assert_eq!(kept(&order), once);
    }
    let again = kept(&[&blocks, &later]);
    assert_eq!(again, once, "the first complete attempt counts");
}

#[test]
fn what_is_lost_or_missing_is_named_until_it_comes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fleet.json");
    Kept::new(plan(&[("small", 4), ("large", 6)])).save(&path).unwrap();
    let mut blocks = measured();
    blocks[2].runs.pop();
    let log = logged(&blocks);
    let without_end = log.lines().rev().skip(2).collect::<Vec<_>>();
    let cut = without_end.into_iter().rev().collect::<Vec<_>>().join("\n");
    let foreign = Block { fleet: "another".into(), ..block("small", 0, &[("now", 1.0)]) };
    let beyond = block("small", 99, &[("now", 1.0), ("other", 1.0)]);
    let (kept, added) = collected(&path, &format!("{cut}\n{}", logged(&[foreign, beyond])));
    assert_eq!((kept.blocks.len(), added), (8, Added { new: 8, foreign: 2 }));
    let lost: Vec<_> = kept
        .lost
        .iter()
        .map(|lost| (lost.pool.as_deref().unwrap(), lost.index.unwrap(), &*lost.reason))
        .collect();
    assert_eq!(
        lost,
        [("large", 5, "nothing of it is left but its name"), ("small", 2, "it has no run of `other`")]
    );
    let missing: Vec<_> = kept.missing().into_iter().collect();
    assert_eq!(missing, [("large", vec![5]), ("small", vec![2])]);
    // A further attempt of one, and the whole log of the other.
    let mut rest = [measured()[2].clone(), measured()[9].clone()];
    rest[0].attempt = 1;
    let (kept, _) = collected(&path, &logged(&rest));
    assert!(kept.lost.is_empty() && kept.missing().is_empty() && kept.blocks[2].attempt == 1);
    assert_eq!(Kept::load(&path).unwrap(), kept);
}

#[test]
fn collectors_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fleet.json");
    Kept::new(plan(&[("small", 200)])).save(&path).unwrap();
    std::thread::scope(|scope| {
        for part in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for index in (part..200).step_by(8) {
                    let one = vec![block("small", index, &[("now", 1.0), ("other", 0.9)])];
                    Kept::update(path, |kept| kept.add(one, vec![])).unwrap();
                }
            });
        }
    });
    assert_eq!(Kept::load(&path).unwrap().blocks.len(), 200);
}

#[test]
fn every_way_to_be_wrong_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fleet.json");
    let refused = |text: &str| {
        fs_err::write(&path, text).unwrap();
        Kept::load(&path).unwrap_err()
    };
    let good = serde_json::to_string(&Kept::new(plan(&[("small", 4)]))).unwrap();
    assert!(matches!(refused("{}"), Error::NotKept { .. }));
    assert!(matches!(refused(&good.replace("\"schema\":1", "\"schema\":9")), Error::Schema { found: 9, .. }));
    let error = refused(&good.replace("\"reference\":\"now\"", "\"reference\":\"then\""));
    assert!(error.to_string().ends_with("cannot be: `then`, which is used now, is no candidate"), "{error}");
    assert_eq!((error.code(), error.hint().is_some()), (Code::Input, true));
    let twice = good.replace("\"name\":\"other\"", "\"name\":\"now\"");
    assert!(refused(&twice).to_string().ends_with("two candidates have the same name"));
    fs_err::write(&path, &good).unwrap();
    let empty = folder.path().join("empty");
    fs_err::create_dir(&empty).unwrap();
    assert!(matches!(collect::<Error>(&path, &mut Files(vec![empty])), Err(Error::NoLogs { .. })));
    let nowhere = collect::<Error>(&path, &mut Files(vec![folder.path().join("nowhere")])).unwrap_err();
    assert_eq!(nowhere.code(), Code::Io);
}
