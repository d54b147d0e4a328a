//! What has been measured, in a file that is always whole, so that an interrupted run can be gone on with.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::candidate::Candidate;
use crate::race::{Lane, Role, Round};
use crate::setting::Setting;

/// Version of the file's form.
const FORMAT: u32 = 1;

/// The file's name in the folder of a run.
pub const FILE: &str = "tune.json";

/// Everything that a run knows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// Version of the form.
    pub format: u32,
    /// Version of the Brawn that wrote it.
    pub brawn: String,
    /// The arguments of the command line.
    pub command: Vec<String>,
    /// The folder that it was called in.
    pub folder: PathBuf,
    /// Where every random order comes from.
    pub seed: u64,
    /// What is measured: the digest of the executable that is used now, and of the others that were brought along.
    pub subject: String,
    /// Seconds that were spent on measuring.
    pub seconds: f64,
    /// Every candidate so far.
    pub candidates: Vec<Candidate>,
    /// The rounds, the last of which may not be over.
    pub rounds: Vec<Round>,
}

impl State {
    /// A run that has not begun.
    pub fn new(command: Vec<String>, folder: PathBuf, seed: u64) -> Self {
        Self {
            format: FORMAT,
            brawn: env!("CARGO_PKG_VERSION").to_owned(),
            command,
            folder,
            seed,
            ..Self::default()
        }
    }

    /// Reads the state in a run's folder.
    ///
    /// # Errors
    /// [`Error::Document`] for everything that it cannot be.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(FILE);
        let wrong = |what: String, hint| Error::Document { path: path.clone(), what, hint };
        let text = match brawn_base::file::text(&path) {
            Ok(text) => text,
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            Err(_) => {
                let hint = "give the folder that `brawn tune --out DIR` has written to";
                return Err(wrong("there is no such file".into(), hint));
            }
        };
        Self::parse(folder, &text)
    }

    /// Reads the text of the state in a run's folder.
    ///
    /// # Errors
    /// [`Error::Document`] for what it is instead.
    pub fn parse(folder: &Path, text: &str) -> Result<Self, Error> {
        let wrong = |what: String, hint| Error::Document { path: folder.join(FILE), what, hint };
        let state: Self = serde_json::from_str(text).map_err(|error| {
            wrong(format!("this is not the state of a run ({error})"), "begin again, without --resume")
        })?;
        if state.format != FORMAT || state.brawn != env!("CARGO_PKG_VERSION") {
            let what = format!("brawn {} wrote it, form {}", state.brawn, state.format);
            return Err(wrong(what, "begin again, without --resume: other versions measure other things"));
        }
        Ok(state)
    }

    /// Writes the state, whole or not at all.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn save(&self, folder: &Path) -> Result<(), Error> {
        let text = serde_json::to_string(self).expect("a state is plain data");
        Ok(brawn_measure::write_whole(&folder.join(FILE), &text)?)
    }

    /// Takes note of what is measured, or makes sure that it still is the same.
    ///
    /// # Errors
    /// [`Error::Document`] when the program has changed since.
    pub fn same_subject(&mut self, folder: &Path, subject: &str) -> Result<(), Error> {
        if self.subject.is_empty() || self.rounds.is_empty() {
            self.subject = subject.to_owned();
        }
        if self.subject == subject {
            return Ok(());
        }
        Err(Error::Document {
            path: folder.join(FILE),
            what: "the program has changed since this run began".into(),
            hint: "begin again, without --resume",
        })
    }

    /// Seconds that the last run of what is used now took, all workloads together; 0 where it never ran to its end.
    pub fn run_seconds(&self) -> f64 {
        let lanes = self.rounds.iter().rev().flat_map(|round| &round.lanes);
        let now = lanes.into_iter().find(|lane| lane.role == Role::Now && lane.blocks() > 0);
        now.map_or(0.0, Lane::last_seconds)
    }

    /// Whether there is a candidate with this setting, however it is named.
    pub fn has(&self, setting: &Setting) -> bool {
        let known = self.candidates.iter().filter_map(|candidate| candidate.setting.as_ref());
        known.into_iter().any(|known| known.same_as(setting))
    }

    /// The candidate with this name.
    pub fn candidate(&self, name: &str) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.name == name)
    }

    /// What is used now.
    pub fn now(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.role == Role::Now)
    }
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;
    use crate::race::{Lane, Role};

    #[test]
    fn a_state_survives_and_knows_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::new(vec!["--goal".into(), "time".into()], "/".into(), 7);
        state.same_subject(folder.path(), "one").unwrap();
        state.rounds.push(Round::new("allocators", vec![Lane::new("now", Role::Now, 1)]));
        state.save(folder.path()).unwrap();
        let mut read = State::load(folder.path()).unwrap();
        assert_eq!((read.seed, read.rounds[0].lanes[0].name.as_str()), (7, "now"));
        read.same_subject(folder.path(), "one").unwrap();
        let error = read.same_subject(folder.path(), "two").unwrap_err();
        assert!(error.to_string().ends_with("the program has changed since this run began"), "{error}");
    }

    #[test]
    fn every_wrong_file_has_its_answer() {
        let folder = tempfile::tempdir().unwrap();
        let said = |text: Option<&str>| {
            if let Some(text) = text {
                fs_err::write(folder.path().join(FILE), text).unwrap();
            }
            let error = State::load(folder.path()).unwrap_err();
            (error.to_string(), error.hint().unwrap())
        };
        assert!(said(None).0.ends_with("there is no such file"));
        assert!(said(Some("{")).0.contains("not the state of a run"));
        let mut other = State::new(Vec::new(), "/".into(), 1);
        other.brawn = "0.0.0".into();
        let text = serde_json::to_string(&other).unwrap();
        assert!(said(Some(&text)).1.contains("without --resume"));
    }
}
