use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anstyle::Style;
use brawn_base::Code;
use brawn_base::file;
use brawn_base::text::{exact, shown};
use brawn_check::{
    Content, Finding, Grade, NONROOT, Program, Report, Severity, configure, judge, needs, run as run_it,
};
use clap::Args;
use serde_json::json;

use crate::cli::{Options, pair};
use crate::exit::{Context as _, Result};
use crate::output::{self, Line, STRONG};
use crate::uses;

#[derive(Args)]
pub struct Arguments {
    /// The executable
    #[arg(value_name = "EXE")]
    executable: PathBuf,
    /// Its arguments
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<OsString>,
    /// Look at the file only, and run nothing
    #[arg(long = "static")]
    look_only: bool,
    /// Leave out what a container runtime provides: /proc, /sys, /dev, /etc/resolv.conf, /etc/hosts
    #[arg(long)]
    bare: bool,
    /// Parts that the root is to have: certificates, zones, users, tmp, nsswitch, resolv (repeatable)
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = part)]
    with: Vec<Content>,
    /// Who runs it
    #[arg(long, value_name = "UID[:GID]", value_parser = user, default_value_t = User(NONROOT, NONROOT))]
    user: User,
    /// A variable of its environment (repeatable)
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = pair("a variable is NAME=VALUE"))]
    environment: Vec<(String, String)>,
    /// How long it may run; a server never ends by itself
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Write the parts that it needs into [package.metadata.brawn.image] of Cargo.toml
    #[arg(long)]
    fix: bool,
    /// The Cargo.toml to read parts from, and to write them to [default with --fix: the nearest one]
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// `brawn check`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    if !arguments.fix {
        uses::refuse_here("check", &options, &[uses::DRY_RUN], "only --fix writes anything");
    }
    let path = shown(&arguments.executable).to_string();
    let data = file::elf(&arguments.executable)?;
    let needs = needs(&data).context(|| format!("cannot check {path}"))?;
    let manifest = manifest(&arguments)?;
    let mut with: BTreeSet<Content> = arguments.with.iter().copied().collect();
    if let Some(manifest) = &manifest {
        let text = file::text(manifest)?;
        with.extend(configure::contents_of(&text).context(|| shown(manifest).to_string())?);
    }
    // What cannot run is not run.
    let stands_still = judge(&needs, None, &with);
    let report = if arguments.look_only || !stands_still.ok {
        stands_still
    } else {
        let program = Program {
            executable: arguments.executable.clone(),
            arguments: arguments.args.clone(),
            environment: arguments
                .environment
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            entries: brawn_image::contents::entries(&with, ""),
            user: (arguments.user.0, arguments.user.1),
            runtime: !arguments.bare,
            limit: Duration::from_secs(arguments.seconds),
            interrupt: super::interrupt()?,
        };
        let run = run_it(&program).context(|| format!("cannot check {path}"))?;
        if !arguments.bare && !run.runtime {
            output::warn("nothing can be mounted here: /proc, /sys and /dev were left out");
        }
        judge(&needs, Some(run), &with)
    };
    if arguments.json || options.json() {
        let mut value = json!(report);
        value["path"] = json!(exact(&arguments.executable));
        output::json(&value)?;
    } else {
        print(&arguments.executable, &report, &options);
    }
    let mut left = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let mut ok = report.ok;
    if arguments.fix {
        let manifest = manifest.expect("found above, or an error");
        fix(&manifest, &report, options.dry_run)?;
        ok = left.all(|finding| finding.content.is_some());
    }
    Ok(if ok { ExitCode::SUCCESS } else { Code::Failed.into() })
}

/// The manifest that parts are read from and written to.
fn manifest(arguments: &Arguments) -> Result<Option<PathBuf>> {
    if arguments.manifest_path.is_some() || !arguments.fix {
        return Ok(arguments.manifest_path.clone());
    }
    let here = std::env::current_dir().context(|| "cannot tell the current folder")?;
    match here.ancestors().map(|folder| folder.join("Cargo.toml")).find(|path| path.is_file()) {
        Some(path) => Ok(Some(path)),
        None => Err(brawn_check::Error::Manifest {
            what: "--fix".into(),
            reason: "there is no Cargo.toml here or above; name one with --manifest-path".into(),
        }
        .into()),
    }
}

fn fix(manifest: &Path, report: &Report, dry_run: bool) -> Result<()> {
    let text = file::text(manifest)?;
    let place = || shown(manifest).to_string();
    let (text, new) = configure::add_contents(&text, &report.missing).context(place)?;
    if new.is_empty() {
        output::say(&format!("{} names all that is needed", place()));
        return Ok(());
    }
    let names: Vec<&str> = new.iter().map(|content| content.name()).collect();
    if dry_run {
        output::say(&format!("{} would get: {}", place(), names.join(", ")));
        return Ok(());
    }
    fs_err::write(manifest, text)?;
    output::say(&format!("{} now has: {}", place(), names.join(", ")));
    Ok(())
}

