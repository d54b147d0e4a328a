use std::thread::{scope, sleep};
use std::time::Duration;

use serde_json::{Value, json};

use super::{ARCHITECTURE, Cluster, OTHER, candidates, kept, name, pool, runs};
use crate::common::{fails, ok};

fn two() -> String {
    candidates(&[("now", &[("WORK_MS", 800)]), ("new", &[("WORK_MS", 100)])])
}

/// The number of blocks that began more than once.
fn again(cluster: &Cluster, folder: &str) -> usize {
    let blocks = kept(cluster.sandbox.path(), folder)["blocks"].as_array().unwrap().clone();
    blocks.iter().filter(|block| block["attempt"] != 0).count()
}

/// A pod evicted, a node lost, the API server away, two that collect at once, a log without its end, nodes of another
/// architecture: all blocks are there at the end, and none twice.
#[test]
fn what_happens_to_pods_and_nodes_is_made_good() {
    let Some(mut cluster) = Cluster::start() else { return };
    cluster.namespace("faults");
    for number in 1..=5 {
        cluster.nodes.add(&format!("node-{number}"), "mixed", ARCHITECTURE, 1);
    }
    cluster.nodes.add("other", "mixed", OTHER, 1);
    let limits = "goal = \"time\"\nblocks = 16\nmemory = \"32MiB\"\ncores = 1\n";
    cluster.spec("faults", &format!("{limits}{}{}", two(), pool("mixed", "")));
    let plan = ok(&mut cluster.fleet(&["plan"]));
    assert!(plan.contains("on 5 nodes"), "{plan}");
    let folder = cluster.run("faults");

    let evicted = name(&cluster.pod("faults", "a pod that runs", runs));
    let eviction = json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": evicted } });
    cluster.api().create(&format!("/api/v1/namespaces/faults/pods/{evicted}/eviction"), &eviction);

    let ran = cluster.pod("faults", "another that runs", |pod| runs(pod) && name(pod) != evicted);
    cluster.nodes.lose(ran["spec"]["nodeName"].as_str().unwrap());

    let done = cluster.pod("faults", "a block that has ended", |pod| pod["status"]["phase"] == "Succeeded");
    // Within the frame of its block, and before it.
    let cut = |bytes| cluster.nodes.wishes.lock().unwrap().truncated = Some((name(&done), bytes));
    cut(usize::MAX);
    let said = cluster.collect(&folder)["unread"].to_string();
    assert!(
        said.contains(&format!("{}: it ended well, but there is no block in its log", name(&done))),
        "{said}"
    );
    cut(200);
    let partial = cluster.collect(&folder);
    assert_eq!(partial["lost"].as_array().unwrap().len(), 1, "{partial}");
    let lost = ok(&mut cluster.fleet(&["collect", &folder]));
    assert!(lost.contains("was lost: "), "{lost}");
    cluster.nodes.wishes.lock().unwrap().truncated = None;
    let (first, second) = scope(|scope| {
        let both = [0, 1].map(|_| scope.spawn(|| cluster.collect(&folder)));
        let [first, second] = both.map(|one| one.join().unwrap());
        (first, second)
    });
    assert_eq!(first["lost"], json!([]), "what was found whole is no longer lost");
    assert_eq!(second["lost"], json!([]));

    cluster.server.go_away();
    let before = kept(cluster.sandbox.path(), &folder);
    for command in ["status", "collect", "delete"] {
        let said = fails(&mut cluster.fleet(&[command, &folder]), 9);
        assert!(said.contains("kubectl failed") && said.contains("refused"), "{said}");
    }
    assert_eq!(kept(cluster.sandbox.path(), &folder), before);
    ok(&mut cluster.fleet(&["report", &folder]));
    sleep(Duration::from_secs(60));
    cluster.server.come_back();

    cluster.wait(&folder);
    let collected = cluster.collect(&folder);
    assert_eq!((&collected["blocks"], &collected["lost"]), (&16.into(), &json!([])), "{collected}");
    assert!(again(&cluster, &folder) >= 2, "evicted and lost blocks ran again");
    let status = cluster.status(&folder);
    assert_eq!((&status[0]["done"], &status[0]["failed"]), (&16.into(), &0.into()));
    let blocks = kept(cluster.sandbox.path(), &folder)["blocks"].as_array().unwrap().clone();
    assert!(blocks.iter().all(|block| block["node"] != "other"), "{blocks:?}");
    let report = cluster.report(&folder);
    assert_eq!(report["pools"][0]["candidates"][1]["verdict"], "better", "{report:#}");
    cluster.delete("faults", &folder);
}

