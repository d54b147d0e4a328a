//! The figures of a node: invented pods, and what the kernel says about this process.

use prometheus::core::{Collector, Desc};
use prometheus::proto::MetricFamily;
use prometheus::{Gauge, GaugeVec, Opts};

/// A pod that the exporter reports on.
struct Pod {
    namespace: String,
    name: String,
    container: String,
    restarts: u32,
}

/// Collects everything anew for each scrape, as exporters do whose subjects come and go.
pub struct Node {
    pods: Vec<Pod>,
    descriptions: Vec<Desc>,
}

const LABELS: [&str; 3] = ["namespace", "pod", "container"];
const FAMILIES: [(&str, &str); 4] = [
    ("pod_cpu_seconds", "CPU time that the pod's container has used"),
    ("pod_memory_bytes", "Resident size of the pod's container"),
    ("pod_restarts", "How often the pod's container was started again"),
    ("pod_network_bytes", "What the pod's container has received and sent"),
];
const RESIDENT: (&str, &str) = ("exporter_resident_bytes", "Resident size of the exporter");

impl Node {
    /// A node with so many pods.
    pub fn new(pods: usize) -> Node {
        let pods: Vec<Pod> = (0..pods)
            .map(|number| Pod {
                namespace: format!("team-{}", number % 7),
                name: format!("service-{}-{:010x}", number % 31, number.wrapping_mul(0x9E37_79B9)),
                container: ["app", "sidecar", "logs"][number % 3].to_owned(),
                restarts: (number * number % 11) as u32,
            })
            .collect();
        let (families, resident) = (families(), resident());
        let descriptions =
            families.iter().flat_map(Collector::desc).chain(resident.desc()).cloned().collect();
        Node { descriptions, pods }
    }
}

fn families() -> Vec<GaugeVec> {
    FAMILIES
        .iter()
        .map(|(name, help)| GaugeVec::new(Opts::new(*name, *help), &LABELS).expect("the names are valid"))
        .collect()
}

fn resident() -> Gauge {
    Gauge::new(RESIDENT.0, RESIDENT.1).expect("the name is valid")
}

impl Collector for Node {
    fn desc(&self) -> Vec<&Desc> {
        self.descriptions.iter().collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let families = families();
        for (number, pod) in self.pods.iter().enumerate() {
            let labels = [pod.namespace.as_str(), &pod.name, &pod.container];
            let scale = (number % 97) as f64 + 1.0;
            let values = [scale * 1.5, scale * 4096.0, f64::from(pod.restarts), scale * 1500.0];
            for (family, value) in families.iter().zip(values) {
                family.with_label_values(&labels).set(value);
            }
        }
        let memory = resident();
        memory.set(resident_bytes());
        families.iter().flat_map(Collector::collect).chain(memory.collect()).collect()
    }
}

/// The second figure of `statm` is in pages of 4 KiB on the machines that this runs on; a wrong factor changes nothing
/// that is measured.
fn resident_bytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0
}
