//! Nodes that are objects with labels, and what a kubelet does for them: pods run one at a time on this machine, and tell how
//! they end. It can lose nodes, keep pods waiting, and spoil logs.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::Duration;

use brawn_fleet::kubectl::OWNER;
use serde_json::{Value, json};

use super::api::Api;
use super::container::{End, pull, run};
use super::kubelet;
use super::server::until;
use crate::image::stub::Stub;

/// How long the API server may be away before a pod's end is given up.
const PATIENCE: Duration = Duration::from_secs(300);

/// A pod that was seen.
#[derive(Clone)]
struct Seen {
    node: String,
    kill: Arc<AtomicBool>,
}

/// What the test asks of the nodes, and what they have.
#[derive(Default)]
pub struct Wishes {
    /// Nodes that are there.
    pub nodes: BTreeSet<String>,
    /// Whether pods that were not started yet have to wait.
    pub hold: bool,
    /// Whether nodes do not reach the registry.
    pub unreachable: bool,
    /// Bytes that containers have, whatever their pods were promised.
    pub memory: Option<u64>,
    /// Bytes that a pod's log loses at its end, or all if it has no more.
    pub truncated: Option<(String, usize)>,
    pods: BTreeMap<String, Seen>,
}

/// All nodes of a cluster.
#[derive(Clone)]
pub struct Nodes {
    pub api: Api,
    pub folder: PathBuf,
    pub registry: Stub,
    pub wishes: Arc<Mutex<Wishes>>,
    /// Held by the pod that runs.
    turn: Arc<Mutex<()>>,
    port: u16,
}

impl Nodes {
    /// Without nodes yet; in this folder.
    pub fn start(api: Api, folder: PathBuf, registry: Stub) -> Nodes {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let nodes = Nodes { api, folder, registry, wishes: Arc::default(), turn: Arc::default(), port };
        let served = nodes.clone();
        spawn(move || kubelet::serve(&listener, |pod| served.log(pod)));
        let watched = nodes.clone();
        spawn(move || {
            loop {
                watched.look();
                sleep(Duration::from_millis(100));
            }
        });
        let beating = nodes.clone();
        spawn(move || {
            loop {
                let names = beating.wishes.lock().unwrap().nodes.clone();
                names.iter().for_each(|name| drop(beating.ready(name)));
                sleep(Duration::from_secs(5));
            }
        });
        nodes
    }

