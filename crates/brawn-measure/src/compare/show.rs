//! A comparison for people and for programs.

use super::change::{Change, Verdict};
use super::comparison::{Basis, Comparison};
use super::gate::Failure;
use crate::{Table, format};

impl Comparison {
    /// A table of the changes that are more than noise, and a line that counts the others. The warnings are
    /// for the caller to show.
    pub fn to_text(&self) -> String {
        let (changed, same): (Vec<&Change>, Vec<&Change>) =
            self.changes.iter().partition(|change| change.verdict != Verdict::Same);
        let mut text = String::new();
        if !changed.is_empty() {
            let mut table = Table::new(["figure", "variant", "old", "new", "change", "95 % interval", ""]);
            for change in &changed {
                table.row(line(change, self.basis));
            }
            text.push_str(&table.to_text());
        }
        let count = |verdict| changed.iter().filter(|change| change.verdict == verdict).count();
        text.push_str(&format!(
            "{} worse, {} better, {} within the noise\n",
            count(Verdict::Worse),
            count(Verdict::Better),
            same.len()
        ));
        for (rows, which) in [(&self.gone, "old"), (&self.added, "new")] {
            if !rows.is_empty() {
                text.push_str(&format!("only in the {which} results: {}\n", shortened(rows)));
            }
        }
        text
    }

    /// Everything as JSON, with the failures of the gates.
    ///
    /// # Panics
    /// Never: a comparison holds only what JSON can say.
    pub fn to_json(&self, failures: &[Failure]) -> String {
        let mut value = serde_json::to_value(self).expect("a comparison is plain data");
        value["failures"] = serde_json::to_value(failures).expect("failures are plain data");
        serde_json::to_string_pretty(&value).expect("a value is plain data") + "\n"
    }
}

fn line(change: &Change, basis: Basis) -> Vec<String> {
    let show = |value| match basis {
        Basis::Figures => format::figure(value, &change.unit),
        Basis::Ratios => format::ratio(value),
    };
    let percent = |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0);
    let (moved, interval) = change.change.map_or(("from or to 0".to_owned(), String::new()), |change| {
        (percent(change.ratio), format!("{} to {}", percent(change.low), percent(change.high)))
    });
    vec![
        change.path(),
        change.variant.clone(),
        show(change.old.median),
        show(change.new.median),
        moved,
        interval,
        change.verdict.name().to_owned(),
    ]
}

/// The first few of a list.
fn shortened(rows: &[String]) -> String {
    const SHOWN: usize = 4;
    let first = rows.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match rows.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
