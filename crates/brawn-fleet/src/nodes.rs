//! What a cluster has: nodes with their labels.

use std::collections::{BTreeMap, BTreeSet};

use brawn_base::names;
use brawn_elf::Arch;
use brawn_image::Platform;
use serde::Deserialize;
use serde_json::Value;

use crate::Error;
use crate::kubectl::Kubectl;
use crate::spec::Pool;

/// A node that pods can be put on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Architecture, as Go calls it: `amd64`.
    pub arch: String,
    /// Cores that pods can have.
    pub cores: f64,
    /// Memory that pods can have, in bytes.
    pub memory: u64,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Listed {
    metadata: Metadata,
    spec: NodeSpec,
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    name: String,
    labels: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeSpec {
    unschedulable: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    allocatable: BTreeMap<String, String>,
    node_info: NodeInfo,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeInfo {
    architecture: String,
}

/// The nodes of a cluster that take pods, by name.
///
/// # Errors
/// As [`Kubectl::json`].
pub fn list(kubectl: &Kubectl) -> Result<Vec<Node>, Error> {
    let mut answer = kubectl.json(&["get", "nodes"])?;
    let wrong = |source| Error::Answer { tool: "kubectl".into(), source };
    let listed: Vec<Listed> = serde_json::from_value(answer["items"].take()).map_err(wrong)?;
    let mut nodes: Vec<Node> = listed.into_iter().filter(|node| !node.spec.unschedulable).map(read).collect();
    nodes.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(nodes)
}

fn read(listed: Listed) -> Node {
    let amount =
        |name: &str| listed.status.allocatable.get(name).and_then(|text| quantity(text)).unwrap_or(0.0);
    Node {
        cores: amount("cpu"),
        memory: amount("memory") as u64,
        arch: listed.status.node_info.architecture,
        name: listed.metadata.name,
        labels: listed.metadata.labels,
    }
}

/// An amount as Kubernetes writes it: `3920m`, `15Gi`, `16373372Ki`.
fn quantity(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 12] = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("Pi", 1_125_899_906_842_624.0),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("", 1.0),
    ];
    let (unit, scale) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
    Some(text.strip_suffix(unit)?.parse::<f64>().ok()? * scale)
}

impl Node {
    /// Whether it has all of these labels.
    pub fn is_in(&self, selector: &BTreeMap<String, String>) -> bool {
        selector.iter().all(|(label, value)| self.labels.get(label) == Some(value))
    }
}

/// A pool for each value that a label has among the nodes.
///
/// # Errors
/// [`Error::NoLabel`].
pub fn by_label(nodes: &[Node], label: &str) -> Result<Vec<Pool>, Error> {
    let values: BTreeSet<&String> = nodes.iter().filter_map(|node| node.labels.get(label)).collect();
    if values.is_empty() {
        let labels: BTreeSet<&String> = nodes.iter().flat_map(|node| node.labels.keys()).collect();
        let labels: Vec<&String> = labels.into_iter().collect();
        return Err(Error::NoLabel { label: label.to_owned(), hint: names::nearest_and_all(label, &labels) });
    }
    let mut pools: Vec<Pool> = Vec::new();
    for value in values {
        let mut name = pool_name(value);
        if pools.iter().any(|pool| pool.name == name) {
            name = format!("{}-{}", &name[..name.len().min(20)], pools.len());
        }
        pools.push(Pool {
            name,
            selector: BTreeMap::from([(label.to_owned(), value.clone())]),
            ..Pool::default()
        });
    }
    Ok(pools)
}

/// A label's value as the name of a pool.
fn pool_name(value: &str) -> String {
    let sound = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = value.chars().map(sound).take(30).collect();
    match name.trim_matches('-') {
        "" => "none".to_owned(),
        name => name.to_owned(),
    }
}

/// The nodes of a pool that run executables for `arch`, and how many others it has.
///
/// # Errors
/// [`Error::NoNodes`].
pub fn of_pool<'a>(
    nodes: &'a [Node],
    pool: &str,
    selector: &BTreeMap<String, String>,
    arch: &str,
) -> Result<(Vec<&'a Node>, usize), Error> {
    let all: Vec<&Node> = nodes.iter().filter(|node| node.is_in(selector)).collect();
    let others = all.iter().filter(|node| node.arch != arch).count();
    let fit: Vec<&Node> = all.iter().copied().filter(|node| node.arch == arch).collect();
    if fit.is_empty() {
        let labels: Vec<String> = selector.iter().map(|(label, value)| format!("{label}={value}")).collect();
        let why = match others {
            0 => format!("none that takes pods has {}", labels.join(", ")),
            others => format!("its {others} nodes are not {arch}, which the executables are for"),
        };
        return Err(Error::NoNodes { pool: pool.to_owned(), why });
    }
    Ok((fit, others))
}

/// Which of these architectures the nodes of a pool have.
pub fn architectures(nodes: &[Node], selector: &BTreeMap<String, String>, known: &[Arch]) -> Vec<Arch> {
    let has = |arch: &Arch| {
        let name = Platform { arch: *arch }.architecture();
        nodes.iter().any(|node| node.arch == name && node.is_in(selector))
    };
    known.iter().copied().filter(has).collect()
}

/// The names of a label's values, with how many nodes each has.
pub fn values(nodes: &[Node], label: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for value in nodes.iter().filter_map(|node| node.labels.get(label)) {
        *counts.entry(value.clone()).or_default() += 1;
    }
    counts
}

/// The items of a list that `kubectl` printed.
pub fn items(list: &Value) -> &[Value] {
    list["items"].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, label: &str, arch: &str) -> Node {
        let labels = BTreeMap::from([("kind".to_owned(), label.to_owned())]);
        Node { name: name.into(), labels, arch: arch.into(), ..Node::default() }
    }

    #[test]
    fn quantities_are_those_of_kubernetes() {
        let read = ["3920m", "4", "15Gi", "16373372Ki", "1.5k", "x"].map(quantity);
        assert_eq!(
            read,
            [Some(3.92), Some(4.0), Some(16_106_127_360.0), Some(16_766_332_928.0), Some(1500.0), None]
        );
    }

    #[test]
    fn values_of_a_label_are_pools() {
        let nodes =
            [node("a", "M5.Large", "amd64"), node("b", "m5-large", "amd64"), node("c", "t4", "arm64")];
        let pools = by_label(&nodes, "kind").unwrap();
        let names: Vec<&str> = pools.iter().map(|pool| pool.name.as_str()).collect();
        assert_eq!(names, ["m5-large", "m5-large-1", "t4"]);
        let error = by_label(&nodes, "kinds").unwrap_err();
        assert!(matches!(error, Error::NoLabel { hint, .. } if hint.contains("'kind'")));
    }

    #[test]
    fn a_pool_of_another_architecture_has_no_nodes() {
        let nodes = [node("a", "x", "amd64"), node("b", "x", "arm64"), node("c", "y", "arm64")];
        let selector = |value: &str| BTreeMap::from([("kind".to_owned(), value.to_owned())]);
        let (fit, others) = of_pool(&nodes, "p", &selector("x"), "amd64").unwrap();
        assert_eq!((fit[0].name.as_str(), fit.len(), others), ("a", 1, 1));
        let error = of_pool(&nodes, "p", &selector("y"), "amd64").unwrap_err().to_string();
        assert_eq!(
            error,
            "no node is in the pool 'p': its 1 nodes are not amd64, which the executables are for"
        );
        assert!(of_pool(&nodes, "p", &selector("z"), "amd64").is_err());
    }
}
