//! `brawn fleet status FOLDER`

use std::path::PathBuf;
use std::process::ExitCode;

use brawn_collect::block::END;
use brawn_fleet::engine::{State, kubernetes, slurm};
use brawn_fleet::kubectl::Kubectl;
use brawn_fleet::record::Record;

use super::planned::Folder;
use crate::cli::Options;
use crate::exit::Result;
use crate::output;

/// `brawn fleet status`
pub fn run(options: Options, arguments: Folder) -> Result<ExitCode> {
    let record = Record::load(&arguments.folder)?;
    let states = match (&record.spec.kubernetes, &record.spec.slurm) {
        (Some(settings), _) => kubernetes::status(&Kubectl::new(settings), &record)?,
        (_, Some(settings)) => slurm::status(settings, &record)?,
        _ => by_logs(&record)?,
    };
    if options.json() {
        output::json(&states)?;
        return Ok(ExitCode::SUCCESS);
    }
    for State { pool, blocks, done, failed, active, waiting } in &states {
        let waiting: String =
            waiting.iter().map(|(reason, count)| format!(", {count} wait ({reason})")).collect();
        let failed = if *failed > 0 { format!(", {failed} failed") } else { String::new() };
        outln!("{pool}: {done} of {blocks} blocks done, {active} run{failed}{waiting}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Of machines that no one speaks to any more: the logs are all that there is.
fn by_logs(record: &Record) -> Result<Vec<State>> {
    let mut states = Vec::new();
    for pool in &record.plan.pools {
        let mut state = State { pool: pool.name.clone(), blocks: pool.blocks, ..State::default() };
        for index in 0..pool.blocks {
            let mut tries =
                (0..).map(|attempt| record.logs().join(format!("{}-{index}-{attempt}.log", pool.name)));
            let logs: Vec<PathBuf> = tries.by_ref().take_while(|log| log.exists()).collect();
            let ended = logs.last().map(brawn_base::file::text).transpose()?;
            match ended {
                Some(log) if log.contains(END) => state.done += 1,
                Some(_) => state.failed += 1,
                None => {}
            }
        }
        states.push(state);
    }
    Ok(states)
}
