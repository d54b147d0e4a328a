//! `brawn fleet delete FOLDER`

use std::process::ExitCode;

use brawn_fleet::engine::{kubernetes, slurm, ssh};
use brawn_fleet::kubectl::Kubectl;
use brawn_fleet::record::Record;

use super::planned::Folder;
use crate::cli::Options;
use crate::exit::Result;
use crate::output;

/// `brawn fleet delete`
pub fn run(options: Options, arguments: Folder) -> Result<ExitCode> {
    let record = Record::load(&arguments.folder)?;
    let spec = &record.spec;
    if let Some(settings) = &spec.kubernetes {
        for gone in kubernetes::delete(&Kubectl::new(settings), &record.plan.id)? {
            outln!("{gone}");
        }
    } else if let Some(settings) = &spec.slurm {
        slurm::delete(settings, &record)?;
    } else if let Some(settings) = &spec.ssh {
        ssh::delete(settings, &record.plan.id, &ssh::hosts(spec))?;
    }
    if !options.quiet {
        output::say(&format!("nothing of the fleet {} is left there", record.plan.id));
    }
    Ok(ExitCode::SUCCESS)
}
