//! `brawn fleet canary`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use brawn_base::Code;
use brawn_base::text::shown;
use brawn_collect::canary::{Judgement, Verdict, judge};
use brawn_collect::experiment::Canary;
use brawn_collect::prometheus::{Range, Series, Server};
use brawn_image::registry;
use brawn_measure::Table;
use clap::Args;

use crate::cli::Options;
use crate::commands::tune::units;
use crate::exit::{Failure, Result};
use crate::output;

#[derive(Args)]
pub struct Arguments {
    /// The file that describes the canary: name, images, metrics
    #[arg(value_name = "CANARY", required_unless_present = "responses")]
    canary: Option<PathBuf>,
    /// Print an Argo Rollouts Experiment and AnalysisTemplate for this workload, as `kubectl get deployment NAME -o json`
    /// prints it; nothing is applied
    #[arg(long, value_name = "WORKLOAD", requires = "prometheus")]
    render: Option<PathBuf>,
    /// Prometheus: to be asked from here, or, with --render, as the cluster sees it
    #[arg(long, value_name = "URL", required_unless_present = "responses")]
    prometheus: Option<String>,
    /// A file with a token that Prometheus wants to see (`Authorization: Bearer`)
    #[arg(long, value_name = "FILE", requires = "prometheus", conflicts_with = "render")]
    token_file: Option<PathBuf>,
    /// The ReplicaSets of baseline and candidate, which the queries are about
    #[arg(long, value_name = "BASELINE,CANDIDATE", value_parser = pair, required_unless_present_any = ["render", "responses"])]
    replicasets: Option<(String, String)>,
    /// How much of the time until now is judged
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "1h")]
    last: Duration,
    /// From moment to moment
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "30s")]
    step: Duration,
    /// A figure with saved answers to /api/v1/query_range, instead of asking (repeatable)
    #[arg(long = "response", value_name = "METRIC=BASELINE,CANDIDATE", value_parser = response, conflicts_with_all = ["canary", "prometheus", "render"])]
    responses: Vec<(String, (String, String))>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `brawn fleet canary`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let canary = arguments.canary.as_deref().map(Canary::load).transpose()?;
    let server = arguments.prometheus.as_deref().unwrap_or_default();
    if let (Some(canary), Some(path)) = (&canary, &arguments.render) {
        let text = brawn_base::file::text(path)?;
        let workload = serde_json::from_str(&text)
            .map_err(|error| Failure::new(Code::Input, format!("{} is no JSON: {error}", shown(path))))?;
        output::json(&canary.render(&workload, server)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let judgement = judge(&match &canary {
        Some(canary) => asked(canary, &reached(server, arguments.token_file.as_deref())?, &arguments)?,
        None => saved(&arguments.responses)?,
    })?;
    if arguments.json || options.json() {
        output::json(&judgement)?;
    } else {
        print(&judgement);
    }
    Ok(match judgement.verdict {
        Verdict::Worse => Code::Gate.into(),
        _ => ExitCode::SUCCESS,
    })
}

/// How the server is spoken to.
fn reached(url: &str, token: Option<&Path>) -> Result<Server> {
    let no_url =
        |error: url::ParseError| brawn_collect::Error::NoUrl { url: url.to_owned(), what: error.to_string() };
    let parsed = url::Url::parse(url).map_err(no_url)?;
    let encrypted = parsed.scheme() == "https";
    if token.is_some() && !encrypted && !registry::is_loopback(&parsed) {
        return Err(brawn_collect::Error::Unencrypted { url: url.to_owned() }.into());
    }
    let token = token.map(brawn_base::file::text).transpose()?.map(|text| text.trim().to_owned());
    let tls = if encrypted { Some(registry::tls()?) } else { None };
    Ok(Server { url: url.to_owned(), tls, token })
}

fn asked(canary: &Canary, server: &Server, arguments: &Arguments) -> Result<Vec<(String, Series, Series)>> {
    let end = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64().floor());
    let range = Range { start: end - arguments.last.as_secs_f64(), end, step: arguments.step.as_secs_f64() };
    let (baseline, candidate) = arguments.replicasets.clone().unwrap_or_default();
    let mut metrics = Vec::new();
    for (name, query) in &canary.metrics {
        let ask = |name: &str| Series::ask(server, &Canary::query(query, name), range);
        metrics.push((name.clone(), ask(&baseline)?, ask(&candidate)?));
    }
    Ok(metrics)
}

fn saved(responses: &[(String, (String, String))]) -> Result<Vec<(String, Series, Series)>> {
    let read = |path: &str| -> Result<Series> {
        Ok(Series::parse(&shown(path).to_string(), &brawn_base::file::text(path)?)?)
    };
    let one = |(name, (baseline, candidate)): &(String, (String, String))| {
        Ok((name.clone(), read(baseline)?, read(candidate)?))
    };
    responses.iter().map(one).collect()
}

fn print(judgement: &Judgement) {
    outln!(
        "the candidate {}; with {:.0} % all intervals hold together",
        match judgement.verdict {
            Verdict::Better => "does better",
            Verdict::Worse => "does worse",
            Verdict::Undecided => "does not differ significantly from the baseline",
        },
        100.0 * judgement.level
    );
    let mut table = Table::new(["metric", "", "candidate over baseline", "moments", "of which count"]);
    for one in &judgement.metrics {
        let word = match one.verdict {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Undecided => "no significant difference",
        };
        let ratio = one.ratio;
        table.row([
            one.metric.clone(),
            word.to_owned(),
            brawn_collect::report::ratio(ratio),
            ratio.blocks.to_string(),
            format!("{:.0}", ratio.blocks as f64 / one.lasts),
        ]);
    }
    output::document(&table.to_text());
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (one, other) = text.split_once(',').ok_or("two of them, with a comma between")?;
    Ok((one.to_owned(), other.to_owned()))
}

fn response(text: &str) -> Result<(String, (String, String)), String> {
    let (name, files) = text.split_once('=').ok_or("a name, =, and two files with a comma between")?;
    Ok((name.to_owned(), pair(files)?))
}
