//! What a pod, a machine or a task of a queue runs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use brawn_collect::block::write;
use brawn_fleet::block::{self, Turn};
use brawn_fleet::task::{Place, Task};
use clap::Args;

use crate::exit::Result;

#[derive(Args)]
pub struct Arguments {
    /// What to do: a file, or its text
    #[arg(long, value_name = "JSON")]
    task: String,
    /// Where the executables are [default: the folder of the task's file]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// A folder that can be written to
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Which block it is [default: what the engine says]
    #[arg(long, value_name = "N")]
    index: Option<u32>,
    /// How often it was tried before; several are added up
    #[arg(long, value_name = "N", value_parser = count)]
    attempt: Vec<u32>,
    /// The machine's name
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
}

/// Engines that know of no failures give an empty text.
fn count(text: &str) -> Result<u32, String> {
    if text.is_empty() { Ok(0) } else { text.parse().map_err(|_| "a number".to_owned()) }
}

/// `brawn fleet block`
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    let (text, folder) = match arguments.task.starts_with('{') {
        true => (arguments.task, PathBuf::new()),
        false => {
            let path = Path::new(&arguments.task);
            (brawn_base::file::text(path)?, brawn_base::temporary::folder_of(path).to_owned())
        }
    };
    let task: Task = serde_json::from_str(&text)
        .map_err(|source| brawn_fleet::Error::Task { place: "what --task gives".into(), source })?;
    let variable = |name: &str| std::env::var(name).ok();
    let number = |name: &str| variable(name).and_then(|text| text.parse().ok());
    let index =
        arguments.index.or_else(|| number("JOB_COMPLETION_INDEX")).or_else(|| number("SLURM_ARRAY_TASK_ID"));
    let Some(index) = index else { crate::cli::usage("which block is it? Give --index") };
    let restarts = number("SLURM_RESTART_COUNT").unwrap_or(0);
    let node = arguments.node.or_else(|| variable("SLURMD_NODENAME")).filter(|name| !name.is_empty());
    let turn = Turn { index, attempt: arguments.attempt.iter().sum::<u32>() + restarts, node };
    let place = Place {
        root: std::path::absolute(arguments.root.unwrap_or(folder).join("."))?,
        scratch: arguments.scratch.map_or(Ok(std::env::temp_dir()), std::path::absolute)?,
        brawn: crate::commands::executable()?,
        interrupt: crate::commands::interrupt()?,
    };
    // Written at once: what kills this process must not take it along.
    let print = |text: &str| {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush())
    };
    let done = block::run(&task, &place, &turn, |last| print(&brawn_fleet::last_words::line(last)))?;
    print(&write(&done))?;
    Ok(ExitCode::SUCCESS)
}
