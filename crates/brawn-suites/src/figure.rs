//! Until brawn-bench has them: the figures that a run is judged by, and the rows that they become.

use serde::{Deserialize, Serialize};

use brawn_bench::Sample;
use brawn_bench::results::{Better, Kind, Published};

/// One figure of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Wall-clock time, in seconds.
    Wall,
    /// CPU time in user mode, in seconds.
    User,
    /// CPU time in the kernel, in seconds.
    System,
    /// Both of these together, in seconds.
    Cpu,
    /// Peak resident size, in bytes.
    Peak,
    /// Resident size at the end less what was offered back, in bytes.
    Final,
    /// Page faults served without I/O: pages touched for the first time.
    MinorFaults,
    /// Page faults that waited for I/O.
    MajorFaults,
    /// Times that a thread gave up its core to wait.
    VoluntarySwitches,
    /// Times that a thread was taken off its core.
    InvoluntarySwitches,
    /// System calls, counted in a run of its own.
    SystemCalls,
    /// A figure that the program gave of itself: `metric NAME VALUE`.
    Metric(String),
}

impl Figure {
    /// A figure that the program prints.
    pub fn metric(name: impl Into<String>) -> Self {
        Self::Metric(name.into())
    }

    /// Its value in one run; none where it is not known.
    pub fn of(&self, sample: &Sample) -> Option<f64> {
        match self {
            Self::Wall => Some(sample.wall_seconds),
            Self::User => Some(sample.user_seconds),
            Self::System => Some(sample.system_seconds),
            Self::Cpu => Some(sample.cpu_seconds()),
            Self::Peak => sample.peak_bytes.map(|bytes| bytes as f64),
            Self::Final => sample.final_bytes.map(|bytes| bytes as f64),
            Self::MinorFaults => Some(sample.minor_faults as f64),
            Self::MajorFaults => Some(sample.major_faults as f64),
            Self::VoluntarySwitches => Some(sample.voluntary_switches as f64),
            Self::InvoluntarySwitches => None,
            Self::SystemCalls => None,
            Self::Metric(name) => sample.metrics.get(name).copied(),
        }
    }
}

/// What a row of the results shows: a figure, its name and unit, and its place on a curve.
#[derive(Clone, Debug)]
pub struct RowSpec {
    name: String,
    figure: Figure,
    kind: Kind,
    unit: String,
    better: Better,
    series: Option<String>,
    x: Option<f64>,
    x_label: Option<String>,
    published: Vec<Published>,
}

impl RowSpec {
    /// A row with the figure's usual name, unit and direction. A metric gets its own name, counts as a time in seconds
    /// and is best when low, until told otherwise.
    pub fn new(figure: Figure) -> Self {
        let (name, kind, unit) = match &figure {
            Figure::Wall => ("time", Kind::Time, "s"),
            Figure::User => ("user time", Kind::Time, "s"),
            Figure::System => ("system time", Kind::Time, "s"),
            Figure::Cpu => ("CPU time", Kind::Time, "s"),
            Figure::Peak => ("peak memory", Kind::Memory, "bytes"),
            Figure::Final => ("memory at the end", Kind::Memory, "bytes"),
            Figure::MinorFaults => ("page faults", Kind::Other, "count"),
            Figure::MajorFaults => ("page faults with I/O", Kind::Other, "count"),
            Figure::VoluntarySwitches => ("voluntary switches", Kind::Other, "count"),
            Figure::InvoluntarySwitches => ("involuntary switches", Kind::Other, "count"),
            Figure::SystemCalls => ("system calls", Kind::Other, "count"),
            Figure::Metric(name) => (name.as_str(), Kind::Time, "s"),
        };
        Self {
            name: name.to_owned(),
            kind,
            unit: unit.to_owned(),
            better: Better::Lower,
            series: None,
            x: None,
            x_label: None,
            published: Vec::new(),
            figure,
        }
    }

    /// A row of a metric that the program prints.
    pub fn metric(name: &str, kind: Kind, unit: &str, better: Better) -> Self {
        let mut spec = Self::new(Figure::metric(name));
        (spec.kind, spec.unit, spec.better) = (kind, unit.to_owned(), better);
        spec
    }

    /// Calls the row something else.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Puts the row on the curve `series`, at `x` of what `label` counts.
    pub fn at(mut self, series: impl Into<String>, x: f64, label: impl Into<String>) -> Self {
        (self.series, self.x, self.x_label) = (Some(series.into()), Some(x), Some(label.into()));
        self
    }

    /// Adds what others published of the same figure.
    pub fn published(mut self, published: impl IntoIterator<Item = Published>) -> Self {
        self.published.extend(published);
        self
    }
}