/// The answer: what happened first, then what the program needs, the most important first.
fn print(path: &Path, report: &Report, options: &Options) {
    Line::new().styled(STRONG, shown(path)).plain(format_args!(": {}", headline(report))).print();
    let (optional, listed): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|finding| finding.grade == Some(Grade::Optional));
    for finding in listed {
        // The headline has said it.
        if finding.code == "failed" {
            Line::labelled("  ", output::HINT, "hint:", finding.hint.as_deref().unwrap_or_default()).print();
        } else if !(options.quiet && finding.severity == Severity::Info) {
            print_finding(finding);
        }
    }
    if options.verbose > 0 {
        optional.into_iter().for_each(print_finding);
    } else if !options.quiet && !optional.is_empty() {
        outln!("  optional: {}", fold(&optional, report.run.is_some()));
    }
    if !report.missing.is_empty() {
        let names: Vec<&str> = report.missing.iter().map(|content| content.name()).collect();
        let required = |finding: &Finding| finding.severity == Severity::Error && finding.content.is_some();
        let verb = if report.findings.iter().any(required) { "needs" } else { "should have" };
        let with = format!("--with {}", names.join(","));
        Line::new().plain(format_args!("  an image of it {verb}: ")).styled(STRONG, with).print();
    }
}

fn headline(report: &Report) -> String {
    let Some(run) = &report.run else {
        let why = if report.ok {
            "nothing in the file keeps it from running in an empty root"
        } else {
            "it cannot run in an empty root"
        };
        return format!("it was not run; {why}");
    };
    let names: Vec<&str> = report.with.iter().map(|content| content.name()).collect();
    let root = if names.is_empty() {
        "an empty root".into()
    } else {
        format!("a root with {} alone", names.join(", "))
    };
    format!("it ran in {root} and {} ({})", run.end, run.root)
}

/// What is there, or not needed, in one line: of most programs it is much the same.
fn fold(optional: &[&Finding], ran: bool) -> String {
    let names = |in_run| -> Vec<String> {
        let these = optional.iter().filter(|finding| finding.in_run == in_run);
        these.map(|finding| finding.need().map_or(finding.code.clone(), |need| need.to_string())).collect()
    };
    let part = |words: &str, names: Vec<String>| {
        (!names.is_empty()).then(|| format!("{words} {}", names.join(", ")))
    };
    let parts = [
        part("used or done without:", names(true)),
        part(if ran { "may be used another time:" } else { "may be used:" }, names(false)),
    ];
    format!("{} (-v tells why)", parts.into_iter().flatten().collect::<Vec<_>>().join("; "))
}

fn print_finding(finding: &Finding) {
    let Finding { code, message, .. } = finding;
    let (style, word) = match (finding.grade, finding.severity) {
        (Some(Grade::Required), _) => (output::ERROR, "required"),
        (Some(Grade::Probable), _) => (output::WARNING, "probable"),
        (Some(Grade::Optional), _) => (Style::new(), "optional"),
        (None, Severity::Error) => (output::ERROR, "error"),
        (None, Severity::Warning) => (output::WARNING, "warning"),
        (None, Severity::Info) => (Style::new(), "note"),
    };
    Line::labelled("  ", style, &format!("{word}:"), format_args!("{message} [{code}]")).print();
    for evidence in &finding.evidence {
        outln!("    {evidence}");
    }
    let flag = finding.content.filter(|_| finding.severity != Severity::Info);
    let flag = flag.map(|content| format!("--with {content}"));
    let text: Vec<&str> = flag.iter().map(String::as_str).chain(finding.hint.as_deref()).collect();
    if !text.is_empty() {
        Line::labelled("    ", output::HINT, "hint:", text.join("; ")).print();
    }
}

/// A user's and a group's number.
#[derive(Clone, Copy, Debug)]
struct User(u32, u32);

impl std::fmt::Display for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.0, self.1)
    }
}

fn user(text: &str) -> Result<User, String> {
    let (user, group) = text.split_once(':').unwrap_or((text, text));
    let number = |text: &str| {
        text.parse::<u32>().map_err(|_| format!("'{text}' is not the number of a user or group"))
    };
    Ok(User(number(user)?, number(group)?))
}

fn part(name: &str) -> Result<Content, String> {
    Content::from_name(name).ok_or_else(|| {
        let names = Content::ALL.map(Content::name);
        format!("the parts of an image are {}", names.join(", "))
    })
}