    /// Another node of a pool, with so much for pods.
    pub fn add(&self, name: &str, pool: &str, architecture: &str, cores: u32) {
        let labels = json!({
            "pool": pool, "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": architecture,
        });
        let room = json!({ "cpu": cores.to_string(), "memory": "4Gi", "pods": "20" });
        let status = json!({
            "capacity": room, "allocatable": room,
            "addresses": [{ "type": "InternalIP", "address": "127.0.0.1" }],
            "daemonEndpoints": { "kubeletEndpoint": { "Port": self.port } },
            "nodeInfo": {
                "architecture": architecture, "bootID": "", "containerRuntimeVersion": "", "kernelVersion": "",
                "kubeProxyVersion": "", "kubeletVersion": "v1.34.4", "machineID": "", "operatingSystem": "linux",
                "osImage": "", "systemUUID": "",
            },
        });
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "labels": labels }, "status": status,
        });
        self.api.create("/api/v1/nodes", &node);
        self.ready(name).unwrap();
        self.wishes.lock().unwrap().nodes.insert(name.to_owned());
    }

    /// Says that it is alive.
    fn ready(&self, name: &str) -> Result<(), String> {
        let now = brawn_fleet::block::now();
        let condition = json!({
            "type": "Ready", "status": "True", "reason": "KubeletReady", "message": "", "lastHeartbeatTime": now,
        });
        self.api.patch(
            &format!("/api/v1/nodes/{name}/status"),
            &json!({ "status": { "conditions": [condition] } }),
        )
    }

    /// The machine is gone with all that runs on it, and the cluster's owner takes it off the list.
    pub fn lose(&self, name: &str) {
        let mut wishes = self.wishes.lock().unwrap();
        wishes.nodes.remove(name);
        wishes
            .pods
            .values()
            .filter(|pod| pod.node == name)
            .for_each(|pod| pod.kill.store(true, Ordering::Relaxed));
        drop(wishes);
        self.api.delete(&format!("/api/v1/nodes/{name}"), &json!({})).unwrap();
    }

    /// What a pod has printed, if its node is there.
    fn log(&self, pod: &str) -> Option<Vec<u8>> {
        let wishes = self.wishes.lock().unwrap();
        wishes.nodes.contains(&wishes.pods.get(pod)?.node).then_some(())?;
        let mut log = fs_err::read(self.folder.join(pod).join("log")).ok()?;
        if let Some((_, bytes)) = wishes.truncated.as_ref().filter(|(name, _)| name == pod) {
            log.truncate(log.len().saturating_sub(*bytes));
        }
        Some(log)
    }

    /// Starts what is new, and ends what is to be deleted.
    fn look(&self) {
        let Some(pods) = self.api.list("/api/v1/pods") else { return };
        let mut wishes = self.wishes.lock().unwrap();
        for pod in pods {
            let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
            let Some(node) = pod["spec"]["nodeName"].as_str().filter(|node| wishes.nodes.contains(*node))
            else {
                continue;
            };
            let deleted = !pod["metadata"]["deletionTimestamp"].is_null();
            if let Some(seen) = wishes.pods.get(&name) {
                seen.kill.fetch_or(deleted, Ordering::Relaxed);
                continue;
            }
            let seen = Seen { node: node.to_owned(), kill: Arc::new(AtomicBool::new(deleted)) };
            wishes.pods.insert(name, seen.clone());
            let nodes = self.clone();
            let is_block = !pod["metadata"]["labels"][OWNER].is_null();
            spawn(move || if is_block { nodes.work(&pod, &seen) } else { nodes.serve(&pod, &seen) });
        }
    }

    /// A pod that is no block: a server, which others say is there.
    fn serve(&self, pod: &Value, seen: &Seen) {
        let path = |field: &str| pod["metadata"][field].as_str().unwrap();
        let object = format!("/api/v1/namespaces/{}/pods/{}", path("namespace"), path("name"));
        let now = brawn_fleet::block::now();
        let condition = |kind: &str| json!({ "type": kind, "status": "True", "lastTransitionTime": now });
        let containers = pod["spec"]["containers"].as_array().unwrap().iter().map(|container| {
            json!({
                "name": container["name"], "image": container["image"], "imageID": "", "ready": true, "restartCount": 0,
                "state": { "running": { "startedAt": now } },
            })
        });
        let conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map(condition);
        let status = json!({ "status": {
            "phase": "Running", "startTime": now, "podIP": "127.0.0.1",
            "conditions": conditions,
            "containerStatuses": containers.collect::<Vec<_>>(),
        } });
        let path = format!("{object}/status");
        until("the API server", PATIENCE, || self.api.patch(&path, &status).ok());
        until("the deletion of a pod", Duration::MAX, || seen.kill.load(Ordering::Relaxed).then_some(()));
        let _ = self.api.delete(&object, &json!({ "gracePeriodSeconds": 0 }));
    }

    /// From the first sight of a block's pod to its last.
    fn work(&self, pod: &Value, seen: &Seen) {
        let path = |field: &str| pod["metadata"][field].as_str().unwrap();
        let object = format!("/api/v1/namespaces/{}/pods/{}", path("namespace"), path("name"));
        let folder = self.folder.join(path("name"));
        let image = pod["spec"]["containers"][0]["image"].as_str().unwrap();
        let killed = || seen.kill.load(Ordering::Relaxed);
        let there = || self.wishes.lock().unwrap().nodes.contains(&seen.node);
        let tell = |phase: &str, state: Value| {
            let container = json!({
                "name": "block", "image": image, "imageID": "", "ready": phase == "Running", "restartCount": 0, "state": state,
            });
            let status = json!({ "status": { "phase": phase, "containerStatuses": [container] } });
            let told =
                || (!there() || self.api.patch(&format!("{object}/status"), &status).is_ok()).then_some(());
            until("the API server", PATIENCE, told);
        };
        let wait = |on: &dyn Fn() -> bool| {
            while !killed() && on() {
                sleep(Duration::from_millis(100));
            }
        };
        wait(&|| self.wishes.lock().unwrap().hold);
        let reached = || match self.wishes.lock().unwrap().unreachable {
            true => Err("dial tcp: no such host".to_owned()),
            false => Ok(()),
        };
        let pulled = reached().and_then(|()| pull(&self.registry, image, &folder.join("root")));
        if let Err(message) = &pulled {
            tell("Pending", json!({ "waiting": { "reason": "ImagePullBackOff", "message": message } }));
        }
        wait(&|| pulled.is_err());
        let turn = self.turn.lock().unwrap();
        let mut end = End { code: 137, over_memory: false };
        if !killed() {
            let scratch = folder.join("scratch");
            fs_err::create_dir(&scratch).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
            fs_err::set_permissions(&scratch, mode).unwrap();
            tell("Running", json!({ "running": { "startedAt": brawn_fleet::block::now() } }));
            let memory = self.wishes.lock().unwrap().memory;
            end = run(pod, memory, &folder, &seen.kill);
        }
        drop(turn);
        let reason = if end.over_memory {
            "OOMKilled"
        } else if end.code == 0 {
            "Completed"
        } else {
            "Error"
        };
        let phase = if end.code == 0 { "Succeeded" } else { "Failed" };
        tell(phase, json!({ "terminated": { "exitCode": end.code, "reason": reason } }));
        let _ = fs_err::remove_dir_all(folder.join("root"));
        // As long as it is an object its log can be read; then the last word is the node's.
        until("the deletion of a pod", Duration::MAX, || killed().then_some(()));
        if there() {
            let _ = self.api.delete(&object, &json!({ "gracePeriodSeconds": 0 }));
        }
    }
}
