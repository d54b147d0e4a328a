//! Indexed Jobs, through the user's `kubectl`.

mod logs;
mod pulled;

use std::collections::BTreeMap;

use serde_json::Value;

use super::state::State;
use crate::Error;
use crate::kubectl::{Kubectl, OWNER, POOL};
use crate::nodes::items;
use crate::record::Record;

pub use logs::Logs;
pub use pulled::pulled;

/// Lets the API server say whether it would take these jobs. Nothing is created.
///
/// # Errors
/// As [`Kubectl::run`].
pub fn check(kubectl: &Kubectl, jobs: &str) -> Result<(), Error> {
    create(kubectl, jobs, &["--dry-run=server"])
}

/// Creates the jobs of a fleet: all of them, or none.
///
/// # Errors
/// As [`Kubectl::run`], and [`Error::Left`].
pub fn start(kubectl: &Kubectl, record: &Record, jobs: &str) -> Result<(), Error> {
    create(kubectl, jobs, &[]).map_err(|failed| taken_back(kubectl, record, failed))
}

/// Why a fleet could not be begun, of which nothing is left; or what is.
fn taken_back(kubectl: &Kubectl, record: &Record, failed: Error) -> Error {
    match delete(kubectl, &record.plan.id) {
        Ok(_) => failed,
        Err(left) => {
            Error::Left { failed: failed.to_string(), said: left.to_string(), folder: record.folder.clone() }
        }
    }
}

fn create(kubectl: &Kubectl, jobs: &str, options: &[&str]) -> Result<(), Error> {
    let args: Vec<&str> =
        ["create", "--filename=-", "--output=name"].iter().chain(options).copied().collect();
    kubectl.run(&args, jobs.as_bytes()).map(drop)
}

/// Deletes all that has the fleet's label, and waits until it is gone. The names of what was deleted.
///
/// # Errors
/// As [`Kubectl::run`].
pub fn delete(kubectl: &Kubectl, id: &str) -> Result<Vec<String>, Error> {
    let selector = format!("--selector={OWNER}={id}");
    let args = [
        "delete",
        "jobs",
        &selector,
        "--cascade=foreground",
        "--wait",
        "--ignore-not-found",
        "--output=name",
    ];
    let gone = kubectl.run(&args, b"")?;
    Ok(String::from_utf8_lossy(&gone).lines().map(str::to_owned).collect())
}

/// How far each pool is.
///
/// # Errors
/// As [`Kubectl::json`]; [`Error::NoFleet`] when nothing is there.
pub fn status(kubectl: &Kubectl, record: &Record) -> Result<Vec<State>, Error> {
    let selector = format!("--selector={OWNER}={}", record.plan.id);
    let jobs = kubectl.json(&["get", "jobs", &selector])?;
    if items(&jobs).is_empty() {
        return Err(Error::NoFleet { id: record.plan.id.clone() });
    }
    let pods = kubectl.json(&["get", "pods", &selector])?;
    let refusals = refusals(kubectl, items(&jobs));
    let state = |pool: &brawn_collect::plan::PlanPool| {
        let job = items(&jobs).iter().find(|job| of_pool(job, &pool.name));
        let status = job.map(|job| &job["status"]);
        let count =
            |name: &str| status.and_then(|status| status[name].as_u64()).map_or(0, |count| count as u32);
        let failed = status.and_then(|status| status["failedIndexes"].as_str()).map_or(0, indexes);
        let mut waiting = waiting(items(&pods).iter().filter(|pod| of_pool(pod, &pool.name)));
        let active = count("active").saturating_sub(waiting.values().sum());
        let done = count("succeeded");
        if let Some(reason) = job.and_then(|job| refusals.get(job["metadata"]["name"].as_str()?)) {
            waiting.insert(reason.clone(), pool.blocks.saturating_sub(done).saturating_sub(failed));
        }
        State { pool: pool.name.clone(), blocks: pool.blocks, done, failed, active, waiting }
    };
    Ok(record.plan.pools.iter().map(state).collect())
}

