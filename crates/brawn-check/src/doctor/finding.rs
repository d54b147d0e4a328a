use serde::{Deserialize, Serialize};

/// The version of the JSON form. It grows when a field changes its meaning or goes away, not when one is added.
pub const SCHEMA_VERSION: u32 = 2;

/// What a machine has and lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The version of this form: 2.
    pub schema_version: u32,
    /// Whether Brawn's main job can be done here: building an executable, of Rust or of C.
    pub ok: bool,
    /// The findings, in the order of [`crate::doctor::CHECKS`].
    pub findings: Vec<Finding>,
}

/// What one check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was looked at, in kebab-case.
    pub name: String,
    /// How it is.
    pub state: State,
    /// What is there.
    pub found: String,
    /// What its state costs; none when all is well.
    pub cost: Option<String>,
    /// The command that cures it, or what to do where no command does.
    #[serde(alias = "mend")]
    pub hint: Option<String>,
}

/// How a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// As it should be.
    Good,
    /// There, with limits.
    Limited,
    /// Not there, or of no use.
    Missing,
}

impl Finding {
    /// All is well. The name of what was looked at comes with [`crate::doctor::examine`].
    pub(crate) fn good(found: impl Into<String>) -> Finding {
        Finding { name: String::new(), state: State::Good, found: found.into(), cost: None, hint: None }
    }

    pub(crate) fn limited(found: impl Into<String>, cost: &str, hint: impl Into<String>) -> Finding {
        let (cost, hint) = (Some(cost.to_owned()), Some(hint.into()));
        Finding { state: State::Limited, cost, hint, ..Finding::good(found) }
    }

    pub(crate) fn missing(found: impl Into<String>, cost: &str, hint: impl Into<String>) -> Finding {
        Finding { state: State::Missing, ..Finding::limited(found, cost, hint) }
    }

    pub(crate) fn named(self, name: &str) -> Finding {
        Finding { name: name.to_owned(), ..self }
    }
}

impl Report {
    pub(crate) fn new(findings: Vec<Finding>) -> Report {
        let has = |name: &str| {
            findings.iter().any(|finding| finding.name == name && finding.state != State::Missing)
        };
        let rust = has("rust-toolchain") && has("musl-target") && has("linker");
        let ok = has("kit") && has("cache") && (rust || has("c-compiler"));
        Report { schema_version: SCHEMA_VERSION, ok, findings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(missing: &[&str]) -> Report {
        let names = ["rust-toolchain", "musl-target", "linker", "c-compiler", "kit", "cache", "perf"];
        let finding = |name: &&str| match missing.contains(name) {
            true => Finding::missing("nothing", "all", "do something").named(name),
            false => Finding::good("it").named(name),
        };
        Report::new(names.iter().map(finding).collect())
    }

    #[test]
    fn one_language_is_enough() {
        assert!(report(&[]).ok && report(&["perf"]).ok);
        assert!(report(&["c-compiler"]).ok);
        assert!(report(&["rust-toolchain", "musl-target"]).ok);
        assert!(!report(&["linker", "c-compiler"]).ok);
        assert!(!report(&["kit"]).ok && !report(&["cache"]).ok);
    }
}
