//! The change of one figure of one variant.

use serde::Serialize;

use crate::Summary;
use crate::results::{Better, Kind};

/// The new figure over the old one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Ratio of the medians: 1.03 for three percent more.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
}

impl Interval {
    /// The ratio of two medians that were measured apart. Its interval comes from those of the medians, on a
    /// logarithmic scale, by the method of variance estimates recovery (G. Zou and A. Donner, 2008), which keeps
    /// skewed intervals skewed. None when a figure is not positive: there is no ratio to 0.
    pub fn of(old: &Summary, new: &Summary) -> Option<Self> {
        let positive =
            [old.low, old.median, old.high, new.low, new.median, new.high].iter().all(|&end| end > 0.0);
        if !positive {
            return None;
        }
        let ratio = new.median / old.median;
        let down = (new.median / new.low).ln().hypot((old.high / old.median).ln());
        let up = (new.high / new.median).ln().hypot((old.median / old.low).ln());
        Some(Self { ratio, low: ratio * (-down).exp(), high: ratio * up.exp() })
    }
}

brawn_base::named! {
    /// What a change means.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Verdict {
        /// The change is for the better, and more than noise.
        Better = "better",
        /// The change is for the worse, and more than noise.
        Worse = "worse",
        /// Whatever changed is within the noise.
        Same = "same",
    }
}

/// One figure of one variant in both documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// The row.
    pub row: String,
    /// The variant.
    pub variant: String,
    /// Time, memory or something else.
    pub kind: Kind,
    /// Unit of the two figures; empty where they are ratios to the baseline.
    pub unit: String,
    /// Which direction is good.
    pub better: Better,
    /// The figure before.
    pub old: Summary,
    /// The figure after.
    pub new: Summary,
    /// The new figure over the old one; none when one of them is not positive.
    pub change: Option<Interval>,
    /// What that means.
    pub verdict: Verdict,
}

impl Change {
    /// `suite/case/row`.
    pub fn path(&self) -> String {
        format!("{}/{}/{}", self.suite, self.case, self.row)
    }

    /// How much worse the figure grew: 0.03 for a time three percent longer or a rate three percent lower, negative
    /// when it grew better. Infinite where a figure rose from 0 and should not have.
    pub fn worsening(&self) -> f64 {
        let difference = match self.change {
            Some(change) => change.ratio - 1.0,
            None if self.new.median == self.old.median => 0.0,
            None => (self.new.median - self.old.median) / self.old.median.abs(),
        };
        match self.better {
            Better::Lower => difference,
            Better::Higher => -difference,
        }
    }
}

/// What the change means where differences below `resolution` (0.02 for two percent) are noise.
pub(super) fn verdict(
    old: &Summary,
    new: &Summary,
    change: Option<Interval>,
    better: Better,
    resolution: f64,
) -> Verdict {
    let (more, less) = match change {
        Some(change) => (
            change.low > 1.0 && change.ratio > 1.0 + resolution,
            change.high < 1.0 && change.ratio < 1.0 / (1.0 + resolution),
        ),
        None => (new.low > old.high, new.high < old.low),
    };
    match (more, less, better) {
        (true, _, Better::Lower) | (_, true, Better::Higher) => Verdict::Worse,
        (true, _, Better::Higher) | (_, true, Better::Lower) => Verdict::Better,
        _ => Verdict::Same,
    }
}
