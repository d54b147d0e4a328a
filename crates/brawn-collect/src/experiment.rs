//! A canary as Argo Rollouts runs it: baseline and candidate beside each other, and queries that end it early when the
//! candidate does much worse.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::Error;

/// What a query has in the place of the ReplicaSet of one or the other, with whose name those of its pods begin.
pub const REPLICASET: &str = "$replicaset";
/// How much worse a figure may be, three times, before the experiment ends: the judgement about less comes afterwards.
const MUCH: f64 = 1.25;

/// A canary, as its file describes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Canary {
    /// Name of everything that is made.
    pub name: String,
    /// Image of what runs now, by its digest.
    pub baseline: String,
    /// Image of what shall run, by its digest.
    pub candidate: String,
    /// The container that has the image.
    pub container: String,
    /// How long it runs, in minutes.
    pub minutes: u32,
    /// Queries of figures of which less is better, each with [`REPLICASET`] in it.
    pub metrics: BTreeMap<String, String>,
}

impl Canary {
    /// Reads the file.
    ///
    /// # Errors
    /// [`Error`]: it cannot be read, or describes no canary.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::parse(path, &brawn_base::file::text(path)?)
    }

    /// Reads the file's text; `path` is its name for messages.
    ///
    /// # Errors
    /// [`Error::Canary`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let wrong = |what: String| Error::Canary { path: path.to_owned(), what };
        let canary: Self = toml::from_str(text).map_err(|error| wrong(error.message().to_owned()))?;
        for (which, image) in [("baseline", &canary.baseline), ("candidate", &canary.candidate)] {
            if !image.contains("@sha256:") {
                return Err(wrong(format!("the image of the {which} has no digest: `{image}`")));
            }
        }
        if canary.metrics.is_empty() {
            return Err(wrong("it has no metrics".into()));
        }
        match canary.metrics.iter().find(|(_, query)| !query.contains(REPLICASET)) {
            Some((name, _)) => Err(wrong(format!("the query of `{name}` has no {REPLICASET} in it"))),
            None => Ok(canary),
        }
    }

    /// The query of a figure for the pods of this ReplicaSet.
    pub fn query(query: &str, replicaset: &str) -> String {
        query.replace(REPLICASET, replicaset)
    }

    /// An `Experiment` and its `AnalysisTemplate`, as one list. `workload` is the Deployment (or another kind with a template)
    /// whose pods these are; `server` is Prometheus, as the cluster sees it.
    ///
    /// # Errors
    /// [`Error::Workload`]: the workload has no such container.
    pub fn render(&self, workload: &Value, server: &str) -> Result<Value, Error> {
        let template = &workload["spec"]["template"];
        let named = |container: &Value| container["name"] == self.container.as_str();
        let containers = template["spec"]["containers"].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(at) = containers.iter().position(named) else {
            let names: Vec<&str> = containers.iter().filter_map(|one| one["name"].as_str()).collect();
            return Err(Error::Workload { container: self.container.clone(), names: names.join(", ") });
        };
        let pods = |which: &str, image: &str| {
            // The workload's own labels would bring its pods into the experiment, and the experiment's into its service.
            let labels = json!({ "brawn.dev/canary": self.name, "brawn.dev/variant": which });
            let mut spec = template["spec"].clone();
            spec["containers"][at]["image"] = image.into();
            json!({
                "name": which, "replicas": 1, "selector": { "matchLabels": labels },
                "template": { "metadata": { "labels": labels }, "spec": spec },
            })
        };
        let variants = [("baseline", &self.baseline), ("candidate", &self.candidate)];
        let argument = |which: &str| format!("{which}-replicaset");
        let metric = |(name, query): (&String, &String)| {
            let of = |which: &str| Self::query(query, &format!("{{{{args.{}}}}}", argument(which)));
            json!({
                "name": name, "interval": "1m", "count": self.minutes, "failureLimit": 2,
                // Nothing was measured yet.
                "successCondition": format!("len(result) == 0 || isNaN(result[0]) || result[0] <= {MUCH}"),
                "provider": { "prometheus": {
                    "address": server, "query": format!("({}) / ({})", of("candidate"), of("baseline")),
                } },
            })
        };
        let arguments = variants.iter().map(|(which, _)| {
            json!({ "name": argument(which), "value": format!("{{{{templates.{which}.replicaset.name}}}}") })
        });
        let experiment = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Experiment", "metadata": { "name": self.name },
            "spec": {
                "duration": format!("{}m", self.minutes),
                "templates": variants.iter().map(|(which, image)| pods(which, image)).collect::<Vec<_>>(),
                "analyses": [{
                    "name": self.name, "templateName": self.name, "args": arguments.collect::<Vec<_>>(),
                }],
            },
        });
        let analysis = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisTemplate", "metadata": { "name": self.name },
            "spec": {
                "args": variants.iter().map(|(which, _)| json!({ "name": argument(which) })).collect::<Vec<_>>(),
                "metrics": self.metrics.iter().map(metric).collect::<Vec<_>>(),
            },
        });
        Ok(json!({ "apiVersion": "v1", "kind": "List", "items": [analysis, experiment] }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
name = "server"
baseline = "registry.example/server@sha256:aa"
candidate = "registry.example/server@sha256:bb"
container = "app"
minutes = 60
[metrics]
memory = 'max(container_memory_working_set_bytes{pod=~"$replicaset-.*"})'
"#;

    #[test]
    fn both_images_run_beside_each_other() {
        let canary = Canary::parse(Path::new("canary.toml"), TEXT).unwrap();
        let workload = json!({ "spec": { "template": { "metadata": { "labels": { "app": "server" } }, "spec": {
            "containers": [{ "name": "proxy", "image": "p" }, { "name": "app", "image": "old", "ports": [1] }],
        } } } });
        let list = canary.render(&workload, "http://prometheus:9090").unwrap();
        let (analysis, experiment) = (&list["items"][0], &list["items"][1]);
        let templates = experiment["spec"]["templates"].as_array().unwrap();
        let images: Vec<_> =
            templates.iter().map(|one| &one["template"]["spec"]["containers"][1]["image"]).collect();
        assert_eq!(images, [canary.baseline.as_str(), canary.candidate.as_str()]);
        let pod = &templates[0]["template"];
        assert_eq!(
            (&pod["spec"]["containers"][0]["image"], &pod["spec"]["containers"][1]["ports"][0]),
            (&"p".into(), &1.into())
        );
        assert_eq!(pod["metadata"]["labels"], templates[0]["selector"]["matchLabels"]);
        assert_eq!(
            experiment["spec"]["analyses"][0]["args"][1]["value"],
            "{{templates.candidate.replicaset.name}}"
        );
        let metric = &analysis["spec"]["metrics"][0];
        assert_eq!(
            metric["provider"]["prometheus"]["query"],
            "(max(container_memory_working_set_bytes{pod=~\"{{args.candidate-replicaset}}-.*\"})) / \
             (max(container_memory_working_set_bytes{pod=~\"{{args.baseline-replicaset}}-.*\"}))"
        );
        let error = canary.render(&json!({}), "x").unwrap_err();
        assert_eq!(error.to_string(), "the workload has no container `app`");
    }

    #[test]
    fn what_is_missing_is_told() {
        let refused = |from: &str, to: &str| {
            Canary::parse(Path::new("canary.toml"), &TEXT.replace(from, to)).unwrap_err().to_string()
        };
        assert!(refused("@sha256:aa", ":latest").contains("the image of the baseline has no digest"));
        assert!(refused("$replicaset", "x").contains("the query of `memory` has no $replicaset in it"));
        assert!(refused("minutes", "minute").contains("unknown field"));
        assert!(refused("memory = ", "#").contains("it has no metrics"));
    }
}
