//! Several runs of the same variants as one document.

use anyhow::{Result, ensure};
use brawn_measure::results::Results;

/// The cases of all parts, by suite, in the order in which they come; everything else is the first one's, but for versions
/// and notes, which add up.
pub fn merge(parts: Vec<Results>, command: &str) -> Result<Option<Results>> {
    let mut parts = parts.into_iter();
    let Some(mut whole) = parts.next() else { return Ok(None) };
    command.clone_into(&mut whole.command);
    for part in parts {
        ensure!(part.variants == whole.variants, "the runs did not compare the same variants");
        whole.complete &= part.complete;
        whole.noise = whole.noise.take().or(part.noise);
        whole.versions.extend(part.versions);
        for suite in part.suites {
            match whole.suites.iter_mut().find(|known| known.name == suite.name) {
                None => whole.suites.push(suite),
                Some(known) => {
                    known.cases.extend(suite.cases);
                    known.notes.extend(suite.notes);
                    known.notes.sort();
                    known.notes.dedup();
                    // What could not be had once was there another time.
                    known.skipped = known.skipped.take().filter(|_| known.cases.is_empty());
                }
            }
        }
    }
    Ok(Some(whole))
}
