//! `brawn fleet run`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use brawn_base::Code;
use brawn_fleet::Error;
use brawn_fleet::engine::{kubernetes, slurm, ssh};
use brawn_fleet::kubectl::Kubectl;
use brawn_fleet::record::Record;
use brawn_fleet::spec::Spec;
use brawn_fleet::{manifest, rehearsal};
use brawn_image::registry::{Reference, Repository};
use brawn_image::sink;
use clap::Args;
use serde_json::json;

use super::planned::{File, access, image, planned};
use crate::cli::Options;
use crate::exit::Result;
use crate::output;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    file: File,
    /// Where the fleet is kept [default: brawn-fleet-ID]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// `brawn fleet run`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let fleet = planned(Spec::load(&arguments.file.file)?, &arguments.file.file)?;
    for note in &fleet.notes {
        output::warn(note);
    }
    let interrupt = crate::commands::interrupt()?;
    if !arguments.file.no_rehearsal {
        rehearsal::run(&fleet, &crate::commands::executable()?, std::sync::Arc::clone(&interrupt))?;
    }
    let folder = arguments.out.unwrap_or_else(|| format!("brawn-fleet-{}", fleet.id).into());
    let say = |text: String| {
        if !options.quiet {
            output::say(&text);
        }
    };
    let record = |image: Option<&str>| -> Result<Record> {
        Ok(Record::create(&folder, &fleet.spec, &fleet.document(image))?)
    };
    if let Some(settings) = &fleet.spec.kubernetes {
        let kubectl = Kubectl::new(settings);
        let bundle = image(&fleet, settings)?;
        let reference: Reference = settings.image.parse()?;
        let image = format!("{}@{}", reference.repository_name(), bundle.digest());
        let jobs = manifest::list(&fleet, settings, &image)?;
        kubernetes::check(&kubectl, &jobs)?;
        say(format!("pushing {image}"));
        sink::push(&bundle, &Repository::open(&reference, &access(settings))?, &reference, &[])?;
        let record = record(Some(&image))?;
        let mut began = kubernetes::start(&kubectl, &record, &jobs);
        // In a queue it may take hours until it is their turn.
        if began.is_ok() && settings.queue.is_none() {
            began = kubernetes::pulled(&kubectl, &record, &interrupt);
        }
        begun(record, began)?;
        say(format!(
            "{} jobs are created: `brawn fleet status {}` shows how far they are",
            fleet.pools.len(),
            folder.display()
        ));
    } else if let Some(settings) = &fleet.spec.slurm {
        let record = record(None)?;
        let began = slurm::start(&fleet, settings, &record);
        begun(record, began)?;
        say(format!(
            "{} array jobs are queued: `brawn fleet status {}` shows how far they are",
            fleet.pools.len(),
            folder.display()
        ));
    } else if let Some(settings) = &fleet.spec.ssh {
        let record = record(None)?;
        begun(record.clone(), ssh::send(&fleet, settings))?;
        let told = |step: ssh::Step<'_>| match step {
            ssh::Step::Done(pool, host) => say(format!("a block of {pool} is done on {host}")),
            ssh::Step::Failed(pool, host, why) => {
                output::warn(&format!("a block of {pool} failed on {host}: {why}"))
            }
            _ => {}
        };
        ssh::run(&fleet, settings, &record, &interrupt, &told)?;
        if interrupt.load(Ordering::Relaxed) {
            say(format!("interrupted: what was measured is in {}", record.logs().display()));
            return Ok(Code::Interrupted.into());
        }
    }
    if options.json() {
        output::json(&json!({ "id": fleet.id, "folder": folder }))?;
    } else {
        outln!("{}", folder.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// What was not begun leaves nothing, unless something could not be taken back.
fn begun(record: Record, began: Result<(), Error>) -> Result<()> {
    match began {
        Err(error) if !matches!(error, Error::Left { .. }) => {
            record.remove()?;
            Err(error.into())
        }
        other => Ok(other?),
    }
}
