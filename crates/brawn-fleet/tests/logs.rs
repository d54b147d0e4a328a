//! Logs of pods, of which one was killed for its memory, one is gone, and one still runs.

use std::os::unix::fs::PermissionsExt as _;

use brawn_collect::block::{Block, BlockRun, Outcome, write};
use brawn_collect::log::read_all;
use brawn_collect::source::Source as _;
use brawn_fleet::engine::kubernetes::Logs;
use brawn_fleet::kubectl::Kubectl;
use brawn_fleet::last_words;
use serde_json::json;

#[test]
fn every_pod_that_has_ended_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> '{0}/calls'\ncase \"$*\" in\n*'get pods'*) cat '{0}/pods' ;;\n*) [ -e \"{0}/$2\" ] || {{ echo \
         \"Error from server (NotFound): pods \\\"$2\\\" not found\" >&2; exit 1; }}; cat \"{0}/$2\" ;;\nesac\n",
        place.display()
    );
    let kubectl = place.join("kubectl");
    fs_err::write(&kubectl, script).unwrap();
    fs_err::set_permissions(&kubectl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let pod = |name: &str, phase: &str, reason: &str| {
        let ended = json!([{ "state": { "terminated": { "reason": reason } } }]);
        json!({ "metadata": { "name": name }, "status": { "phase": phase, "containerStatuses": ended } })
    };
    let mut pods = vec![
        pod("killed", "Failed", "OOMKilled"),
        pod("gone", "Failed", "Error"),
        pod("runs", "Running", ""),
        pod("failed", "Failed", "Error"),
    ];
    let block = |index: u32| {
        let outcome = Outcome::OverMemory { limit: 5, peak: None };
        let runs = vec![BlockRun { candidate: "a".into(), outcome }];
        Block { fleet: "f".into(), pool: "p".into(), index, runs, ..Block::default() }
    };
    for index in 0..20 {
        pods.push(pod(&format!("done-{index}"), "Succeeded", "Completed"));
        fs_err::write(place.join(format!("done-{index}")), write(&block(index))).unwrap();
    }
    fs_err::write(place.join("pods"), json!({ "items": pods }).to_string()).unwrap();
    // Both said the same before they ended, and only of one it is true.
    for (name, index) in [("killed", 20), ("failed", 21)] {
        fs_err::write(place.join(name), last_words::line(&block(index))).unwrap();
    }
    let program = kubectl.to_str().unwrap();
    let mut logs = Logs::new(Kubectl::new(&Default::default()).through(program), "0a1b2c3d");
    let mut all = Vec::new();
    logs.each(&mut |log| {
        log.read_to_end(&mut all)?;
        Ok(())
    })
    .unwrap();
    let mut blocks = read_all(&all).blocks;
    blocks.sort_by_key(|block| block.index);
    assert_eq!(blocks, (0..=20).map(block).collect::<Vec<_>>());
    assert_eq!(logs.unread(), ["gone: Error from server (NotFound): pods \"gone\" not found"]);
    let calls = fs_err::read_to_string(place.join("calls")).unwrap();
    assert_eq!(calls.lines().count(), 1 + 23, "{calls}");
    assert!(calls.starts_with("get pods --selector=brawn.fleet/id=0a1b2c3d "), "{calls}");
}
