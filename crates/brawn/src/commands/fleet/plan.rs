//! `brawn fleet plan`

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use brawn_fleet::fleet::{Fleet, labels};
use brawn_fleet::kubectl::Kubectl;
use brawn_fleet::spec::Spec;
use brawn_fleet::{manifest, nodes, rehearsal};
use brawn_measure::format;
use brawn_tune::Goal;
use clap::Args;
use serde_json::json;

use super::planned::{File, image, planned};
use crate::cli::{Options, pair, usage};
use crate::exit::Result;
use crate::output;

#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(flatten)]
    file: File,
    /// A static executable with its name, the one that is used now first (repeatable; for a new file)
    #[arg(long, value_name = "NAME=FILE", value_parser = pair("a candidate is NAME=FILE"))]
    candidate: Vec<(String, String)>,
    /// What it shall be good at: time, memory, balanced, or latency (for a new file)
    #[arg(long, value_name = "GOAL", default_value = "balanced", value_parser = |text: &str| text.parse::<Goal>())]
    goal: Goal,
    /// Memory that each candidate may hold, as in use (for a new file)
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
    /// Cores that each candidate is given, as in use (for a new file)
    #[arg(long, value_name = "N")]
    cores: Option<f64>,
    /// Blocks on each pool (for a new file)
    #[arg(long, value_name = "N", default_value_t = 20)]
    blocks: u32,
    /// A pool for each value of this label of nodes; without candidates: list its values
    #[arg(long, value_name = "LABEL")]
    by: Option<String>,
    /// A pool by labels of its nodes: NAME:LABEL=VALUE[,…] (repeatable; for a new file)
    #[arg(long, value_name = "POOL", conflicts_with = "by")]
    pool: Vec<String>,
    /// Where the image with all candidates is pushed: HOST/NAME[:TAG] (for a new file)
    #[arg(long, value_name = "REFERENCE")]
    image: Option<String>,
    /// The namespace [default: that of the context] (for a new file)
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Write fleet.toml without asking
    #[arg(short, long)]
    yes: bool,
    /// The program's arguments (for a new file)
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

const AFTER_HELP: &str = "Without fleet.toml, the arguments say what it is to hold, and it is written after being shown. With it, they \
                          are in it: edit it for everything else (docs/reference/fleet.md).";

/// `brawn fleet plan`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let path = &arguments.file.file;
    let given = !arguments.candidate.is_empty() || !arguments.args.is_empty() || !arguments.pool.is_empty();
    if let (Some(label), false) = (&arguments.by, given) {
        return values(&options, &arguments, label);
    }
    let spec = match path.exists() {
        true if given => {
            usage(format!("{} is there already: edit it, or name another one with --file", path.display()))
        }
        true => Spec::load(path)?,
        false => match written(&options, &arguments)? {
            Some(spec) => spec,
            None => return Ok(ExitCode::SUCCESS),
        },
    };
    let fleet = planned(spec, path)?;
    if options.dry_run {
        return dry_run(&fleet);
    }
    let interrupt = crate::commands::interrupt()?;
    let block = match arguments.file.no_rehearsal {
        true => None,
        false => rehearsal::run(&fleet, &crate::commands::executable()?, interrupt)?,
    };
    show(&options, &fleet, block)
}

