//! Fleets on Kubernetes' own API server, controllers and scheduler. Nodes are objects; their pods run as processes of this
//! machine. (`make test-long`, as root, with etcd)

mod answers;
mod api;
mod canary;
mod container;
mod faults;
mod kubelet;
mod limits;
mod nodes;
mod refusals;
mod server;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use self::api::Api;
use self::nodes::Nodes;
use self::server::{Server, until};
use crate::common::{Sandbox, long, ok};
use crate::image::stub::{State, Stub};
use crate::release::executable::released;
use crate::release::repository;

/// How nodes call the architecture of this machine, and another.
const ARCHITECTURE: &str = if cfg!(target_arch = "x86_64") { "amd64" } else { "arm64" };
const OTHER: &str = if cfg!(target_arch = "x86_64") { "arm64" } else { "amd64" };
/// How long a fleet of these tests may take.
const PATIENCE: Duration = Duration::from_secs(240);

/// Works for `WORK_MS` of processor time on `THREADS` threads and holds `HOLD_KIB`, as a candidate's knobs say.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double each;
static void *work(void *unused) {
    struct timespec now;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec + now.tv_nsec / 1e9 < each);
    return unused;
}
static long knob(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value ? atol(value) : otherwise;
}
int main(void) {
    long threads = knob("THREADS", 1), bytes = knob("HOLD_KIB", 64) * 1024;
    char *held = malloc(bytes);
    memset(held, 1, bytes);
    each = knob("WORK_MS", 100) / 1e3 / threads;
    pthread_t others[64];
    for (long i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, work, NULL);
    work(NULL);
    for (long i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    printf("%d\n", held[bytes / 2]);
    return 0;
}
"#;

/// A cluster with a registry, and a folder in which a user works.
struct Cluster {
    sandbox: Sandbox,
    server: Server,
    nodes: Nodes,
    registry: Stub,
}

/// What the user `dev` may do: what the reference says that a fleet needs.
const RULES: &str = r#"[
    { "apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create", "get", "list", "delete"] },
    { "apiGroups": [""], "resources": ["pods", "events"], "verbs": ["get", "list"] },
    { "apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"] }
]"#;

impl Cluster {
    /// None where a test may do without.
    fn start() -> Option<Cluster> {
        if !long() {
            return None;
        }
        if !Command::new("etcd")
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
        {
            eprintln!("skipped: there is no etcd on this machine: install etcd-server");
            return None;
        }
        let brawn = released("brawn")?;
        let sandbox = Sandbox::new();
        let server = Server::start(&sandbox);
        let registry = Stub::start(State::default());
        let nodes = Nodes::start(server.api.clone(), sandbox.path().join("pods"), registry.clone());
        fs_err::copy(brawn, sandbox.path().join("brawn")).unwrap();
        fs_err::create_dir(sandbox.path().join("bin")).unwrap();
        let kubectl = server.programs().join("kubectl");
        std::os::unix::fs::symlink(kubectl, sandbox.path().join("bin/kubectl")).unwrap();
        sandbox.write("work.c", PROGRAM);
        ok(&mut sandbox.brawn(&["-q", "cc", "-O1", "-pthread", "work.c", "-o", "work"]));
        Some(Cluster { sandbox, server, nodes, registry })
    }

    fn api(&self) -> &Api {
        &self.server.api
    }

