use serde_json::{Value, json};

use super::{fake, fleet, kept, spec};
use crate::common::{Sandbox, fails, ok};
use crate::image::stub::{State, Stub};

/// Remembers what it is called with and given, answers from files, and fails with the text in `fail-VERB`.
const KUBECTL: &str = r#"
echo "$*" >> "$FAKE/calls"
for word in "$@"; do
    case $word in --*) ;; *) verb=$word; break ;; esac
done
[ "$verb" != create ] || cat > "$FAKE/given"
kind="$verb"
case "$*" in *--dry-run=server*) kind=check ;; esac
if [ -e "$FAKE/fail-$kind" ]; then cat "$FAKE/fail-$kind" >&2; exit 1; fi
case "$*" in
    *"get nodes"*) cat "$FAKE/nodes.json" ;;
    *"get jobs"*) cat "$FAKE/jobs.json" ;;
    *"get pods"*) cat "$FAKE/pods.json" ;;
    *"delete jobs"*) echo job.batch/gone ;;
esac
"#;

const POOLS: &str = "brawn = \"old\"\nmemory = \"256MiB\"\ncores = 1";

fn node(name: &str, kind: &str) -> Value {
    json!({
        "metadata": { "name": name, "labels": { "kind": kind } },
        "status": {
            "allocatable": { "cpu": "3920m", "memory": "15Gi" },
            "nodeInfo": { "architecture": if cfg!(target_arch = "x86_64") { "amd64" } else { "arm64" } },
        },
    })
}

/// A cluster of three nodes, a registry, and a file that asks for both kinds of nodes.
fn cluster() -> (Sandbox, Stub) {
    let sandbox = Sandbox::new();
    fake(&sandbox, "kubectl", KUBECTL);
    let nodes = json!({ "items": [node("a", "large"), node("b", "large"), node("c", "small")] });
    sandbox.write("fake/nodes.json", nodes.to_string());
    let stub = Stub::start(State::default());
    let engine = format!(
        "[kubernetes]\nimage = \"{}/team/fleet:1\"\nnamespace = \"measure\"\ninsecure = true\n",
        stub.address
    );
    spec(&sandbox, &format!("by = \"kind\"\n{POOLS}"), &engine);
    (sandbox, stub)
}

fn calls(sandbox: &Sandbox) -> Vec<String> {
    let calls = fs_err::read_to_string(sandbox.path().join("fake/calls")).unwrap_or_default();
    calls.lines().map(str::to_owned).collect()
}

#[test]
fn a_plan_says_what_will_run_and_creates_nothing() {
    let (sandbox, stub) = cluster();
    let shown = ok(&mut fleet(&sandbox, &["plan"]));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "old: 2 candidates (now, brawn), `now` is used now");
    assert_eq!(
        lines[1],
        "  large (kind=large): 3 blocks on 2 nodes, 2 at a time, 1 cores, 256 MiB of memory"
    );
    assert_eq!(
        lines[2],
        "  small (kind=small): 3 blocks on 1 nodes, 1 at a time, 1 cores, 256 MiB of memory"
    );
    assert!(
        lines[3].starts_with("about ") && lines[3].ends_with(" machine hours, by what `now` takes here"),
        "{shown}"
    );
    let plan: Value =
        serde_json::from_str(&ok(&mut fleet(&sandbox, &["plan", "--message-format", "json"]))).unwrap();
    assert!(plan["block_seconds"].as_f64().unwrap() > 0.0 && plan["pools"][1]["nodes"] == 1, "{plan}");
    let jobs: Value = serde_json::from_str(&ok(&mut fleet(&sandbox, &["plan", "--dry-run"]))).unwrap();
    let image = jobs["items"][0]["spec"]["template"]["spec"]["containers"][0]["image"].as_str().unwrap();
    assert!(image.starts_with(&format!("{}/team/fleet@sha256:", stub.address)), "{image}");
    let values = ok(&mut fleet(&sandbox, &["plan", "--by", "kind"]));
    assert_eq!(values, "large: 2 nodes\nsmall: 1 nodes\n");
    assert!(calls(&sandbox).iter().all(|call| call.contains("get nodes")), "{:?}", calls(&sandbox));
    assert!(stub.state.lock().unwrap().log.is_empty() && kept(&sandbox).is_none());
}

