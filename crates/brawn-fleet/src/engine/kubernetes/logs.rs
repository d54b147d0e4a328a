//! The logs of a fleet's pods.

use std::io::BufRead;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use brawn_collect::Error as CollectError;
use brawn_collect::block::BEGIN;
use brawn_collect::source::Source;
use serde_json::Value;

use crate::kubectl::{Kubectl, OWNER};
use crate::nodes::items;
use crate::{Error, last_words};

/// How many logs are asked for at a time.
const AT_ONCE: usize = 8;

/// Reads them through `kubectl logs`, of all pods that have ended.
#[derive(Debug)]
pub struct Logs {
    kubectl: Kubectl,
    id: String,
    /// Pods whose logs are gone, with what `kubectl` says: their nodes are lost, or they were deleted meanwhile. And pods that
    /// ended well, but whose logs have no block: something has cut them off.
    unread: Vec<String>,
}

/// A pod whose container has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ended {
    name: String,
    /// Whether it did its work.
    succeeded: bool,
    /// Whether the kernel killed it for its memory.
    killed: bool,
}

impl Logs {
    /// Of this fleet.
    pub fn new(kubectl: Kubectl, id: &str) -> Self {
        Self { kubectl, id: id.to_owned(), unread: Vec::new() }
    }

    fn read(&self, pod: &Ended) -> Result<String, Error> {
        let log = self.kubectl.run(&["logs", &pod.name], b"")?;
        let log = String::from_utf8_lossy(&log).into_owned();
        Ok(if pod.killed { last_words::heeded(&log) } else { log })
    }
}

impl Source<Error> for Logs {
    fn each(
        &mut self,
        take: &mut dyn FnMut(&mut dyn BufRead) -> Result<(), CollectError>,
    ) -> Result<(), Error> {
        let pods = self.kubectl.json(&["get", "pods", &format!("--selector={OWNER}={}", self.id)])?;
        let pods = Mutex::new(items(&pods).iter().filter_map(ended));
        let mut unread = Vec::new();
        let (send, receive) = sync_channel(AT_ONCE);
        let source = &*self;
        let taken = std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                let (send, pods) = (send.clone(), &pods);
                scope.spawn(move || {
                    loop {
                        let next = pods.lock().unwrap_or_else(PoisonError::into_inner).next();
                        let Some(pod) = next else { break };
                        // No one takes more of them when one could not be taken.
                        if send.send((source.read(&pod), pod)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(send);
            // Moved in here, so that it goes with the first failure and lets the threads end.
            for (log, pod) in receive {
                match log {
                    Ok(log) => {
                        if pod.succeeded && !log.contains(BEGIN) {
                            unread.push(format!(
                                "{}: it ended well, but there is no block in its log",
                                pod.name
                            ));
                        }
                        take(&mut log.as_bytes())?;
                    }
                    Err(Error::Engine { said, .. }) => unread.push(format!("{}: {said}", pod.name)),
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        });
        self.unread = unread;
        taken
    }

    fn unread(&self) -> &[String] {
        &self.unread
    }
}

fn ended(pod: &Value) -> Option<Ended> {
    let status = &pod["status"];
    let phase = status["phase"].as_str()?;
    let name = pod["metadata"]["name"].as_str()?.to_owned();
    let conditions = status["conditions"].as_array().map_or(&[][..], Vec::as_slice);
    let holds = |condition: &&Value| condition["type"] == "DisruptionTarget" && condition["status"] == "True";
    let killed = super::state_of(pod)["terminated"]["reason"] == "OOMKilled"
        && !conditions.iter().any(|condition| holds(&condition));
    ["Succeeded", "Failed"].contains(&phase).then_some(Ended {
        name,
        succeeded: phase == "Succeeded",
        killed,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_kill_for_memory_is_told_from_an_eviction() {
        let pod = |phase: &str, reason: &str, disrupted: &str| {
            ended(&json!({ "metadata": { "name": "p" }, "status": {
                "phase": phase,
                "containerStatuses": [{ "state": { "terminated": { "exitCode": 137, "reason": reason } } }],
                "conditions": [{ "type": "DisruptionTarget", "status": disrupted }],
            } }))
        };
        let is = |killed| Some(Ended { name: "p".into(), succeeded: false, killed });
        assert_eq!(pod("Failed", "OOMKilled", "False"), is(true));
        assert_eq!(pod("Failed", "OOMKilled", "True"), is(false));
        assert_eq!(pod("Failed", "Error", "False"), is(false));
        assert_eq!(pod("Running", "", "False"), None);
    }
}
