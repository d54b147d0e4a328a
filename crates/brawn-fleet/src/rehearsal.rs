//! A block of the reference alone on this machine: whether it can do the work, and how long that takes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use brawn_collect::block::Outcome;
use brawn_image::layer::Entries;

use crate::Error;
use crate::block::{self, Turn};
use crate::fleet::Fleet;
use crate::task::{Place, Task};

/// How long a block will take, by two runs of the reference under the limit of the pool with the least memory. Nothing
/// where this machine cannot run it, for it is of another architecture.
///
/// # Errors
/// [`Error::BelowStart`], [`Error::Rehearsal`]: it does not do the work even here.
pub fn run(fleet: &Fleet, brawn: &Path, interrupt: Arc<AtomicBool>) -> Result<Option<Duration>, Error> {
    // A pool of another architecture has the same limits as one of this would.
    let host = fleet.pack.sides.iter().find(|side| brawn_elf::Arch::host() == Some(side.arch));
    let Some(side) = host else { return Ok(None) };
    let scratch = std::env::temp_dir();
    let folder = brawn_base::temporary::folder_in(&scratch)?;
    fleet.pack.unpack(Entries::new(), folder.path())?;
    let least = fleet.pools.iter().min_by_key(|planned| planned.memory.unwrap_or(u64::MAX));
    let Some(planned) = least else { return Ok(None) };
    let mut task = Task { cores: None, candidates: side.programs.clone(), ..fleet.task(planned)? };
    task.candidates.retain(|program| program.name == task.reference);
    let place = Place { root: folder.path().to_owned(), scratch, brawn: brawn.to_owned(), interrupt };
    let block = block::run(&task, &place, &Turn::default(), |_| Ok(()))?;
    let name = task.reference;
    match block.runs.into_iter().next().map(|run| run.outcome) {
        Some(Outcome::Sample(_)) => {
            let runs = side.programs.len() as f64 + 1.0;
            Ok(Some(Duration::from_secs_f64(block.seconds / 2.0 * runs)))
        }
        Some(Outcome::OverMemory { limit, .. }) => Err(Error::BelowStart { name, limit }),
        Some(Outcome::TimedOut { seconds }) => {
            Err(Error::Rehearsal { name, reason: format!("it did not end within {seconds} s") })
        }
        Some(Outcome::Failed { reason }) => Err(Error::Rehearsal { name, reason }),
        None => Ok(None),
    }
}