/// The values that a label has among the cluster's nodes.
fn values(options: &Options, arguments: &Arguments, label: &str) -> Result<ExitCode> {
    let of_file = match arguments.file.file.exists() {
        true => Spec::load(&arguments.file.file)?.kubernetes,
        false => None,
    };
    let nodes = nodes::list(&Kubectl::new(&of_file.unwrap_or_default()))?;
    nodes::by_label(&nodes, label)?;
    let values = nodes::values(&nodes, label);
    if options.json() {
        output::json(&values)?;
    } else {
        for (value, count) in values {
            outln!("{value}: {count} nodes");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A new file, after it was shown and agreed to.
fn written(options: &Options, arguments: &Arguments) -> Result<Option<Spec>> {
    let path = &arguments.file.file;
    if arguments.candidate.is_empty() {
        usage(format!(
            "there is no {}: say what is compared with --candidate NAME=FILE, twice or more",
            path.display()
        ));
    }
    let text = new_file(arguments);
    // What is wrong with it is known before it is there.
    let spec = Spec::parse(&text, path)?;
    if !options.quiet {
        output::say(&format!("{}:\n{text}", path.display()));
    }
    let asks = !arguments.yes && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !options.dry_run {
        if !arguments.yes && !asks {
            usage("no one can be asked here: agree with --yes");
        }
        if asks && !output::ask("Write this?")? {
            output::say("nothing is written");
            return Ok(None);
        }
        brawn_measure::write_whole(path, &text)?;
    }
    Ok(Some(spec))
}

/// The text of a new file.
fn new_file(arguments: &Arguments) -> String {
    // Texts of TOML are written as those of JSON are, but for one character that no one types.
    let quoted = |text: &str| json!(text).to_string().replace('\u{7f}', "\\u007f");
    let mut text = format!("goal = {}\nblocks = {}\n", quoted(arguments.goal.name()), arguments.blocks);
    let mut line = |key: &str, value: Option<String>| {
        text.extend(value.map(|value| format!("{key} = {value}\n")));
    };
    line("memory", arguments.memory.as_deref().map(quoted));
    line("cores", arguments.cores.map(|cores| cores.to_string()));
    line("by", arguments.by.as_deref().map(quoted));
    let args: Vec<String> = arguments.args.iter().map(|arg| quoted(arg)).collect();
    line("args", Some(format!("[{}]", args.join(", "))));
    for (name, executable) in &arguments.candidate {
        text += &format!("\n[[candidates]]\nname = {}\nexecutable = {}\n", quoted(name), quoted(executable));
    }
    for given in &arguments.pool {
        let (name, labels) = pool(given);
        text += &format!("\n[[pools]]\nname = {}\n\n[pools.selector]\n", quoted(name));
        for (label, value) in labels {
            text += &format!("{} = {}\n", quoted(label), quoted(value));
        }
    }
    text += &format!("\n[kubernetes]\nimage = {}\n", quoted(arguments.image.as_deref().unwrap_or_default()));
    text.extend(
        arguments.namespace.as_deref().map(|namespace| format!("namespace = {}\n", quoted(namespace))),
    );
    text
}

/// A pool's name, and the labels of its nodes.
fn pool(text: &str) -> (&str, Vec<(&str, &str)>) {
    let parts = text.split_once(':').and_then(|(name, labels)| {
        let labels = labels.split(',').map(|label| label.split_once('=')).collect::<Option<Vec<_>>>()?;
        Some((name, labels))
    });
    parts.unwrap_or_else(|| usage(format!("--pool '{text}': the form is NAME:LABEL=VALUE[,LABEL=VALUE]")))
}

/// What would be created, as JSON: the jobs, or the tasks where there are none.
fn dry_run(fleet: &Fleet) -> Result<ExitCode> {
    let all = match &fleet.spec.kubernetes {
        Some(kubernetes) => {
            let bundle = image(fleet, kubernetes)?;
            let reference: brawn_image::registry::Reference = kubernetes.image.parse()?;
            manifest::list(
                fleet,
                kubernetes,
                &format!("{}@{}", reference.repository_name(), bundle.digest()),
            )?
        }
        None => {
            let tasks = fleet.pools.iter().map(|planned| Ok(fleet.task(planned)?));
            output::pretty(&tasks.collect::<Result<Vec<_>>>()?)?
        }
    };
    output::document(&(all + "\n"));
    Ok(ExitCode::SUCCESS)
}

fn show(options: &Options, fleet: &Fleet, block: Option<Duration>) -> Result<ExitCode> {
    let time = block.map(|block| fleet.time(block));
    for note in &fleet.notes {
        output::warn(note);
    }
    if options.json() {
        let pool = |planned: &brawn_fleet::fleet::Planned| {
            json!({
                "name": planned.pool.name, "blocks": planned.blocks, "nodes": planned.nodes,
                "parallelism": planned.parallelism, "selector": planned.pool.selector,
                "cores": planned.cores, "memory_bytes": planned.memory,
            })
        };
        output::json(&json!({
            "program": fleet.name(),
            "reference": fleet.spec.reference(),
            "candidates": fleet.pack.programs().iter().map(|program| &program.name).collect::<Vec<_>>(),
            "pools": fleet.pools.iter().map(pool).collect::<Vec<_>>(),
            "block_seconds": block.map(|block| block.as_secs_f64()),
            "seconds": time.map(|(whole, _)| whole.as_secs_f64()),
            "pod_hours": time.map(|(_, all)| all.as_secs_f64() / 3600.0),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let names: Vec<&str> = fleet.pack.programs().iter().map(|program| program.name.as_str()).collect();
    outln!(
        "{}: {} candidates ({}), `{}` is used now",
        fleet.name(),
        names.len(),
        names.join(", "),
        fleet.spec.reference()
    );
    for planned in &fleet.pools {
        let nodes = match (planned.nodes, &fleet.spec.slurm) {
            (Some(count), _) => format!("on {count} nodes, {} at a time", planned.parallelism),
            (None, Some(_)) => "as the queue lets them".to_owned(),
            (None, None) => "on nodes that could not be listed, one at a time".to_owned(),
        };
        let which = match planned.pool.selector.is_empty() {
            true => String::new(),
            false => format!(" ({})", labels(&planned.pool.selector)),
        };
        let cores = planned.cores.map(|cores| format!(", {cores} cores")).unwrap_or_default();
        let memory = planned.memory.map(|bytes| format!(", {} of memory", format::bytes(bytes as f64)));
        let memory = memory.unwrap_or_default();
        outln!("  {}{which}: {} blocks {nodes}{cores}{memory}", planned.pool.name, planned.blocks);
    }
    match (block, time) {
        (Some(block), Some((whole, all))) => outln!(
            "about {} a block, {} in all, {:.2} machine hours, by what `{}` takes here",
            format::seconds(block.as_secs_f64()),
            format::seconds(whole.as_secs_f64()),
            all.as_secs_f64() / 3600.0,
            fleet.spec.reference()
        ),
        _ => outln!("how long it takes is not known: the reference was not run here"),
    }
    Ok(ExitCode::SUCCESS)
}
