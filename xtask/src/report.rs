//! Results as JSON with every raw sample, and as Markdown for people.

use std::path::Path;
use std::process::Command;

use brawn_measure::results::CaseResult;
use brawn_measure::{Machine, Outcome, Table, date};
use serde::Serialize;

/// Results of one command on one machine.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Version of this form; it grows when a field changes its meaning.
    pub schema: u32,
    /// What was measured.
    pub title: String,
    /// The command that measures it again.
    pub command: String,
    /// The day, in UTC, as `YYYY-MM-DD`.
    pub date: String,
    /// Which state of the repository was measured, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Where.
    pub machine: Machine,
    /// The parts, in the order in which they were measured.
    pub sections: Vec<Section>,
}

/// One comparison of a report.
#[derive(Debug, Serialize)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// What the reader must know to understand the table.
    pub note: String,
    /// The table for people; the samples below are its source.
    #[serde(skip)]
    pub table: Table,
    /// Raw results, a session each.
    pub outcomes: Vec<Raw>,
    /// Other figures of the table that are not the outcome of a session: sizes, for instance.
    pub figures: std::collections::BTreeMap<String, f64>,
}

/// What one session measured.
#[derive(Debug, Serialize)]
pub struct Raw {
    /// Where its random order came from.
    pub seed: u64,
    /// How long it took.
    pub seconds: f64,
    /// Samples and warnings, as in the results of `brawn bench`.
    #[serde(flatten)]
    pub case: CaseResult,
}

impl From<Outcome> for Raw {
    fn from(outcome: Outcome) -> Self {
        let case = outcome.case("", "make results", &[]);
        Self { seed: outcome.session.seed, seconds: outcome.seconds, case }
    }
}

impl Report {
    /// An empty report about this machine, now.
    pub fn new(title: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            schema: 2,
            title: title.into(),
            command: command.into(),
            date: date::today(),
            revision: None,
            machine: Machine::read(),
            sections: Vec::new(),
        }
    }

    /// The whole report as a Markdown document.
    pub fn to_markdown(&self) -> String {
        let mut text = format!(
            "# {}\n\nMeasured by `{}` on {}{}: {}.\n",
            self.title,
            self.command,
            self.date,
            self.revision.as_ref().map(|revision| format!(", at {revision}")).unwrap_or_default(),
            self.machine.describe()
        );
        for section in &self.sections {
            text.push_str(&format!(
                "\n## {}\n\n{}\n{}\n",
                section.title,
                section.table.to_markdown(),
                section.note
            ));
            for outcome in &section.outcomes {
                for warning in &outcome.case.warnings {
                    text.push_str(&format!("\nWarning: {warning}.\n"));
                }
            }
        }
        text
    }

    /// The whole report as JSON, with every sample. Each of the given paths is replaced by the word beside it, so that
    /// a published report does not tell where on a machine things were.
    ///
    /// # Panics
    /// Never: a report holds only what JSON can say.
    pub fn to_json(&self, private_paths: &[(String, &str)]) -> String {
        let text = serde_json::to_string_pretty(self).expect("a report is plain data");
        private_paths.iter().fold(text, |text, (path, word)| text.replace(path, word)) + "\n"
    }
}

/// The state of the repository that `folder` is in, as git names it; none outside of one.
pub fn revision(folder: &Path) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["describe", "--always", "--dirty", "--abbrev=12"]);
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
