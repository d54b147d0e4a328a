//! The jobs of a fleet as Kubernetes reads them: one Indexed Job for each pool.

use std::collections::BTreeMap;

use brawn_image::Platform;
use brawn_measure::units;
use k8s_openapi::api::batch::v1::{
    Job, JobSpec, PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern, PodFailurePolicyRule,
};
use k8s_openapi::api::core::v1::{
    Affinity, Capabilities, Container, EmptyDirVolumeSource, EnvVar, EnvVarSource, LocalObjectReference,
    ObjectFieldSelector, PodAffinityTerm, PodAntiAffinity, PodSecurityContext, PodSpec, PodTemplateSpec,
    ResourceRequirements, SeccompProfile, SecurityContext, Toleration, TopologySpreadConstraint, Volume,
    VolumeMount,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use serde::Serialize;

use crate::Error;
use crate::fleet::{ARCH_LABEL, Fleet, Planned, pod_memory};
use crate::kubectl::{OWNER, POOL};
use crate::pack::{BRAWN, ROOT};
use crate::spec::{self, Kubernetes};

/// The container's name.
pub const CONTAINER: &str = "block";
/// Where pods may write.
const SCRATCH: &str = "/scratch";
/// The volume behind it.
const VOLUME: &str = "scratch";
/// The label of nodes with their names.
const HOST: &str = "kubernetes.io/hostname";
/// The user that images of Brawn's run as.
const USER: i64 = brawn_image::contents::NONROOT as i64;
/// The status with which the kernel's killing for want of memory shows.
const KILLED: i32 = 137;
/// How often a block is tried again that failed for another reason.
const AGAIN: i32 = 2;

/// Labels, or what selects by them.
type Labels = BTreeMap<String, String>;

fn labels(each: &[(&str, &str)]) -> Labels {
    each.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// As many as the API has room for.
fn count(number: u32) -> Option<i32> {
    Some(i32::try_from(number).unwrap_or(i32::MAX))
}

/// The name of a pool's job.
pub fn job_name(id: &str, pool: &str) -> String {
    format!("brawn-fleet-{id}-{pool}")
}

/// What `kubectl create` takes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct List {
    api_version: &'static str,
    kind: &'static str,
    items: Vec<Job>,
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
    let list = List { api_version: "v1", kind: "List", items };
    Ok(serde_json::to_string_pretty(&list).expect("jobs are plain data"))
}

fn job(fleet: &Fleet, planned: &Planned, settings: &Kubernetes, image: &str) -> Result<Job, Error> {
    let pool = &planned.pool.name;
    let own = labels(&[("app.kubernetes.io/managed-by", "brawn"), (OWNER, &fleet.id), (POOL, pool)]);
    let mut with_queue = own.clone();
    with_queue.extend(settings.queue.clone().map(|queue| ("kueue.x-k8s.io/queue-name".to_owned(), queue)));
    let template = PodTemplateSpec {
        metadata: Some(ObjectMeta { labels: Some(own), ..ObjectMeta::default() }),
        spec: Some(pod(fleet, planned, settings, image)?),
    };
    Ok(Job {
        metadata: ObjectMeta {
            name: Some(job_name(&fleet.id, pool)),
            namespace: settings.namespace.clone(),
            labels: Some(with_queue),
            ..ObjectMeta::default()
        },
        spec: Some(JobSpec {
            completion_mode: Some("Indexed".into()),
            completions: count(planned.blocks),
            parallelism: count(planned.parallelism),
            backoff_limit_per_index: Some(AGAIN),
            pod_replacement_policy: Some("Failed".into()),
            pod_failure_policy: Some(PodFailurePolicy { rules: failures() }),
            template,
            ..JobSpec::default()
        }),
        status: None,
    })
}

/// What becomes of a block that fails.
fn failures() -> Vec<PodFailurePolicyRule> {
    let by_code = |action: &str, values: &[i32]| PodFailurePolicyRule {
        action: action.to_owned(),
        on_exit_codes: Some(PodFailurePolicyOnExitCodesRequirement {
            container_name: Some(CONTAINER.into()),
            operator: "In".into(),
            values: values.to_vec(),
        }),
        on_pod_conditions: None,
    };
    let disrupted = PodFailurePolicyOnPodConditionsPattern {
        type_: "DisruptionTarget".into(),
        status: Some("True".into()),
    };
    vec![
        // Evicted, preempted, or its node is lost: the index is tried again, and that does not count.
        PodFailurePolicyRule {
            action: "Ignore".into(),
            on_exit_codes: None,
            on_pod_conditions: Some(vec![disrupted]),
        },
        // The kernel killed it together with a candidate that wanted too much: an answer, the log has the rest.
        by_code("FailIndex", &[KILLED]),
        // Arguments and inputs are the same for every block.
        by_code("FailJob", &[2, 3]),
    ]
}

fn pod(fleet: &Fleet, planned: &Planned, settings: &Kubernetes, image: &str) -> Result<PodSpec, Error> {
    let architecture = Platform { arch: planned.arch }.architecture();
    let mut nodes = planned.pool.selector.clone();
    nodes.extend(labels(&[("kubernetes.io/os", "linux"), (ARCH_LABEL, architecture)]));
    let selector = |each: &[(&str, &str)]| {
        Some(LabelSelector { match_labels: Some(labels(each)), match_expressions: None })
    };
    // Blocks would disturb each other on one node.
    let alone = PodAffinityTerm {
        label_selector: selector(&[(OWNER, &fleet.id)]),
        topology_key: HOST.into(),
        ..PodAffinityTerm::default()
    };
    let anti = PodAntiAffinity {
        required_during_scheduling_ignored_during_execution: Some(vec![alone]),
        ..PodAntiAffinity::default()
    };
    let spread = TopologySpreadConstraint {
        max_skew: 1,
        topology_key: HOST.into(),
        when_unsatisfiable: "ScheduleAnyway".into(),
        label_selector: selector(&[(OWNER, &fleet.id), (POOL, &planned.pool.name)]),
        ..TopologySpreadConstraint::default()
    };
    let limit = settings.scratch.as_ref().map(|size| units::size(size).map_err(Error::units)).transpose()?;
    let empty = EmptyDirVolumeSource {
        size_limit: limit.map(|bytes| Quantity(bytes.to_string())),
        ..EmptyDirVolumeSource::default()
    };
    let secret = |name: &String| LocalObjectReference { name: name.clone() };
    let secrets: Vec<_> = settings.pull_secrets.iter().map(secret).collect();
    let tolerations: Vec<_> = settings.tolerations.iter().cloned().map(tolerated).collect();
    Ok(PodSpec {
        restart_policy: Some("Never".into()),
        automount_service_account_token: Some(false),
        enable_service_links: Some(false),
        termination_grace_period_seconds: Some(5),
        node_selector: Some(nodes),
        affinity: Some(Affinity { pod_anti_affinity: Some(anti), ..Affinity::default() }),
        topology_spread_constraints: Some(vec![spread]),
        security_context: Some(PodSecurityContext {
            run_as_non_root: Some(true),
            run_as_user: Some(USER),
            run_as_group: Some(USER),
            fs_group: Some(USER),
            seccomp_profile: Some(SeccompProfile { type_: "RuntimeDefault".into(), localhost_profile: None }),
            ..PodSecurityContext::default()
        }),
        volumes: Some(vec![Volume { name: VOLUME.into(), empty_dir: Some(empty), ..Volume::default() }]),
        containers: vec![container(fleet, planned, image)?],
        image_pull_secrets: Some(secrets).filter(|secrets| !secrets.is_empty()),
        tolerations: Some(tolerations).filter(|tolerations| !tolerations.is_empty()),
        ..PodSpec::default()
    })
}

fn tolerated(
    spec::Toleration { key, operator, value, effect, toleration_seconds }: spec::Toleration,
) -> Toleration {
    Toleration { key, operator, value, effect, toleration_seconds }
}

fn container(fleet: &Fleet, planned: &Planned, image: &str) -> Result<Container, Error> {
    let task = serde_json::to_string(&fleet.task(planned)?).expect("a task is plain data");
    let of_pod = |name: &str, path: String| EnvVar {
        name: name.to_owned(),
        value: None,
        value_from: Some(EnvVarSource {
            field_ref: Some(ObjectFieldSelector { api_version: None, field_path: path }),
            ..EnvVarSource::default()
        }),
    };
    let annotation = |name: &str| format!("metadata.annotations['batch.kubernetes.io/{name}']");
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
    ];
    // Kubernetes puts variables in the place of $(NAME).
    let args = args.map(str::to_owned).into_iter().chain([task.replace("$(", "$$(")]);
    // The same, so that the pod is of the class Guaranteed.
    let resources = Some(resources(planned));
    Ok(Container {
        name: CONTAINER.into(),
        image: Some(image.to_owned()),
        command: Some(vec![format!("/{BRAWN}")]),
        args: Some(args.collect()),
        env: Some(vec![
            EnvVar { name: "TMPDIR".into(), value: Some(SCRATCH.into()), value_from: None },
            of_pod("NODE", "spec.nodeName".into()),
            // Both together are how often it was tried before.
            of_pod("FAILURES", annotation("job-index-failure-count")),
            of_pod("IGNORED", annotation("job-index-ignored-failure-count")),
        ]),
        resources: Some(ResourceRequirements {
            requests: resources.clone(),
            limits: resources,
            claims: None,
        }),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            read_only_root_filesystem: Some(true),
            capabilities: Some(Capabilities { drop: Some(vec!["ALL".into()]), add: None }),
            ..SecurityContext::default()
        }),
        volume_mounts: Some(vec![VolumeMount {
            name: VOLUME.into(),
            mount_path: SCRATCH.into(),
            ..VolumeMount::default()
        }]),
        ..Container::default()
    })
}

fn resources(planned: &Planned) -> BTreeMap<String, Quantity> {
    let cores = planned.cores.map(|cores| ("cpu", format!("{}m", (cores * 1000.0).round())));
    let memory = planned.memory.map(|bytes| ("memory", pod_memory(bytes).to_string()));
    cores.into_iter().chain(memory).map(|(name, amount)| (name.to_owned(), Quantity(amount))).collect()
}
