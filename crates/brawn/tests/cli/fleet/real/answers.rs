use serde_json::Value;

use super::{ARCHITECTURE, Cluster, candidates, pool};
use crate::common::ok;

/// Three pools whose limits alone decide what is best on them: threads are worth nothing where the quota of a fraction of a core
/// is what holds a program up, and are on a machine of two, whatever else runs there.
#[test]
fn known_answers_are_found() {
    let Some(cluster) = Cluster::start() else { return };
    cluster.namespace("answers");
    for (pool, cores) in [("narrow", 1), ("wide", 2), ("tight", 1)] {
        for number in 1..=6 {
            cluster.nodes.add(&format!("{pool}-{number}"), pool, ARCHITECTURE, cores);
        }
    }
    let each = candidates(&[
        ("now", &[("WORK_MS", 300), ("HOLD_KIB", 40960)]),
        ("threads", &[("WORK_MS", 360), ("HOLD_KIB", 40960), ("THREADS", 4)]),
        ("lean", &[("WORK_MS", 450), ("HOLD_KIB", 4096)]),
    ]);
    let pools = pool("narrow", "cores = 0.4")
        + &pool("wide", "cores = 2")
        + &pool("tight", "cores = 1\nmemory = \"24MiB\"");
    cluster.spec("answers", &format!("goal = \"time\"\nblocks = 12\nmemory = \"128MiB\"\n{each}{pools}"));
    let values = ok(&mut cluster.fleet(&["plan", "--by", "pool"]));
    assert_eq!(values, "narrow: 6 nodes\ntight: 6 nodes\nwide: 6 nodes\n");
    let folder = cluster.run("answers");
    // While it runs, what is there can be had.
    let seen = cluster.pod("answers", "the end of a block", |pod| pod["status"]["phase"] == "Succeeded");
    assert_eq!(seen["status"]["qosClass"], "Guaranteed");
    assert!(cluster.collect(&folder)["blocks"].as_u64().unwrap() >= 1);
    ok(&mut cluster.fleet(&["report", &folder]));
    cluster.wait(&folder);
    let collected = cluster.collect(&folder);
    assert_eq!(
        (&collected["blocks"], &collected["lost"]),
        (&36.into(), &Value::Array(Vec::new())),
        "{collected}"
    );
    let report = cluster.report(&folder);
    println!("{}", ok(&mut cluster.fleet(&["report", &folder])));
    let pools = report["pools"].as_array().unwrap();
    let picks: Vec<&str> = pools.iter().map(|pool| pool["pick"].as_str().unwrap()).collect();
    assert_eq!(picks, ["now", "threads", "lean"], "{report:#}");
    let verdicts = pools
        .iter()
        .flat_map(|pool| pool["candidates"].as_array().unwrap())
        .map(|one| one["verdict"].as_str().unwrap());
    let expected =
        [["now", "worse", "worse"], ["now", "better", "worse"], ["over_memory", "over_memory", "alive"]];
    assert_eq!(verdicts.collect::<Vec<_>>(), expected.concat(), "{report:#}");
    assert!(pools.iter().all(|pool| pool["nodes"] == 6), "one block at a time on each node: {report:#}");
    cluster.delete("answers", &folder);
}
