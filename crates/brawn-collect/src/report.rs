//! The answer in words and tables, for a terminal and for a document.

use std::collections::BTreeSet;

use brawn_measure::{Table, format};
use brawn_tune::verdict::Advice;
use serde::Serialize;

use crate::answer::{Answer, CandidateAnswer, PoolAnswer, Verdict};
use crate::estimate::Ratio;
use crate::prices::{Amount, Yearly};

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For a terminal.
    Text,
    /// For a document.
    Markdown,
}

impl Form {
    fn table(self, table: &Table) -> String {
        match self {
            Self::Text => table.to_text(),
            Self::Markdown => table.to_markdown(),
        }
    }

    fn heading(self, text: &str) -> String {
        match self {
            Self::Text => format!("\n{text}\n"),
            Self::Markdown => format!("\n### {text}\n\n"),
        }
    }
}

/// The report for programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document {
    /// The answer, whose fields are those of the document.
    #[serde(flatten)]
    pub answer: Answer,
    /// What a year costs; none without prices.
    pub yearly: Option<Yearly>,
}

/// The whole report.
pub fn render(answer: &Answer, yearly: Option<&Yearly>, form: Form) -> String {
    let title = format!("{}: {}", answer.program, headline(answer));
    let mut text = match form {
        Form::Text => format!("{title}\n"),
        Form::Markdown => format!("## {title}\n\n"),
    };
    for words in words(answer) {
        text += &format!("{words}\n");
    }
    text += &form.heading("Pools");
    text += &form.table(&pools(answer));
    for pool in answer.pools.iter().filter(|pool| pool.blocks > 0) {
        text += &form.heading(&format!("{} ({} blocks on {} nodes)", pool.name, pool.blocks, pool.nodes));
        text += &form.table(&candidates(pool));
    }
    if let Some(table) = overall(answer) {
        text += &form.heading("One for all");
        text += &form.table(&table);
    }
    text += &form.heading("Memory by cores");
    text += &form.table(&memory(answer));
    if let Some(yearly) = yearly {
        text += &form.heading(&format!("Cost a year, in {}", yearly.currency));
        text += &form.table(&money(yearly));
    }
    let failures: Vec<String> = answer.pools.iter().flat_map(failures).collect();
    let notes: Vec<&String> = failures.iter().chain(&answer.notes).collect();
    if !notes.is_empty() {
        text += &form.heading("Notes");
        notes.iter().for_each(|note| text += &format!("- {note}\n"));
    }
    text
}

/// The answer in one sentence; names stand between backquotes.
pub fn headline(answer: &Answer) -> String {
    let changed = answer.pools.iter().filter(|pool| pool.advice.is_change()).count();
    match (&answer.pools[..], &answer.overall) {
        ([pool], _) => advice(pool, &answer.reference),
        (pools, Some(overall)) if overall.pick != answer.reference => {
            format!(
                "take `{}` on all {} pools; {changed} have an answer of their own",
                overall.pick,
                pools.len()
            )
        }
        (pools, _) if changed > 0 => format!("a change for {changed} of {} pools", pools.len()),
        _ => format!("nothing is certainly better than `{}`", answer.reference),
    }
}

/// What stands below the headline.
pub fn words(answer: &Answer) -> Vec<String> {
    let mut words = vec![
        format!("{} of {} blocks were measured; {} were lost.", answer.blocks, answer.planned, answer.lost),
        format!(
            "The goal is {}; costs are those beside `{}`. With {:.0} % all {} intervals hold together.",
            answer.goal.name(),
            answer.reference,
            100.0 * answer.level,
            answer.intervals
        ),
    ];
    if let Some(overall) = &answer.overall {
        words.push(match overall.gain {
            Some(gain) => format!("One for all: `{}`, {}.", overall.pick, ratio(gain)),
            None => format!("One for all: `{}`.", overall.pick),
        });
        if !overall.worse_on.is_empty() {
            words.push(format!("It certainly costs more on: {}.", overall.worse_on.join(", ")));
        }
    }
    words
}

/// What went wrong on a pool.
pub(crate) fn failures(pool: &PoolAnswer) -> Vec<String> {
    let failure =
        |one: &CandidateAnswer| Some(format!("{}: `{}` {}", pool.name, one.name, one.failure.as_ref()?));
    pool.candidates.iter().filter_map(failure).collect()
}

