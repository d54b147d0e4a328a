//! `brawn fleet collect FLEET`

use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::temporary::folder_of;
use brawn_base::text::shown;
use brawn_collect::source::{Files, Source, collect};
use brawn_fleet::record::Record;
use clap::Args;
use serde_json::json;

use crate::cli::Options;
use crate::exit::Result;
use crate::output;

#[derive(Args)]
pub struct Arguments {
    /// The folder that `brawn fleet run` made, or the file fleet.json in it
    #[arg(value_name = "FLEET")]
    fleet: PathBuf,
    /// Logs of pods: files, or folders with them (repeatable) [default: those of where the fleet runs]
    #[arg(long, value_name = "LOGS")]
    from: Vec<PathBuf>,
}

/// `brawn fleet collect`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let file = super::planned::kept(&arguments.fleet);
    let mut source: Box<dyn Source<brawn_fleet::Error>> = match arguments.from.is_empty() {
        true => {
            let folder = if file.is_file() { folder_of(&file) } else { &arguments.fleet };
            brawn_fleet::engine::logs(&Record::load(folder)?)
        }
        false => Box::new(Files(arguments.from)),
    };
    let (kept, added) = collect(&file, &mut *source)?;
    let planned: u32 = kept.plan.pools.iter().map(|pool| pool.blocks).sum();
    if options.json() {
        outln!(
            "{}",
            json!({
                "planned": planned, "blocks": kept.blocks.len(), "new": added.new, "foreign": added.foreign,
                "lost": kept.lost, "missing": kept.missing(), "unread": source.unread(),
            })
        );
        return Ok(ExitCode::SUCCESS);
    }
    outln!(
        "{}: {} of {planned} blocks, {} of them new",
        shown(&arguments.fleet),
        kept.blocks.len(),
        added.new
    );
    for (pool, missing) in kept.missing() {
        outln!("  {pool}: {} missing", missing.len());
    }
    for lost in &kept.lost {
        let name = match (&lost.pool, lost.index) {
            (Some(pool), Some(index)) => format!("block {index} of {pool}"),
            _ => "a block without a name".to_owned(),
        };
        outln!("  {name} was lost: {}", lost.reason);
    }
    for unread in source.unread() {
        outln!("  no block from {}", shown(unread));
    }
    if added.foreign > 0 && !options.quiet {
        output::say(&format!("{} blocks are not of this fleet, and were left out", added.foreign));
    }
    Ok(ExitCode::SUCCESS)
}
