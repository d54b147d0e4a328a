use serde_json::json;

use super::{ARCHITECTURE, Cluster, candidates, pool, until};
use crate::common::fails;

/// What the API server refuses ends with its own words, and nothing is there after it.
#[test]
fn a_real_refusal_creates_nothing() {
    let Some(mut cluster) = Cluster::start() else { return };
    cluster.namespace("refused");
    for name in ["one", "two"] {
        cluster.nodes.add(name, name, ARCHITECTURE, 1);
    }
    let each = candidates(&[("now", &[]), ("new", &[])]);
    let text =
        format!("blocks = 1\nmemory = \"32MiB\"\ncores = 1\n{each}{}{}", pool("one", ""), pool("two", ""));
    let refused = |cluster: &Cluster, args: &[&str], code: i32, pushed: bool| {
        let said = fails(&mut cluster.fleet(args), code);
        assert!(
            super::super::kept(&cluster.sandbox).is_none() && cluster.pods("refused").is_empty(),
            "{said}"
        );
        assert_eq!(cluster.api().list("/apis/batch/v1/jobs").unwrap(), Vec::<serde_json::Value>::new());
        assert_eq!(!cluster.registry.state.lock().unwrap().log.is_empty(), pushed, "{said}");
        said
    };
    let run = ["run", "--no-rehearsal"];

    cluster.spec("elsewhere", &text);
    let said = refused(&cluster, &run, 9, false);
    assert!(
        said.contains("namespaces \"elsewhere\" not found")
            || said.contains("cannot create resource \"jobs\""),
        "{said}"
    );
    cluster.spec("default", &text);
    let said = refused(&cluster, &run, 9, false);
    let rule = "jobs.batch is forbidden: User \"dev\" cannot create resource \"jobs\" in API group \"batch\" in the namespace \"default\"";
    assert!(said.contains(&format!("the cluster forbids it: {rule}")), "{said}");

    cluster.spec("refused", &text.replace("pool = \"two\"", "pools = \"two\""));
    let said = refused(&cluster, &run, 2, false);
    assert!(said.contains("no node is in the pool 'two'"), "{said}");
    cluster.spec("refused", &text.replace("cores = 1", "cores = 3"));
    let said = refused(&cluster, &run, 2, false);
    assert!(said.contains("asks for 3 cores"), "{said}");
    cluster.spec("refused", &text);
    let said = refused(&cluster, &["plan", "--by", "pol"], 2, false);
    assert!(said.contains("no node of the cluster has the label 'pol'") && said.contains("'pool'"), "{said}");
    let said = fails(cluster.fleet(&run).env("KUBECONFIG", "/nonexistent"), 3);
    assert!(said.contains("kubectl knows no cluster to speak to"), "{said}");
    let said = fails(cluster.fleet(&run).env("PATH", "/nonexistent"), 4);
    assert!(said.contains("there is no `kubectl`"), "{said}");

    // The first job is taken, the second is one too many.
    let quota = json!({ "metadata": { "name": "q" }, "spec": { "hard": { "count/jobs.batch": "1" } } });
    cluster.api().create("/api/v1/namespaces/refused/resourcequotas", &quota);
    until("a quota", super::PATIENCE, || {
        cluster.api().get("/api/v1/namespaces/refused/resourcequotas/q")?["status"]["hard"]
            .as_object()
            .map(drop)
    });
    let said = refused(&cluster, &run, 9, true);
    assert!(said.contains("the quota does not allow it"), "{said}");

    cluster.server.go_away();
    let said = fails(&mut cluster.fleet(&run), 9);
    assert!(said.contains("kubectl failed") && said.contains("refused"), "{said}");
}
