//! What a year costs, from prices that the user gives and ratios that were measured.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::answer::{Answer, CandidateAnswer, PoolAnswer};
use crate::estimate::Ratio;
use crate::plan::{Plan, PlanPool};

/// Hours of a year, leap days included.
const HOURS: f64 = 8_766.0;
/// Bytes of a GiB.
const GIB: f64 = 1_073_741_824.0;

/// A price list.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Shown with every amount.
    pub currency: String,
    /// Prices by pool.
    pub pools: BTreeMap<String, Price>,
}

/// What a pool costs: by the hour of a node, or by what its replicas ask for.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Price {
    /// Whole nodes, of which fewer are needed where replicas take less of what fills them.
    Node {
        /// Price of a node for an hour.
        node_hour: f64,
        /// How many nodes there are.
        nodes: f64,
        /// What they run out of first.
        filled_by: Resource,
    },
    /// What replicas ask for.
    Request {
        /// Price of a GiB of memory for an hour.
        gib_hour: f64,
        /// Price of a core for an hour.
        core_hour: f64,
    },
}

/// What a node runs out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Memory.
    Memory,
    /// Processor time.
    Cores,
}

/// What a year costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Yearly {
    /// Shown with every amount.
    pub currency: String,
    /// Each pool that has a price.
    pub pools: Vec<YearlyPool>,
}

/// What a year of a pool costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct YearlyPool {
    /// The pool's name.
    pub pool: String,
    /// With what is used now.
    pub now: f64,
    /// With the pool's own pick; none where that is what is used now.
    pub pick: Option<Amount>,
    /// With the one for all pools, likewise.
    pub overall: Option<Amount>,
    /// What it follows from.
    pub basis: String,
}

/// An amount of money with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Amount {
    /// The best guess.
    pub amount: f64,
    /// Lower end, by the lower ends of the ratios.
    pub low: f64,
    /// Upper end; none where a ratio has none.
    pub high: Option<f64>,
}

impl Prices {
    /// Reads a price list.
    ///
    /// # Errors
    /// [`Error`]: it cannot be read, or is none.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::parse(path, &brawn_base::file::text(path)?)
    }

    /// Reads the text of a price list; `path` is its name for messages.
    ///
    /// # Errors
    /// [`Error::Prices`]: it is none, or has a price that is no positive number.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let wrong = |what: String| Error::Prices { path: path.to_owned(), what };
        let prices: Self = toml::from_str(text).map_err(|error| wrong(error.message().to_owned()))?;
        for (pool, price) in &prices.pools {
            let numbers = match *price {
                Price::Node { node_hour, nodes, .. } => [node_hour, nodes],
                Price::Request { gib_hour, core_hour } => [gib_hour, core_hour],
            };
            if numbers.iter().any(|number| !number.is_finite() || *number < 0.0) {
                return Err(wrong(format!("the pool `{pool}` has a price below 0, or none")));
            }
        }
        Ok(prices)
    }

    /// What a year costs.
    ///
    /// # Errors
    /// [`Error::Prices`]: a pool that the plan does not have, or of which it does not say how many replicas run.
    pub fn yearly(&self, path: &Path, plan: &Plan, answer: &Answer) -> Result<Yearly, Error> {
        let wrong = |what: String| Error::Prices { path: path.to_owned(), what };
        let mut pools = Vec::new();
        for (name, price) in &self.pools {
            let planned = plan.pool(name).zip(answer.pools.iter().find(|pool| pool.name == *name));
            let Some((planned, pool)) = planned else {
                let known = plan.pools.iter().map(|pool| pool.name.as_str()).collect::<Vec<_>>().join(", ");
                return Err(wrong(format!("the fleet has no pool `{name}`; it has: {known}")));
            };
            let (memory, cores, basis) = price.now(planned, pool, plan).map_err(wrong)?;
            let with = |name: &str| {
                let candidate =
                    pool.candidates.iter().find(|one| one.name == name && one.name != plan.reference)?;
                amount(memory, cores, candidate)
            };
            pools.push(YearlyPool {
                pool: name.clone(),
                now: memory + cores,
                pick: pool.pick.as_deref().and_then(with),
                overall: answer.overall.as_ref().and_then(|overall| with(&overall.pick)),
                basis,
            });
        }
        Ok(Yearly { currency: self.currency.clone(), pools })
    }
}

impl Price {
    /// What a year costs now: the part that grows with memory, the part that grows with processor time, and why.
    fn now(self, planned: &PlanPool, pool: &PoolAnswer, plan: &Plan) -> Result<(f64, f64, String), String> {
        let name = &planned.name;
        match self {
            Self::Node { node_hour, nodes, filled_by } => {
                let year = node_hour * nodes * HOURS;
                Ok(match filled_by {
                    Resource::Memory => (year, 0.0, format!("{nodes} nodes, as many as memory needs")),
                    Resource::Cores => (0.0, year, format!("{nodes} nodes, as many as processor time needs")),
                })
            }
            Self::Request { gib_hour, core_hour } => {
                let lacks = |what| format!("the plan does not say {what} `{name}`");
                let replicas = planned.replicas.ok_or_else(|| lacks("how many replicas run on"))? as f64;
                let cores = planned.cores.ok_or_else(|| lacks("how many cores a replica has on"))?;
                let now = pool.candidates.iter().find(|one| one.name == plan.reference);
                let peak = now.and_then(|now| now.peak_bytes).map(|peak| peak.median);
                let bytes = planned.memory.map(|bytes| bytes as f64).or(peak);
                let gib = bytes.ok_or_else(|| lacks("how much memory a replica has on"))? / GIB;
                let basis = format!("{replicas} replicas with {gib:.2} GiB and {cores} cores each");
                Ok((replicas * HOURS * gib * gib_hour, replicas * HOURS * cores * core_hour, basis))
            }
        }
    }
}

/// With a candidate: memory grows with its memory, processor time with its time.
fn amount(memory: f64, cores: f64, candidate: &CandidateAnswer) -> Option<Amount> {
    // What is not paid for need not be known.
    let part = |now: f64, ratio: Option<Ratio>| match now {
        0.0 => Some(Amount { high: Some(0.0), ..Amount::default() }),
        now => ratio.map(|ratio| Amount {
            amount: now * ratio.ratio,
            low: now * ratio.low,
            high: ratio.high.map(|high| now * high),
        }),
    };
    let (memory, cores) = (part(memory, candidate.memory)?, part(cores, candidate.time)?);
    Some(Amount {
        amount: memory.amount + cores.amount,
        low: memory.low + cores.low,
        high: memory.high.zip(cores.high).map(|(memory, cores)| memory + cores),
    })
}