    /// A namespace that holds its pods to the standard `restricted`, with the documented rights for `dev`.
    fn namespace(&self, name: &str) {
        let restricted = json!({ "pod-security.kubernetes.io/enforce": "restricted" });
        let kind = |kind: &str, version: &str, more: Value| {
            let mut object = json!({ "apiVersion": version, "kind": kind, "metadata": { "name": name } });
            object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            object
        };
        let namespace =
            kind("Namespace", "v1", json!({ "metadata": { "name": name, "labels": restricted } }));
        self.api().create("/api/v1/namespaces", &namespace);
        let rights = "rbac.authorization.k8s.io/v1";
        let group = |of: &str| format!("/apis/{rights}{of}");
        let bound = |role: &str| {
            json!({
                "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": name },
                "subjects": [{ "kind": "User", "name": "dev" }],
            })
        };
        let rules: Value = serde_json::from_str(RULES).unwrap();
        let inside = |what: &str| group(&format!("/namespaces/{name}/{what}"));
        self.api().create(&inside("roles"), &kind("Role", rights, json!({ "rules": rules })));
        self.api().create(&inside("rolebindings"), &kind("RoleBinding", rights, bound("Role")));
        let nodes = json!([{ "apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"] }]);
        self.api().create(&group("/clusterroles"), &kind("ClusterRole", rights, json!({ "rules": nodes })));
        self.api().create(
            &group("/clusterrolebindings"),
            &kind("ClusterRoleBinding", rights, bound("ClusterRole")),
        );
        let account = format!("/api/v1/namespaces/{name}/serviceaccounts/default");
        until("the account of a namespace", PATIENCE, || self.api().get(&account));
    }

    /// `brawn fleet ARGS` of the user `dev`.
    fn fleet(&self, args: &[&str]) -> Command {
        let mut command = super::fleet(&self.sandbox, args);
        command.env("KUBECONFIG", self.server.config("dev"));
        command
    }

    /// Writes `fleet.toml` for a namespace.
    fn spec(&self, namespace: &str, text: &str) {
        let engine = format!(
            "[kubernetes]\nimage = \"{}/team/{namespace}:1\"\nnamespace = \"{namespace}\"\ninsecure = true\n",
            self.registry.address
        );
        self.sandbox.write("fleet.toml", format!("seed = 7\nbrawn = \"brawn\"\n{text}\n{engine}"));
    }

    /// Starts the fleet of `fleet.toml`; its folder.
    fn run(&self, name: &str) -> String {
        ok(&mut self.fleet(&["run", "--no-rehearsal", "--out", name]));
        name.to_owned()
    }

    fn status(&self, folder: &str) -> Vec<Value> {
        serde_json::from_str(&ok(&mut self.fleet(&["status", folder, "--message-format", "json"]))).unwrap()
    }

    /// Waits until all blocks of a fleet have ended.
    fn wait(&self, folder: &str) {
        until("the end of a fleet", PATIENCE, || {
            let left = |pool: &Value| {
                ["done", "failed"].map(|state| pool[state].as_u64().unwrap()).iter().sum::<u64>()
            };
            self.status(folder).iter().all(|pool| left(pool) == pool["blocks"]).then_some(())
        });
    }

    fn collect(&self, folder: &str) -> Value {
        serde_json::from_str(&ok(&mut self.fleet(&["collect", folder, "--message-format", "json"]))).unwrap()
    }

    fn report(&self, folder: &str) -> Value {
        serde_json::from_str(&ok(&mut self.fleet(&["report", folder, "--message-format", "json"]))).unwrap()
    }

    /// Pods of a namespace.
    fn pods(&self, namespace: &str) -> Vec<Value> {
        self.api().list(&format!("/api/v1/namespaces/{namespace}/pods")).unwrap()
    }

    /// Jobs of a namespace.
    fn jobs(&self, namespace: &str) -> Vec<Value> {
        self.api().list(&format!("/apis/batch/v1/namespaces/{namespace}/jobs")).unwrap()
    }

    /// Waits for a pod of a namespace of which this is true, and gives its name.
    fn pod(&self, namespace: &str, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        until(what, PATIENCE, || self.pods(namespace).into_iter().find(|pod| is(pod)))
    }

    /// Deletes a fleet: nothing of it is left.
    fn delete(&self, namespace: &str, folder: &str) {
        ok(&mut self.fleet(&["delete", folder]));
        assert_eq!((self.pods(namespace), self.jobs(namespace)), (Vec::new(), Vec::new()));
    }
}

fn name(object: &Value) -> String {
    object["metadata"]["name"].as_str().unwrap().to_owned()
}

fn runs(pod: &Value) -> bool {
    pod["status"]["phase"] == "Running"
}

/// All candidates of one executable.
fn candidates(each: &[(&str, &[(&str, u32)])]) -> String {
    let candidate = |(name, knobs): &(&str, &[(&str, u32)])| {
        let knobs: Vec<String> = knobs.iter().map(|(knob, value)| format!("{knob} = \"{value}\"")).collect();
        format!(
            "[[candidates]]\nname = \"{name}\"\nexecutable = \"work\"\nknobs = {{ {} }}\n\n",
            knobs.join(", ")
        )
    };
    each.iter().map(candidate).collect()
}

/// A pool of the nodes with its name.
fn pool(name: &str, more: &str) -> String {
    format!("[[pools]]\nname = \"{name}\"\nselector = {{ pool = \"{name}\" }}\n{more}\n")
}

/// What is in a fleet's file.
fn kept(sandbox: &Path, folder: &str) -> Value {
    serde_json::from_str(&fs_err::read_to_string(sandbox.join(folder).join("fleet.json")).unwrap()).unwrap()
}
