//! The jobs of a fleet as Kubernetes reads them: one Indexed Job for each pool, in JSON.

use std::collections::BTreeMap;

use brawn_image::Platform;
use brawn_measure::units;
use serde_json::{Value, json};

use crate::Error;
use crate::fleet::{ARCH_LABEL, Fleet, Planned, pod_memory};
use crate::kubectl::{OWNER, POOL};
use crate::pack::{BRAWN, ROOT};
use crate::spec::Kubernetes;

/// The container's name.
pub const CONTAINER: &str = "block";
/// Where pods may write.
const SCRATCH: &str = "/scratch";
/// The user that images of Brawn's run as.
const USER: u32 = brawn_image::contents::NONROOT;
/// The status with which the kernel's killing for want of memory shows.
const KILLED: u8 = 137;
/// How often a block is tried again that failed for another reason.
const AGAIN: u32 = 2;

/// The name of a pool's job.
pub fn job_name(id: &str, pool: &str) -> String {
    format!("brawn-fleet-{id}-{pool}")
}

/// All jobs as a list for `kubectl create`. `image` has a digest.
///
/// # Errors
/// As [`Fleet::task`].
pub fn list(fleet: &Fleet, settings: &Kubernetes, image: &str) -> Result<Value, Error> {
    let jobs = fleet
        .pools
        .iter()
        .map(|planned| job(fleet, planned, settings, image))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(json!({ "apiVersion": "v1", "kind": "List", "items": jobs }))
}

fn job(fleet: &Fleet, planned: &Planned, settings: &Kubernetes, image: &str) -> Result<Value, Error> {
    let pool = &planned.pool.name;
    let labels = json!({ "app.kubernetes.io/managed-by": "brawn", OWNER: fleet.id, POOL: pool });
    let mut metadata = json!({ "name": job_name(&fleet.id, pool), "labels": labels });
    if let Some(namespace) = &settings.namespace {
        metadata["namespace"] = json!(namespace);
    }
    if let Some(queue) = &settings.queue {
        metadata["labels"]["kueue.x-k8s.io/queue-name"] = json!(queue);
    }
    Ok(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {
            "completionMode": "Indexed",
            "completions": planned.blocks,
            "parallelism": planned.parallelism,
            "backoffLimitPerIndex": AGAIN,
            "podReplacementPolicy": "Failed",
            "podFailurePolicy": { "rules": [
                // Evicted, preempted, or its node is lost: the index is tried again, and that does not count.
                { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }] },
                // The kernel killed it together with a candidate that wanted too much: an answer, the log has the rest.
                { "action": "FailIndex", "onExitCodes": { "containerName": CONTAINER, "operator": "In", "values": [KILLED] } },
                // Arguments and inputs are the same for every block.
                { "action": "FailJob", "onExitCodes": { "containerName": CONTAINER, "operator": "In", "values": [2, 3] } },
            ] },
            "template": { "metadata": { "labels": labels }, "spec": pod(fleet, planned, settings, image)? },
        },
    }))
}

fn pod(fleet: &Fleet, planned: &Planned, settings: &Kubernetes, image: &str) -> Result<Value, Error> {
    let mut selector = planned.pool.selector.clone();
    selector.insert("kubernetes.io/os".to_owned(), "linux".to_owned());
    let architecture = Platform { arch: planned.arch }.architecture();
    selector.insert(ARCH_LABEL.to_owned(), architecture.to_owned());
    let own = json!({ "matchLabels": { OWNER: fleet.id } });
    let of_pool = json!({ "matchLabels": { OWNER: fleet.id, POOL: planned.pool.name } });
    let host = "kubernetes.io/hostname";
    let mut scratch = json!({});
    if let Some(size) = &settings.scratch {
        scratch["sizeLimit"] = json!(units::size(size).map_err(Error::units)?.to_string());
    }
    let mut pod = json!({
        "restartPolicy": "Never",
        "automountServiceAccountToken": false,
        "enableServiceLinks": false,
        "terminationGracePeriodSeconds": 5,
        "nodeSelector": selector,
        // Blocks would disturb each other on one node.
        "affinity": { "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [
            { "labelSelector": own, "topologyKey": host },
        ] } },
        "topologySpreadConstraints": [
            { "maxSkew": 1, "topologyKey": host, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": of_pool },
        ],
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "volumes": [{ "name": "scratch", "emptyDir": scratch }],
        "containers": [container(fleet, planned, image)?],
    });
    if !settings.pull_secrets.is_empty() {
        let named = settings.pull_secrets.iter().map(|name| json!({ "name": name }));
        pod["imagePullSecrets"] = named.collect();
    }
    if !settings.tolerations.is_empty() {
        pod["tolerations"] = json!(settings.tolerations);
    }
    Ok(pod)
}

fn container(fleet: &Fleet, planned: &Planned, image: &str) -> Result<Value, Error> {
    let task = serde_json::to_string(&fleet.task(planned)?).expect("a task is plain data");
    let field =
        |name: &str, path: &str| json!({ "name": name, "valueFrom": { "fieldRef": { "fieldPath": path } } });
    let annotation = |name: &str| format!("metadata.annotations['batch.kubernetes.io/{name}']");
    let resources = resources(planned);
    Ok(json!({
        "name": CONTAINER,
        "image": image,
        "command": [format!("/{BRAWN}")],
        // Kubernetes puts variables in the place of $(NAME).
        "args": [
            "fleet", "block", "--root", ROOT, "--scratch", SCRATCH, "--node=$(NODE)",
            "--attempt=$(FAILURES)", "--attempt=$(IGNORED)", "--task", task.replace("$(", "$$("),
        ],
        "env": [
            { "name": "TMPDIR", "value": SCRATCH },
            field("NODE", "spec.nodeName"),
            // Both together are how often it was tried before.
            field("FAILURES", &annotation("job-index-failure-count")),
            field("IGNORED", &annotation("job-index-ignored-failure-count")),
        ],
        // The same, so that the pod is of the class Guaranteed.
        "resources": { "requests": resources, "limits": resources },
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": { "drop": ["ALL"] },
        },
        "volumeMounts": [{ "name": "scratch", "mountPath": SCRATCH }],
    }))
}

fn resources(planned: &Planned) -> BTreeMap<&'static str, String> {
    let cores = planned.cores.map(|cores| ("cpu", format!("{}m", (cores * 1000.0).round())));
    let memory = planned.memory.map(|bytes| ("memory", pod_memory(bytes).to_string()));
    cores.into_iter().chain(memory).collect()
}
