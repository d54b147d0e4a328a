use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::text::{exact, shown};
use brawn_link::settings::Settings;
use clap::Args;
use serde_json::json;

use super::authorise;
use crate::cli::{Options, existing};
use crate::exit::Result;
use crate::output;

#[derive(Args)]
pub struct Arguments {
    /// An executable that Brawn linked
    #[arg(value_name = "FILE", value_parser = existing)]
    file: PathBuf,
    /// Where the result goes [default: FILE itself]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Run the linker of the record, whatever it is
    #[arg(long)]
    trust_record: bool,
}

/// `brawn relink`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let cache = brawn_link::seam::cache()?;
    let record = brawn_link::replay::find(&cache, &arguments.file)?;
    let settings = Settings::collect(options.layer(), record.package())?;
    let choice = settings.choice()?;
    let to = arguments.output.as_ref().unwrap_or(&arguments.file);
    if options.dry_run {
        record.check()?;
        output::say(&format!(
            "{} can be linked again with {}",
            arguments.file.display(),
            choice.malloc.name()
        ));
        return Ok(ExitCode::SUCCESS);
    }
    authorise(&record, arguments.trust_record)?;
    let linked = record.replay(&cache, &choice, settings.gate(), to)?;
    let path = shown(to).to_string();
    for warning in &linked.warnings {
        output::warning(&path, warning);
    }
    if options.json() {
        let value = json!({ "path": exact(to), "overlay": linked.overlay.manifest, "heaps": linked.heaps });
        output::json_text(&value.to_string());
    } else if options.quiet {
        outln!("{path}");
    } else {
        outln!("{path}: {}", super::libc::summary(&linked.overlay.manifest));
        outln!("  verified: static, {}", linked.heaps);
    }
    Ok(ExitCode::SUCCESS)
}