fn of_pool(object: &Value, pool: &str) -> bool {
    object["metadata"]["labels"][POOL] == pool
}

/// Why jobs that have blocks left have no pods, by their names: a quota, mostly. Only events tell, which not every user may read.
fn refusals(kubectl: &Kubectl, jobs: &[Value]) -> BTreeMap<String, String> {
    let idle = |job: &&Value| {
        let conditions = job["status"]["conditions"].as_array().map_or(&[][..], Vec::as_slice);
        let ended = conditions
            .iter()
            .any(|condition| condition["type"] == "Complete" || condition["type"] == "Failed");
        !ended && job["status"]["active"].as_u64().unwrap_or(0) == 0
    };
    let names: Vec<&str> =
        jobs.iter().filter(idle).filter_map(|job| job["metadata"]["name"].as_str()).collect();
    if names.is_empty() {
        return BTreeMap::new();
    }
    let chosen = "--field-selector=involvedObject.kind=Job,reason=FailedCreate";
    let events = kubectl.json(&["get", "events", chosen]).unwrap_or_default();
    let refusal = |event: &Value| {
        let name = event["involvedObject"]["name"].as_str().filter(|name| names.contains(name))?;
        let message = event["message"].as_str()?;
        let reason = message.split_once("is forbidden: ").map_or(message, |(_, reason)| reason);
        Some((name.to_owned(), reason.to_owned()))
    };
    items(&events).iter().filter_map(refusal).collect()
}

/// How many numbers a text such as `0,3-5` names.
fn indexes(text: &str) -> u32 {
    let count = |part: &str| match part.split_once('-') {
        Some((first, last)) => Some(last.parse::<u32>().ok()?.checked_sub(first.parse().ok()?)? + 1),
        None => part.parse::<u32>().ok().map(|_| 1),
    };
    text.split(',').filter_map(count).sum()
}

/// The state of a pod's only container.
fn state_of(pod: &Value) -> &Value {
    &pod["status"]["containerStatuses"][0]["state"]
}

/// Why pods do not run yet.
fn waiting<'a>(pods: impl Iterator<Item = &'a Value>) -> BTreeMap<String, u32> {
    let mut reasons = BTreeMap::new();
    for pod in pods.filter(|pod| pod["status"]["phase"] == "Pending") {
        let of_container = state_of(pod)["waiting"]["reason"].as_str();
        let conditions = pod["status"]["conditions"].as_array().map_or(&[][..], Vec::as_slice);
        let unscheduled = conditions
            .iter()
            .find(|condition| condition["type"] == "PodScheduled" && condition["status"] == "False");
        let of_pod = unscheduled.and_then(|condition| condition["reason"].as_str());
        let reason = of_container.or(of_pod).unwrap_or("Pending");
        *reasons.entry(reason.to_owned()).or_default() += 1;
    }
    reasons
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn indexes_are_counted() {
        assert_eq!(["", "4", "0,3-5", "x", "5-3"].map(indexes), [0, 1, 4, 0, 0]);
    }

    #[test]
    fn what_pods_wait_for_is_told() {
        let pods = [
            json!({ "status": { "phase": "Pending", "containerStatuses": [{ "state": { "waiting": { "reason": "ImagePullBackOff" } } }] } }),
            json!({ "status": { "phase": "Pending", "conditions": [{ "type": "PodScheduled", "status": "False", "reason": "Unschedulable" }] } }),
            json!({ "status": { "phase": "Pending" } }),
            json!({ "status": { "phase": "Running" } }),
        ];
        let expected = [("ImagePullBackOff", 1), ("Pending", 1), ("Unschedulable", 1)];
        assert_eq!(waiting(pods.iter()), expected.map(|(reason, count)| (reason.to_owned(), count)).into());
    }
}