fn advice(pool: &PoolAnswer, reference: &str) -> String {
    let pick = pool.pick.as_deref().unwrap_or_default();
    match pool.advice {
        Advice::Change | Advice::ChangeForSecond => format!("take `{pick}`"),
        Advice::ChangeForFailure => format!("take `{pick}`, because `{reference}` fails"),
        Advice::Keep => format!("no significant difference: keep `{reference}`"),
        Advice::KeepBest => format!("keep `{reference}`: all others are worse"),
        Advice::Unknown => "no answer".to_owned(),
    }
}

fn pools(answer: &Answer) -> Table {
    let mut table = Table::new(["pool", "answer", "cost", "blocks", "nodes"]);
    for pool in &answer.pools {
        let pick = pool.candidates.iter().find(|one| Some(&one.name) == pool.pick.as_ref());
        let cost = pick.and_then(|one| one.cost).filter(|_| pool.advice == Advice::Change);
        table.row([
            pool.name.clone(),
            advice(pool, &answer.reference).replace('`', ""),
            cost.map_or(String::new(), ratio),
            format!("{} of {}", pool.blocks, pool.planned),
            pool.nodes.to_string(),
        ]);
    }
    table
}

fn candidates(pool: &PoolAnswer) -> Table {
    let mut table = Table::new(["candidate", "", "cost", "time", "memory", "a run", "peak"]);
    for one in &pool.candidates {
        table.row([
            one.name.clone(),
            verdict(one.verdict).to_owned(),
            one.cost.map_or(String::new(), ratio),
            one.time.map_or(String::new(), ratio),
            one.memory.map_or(String::new(), ratio),
            one.seconds.map_or(String::new(), |seconds| format::seconds(seconds.median)),
            one.peak_bytes.map_or(String::new(), |bytes| format::bytes(bytes.median)),
        ]);
    }
    table
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Now => "used now",
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Undecided => "no significant difference",
        Verdict::Alive => "stays alive",
        Verdict::OverMemory => "over its memory",
        Verdict::Failed => "failed",
    }
}

fn overall(answer: &Answer) -> Option<Table> {
    let overall = answer.overall.as_ref()?;
    let mut table =
        Table::new(["pool".to_owned(), "own best".to_owned(), format!("{} beside it", overall.pick)]);
    for pool in answer.pools.iter().filter(|pool| pool.blocks > 0) {
        let beside = match overall.beside_best.get(&pool.name) {
            Some(Some(beside)) => ratio(*beside),
            _ if pool.pick.as_ref() == Some(&overall.pick) => "the same".to_owned(),
            _ => String::new(),
        };
        table.row([pool.name.clone(), pool.pick.clone().unwrap_or_default(), beside]);
    }
    Some(table)
}

fn memory(answer: &Answer) -> Table {
    let cores: BTreeSet<usize> = answer.memory.iter().map(|point| point.cores).collect();
    let header =
        std::iter::once("candidate".to_owned()).chain(cores.iter().map(|cores| format!("{cores} cores")));
    let mut table = Table::new(header);
    let names = answer.pools.first().into_iter().flat_map(|pool| &pool.candidates).map(|one| &one.name);
    for name in names {
        let at = |cores: &usize| {
            let point = answer.memory.iter().find(|point| point.candidate == *name && point.cores == *cores);
            point.map_or(String::new(), |point| format::bytes(point.peak_bytes.median))
        };
        table.row(std::iter::once(name.clone()).chain(cores.iter().map(at)));
    }
    table
}

fn money(yearly: &Yearly) -> Table {
    let mut table = Table::new(["pool", "now", "own best", "one for all", "basis"]);
    for pool in &yearly.pools {
        table.row([
            pool.pool.clone(),
            format!("{:.0}", pool.now),
            pool.pick.map_or("the same".to_owned(), amount),
            pool.overall.map_or("the same".to_owned(), amount),
            pool.basis.clone(),
        ]);
    }
    table
}

fn amount(amount: Amount) -> String {
    let high = amount.high.map_or("?".to_owned(), |high| format!("{high:.0}"));
    format!("{:.0} [{:.0}, {high}]", amount.amount, amount.low)
}

/// A ratio with its interval: `0.912x [0.880, 0.945]`.
pub fn ratio(ratio: Ratio) -> String {
    let high = ratio.high.map_or("?".to_owned(), |high| format!("{high:.3}"));
    format!("{:.3}x [{:.3}, {high}]", ratio.ratio, ratio.low)
}
