use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::server::{Running, free_port};
use super::{ARCHITECTURE, Cluster, PATIENCE, name, repository, until};
use crate::common::ok;

const IMAGE: &str = "registry.example/web@sha256:";

/// What the nodes' agents would say of the pods' memory: less of the candidate's.
fn metrics(cluster: &Cluster) -> u16 {
    /// Figures that differ by up to two percent.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let api = cluster.api().clone();
    let answer = move |mut socket: TcpStream| -> std::io::Result<()> {
        let _ = socket.read(&mut [0; 4096])?;
        let pods = api.list("/api/v1/namespaces/canary/pods").unwrap_or_default();
        let line = |pod: &Value| {
            let less = pod["metadata"]["labels"]["brawn.dev/variant"] == "candidate";
            let bytes = if less { 80e6 } else { 100e6 }
                * (1.0 + f64::from(NEXT.fetch_add(7919, Ordering::Relaxed) % 1000) / 5e4);
            format!("container_memory_working_set_bytes{{pod=\"{}\"}} {bytes}\n", name(pod))
        };
        let text: String = pods.iter().map(line).collect();
        write!(
            socket,
            "HTTP/1.1 200 x\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{text}",
            text.len()
        )
    };
    std::thread::spawn(move || listener.incoming().flatten().for_each(|socket| drop(answer(socket))));
    port
}

/// Argo Rollouts runs what `brawn fleet canary --render` prints, and Prometheus says the same to both.
#[test]
fn argo_rollouts_runs_the_experiment() {
    let Some(cluster) = Cluster::start() else { return };
    if !Command::new("prometheus").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no prometheus on this machine: install it");
        return;
    }
    let argo =
        PathBuf::from(ok(Command::new(repository().join("scripts/kubernetes")).arg("argo-rollouts")).trim());
    let admin = cluster.server.config("admin");
    let kubectl = |args: &[&str]| {
        let mut command = Command::new(cluster.server.programs().join("kubectl"));
        command.args(args).env("KUBECONFIG", &admin);
        command
    };
    ok(kubectl(&["create", "--filename"]).arg(argo.join("crds")));
    cluster.nodes.add("node", "pool", ARCHITECTURE, 2);
    cluster.namespace("canary");
    let log = |name: &str| cluster.sandbox.path().join(name);
    let mut controller = Command::new(argo.join("rollouts-controller"));
    controller.arg(format!("--kubeconfig={}", admin.display())).arg("--leader-elect=false");
    controller.args(["--metricsport", &free_port().to_string(), "--healthzPort", &free_port().to_string()]);
    let _controller = Running::start(&mut controller, &log("controller.log"));

    let (port, target) = (free_port(), metrics(&cluster));
    let config = json!({
        "global": { "scrape_interval": "1s" },
        "scrape_configs": [{ "job_name": "nodes", "static_configs": [{ "targets": [format!("127.0.0.1:{target}")] }] }],
    });
    let config = cluster.sandbox.write("prometheus.yml", config.to_string());
    let mut prometheus = Command::new("prometheus");
    prometheus.arg(format!("--config.file={}", config.display()));
    prometheus.arg(format!("--storage.tsdb.path={}", log("prometheus").display()));
    prometheus.arg(format!("--web.listen-address=127.0.0.1:{port}"));
    let _prometheus = Running::start(&mut prometheus, &log("prometheus.log"));
    let url = format!("http://127.0.0.1:{port}");

    let digest = |digit: &str| format!("{IMAGE}{}", digit.repeat(64));
    let query = "max(container_memory_working_set_bytes{pod=~\"$replicaset-.*\"})";
    cluster.sandbox.write(
        "canary.toml",
        format!(
            "name = 'web'\nbaseline = '{}'\ncandidate = '{}'\ncontainer = 'web'\nminutes = 2\n[metrics]\nmemory = '{query}'\n",
            digest("a"),
            digest("b")
        ),
    );
    let secure = json!({
        "allowPrivilegeEscalation": false, "runAsNonRoot": true, "capabilities": { "drop": ["ALL"] },
        "seccompProfile": { "type": "RuntimeDefault" },
    });
    let labels = json!({ "app": "web" });
    let workload = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" }, "spec": {
        "selector": { "matchLabels": labels },
        "template": { "metadata": { "labels": labels }, "spec": {
            "containers": [{ "name": "web", "image": "registry.example/web:1", "securityContext": secure }],
        } },
    } });
    cluster.sandbox.write("web.json", workload.to_string());
    let list =
        ok(&mut cluster.fleet(&["canary", "canary.toml", "--render", "web.json", "--prometheus", &url]));
    let list = cluster.sandbox.write("list.json", list);
    ok(kubectl(&["create", "--namespace=canary", "--filename"]).arg(list));

    let argo = "/apis/argoproj.io/v1alpha1/namespaces/canary";
    let experiment = until("the end of the experiment", PATIENCE, || {
        let experiment = cluster.api().get(&format!("{argo}/experiments/web"))?;
        let phase = experiment["status"]["phase"].as_str()?.to_owned();
        (!["Pending", "Running"].contains(&&*phase)).then_some(experiment)
    });
    assert_eq!(experiment["status"]["phase"], "Successful", "{experiment:#}");
    let run = &cluster.api().list(&format!("{argo}/analysisruns")).unwrap()[0];
    let measured = &run["status"]["metricResults"][0]["measurements"];
    let values: Vec<&str> =
        measured.as_array().unwrap().iter().filter_map(|one| one["value"].as_str()).collect();
    assert!(values.iter().any(|value| value.starts_with("[0.7") || value.starts_with("[0.8")), "{run:#}");
    let replicasets = cluster.api().list("/apis/apps/v1/namespaces/canary/replicasets").unwrap();
    let of = |which: &str| {
        let mine = |set: &&Value| set["spec"]["selector"]["matchLabels"]["brawn.dev/variant"] == which;
        name(replicasets.iter().find(mine).unwrap())
    };
    let both = format!("{},{}", of("baseline"), of("candidate"));
    let args = [
        "canary",
        "canary.toml",
        "--prometheus",
        &url,
        "--replicasets",
        &both,
        "--last",
        "100s",
        "--step",
        "1s",
    ];
    let said = ok(&mut cluster.fleet(&args));
    assert!(said.contains("the candidate does better"), "{said}");
    println!("{said}");
}
