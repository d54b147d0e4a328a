//! The figures that a run is judged by, and how rows of results are made from them.

use crate::results::{Better, Cell, Kind, Row};
use crate::{Measured, Outcome, Sample, Summary, statistics};

macro_rules! figures {
    ($($(#[$about:meta])* $figure:ident = $key:literal, $name:literal, $kind:ident, $unit:literal, $value:expr;)+) => {
        /// One figure of a run.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Figure {
            $($(#[$about])* $figure,)+
            /// A figure that the program gave of itself: `metric NAME VALUE`.
            Metric(String),
        }

        impl Figure {
            /// The figure that a suite's file calls so: a metric, if it is none of the others.
            pub fn from_key(key: &str) -> Self {
                match key {
                    $($key => Self::$figure,)+
                    metric => Self::metric(metric),
                }
            }

            /// Its usual name, kind and unit.
            pub fn usual(&self) -> (&str, Kind, &'static str) {
                match self {
                    $(Self::$figure => ($name, Kind::$kind, $unit),)+
                    Self::Metric(name) => (name, Kind::Time, "s"),
                }
            }

            /// Its value in one run; none where it is not known.
            pub fn of(&self, sample: &Sample) -> Option<f64> {
                let value: fn(&Sample) -> Option<f64> = match self {
                    $(Self::$figure => $value,)+
                    Self::Metric(name) => return sample.metrics.get(name).copied(),
                };
                value(sample)
            }
        }
    };
}

figures! {
    /// Wall-clock time, in seconds.
    Wall = "wall", "time", Time, "s", |sample| Some(sample.wall_seconds);
    /// CPU time in user mode, in seconds.
    User = "user", "user time", Time, "s", |sample| Some(sample.user_seconds);
    /// CPU time in the kernel, in seconds.
    System = "system", "system time", Time, "s", |sample| Some(sample.system_seconds);
    /// Both of these together, in seconds.
    Cpu = "cpu", "CPU time", Time, "s", |sample| Some(sample.cpu_seconds());
    /// Peak resident size, in bytes.
    Peak = "peak", "peak memory", Memory, "bytes", |sample| Some(sample.peak_bytes? as f64);
    /// Resident size at the end less what was offered back, in bytes.
    Final = "final", "memory at the end", Memory, "bytes", |sample| Some(sample.final_bytes? as f64);
    /// What had been offered back at the end and not been taken, in bytes.
    Offered = "offered", "offered back at the end", Other, "bytes", |sample| Some(sample.offered_bytes? as f64);
    /// Page faults served without I/O: pages touched for the first time.
    MinorFaults = "minor-faults", "page faults", Other, "count", |sample| Some(sample.minor_faults as f64);
    /// Page faults that waited for I/O.
    MajorFaults = "major-faults", "page faults with I/O", Other, "count", |sample| Some(sample.major_faults as f64);
    /// Times that a thread gave up its core to wait.
    VoluntarySwitches =
        "voluntary-switches", "voluntary switches", Other, "count", |sample| Some(sample.voluntary_switches as f64);
    /// Times that a thread was taken off its core.
    InvoluntarySwitches =
        "involuntary-switches", "involuntary switches", Other, "count", |sample| Some(sample.involuntary_switches as f64);
    /// System calls, counted in a run of its own.
    SystemCalls = "system-calls", "system calls", Other, "count", |_| None;
}

impl Figure {
    /// A figure that the program prints.
    pub fn metric(name: impl Into<String>) -> Self {
        Self::Metric(name.into())
    }

    /// Its values for a variant, in the order of the blocks; none when a run lacks it.
    pub fn values(&self, measured: &Measured) -> Option<Vec<f64>> {
        match self {
            Self::SystemCalls => measured.system_calls.map(|calls| vec![calls as f64]),
            _ => measured.samples.iter().map(|sample| self.of(sample)).collect(),
        }
    }
}

/// What a row of the results shows: a figure, and the row without its cells.
#[derive(Clone, Debug)]
pub struct RowSpec {
    /// The figure.
    pub figure: Figure,
    /// The row: its name, its place on a curve, and what others published of it.
    pub row: Row,
}

impl RowSpec {
    /// A row with the figure's usual name, unit and direction. A metric gets its own name, counts as a time in seconds
    /// and is best when low, until told otherwise.
    pub fn new(figure: Figure) -> Self {
        let (name, kind, unit) = figure.usual();
        let row = Row { name: name.to_owned(), kind, unit: unit.to_owned(), ..Row::default() };
        Self { figure, row }
    }

    /// A row of a metric that the program prints.
    pub fn metric(name: &str, kind: Kind, unit: &str, better: Better) -> Self {
        let mut spec = Self::new(Figure::metric(name));
        (spec.row.kind, spec.row.unit, spec.row.better) = (kind, unit.to_owned(), better);
        spec
    }

    /// A row of a rate that the program prints: `requests_per_second` is called `requests`.
    pub fn rate(metric: &str) -> Self {
        let name = metric.strip_suffix("_per_second").unwrap_or(metric);
        Self::metric(metric, Kind::Time, "/s", Better::Higher).named(name)
    }

    /// A row of an amount of memory that the program prints.
    pub fn memory(metric: &str, name: &str) -> Self {
        Self::metric(metric, Kind::Memory, "bytes", Better::Lower).named(name)
    }

    /// Calls the row something else.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.row.name = name.into();
        self
    }

    /// The row of an outcome, the first variant being the baseline; none when no variant has the figure. A variant
    /// without it has no cell.
    pub fn row(&self, outcome: &Outcome) -> Option<Row> {
        let values: Vec<(&str, Vec<f64>)> = outcome
            .measured
            .iter()
            .filter_map(|measured| {
                let values = self.figure.values(measured).filter(|values| !values.is_empty())?;
                Some((measured.variant.name.as_str(), values))
            })
            .collect();
        let baseline = outcome.measured.first().map(|measured| measured.variant.name.as_str());
        let baseline = values.iter().find(|(name, _)| Some(*name) == baseline);
        let cells: Vec<Cell> = values
            .iter()
            .filter_map(|(name, samples)| {
                let ratio = baseline.filter(|(base, _)| base != name);
                Some(Cell {
                    variant: (*name).to_owned(),
                    summary: Summary::of(samples)?,
                    ratio: ratio.and_then(|(_, base)| paired(samples, base)),
                    outliers: statistics::outliers(samples).len(),
                })
            })
            .collect();
        let winner = winner(&values, self.row.better, self.figure == Figure::SystemCalls);
        (!cells.is_empty()).then(|| Row { cells, winner, ..self.row.clone() })
    }
}

/// The rows of an outcome, in the order of the specifications, without those that no variant has a figure for.
pub fn rows(outcome: &Outcome, specs: &[RowSpec]) -> Vec<Row> {
    specs.iter().filter_map(|spec| spec.row(outcome)).collect()
}

/// The ratio of a figure of one variant to that of another, block by block; none when either lacks the figure.
pub(crate) fn ratio(figure: &Figure, measured: &Measured, baseline: &Measured) -> Option<Summary> {
    paired(&figure.values(measured)?, &figure.values(baseline)?)
}

/// The ratio within each block that both took part in: an interrupted session leaves its last block incomplete.
fn paired(samples: &[f64], baseline: &[f64]) -> Option<Summary> {
    let blocks = samples.len().min(baseline.len());
    Summary::of_ratios(&samples[..blocks], &baseline[..blocks])
}

/// The variant with the best median, if its ratio to each of the others is certainly not 1. An exact figure needs no
/// interval.
fn winner(values: &[(&str, Vec<f64>)], better: Better, exact: bool) -> Option<String> {
    let key = |samples: &[f64]| {
        let median = statistics::median(samples)?;
        Some(if better == Better::Lower { median } else { -median })
    };
    let keyed: Vec<(f64, &(&str, Vec<f64>))> =
        values.iter().filter_map(|entry| Some((key(&entry.1)?, entry))).collect();
    let (best, (name, samples)) = keyed.iter().min_by(|left, right| left.0.total_cmp(&right.0))?;
    let ahead = |(other, (other_name, other_samples)): &&(f64, &(&str, Vec<f64>))| {
        if other_name == name {
            return true;
        }
        if exact {
            return best < other;
        }
        best < other && paired(other_samples, samples).is_some_and(|ratio| ratio.resolved())
    };
    (keyed.len() > 1 && keyed.iter().all(|entry| ahead(&entry))).then(|| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, Variant};

    fn outcome(walls: &[(&str, &[f64])]) -> Outcome {
        let measured = walls
            .iter()
            .map(|(name, walls)| {
                let mut measured = Measured::new(Variant::new(*name, "program"));
                measured.samples = walls
                    .iter()
                    .map(|&wall_seconds| Sample {
                        wall_seconds,
                        metrics: [("rate".to_owned(), 1.0 / wall_seconds)].into(),
                        ..Sample::default()
                    })
                    .collect();
                measured
            })
            .collect();
        Outcome::new(Session::new(1), measured)
    }

    #[test]
    fn a_row_has_cells_ratios_and_a_winner() {
        let outcome = outcome(&[
            ("glibc", &[2.0, 2.1, 1.9, 2.0, 2.0]),
            ("fast", &[1.0, 1.1, 1.0, 0.9, 1.0]),
            ("slow", &[20.0, 19.0, 21.0, 20.0, 90.0]),
        ]);
        let row = RowSpec::new(Figure::Wall).row(&outcome).unwrap();
        assert_eq!((row.name.as_str(), row.unit.as_str(), row.kind), ("time", "s", Kind::Time));
        assert_eq!(row.cells.len(), 3);
        assert_eq!(row.cells[0].ratio, None);
        assert!((row.cells[1].ratio.unwrap().median - 0.5).abs() < 1e-9);
        assert_eq!(row.cells[2].outliers, 1);
        assert_eq!(row.winner.as_deref(), Some("fast"));

        let mut rate = RowSpec::metric("rate", Kind::Time, "/s", Better::Higher);
        (rate.row.series, rate.row.x, rate.row.x_label) =
            (Some("curve".into()), Some(4.0), Some("threads".into()));
        let row = rate.row(&outcome).unwrap();
        assert_eq!(row.winner.as_deref(), Some("fast"));
        assert_eq!(
            (row.series.as_deref(), row.x, row.x_label.as_deref()),
            (Some("curve"), Some(4.0), Some("threads"))
        );
        assert!(rows(&outcome, &[RowSpec::new(Figure::Peak)]).is_empty(), "no one knows the peak");
    }

    #[test]
    fn near_the_best_nobody_wins() {
        let near = outcome(&[("a", &[1.0, 1.1, 0.9, 1.0, 1.0]), ("b", &[1.02, 0.95, 1.0, 1.05, 0.9])]);
        assert_eq!(RowSpec::new(Figure::Wall).row(&near).unwrap().winner, None);
        let alone = outcome(&[("a", &[1.0, 1.0, 1.0])]);
        assert_eq!(RowSpec::new(Figure::Wall).row(&alone).unwrap().winner, None);
        let once = outcome(&[("a", &[1.0]), ("b", &[2.0])]);
        assert_eq!(RowSpec::new(Figure::Wall).row(&once).unwrap().winner, None);
    }

    #[test]
    fn exact_counts_need_no_repetition() {
        let mut outcome = outcome(&[("a", &[1.0]), ("b", &[2.0])]);
        outcome.measured[0].system_calls = Some(31);
        outcome.measured[1].system_calls = Some(7);
        let row = RowSpec::new(Figure::SystemCalls).row(&outcome).unwrap();
        assert_eq!(row.winner.as_deref(), Some("b"));
        assert_eq!(row.cells[1].ratio.unwrap().count, 1);
    }

    #[test]
    fn an_interrupted_block_is_compared_as_far_as_it_goes() {
        let outcome = outcome(&[("a", &[1.0, 2.0, 4.0]), ("b", &[2.0, 4.0])]);
        let row = RowSpec::new(Figure::Wall).row(&outcome).unwrap();
        assert_eq!(row.cells[0].summary.count, 3);
        assert_eq!(row.cells[1].ratio.map(|ratio| (ratio.count, ratio.median)), Some((2, 2.0)));
    }
}
