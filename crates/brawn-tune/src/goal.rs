//! What a program shall be good at, and what a run costs by that measure.

use std::str::FromStr;

use brawn_measure::{Figure, Sample};
use serde::{Deserialize, Serialize};

brawn_base::named! {
    /// What is asked for; the names are those for `--goal`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Goal {
        /// The shortest time, or the most requests a second.
        Time = "time",
        /// The least memory, time being worth a little.
        Memory = "memory",
        /// Time, memory being worth something.
        #[default]
        Balanced = "balanced",
        /// The shortest latency in the 99th percentile, of a server.
        Latency = "latency",
    }
}

/// What the lesser of two resources counts in a cost: as its fourth root. Half the memory is then worth as much as 16 % of
/// the time.
const LESSER: f64 = 0.25;

/// The metric of a server's client that counts as its time.
pub const RATE: &str = "requests_per_second";
/// The metric that counts as its latency, in seconds.
pub const LATENCY: &str = "latency_p99_seconds";

impl Goal {
    /// What one run costs: smaller is better, and only ratios mean anything. None where a figure that counts is not
    /// known.
    pub fn cost(self, sample: &Sample) -> Option<f64> {
        let weighed = |main: f64, lesser: f64| main * lesser.powf(LESSER);
        let cost = match self {
            Self::Time => time(sample)?,
            Self::Latency => Figure::metric(LATENCY).of(sample)?,
            Self::Balanced => weighed(time(sample)?, memory(sample)?),
            Self::Memory => weighed(memory(sample)?, time(sample)?),
        };
        (cost.is_finite() && cost > 0.0).then_some(cost)
    }

    /// What decides between candidates that cost the same.
    pub fn second(self, sample: &Sample) -> Option<f64> {
        match self {
            Self::Memory => time(sample),
            Self::Time | Self::Balanced | Self::Latency => memory(sample),
        }
    }
}

/// Seconds of a program's run, or of a request to a server.
pub fn time(sample: &Sample) -> Option<f64> {
    match Figure::metric(RATE).of(sample) {
        Some(rate) => (rate > 0.0).then(|| 1.0 / rate),
        None => Some(sample.wall_seconds),
    }
}

/// Bytes: the peak; of a server whose size was read after the load, the geometric mean of the peak and that.
pub fn memory(sample: &Sample) -> Option<f64> {
    let peak = Figure::Peak.of(sample)?;
    Some(match Figure::metric("idle_bytes").of(sample) {
        Some(idle) if idle > 0.0 => (peak * idle).sqrt(),
        _ => peak,
    })
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_name(text).ok_or_else(|| format!("there are: {}", Self::ALL.map(Self::name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seconds: f64, bytes: u64) -> Sample {
        Sample { wall_seconds: seconds, peak_bytes: Some(bytes), ..Sample::default() }
    }

    #[test]
    fn each_goal_weighs_time_and_memory_its_own_way() {
        let ratio = |goal: Goal, sample_a: &Sample, sample_b: &Sample| {
            goal.cost(sample_a).unwrap() / goal.cost(sample_b).unwrap()
        };
        let (plain, half_memory) = (sample(1.0, 1 << 20), sample(1.0, 1 << 19));
        assert_eq!(ratio(Goal::Time, &half_memory, &plain), 1.0);
        assert!((ratio(Goal::Balanced, &half_memory, &plain) - 0.840_9).abs() < 1e-3);
        assert_eq!(ratio(Goal::Memory, &half_memory, &plain), 0.5);
        let half_time = sample(0.5, 1 << 20);
        assert_eq!(ratio(Goal::Time, &half_time, &plain), 0.5);
        assert!((ratio(Goal::Memory, &half_time, &plain) - 0.840_9).abs() < 1e-3);
    }

    #[test]
    fn a_servers_time_is_its_rate_and_its_memory_that_after_the_load_too() {
        let mut server = sample(9.0, 400);
        server.metrics = [(RATE.to_owned(), 50.0), ("idle_bytes".to_owned(), 100.0)].into();
        assert_eq!(Goal::Time.cost(&server), Some(0.02));
        assert_eq!(memory(&server), Some(200.0));
        assert_eq!(Goal::Latency.cost(&server), None, "no one measured it");
        server.metrics.insert(LATENCY.to_owned(), 0.25);
        assert_eq!(Goal::Latency.cost(&server), Some(0.25));
    }

    #[test]
    fn a_figure_that_is_not_known_gives_no_cost() {
        let unknown = Sample { wall_seconds: 1.0, ..Sample::default() };
        assert_eq!(Goal::Time.cost(&unknown), Some(1.0));
        assert_eq!(Goal::Balanced.cost(&unknown), None);
        assert_eq!("speed".parse::<Goal>().unwrap_err(), "there are: time, memory, balanced, latency");
    }
}