#[test]
fn a_new_file_is_shown_and_written() {
    let (sandbox, _stub) = cluster();
    fs_err::remove_file(sandbox.path().join("fleet.toml")).unwrap();
    let given = |more: &[&str]| {
        let mut words = vec![
            "plan",
            "--candidate",
            "now=old",
            "--candidate",
            "brawn=new",
            "--memory",
            "64MiB",
            "--cores",
            "1",
        ];
        words.extend(["--image", "example.com/a"]);
        words.extend(more);
        fleet(&sandbox, &words)
    };
    let said = fails(&mut given(&["--by", "kind", "--", "x"]), 2);
    assert!(said.contains("agree with --yes"), "{said}");
    assert!(!sandbox.path().join("fleet.toml").exists());
    let shown = ok(&mut given(&["--pool", "big:kind=large", "--yes", "--", "--some", "words"]));
    assert!(shown.contains("  big (kind=large): 20 blocks on 2 nodes"), "{shown}");
    let written = fs_err::read_to_string(sandbox.path().join("fleet.toml")).unwrap();
    assert!(
        written.contains("args = [\"--some\", \"words\"]") && written.contains("\"kind\" = \"large\""),
        "{written}"
    );
    let said = fails(&mut given(&["--by", "kind", "--", "x"]), 2);
    assert!(said.contains("fleet.toml is there already"), "{said}");
}

#[test]
fn a_run_pushes_and_creates_and_is_deleted() {
    let (sandbox, stub) = cluster();
    let folder = ok(&mut fleet(&sandbox, &["run"])).trim().to_owned();
    let id = folder.strip_prefix("brawn-fleet-").unwrap();
    let given: Value =
        serde_json::from_str(&fs_err::read_to_string(sandbox.path().join("fake/given")).unwrap()).unwrap();
    let jobs = given["items"].as_array().unwrap();
    assert_eq!((jobs.len(), &jobs[1]["metadata"]["labels"]["brawn.fleet/id"]), (2, &json!(id)));
    // What the jobs name is what the registry has.
    let image = jobs[0]["spec"]["template"]["spec"]["containers"][0]["image"].as_str().unwrap();
    let digest = image.split('@').nth(1).unwrap();
    assert!(stub.state.lock().unwrap().manifests.contains_key(&("team/fleet".into(), "1".into())));
    let kept: Value = serde_json::from_str(
        &fs_err::read_to_string(sandbox.path().join(&folder).join("fleet.json")).unwrap(),
    )
    .unwrap();
    assert!(kept["plan"]["image"].as_str().unwrap().ends_with(digest) && kept["plan"]["id"] == id, "{kept}");
    let all = calls(&sandbox);
    assert!(all.iter().all(|call| call.starts_with("--namespace=measure ")), "{all:?}");
    assert!(
        all[1].contains("--dry-run=server") && all[2].ends_with("create --filename=- --output=name"),
        "{all:?}"
    );

    let job = |pool: &str, status: Value| json!({ "metadata": { "labels": { "brawn.fleet/pool": pool } }, "status": status });
    let done = job("large", json!({ "succeeded": 2, "failedIndexes": "1" }));
    let begun = job("small", json!({ "active": 1 }));
    sandbox.write("fake/jobs.json", json!({ "items": [done, begun] }).to_string());
    let pod = json!({
        "metadata": { "labels": { "brawn.fleet/pool": "small" } },
        "status": { "phase": "Pending", "containerStatuses": [{ "state": { "waiting": { "reason": "ImagePullBackOff" } } }] },
    });
    sandbox.write("fake/pods.json", json!({ "items": [pod] }).to_string());
    let shown = ok(&mut fleet(&sandbox, &["status", &folder]));
    assert_eq!(
        shown,
        "large: 2 of 3 blocks done, 0 run, 1 failed\nsmall: 0 of 3 blocks done, 0 run, 1 wait (ImagePullBackOff)\n"
    );
    // Collecting ends as whatever asks the cluster does.
    let refusal = sandbox.write("fake/fail-get", "Error from server (Forbidden): pods is forbidden: no\n");
    let said = fails(&mut fleet(&sandbox, &["collect", &folder]), 9);
    assert!(said.contains("the cluster forbids it") && said.contains("hint: ask for that right"), "{said}");
    fs_err::remove_file(refusal).unwrap();
    let said = ok(&mut fleet(&sandbox, &["collect", &folder]));
    assert!(said.contains("0 of 6 blocks"), "{said}");
    // A pod whose node is lost has a log that no one gets any more.
    let gone = json!({ "metadata": { "name": "large-1-x" }, "status": { "phase": "Failed" } });
    sandbox.write("fake/pods.json", json!({ "items": [gone] }).to_string());
    let refusal = sandbox.write("fake/fail-logs", "Error from server: no route to host\n");
    let said = ok(&mut fleet(&sandbox, &["collect", &folder]));
    assert!(said.contains("  no block from large-1-x: Error from server: no route to host\n"), "{said}");
    let said = ok(&mut fleet(&sandbox, &["collect", &folder, "--message-format", "json"]));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["unread"].as_array().unwrap().len(), 1, "{said}");
    fs_err::remove_file(refusal).unwrap();
    assert_eq!(ok(&mut fleet(&sandbox, &["delete", &folder])), "job.batch/gone\n");
    assert!(
        calls(&sandbox).last().unwrap().contains(&format!("delete jobs --selector=brawn.fleet/id={id} "))
    );
    sandbox.write("fake/jobs.json", "{\"items\": []}");
    let said = fails(&mut fleet(&sandbox, &["status", &folder]), 3);
    assert!(said.contains(&format!("there is no fleet '{id}' here")), "{said}");
}

