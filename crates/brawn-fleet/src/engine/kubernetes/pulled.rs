//! Whether nodes get the image, which cannot be known before one has tried.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{state_of, taken_back};
use crate::Error;
use crate::kubectl::{Kubectl, OWNER};
use crate::nodes::items;
use crate::record::Record;

/// How long a node may take for the image before that is no longer waited for: the jobs go on.
const PULLING: Duration = Duration::from_secs(30);
/// How long it may take until the first pod has a node.
const PLACING: Duration = Duration::from_secs(5);
/// From look to look.
const PAUSE: Duration = Duration::from_millis(500);
/// What a kubelet says that has tried in vain; `ErrImagePull` may have been a moment's.
const IN_VAIN: [&str; 2] = ["ImagePullBackOff", "InvalidImageName"];

/// Waits until the first pod runs. Where all that have a node try in vain to get the image, the fleet is deleted.
///
/// # Errors
/// [`Error::Unpulled`], [`Error::Left`].
pub fn pulled(kubectl: &Kubectl, record: &Record, interrupt: &AtomicBool) -> Result<(), Error> {
    let selector = format!("--selector={OWNER}={}", record.plan.id);
    let begun = Instant::now();
    while begun.elapsed() < PULLING && !interrupt.load(Ordering::Relaxed) {
        // What cannot be asked now is told by `status`.
        let Ok(pods) = kubectl.json(&["get", "pods", &selector]) else { return Ok(()) };
        match look(items(&pods)) {
            Seen::Runs => return Ok(()),
            Seen::Nothing if begun.elapsed() > PLACING => return Ok(()),
            Seen::Nothing | Seen::Pulls => std::thread::sleep(PAUSE),
            Seen::InVain(said) => {
                let image = record.plan.image.clone().unwrap_or_default();
                return Err(taken_back(kubectl, record, Error::Unpulled { image, said }));
            }
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
enum Seen {
    /// No pod has a node.
    Nothing,
    Pulls,
    Runs,
    /// With what the first says.
    InVain(String),
}

fn look(pods: &[Value]) -> Seen {
    let phase = |pod: &&Value| pod["status"]["phase"] != "Pending";
    if pods.iter().any(|pod| phase(&pod)) {
        return Seen::Runs;
    }
    let placed = || pods.iter().filter(|pod| pod["spec"]["nodeName"].is_string());
    let in_vain = |pod: &Value| {
        let waiting = &state_of(pod)["waiting"];
        let message = waiting["message"].as_str().unwrap_or_default();
        let is_it = IN_VAIN.iter().any(|reason| waiting["reason"] == **reason);
        is_it.then(|| message.to_owned())
    };
    match placed().map(in_vain).collect::<Option<Vec<String>>>() {
        None => Seen::Pulls,
        Some(said) => said.into_iter().next().map_or(Seen::Nothing, Seen::InVain),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_where_no_node_gets_it_there_is_no_hope() {
        let pod = |phase: &str, node: Option<&str>, reason: &str| {
            json!({ "spec": { "nodeName": node }, "status": {
                "phase": phase,
                "containerStatuses": [{ "state": { "waiting": { "reason": reason, "message": "no such host" } } }],
            } })
        };
        let pulls = pod("Pending", Some("a"), "ContainerCreating");
        let fails = pod("Pending", Some("b"), "ImagePullBackOff");
        let once = pod("Pending", Some("b"), "ErrImagePull");
        let waits = pod("Pending", None, "");
        let runs = pod("Running", Some("c"), "");
        assert_eq!(look(&[]), Seen::Nothing);
        assert_eq!(look(std::slice::from_ref(&waits)), Seen::Nothing);
        assert_eq!(look(&[pulls, fails.clone()]), Seen::Pulls);
        assert_eq!(look(&[once]), Seen::Pulls);
        assert_eq!(look(&[waits, fails.clone()]), Seen::InVain("no such host".into()));
        assert_eq!(look(&[fails, runs]), Seen::Runs);
    }
}
