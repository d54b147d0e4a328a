//! The folder of a fleet that runs or ran: what was asked for, and what was planned.

use std::path::{Path, PathBuf};

use brawn_collect::kept::Kept;
use brawn_collect::plan::Plan;

use crate::Error;
use crate::spec::Spec;

const SPEC: &str = "fleet.toml";
/// The plan, and the blocks that are collected.
const KEPT: &str = "fleet.json";
const JOBS: &str = "jobs";
const LOGS: &str = "logs";

/// What later commands need to know.
#[derive(Clone, Debug)]
pub struct Record {
    /// Where it is kept.
    pub folder: PathBuf,
    /// What was asked for.
    pub spec: Spec,
    /// What was planned.
    pub plan: Plan,
}

impl Record {
    /// Writes a new one. A folder that is there already is some other fleet's.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn create(folder: &Path, spec: &Spec, plan: &Plan) -> Result<Record, Error> {
        fs_err::create_dir(folder)?;
        fs_err::create_dir(folder.join(LOGS))?;
        let record = Record { folder: folder.to_owned(), spec: spec.clone(), plan: plan.clone() };
        Kept::new(plan.clone()).save(&record.kept())?;
        brawn_measure::write_whole(&folder.join(SPEC), &spec.text)?;
        Ok(record)
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::NoFleet`], [`Error::Spec`], [`Error::Collect`].
    pub fn load(folder: &Path) -> Result<Record, Error> {
        let path = folder.join(KEPT);
        if !path.exists() {
            return Err(Error::NoFleet { id: folder.display().to_string() });
        }
        let plan = Kept::load(&path)?.plan;
        Ok(Record { folder: folder.to_owned(), spec: Spec::load(&folder.join(SPEC))?, plan })
    }

    /// The file with the plan, to which blocks are collected.
    pub fn kept(&self) -> PathBuf {
        Self::file(&self.folder)
    }

    /// The same in any such folder.
    pub fn file(folder: &Path) -> PathBuf {
        folder.join(KEPT)
    }

    /// Where the logs of blocks go that no engine keeps.
    pub fn logs(&self) -> PathBuf {
        self.folder.join(LOGS)
    }

    /// What the queue calls its jobs: one name a line.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn jobs(&self) -> Result<Vec<String>, Error> {
        let path = self.folder.join(JOBS);
        if !path.exists() {
            return Ok(Vec::new());
        }
        Ok(brawn_base::file::text(path)?.lines().map(str::to_owned).collect())
    }

    /// Keeps these names.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn keep_jobs(&self, jobs: &[String]) -> Result<(), Error> {
        Ok(brawn_measure::write_whole(&self.folder.join(JOBS), &(jobs.join("\n") + "\n"))?)
    }

    /// Removes the folder of a fleet that was never begun.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove(self) -> Result<(), Error> {
        Ok(fs_err::remove_dir_all(&self.folder)?)
    }
}