#[test]
fn both_architectures_are_in_one_index() {
    let (sandbox, stub) = cluster();
    // The same file, with the other architecture's number in its header.
    let mut bytes = fs_err::read(sandbox.path().join("old")).unwrap();
    let (here, there, other) = match cfg!(target_arch = "x86_64") {
        true => ("amd64", "arm64", 183),
        false => ("arm64", "amd64", 62),
    };
    bytes[18] = other;
    sandbox.write("other", bytes);
    let mut far = node("c", "small");
    far["status"]["nodeInfo"]["architecture"] = there.into();
    let nodes = json!({ "items": [node("a", "large"), node("b", "small"), far] });
    sandbox.write("fake/nodes.json", nodes.to_string());
    let file = sandbox.path().join("fleet.toml");
    let text = fs_err::read_to_string(&file).unwrap();
    let text = text.replace("\"old\"", "[\"old\", \"other\"]");
    fs_err::write(&file, &text).unwrap();
    let said = fails(&mut fleet(&sandbox, &["plan"]), 3);
    assert!(
        said.contains("brawn has 0 executables for ") && said.contains("hint: give every candidate"),
        "{said}"
    );
    fs_err::write(&file, text.replace("\"new\"", "[\"new\", \"other\"]")).unwrap();
    ok(&mut fleet(&sandbox, &["run"]));
    let given = fs_err::read_to_string(sandbox.path().join("fake/given")).unwrap();
    let given: Value = serde_json::from_str(&given).unwrap();
    let of = |job: &Value| {
        let labels = &job["metadata"]["labels"];
        let on = &job["spec"]["template"]["spec"]["nodeSelector"]["kubernetes.io/arch"];
        (labels["brawn.fleet/pool"].as_str().unwrap().to_owned(), on.as_str().unwrap().to_owned())
    };
    let mut jobs: Vec<_> = given["items"].as_array().unwrap().iter().map(of).collect();
    jobs.sort();
    let pools = ["large", "small-amd64", "small-arm64"].map(str::to_owned);
    assert_eq!(jobs, pools.into_iter().zip([here, "amd64", "arm64"].map(str::to_owned)).collect::<Vec<_>>());
    // All of them run what the registry has under one digest: an index of two manifests.
    let state = stub.state.lock().unwrap();
    let image = given["items"][0]["spec"]["template"]["spec"]["containers"][0]["image"].as_str().unwrap();
    let digest = image.split('@').nth(1).unwrap();
    let (_, index) = &state.manifests[&("team/fleet".into(), digest.into())];
    let index: Value = serde_json::from_slice(index).unwrap();
    assert_eq!(index["manifests"].as_array().unwrap().len(), 2);
}

