//! Conditions under which a comparison fails: `time>3%`, `strings/memcpy*>2%`, `memory@balanced>5%`.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use wildmatch::WildMatch;

use super::change::{Change, Verdict};
use super::comparison::Comparison;
use crate::results::Kind;

/// A condition: figures that it looks at, and how much worse they may grow.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// As it was given.
    text: String,
    figures: Figures,
    /// Over variants; none for all but the baseline.
    variant: Option<WildMatch>,
    /// 0.03 for three percent.
    limit: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Figures {
    All,
    Kind(Kind),
    /// Over `suite`, `suite/case`, `suite/row` and `suite/case/row`.
    Glob(WildMatch),
}

brawn_base::errors! {
    /// What is wrong with a condition.
    pub enum GateError {
        from {}

        /// It could not be understood.
        #[error("`{text}` is no condition: {reason}")]
        Parse { text: String, reason: String } => Usage,
            "a condition is FIGURES[@VARIANT]>PERCENT%: 'time>3%', 'memory@balanced>5%', 'strings/memcpy*>2%'";

        /// It could not be checked.
        #[error("no figure in common fits `{gate}`")]
        NothingFits { gate: String, near: Vec<String> } => Usage,
            format!("the figures in common are, among others: {}", near.join(", "));
    }
}

/// A change that a condition does not allow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The condition.
    pub gate: String,
    /// The change.
    pub change: Change,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} @{} grew worse by {:.1} %, more than `{}` allows: {} to {}",
            self.change.path(),
            self.change.variant,
            self.change.worsening() * 100.0,
            self.gate,
            crate::format::figure(self.change.old.median, &self.change.unit),
            crate::format::figure(self.change.new.median, &self.change.unit),
        )
    }
}

impl FromStr for Gate {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        let error = |reason: &str| GateError::Parse { text: text.to_owned(), reason: reason.to_owned() };
        let (left, percent) = text.rsplit_once('>').ok_or_else(|| error("it has no `>`"))?;
        let percent = percent.trim();
        let number = percent.strip_suffix('%').ok_or_else(|| error("it does not end in `%`"))?.trim();
        let limit: f64 =
            number.parse().map_err(|_| error(&format!("`{number}` before the `%` is no number")))?;
        if !limit.is_finite() || limit < 0.0 {
            return Err(error("the percentage must be 0 or more"));
        }
        let (figures, variant) = match left.rsplit_once('@') {
            Some((_, variant)) if variant.trim().is_empty() => {
                return Err(error("no variant follows the `@`"));
            }
            Some((figures, variant)) => (figures.trim(), Some(WildMatch::new(variant.trim()))),
            None => (left.trim(), None),
        };
        let figures = match figures {
            "" => return Err(error("nothing stands before the `>`")),
            "all" => Figures::All,
            other => match Kind::from_name(other) {
                Some(kind) => Figures::Kind(kind),
                None => Figures::Glob(WildMatch::new(other)),
            },
        };
        Ok(Self { text: text.to_owned(), figures, variant, limit: limit / 100.0 })
    }
}

impl Gate {
    fn looks_at(&self, change: &Change, baseline: Option<&str>) -> bool {
        let variant = match &self.variant {
            Some(glob) => glob.matches(&change.variant),
            None => Some(change.variant.as_str()) != baseline,
        };
        variant
            && match &self.figures {
                Figures::All => true,
                Figures::Kind(kind) => change.kind == *kind,
                Figures::Glob(glob) => [
                    change.suite.clone(),
                    format!("{}/{}", change.suite, change.case),
                    format!("{}/{}", change.suite, change.row),
                    change.path(),
                ]
                .iter()
                .any(|name| glob.matches(name)),
            }
    }
}

impl Comparison {
    /// The changes that the conditions do not allow: worse by more than the limit, and more than noise.
    ///
    /// # Errors
    /// [`GateError::NothingFits`] when a condition looks at nothing: a gate with a misspelt name would never close.
    pub fn check(&self, gates: &[Gate]) -> Result<Vec<Failure>, GateError> {
        let mut failures = Vec::new();
        for gate in gates {
            let watched: Vec<&Change> = self
                .changes
                .iter()
                .filter(|change| gate.looks_at(change, self.baseline.as_deref()))
                .collect();
            if watched.is_empty() {
                let mut near: Vec<String> = self
                    .changes
                    .iter()
                    .map(|change| format!("{} @{}", change.path(), change.variant))
                    .collect();
                near.truncate(5);
                return Err(GateError::NothingFits { gate: gate.text.clone(), near });
            }
            failures.extend(
                watched
                    .into_iter()
                    .filter(|change| change.verdict == Verdict::Worse && change.worsening() > gate.limit)
                    .map(|change| Failure { gate: gate.text.clone(), change: change.clone() }),
            );
        }
        Ok(failures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_fit_whole_names() {
        for (glob, name, expected) in [
            ("memcpy*", "memcpy 36", true),
            ("memcpy*", "a memcpy 36", false),
            ("*36", "memcpy 3636", true),
            ("s*s/*a?", "strings/memcpy ab", true),
            ("s*s/*a?", "strings/memcpy a", false),
            ("", "", true),
            ("*", "", true),
            ("a*b*c", "a b b c b", false),
            ("ü?", "üx", true),
        ] {
            assert_eq!(WildMatch::new(glob).matches(name), expected, "{glob} on {name}");
        }
    }

    #[test]
    fn conditions_that_make_no_sense_say_why() {
        let reason = |text: &str| text.parse::<Gate>().unwrap_err().to_string();
        assert_eq!(reason("time"), "`time` is no condition: it has no `>`");
        assert_eq!(reason("time>3"), "`time>3` is no condition: it does not end in `%`");
        assert_eq!(reason("time>x%"), "`time>x%` is no condition: `x` before the `%` is no number");
        assert_eq!(reason("time>-1%"), "`time>-1%` is no condition: the percentage must be 0 or more");
        assert_eq!(reason("time>nan%"), "`time>nan%` is no condition: the percentage must be 0 or more");
        assert_eq!(reason(" >3%"), "` >3%` is no condition: nothing stands before the `>`");
        assert_eq!(reason("time@>3%"), "`time@>3%` is no condition: no variant follows the `@`");
    }
}
