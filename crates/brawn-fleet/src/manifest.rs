//! The jobs of a fleet as Kubernetes reads them: one Indexed Job for each pool.

use brawn_image::Platform;
use brawn_measure::units;
use serde_json::{Map, Value, json};

use crate::Error;
use crate::fleet::{ARCH_LABEL, Fleet, Planned, pod_memory};
use crate::kubectl::{OWNER, POOL};
use crate::pack::{BRAWN, ROOT};
use crate::spec::Kubernetes;

/// The container's name.
pub const CONTAINER: &str = "block";
/// Where pods may write.
const SCRATCH: &str = "/scratch";
/// The volume behind it.
const VOLUME: &str = "scratch";
/// The label of nodes with their names.
const HOST: &str = "kubernetes.io/hostname";
/// The user that images of Brawn's run as.
const USER: u32 = brawn_image::contents::NONROOT;
/// The status with which the kernel's killing for want of memory shows.
const KILLED: i32 = 137;
/// How often a block is tried again that failed for another reason.
const AGAIN: i32 = 2;

/// The name of a pool's job.
pub fn job_name(id: &str, pool: &str) -> String {
    format!("brawn-fleet-{id}-{pool}")
}

/// All jobs as a list for `kubectl create`, in JSON. `image` has a digest.
///
/// # Errors
/// As [`Fleet::task`].
pub fn list(fleet: &Fleet, settings: &Kubernetes, image: &str) -> Result<String, Error> {
    let items = fleet
        .pools
        .iter()
        .map(|planned| job(fleet, planned, settings, image))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(format!("{:#}", json!({ "apiVersion": "v1", "kind": "List", "items": items })))
}

/// Adds what is set, and no `null`.
fn add(object: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object[key] = value.into();
    }
}

fn job(fleet: &Fleet, planned: &Planned, settings: &Kubernetes, image: &str) -> Result<Value, Error> {
    let pool = &planned.pool.name;
    // As many as the API has room for.
    let count = |number: u32| number.min(i32::MAX as u32);
    let labels = json!({ "app.kubernetes.io/managed-by": "brawn", (OWNER): fleet.id, (POOL): pool });
    let mut metadata = json!({ "name": job_name(&fleet.id, pool), "labels": labels });
    add(&mut metadata, "namespace", settings.namespace.clone());
    add(&mut metadata["labels"], "kueue.x-k8s.io/queue-name", settings.queue.clone());
    Ok(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {
            "completionMode": "Indexed",
            "completions": count(planned.blocks),
            "parallelism": count(planned.parallelism),
            "backoffLimitPerIndex": AGAIN,
            "podReplacementPolicy": "Failed",
            "podFailurePolicy": { "rules": failures() },
            "template": {
                "metadata": { "labels": labels },
                "spec": pod(fleet, planned, settings, image)?,
            },
        },
    }))
}

/// What becomes of a block that fails.
fn failures() -> Value {
    let by_code = |action: &str, values: &[i32]| {
        json!({
            "action": action,
            "onExitCodes": { "containerName": CONTAINER, "operator": "In", "values": values },
        })
    };
    json!([
        // Evicted, preempted, or its node is lost: the index is tried again, and that does not count.
        { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }] },
        // The kernel killed it together with a candidate that wanted too much: an answer, the log has the rest.
        by_code("FailIndex", &[KILLED]),
        // Arguments and inputs are the same for every block.
        by_code("FailJob", &[2, 3]),
    ])
}

fn pod(fleet: &Fleet, planned: &Planned, settings: &Kubernetes, image: &str) -> Result<Value, Error> {
    let mut nodes = json!(planned.pool.selector);
    nodes["kubernetes.io/os"] = "linux".into();
    nodes[ARCH_LABEL] = Platform { arch: planned.arch }.architecture().into();
    let mut scratch = json!({});
    let limit = settings.scratch.as_ref().map(|size| units::size(size).map_err(Error::units)).transpose()?;
    add(&mut scratch, "sizeLimit", limit.map(|bytes| bytes.to_string()));
    let mut pod = json!({
        "restartPolicy": "Never",
        "automountServiceAccountToken": false,
        "enableServiceLinks": false,
        "terminationGracePeriodSeconds": 5,
        "nodeSelector": nodes,
        // Blocks would disturb each other on one node.
        "affinity": { "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [{
            "labelSelector": { "matchLabels": { (OWNER): fleet.id } },
            "topologyKey": HOST,
        }] } },
        "topologySpreadConstraints": [{
            "maxSkew": 1,
            "topologyKey": HOST,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": { "matchLabels": { (OWNER): fleet.id, (POOL): planned.pool.name } },
        }],
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "volumes": [{ "name": VOLUME, "emptyDir": scratch }],
        "containers": [container(fleet, planned, image)?],
    });
    let secrets: Vec<_> = settings.pull_secrets.iter().map(|name| json!({ "name": name })).collect();
    add(&mut pod, "imagePullSecrets", Some(secrets).filter(|secrets| !secrets.is_empty()));
    let tolerations = Some(&settings.tolerations).filter(|tolerations| !tolerations.is_empty());
    add(&mut pod, "tolerations", tolerations.map(|tolerations| json!(tolerations)));
    Ok(pod)
}

fn container(fleet: &Fleet, planned: &Planned, image: &str) -> Result<Value, Error> {
    let task = serde_json::to_string(&fleet.task(planned)?).expect("a task is plain data");
    let of_pod =
        |name: &str, path: &str| json!({ "name": name, "valueFrom": { "fieldRef": { "fieldPath": path } } });
    let args = [
        "fleet",
        "block",
        "--root",
        ROOT,
        "--scratch",
        SCRATCH,
        "--node=$(NODE)",
        "--attempt=$(FAILURES)",
        "--attempt=$(IGNORED)",
        "--task",
        // Kubernetes puts variables in the place of $(NAME).
        &task.replace("$(", "$$("),
    ];
    let resources = resources(planned);
    Ok(json!({
        "name": CONTAINER,
        "image": image,
        "command": [format!("/{BRAWN}")],
        "args": args,
        "env": [
            { "name": "TMPDIR", "value": SCRATCH },
            of_pod("NODE", "spec.nodeName"),
            // Both together are how often it was tried before.
            of_pod("FAILURES", "metadata.annotations['batch.kubernetes.io/job-index-failure-count']"),
            of_pod("IGNORED", "metadata.annotations['batch.kubernetes.io/job-index-ignored-failure-count']"),
        ],
        // The same, so that the pod is of the class Guaranteed.
        "resources": { "requests": resources, "limits": resources },
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": { "drop": ["ALL"] },
        },
        "volumeMounts": [{ "name": VOLUME, "mountPath": SCRATCH }],
    }))
}

fn resources(planned: &Planned) -> Map<String, Value> {
    let cores = planned.cores.map(|cores| ("cpu", format!("{}m", (cores * 1000.0).round())));
    let memory = planned.memory.map(|bytes| ("memory", pod_memory(bytes).to_string()));
    cores.into_iter().chain(memory).map(|(name, amount)| (name.to_owned(), amount.into())).collect()
}
