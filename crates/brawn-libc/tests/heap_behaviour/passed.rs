//! Runs that passed: an executable that is the same to the byte is not run again with the same arguments, so that after a
//! change elsewhere only the links are made. Continuous integration, long runs and runs that are asked for by name make all.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest as _, Sha256};

use crate::libc::Libc;

/// One file for each run that passed, with what it reported.
pub struct Passed {
    folder: PathBuf,
    is_used: bool,
    spared: AtomicUsize,
}

impl Passed {
    /// Keeps them in a folder of `scratch`, and looks at them only if `is_used`.
    pub fn new(scratch: &Path, is_used: bool) -> Passed {
        let folder = scratch.join("passed");
        fs_err::create_dir_all(&folder).expect("the folder can be made");
        Passed { folder, is_used, spared: AtomicUsize::new(0) }
    }

    /// The reports of this run, if it was made before and passed; else of `run`, which are kept if it passes. `arguments` are
    /// those of the program, and what else tells one run from another.
    pub fn or_run(
        &self,
        libc: &Libc,
        arguments: &[String],
        executable: &Path,
        run: impl FnOnce() -> Result<Vec<String>, String>,
    ) -> Result<Vec<String>, String> {
        let bytes = fs_err::read(executable).map_err(|error| error.to_string())?;
        let mut digest = Sha256::new();
        for word in libc.emulator.iter().flatten().chain(arguments) {
            digest.update(word);
            digest.update([0]);
        }
        let digest = digest.chain_update(&bytes).finalize();
        let mark = self.folder.join(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        if self.is_used
            && let Ok(reports) = fs_err::read_to_string(&mark)
        {
            self.spared.fetch_add(1, Ordering::Relaxed);
            return Ok(reports.lines().map(str::to_owned).collect());
        }
        let reports = run()?;
        fs_err::write(&mark, reports.join("\n")).map_err(|error| error.to_string())?;
        Ok(reports)
    }

    /// Says how many runs were not made.
    pub fn tell(&self) {
        let spared = self.spared.load(Ordering::Relaxed);
        if spared > 0 {
            eprintln!(
                "not run again: {spared} executables that are the same as when they passed; CI=true runs them"
            );
        }
    }
}