#[test]
fn whatever_refuses_leaves_nothing() {
    let (sandbox, stub) = cluster();
    let refused = |what: &str, text: &str, code: i32| {
        let path = sandbox.write(&format!("fake/fail-{what}"), text);
        let said = fails(&mut fleet(&sandbox, &["run", "--no-rehearsal"]), code);
        fs_err::remove_file(path).unwrap();
        assert!(kept(&sandbox).is_none(), "{said}");
        said
    };
    let rule = "jobs.batch is forbidden: User \"dev\" cannot create resource \"jobs\" in API group \"batch\" in the namespace \"measure\"";
    let said = refused("check", &format!("Error from server (Forbidden): {rule}\n"), 9);
    assert!(
        said.contains(&format!("the cluster forbids it: {rule}"))
            && said.contains("hint: ask for that right"),
        "{said}"
    );
    let said = refused("get", "error: current-context is not set\n", 3);
    assert!(said.contains("kubectl knows no cluster") && said.contains("use-context"), "{said}");
    let said = refused(
        "check",
        "Error from server (Forbidden): pods \"x\" is forbidden: exceeded quota: small, requested: cpu=1\n",
        9,
    );
    assert!(said.contains("the quota does not allow it"), "{said}");
    assert!(stub.state.lock().unwrap().log.is_empty(), "nothing is pushed for jobs that are refused");
    assert!(!calls(&sandbox).iter().any(|call| call.contains("delete")));
    // The second job fails when the first one is there.
    let said = refused("create", "The connection to the server 10.0.0.1:6443 was refused\n", 9);
    assert!(said.contains("kubectl failed"), "{said}");
    assert!(calls(&sandbox).last().unwrap().contains("delete jobs --selector=brawn.fleet/id="));
    // What cannot be taken back is kept, so that it can be later.
    sandbox.write("fake/fail-create", "unable to connect\n");
    sandbox.write("fake/fail-delete", "unable to connect\n");
    let said = fails(&mut fleet(&sandbox, &["run", "--no-rehearsal"]), 9);
    let folder = kept(&sandbox).unwrap();
    assert!(
        said.contains("could not be deleted") && said.contains(&format!("`brawn fleet delete {folder}`")),
        "{said}"
    );
    fs_err::remove_file(sandbox.path().join("fake/fail-delete")).unwrap();
    ok(&mut fleet(&sandbox, &["delete", &folder]));
    let said = fails(&mut fleet(&sandbox, &["plan", "--by", "kinds"]), 2);
    assert!(
        said.contains("no node of the cluster has the label 'kinds'") && said.contains("'kind'"),
        "{said}"
    );
    let said = fails(fleet(&sandbox, &["plan"]).env("PATH", "/nowhere"), 4);
    assert!(said.contains("there is no `kubectl` on this machine"), "{said}");
}

#[test]
fn what_the_reference_cannot_do_here_is_not_tried_elsewhere() {
    let (sandbox, stub) = cluster();
    let file = sandbox.path().join("fleet.toml");
    let text = fs_err::read_to_string(&file).unwrap();
    fs_err::write(&file, text.replace("256MiB", "64KiB")).unwrap();
    let said = fails(&mut fleet(&sandbox, &["run"]), 8);
    assert!(said.contains("`now` does not even here stay within 64.0 KiB"), "{said}");
    fs_err::write(&file, format!("status = 3\n{text}")).unwrap();
    let said = fails(&mut fleet(&sandbox, &["run"]), 1);
    assert!(
        said.contains("`now` does not do the work on this machine: ended with status 0, expected status 3"),
        "{said}"
    );
    fs_err::write(&file, text.replace("brawn = \"old\"\n", "")).unwrap();
    let said = fails(&mut fleet(&sandbox, &["run"]), 3);
    assert!(said.contains("is not static") && said.contains("say brawn = \"PATH\""), "{said}");
    assert!(stub.state.lock().unwrap().log.is_empty() && kept(&sandbox).is_none());
}