/// A container that the kernel kills whole, for a candidate in it: an answer for that candidate, and for those before it.
#[test]
fn what_the_kernel_kills_is_an_answer() {
    let Some(cluster) = Cluster::start() else { return };
    cluster.namespace("killed");
    (1..=3).for_each(|number| cluster.nodes.add(&format!("node-{number}"), "pool", ARCHITECTURE, 1));
    let hungry = candidates(&[("now", &[("WORK_MS", 100)]), ("hungry", &[("HOLD_KIB", 90 << 10)])]);
    cluster.spec(
        "killed",
        &format!("goal = \"time\"\nblocks = 6\nmemory = \"100MiB\"\ncores = 1\n{hungry}{}", pool("pool", "")),
    );
    // Brawn holds a candidate to its limit before the kernel does; so the node has less than the pod was promised.
    cluster.nodes.wishes.lock().unwrap().memory = Some(70 << 20);
    let folder = cluster.run("killed");
    cluster.wait(&folder);
    assert_eq!(cluster.status(&folder)[0]["failed"], 6, "none is tried again");
    assert_eq!(cluster.collect(&folder)["blocks"], 6);
    let report = cluster.report(&folder);
    let verdicts: Vec<&Value> =
        report["pools"][0]["candidates"].as_array().unwrap().iter().map(|one| &one["verdict"]).collect();
    assert_eq!(verdicts, ["now", "over_memory"], "{report:#}");
    cluster.delete("killed", &folder);
}

/// Pods that never run: `status` says why, and `delete` clears them away.
#[test]
fn what_waits_says_why() {
    let Some(cluster) = Cluster::start() else { return };
    cluster.nodes.add("node-1", "pool", ARCHITECTURE, 1);
    let text =
        format!("goal = \"time\"\nblocks = 2\nmemory = \"32MiB\"\ncores = 1\n{}{}", two(), pool("pool", ""));
    let why = |folder: &str, reason: &str, done: u32| {
        super::until(reason, super::PATIENCE, || {
            let waiting = cluster.status(folder)[0]["waiting"].clone();
            waiting.as_object().unwrap().keys().any(|key| key.starts_with(reason)).then_some(())
        });
        let said = ok(&mut cluster.fleet(&["collect", folder]));
        assert!(said.contains(&format!("{done} of 2 blocks")), "{said}");
        cluster.delete(folder, folder);
    };

    cluster.namespace("image");
    cluster.spec("image", &text);
    cluster.nodes.wishes.lock().unwrap().unreachable = true;
    let said = fails(&mut cluster.fleet(&["run", "--no-rehearsal", "--out", "image"]), 7);
    assert!(said.contains("no node can pull ") && said.contains("no such host"), "{said}");
    assert!(!cluster.sandbox.path().join("image").exists());
    assert_eq!((cluster.pods("image").len(), cluster.jobs("image").len()), (0, 0));
    cluster.nodes.wishes.lock().unwrap().unreachable = false;
    // The first block has the image when it is deleted; the second comes too late.
    cluster.run("image");
    cluster.registry.state.lock().unwrap().manifests.clear();
    why("image", "ImagePullBackOff", 1);

    cluster.namespace("quota");
    let quota = json!({ "metadata": { "name": "q" }, "spec": { "hard": { "pods": "0" } } });
    cluster.api().create("/api/v1/namespaces/quota/resourcequotas", &quota);
    let used = || {
        cluster.api().get("/api/v1/namespaces/quota/resourcequotas/q")?["status"]["hard"]
            .as_object()
            .map(drop)
    };
    super::until("a quota", super::PATIENCE, used);
    cluster.spec("quota", &text);
    cluster.run("quota");
    why("quota", "exceeded quota", 0);

    cluster.namespace("nodes");
    cluster.spec("nodes", &text);
    cluster.api().patch("/api/v1/nodes/node-1", &json!({ "spec": { "unschedulable": true } })).unwrap();
    let said = fails(&mut cluster.fleet(&["run", "--no-rehearsal", "--out", "nodes"]), 2);
    assert!(said.contains("no node is in the pool 'pool'"), "{said}");
    cluster.api().patch("/api/v1/nodes/node-1", &json!({ "spec": { "unschedulable": false } })).unwrap();
    cluster.nodes.lose("node-1");
    cluster.nodes.add("node-2", "pool", ARCHITECTURE, 1);
    let taint = json!([{ "key": "dedicated", "effect": "NoSchedule" }]);
    cluster.api().patch("/api/v1/nodes/node-2", &json!({ "spec": { "taints": taint } })).unwrap();
    cluster.run("nodes");
    why("nodes", "Unschedulable", 0);
}
