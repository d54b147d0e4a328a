//! The study's first page.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use brawn_measure::{Table, format};
use brawn_tune::answer::{Answer, interval};
use brawn_tune::verdict::Advice;

use super::findings::{About, Duration, Finding, LONGEST, OVERHEAD, TOLERANCE, cases, findings};
use super::programs::PROGRAMS;

/// Writes `README.md` from the answers that are there.
pub fn write(out: &Path) -> Result<()> {
    Ok(fs_err::write(out.join("README.md"), page(out)?)?)
}

/// The page.
pub fn page(out: &Path) -> Result<String> {
    let about = About::read(out)?;
    let findings = findings(out)?;
    let mut text = format!(
        "# `brawn tune` on five real programs\n\nMeasured by `make tune-study STUDY_SECONDS={}` on {}, at {}: {}.{}\n\nEach program was \
         tuned for its time under a limit of memory, twice, with different seeds; then once exhaustively, in twice that time, where no \
         candidate leaves early, and both answers come into the last round. Below 1 is better. What is used now is the default of that \
         state.\n\n",
        about.budget,
        about.date,
        about.revision,
        about.machine.describe(),
        measured_again(out, &about)?
    );
    text.push_str(&answers(&findings).to_markdown());
    let _ = write!(
        text,
        "\n## Does it repeat, and is it the best?\n\nBoth runs shall recommend the same, or settings that the exhaustive run cannot distinguish; and \
         what they recommend shall take at most {:.0} % more time than the best of the exhaustive run that stayed within the limit. Both are \
         compared in its last round, block by block, in fresh blocks. `make tune-study` ends with an error where it is not so.\n\n",
        (TOLERANCE - 1.0) * 100.0
    );
    text.push_str(&checks(&findings).to_markdown());
    let missed: Vec<String> = findings.iter().filter_map(Finding::complaint).collect();
    match missed.as_slice() {
        [] => text.push_str("\nIt is so for every program.\n"),
        missed => {
            text.push_str("\nThese answers do not show it for every program:\n\n");
            for complaint in missed {
                let _ = writeln!(text, "- {complaint}");
            }
        }
    }
    text.push_str("\n## Two cases\n\n");
    for (case, answer) in cases(out)? {
        let headline = answer.map_or("no answer".to_owned(), |answer| answer.headline());
        let _ =
            writeln!(text, "- [`{0}`]({0}/README.md): {1} {2}.", case.name, case.about, capital(&headline));
    }
    if let Some(took) = Duration::read(out)? {
        let _ = write!(
            text,
            "\n## How long it takes\n\n{} took {} from the command to the answer, {} links included, without options and for a program that \
             runs {}; {:.2} % of the measuring was the runner itself. A test holds that below {} and {:.0} %. Measured by `make tune-duration` \
             on {}, at {}: {}.\n",
            took.program,
            format::seconds(took.seconds),
            took.links,
            format::seconds(took.run_seconds),
            took.overhead * 100.0,
            format::seconds(LONGEST),
            OVERHEAD * 100.0,
            took.about.date,
            took.about.revision,
            took.about.machine.describe(),
        );
    }
    text.push_str("\n## The programs\n\n");
    for Finding { program, .. } in &findings {
        let _ = writeln!(text, "- [`{0}`]({0}/README.md): {1}", program.name, program.about);
    }
    Ok(text)
}

/// A sentence for each program whose answers are not of that study.
fn measured_again(out: &Path, study: &About) -> Result<String> {
    let mut text = String::new();
    for program in PROGRAMS {
        let about = About::read(&out.join(program.name))?;
        if about != *study {
            let _ = write!(text, " {} was measured alone {}.", program.name, about.describe());
        }
    }
    Ok(text)
}

fn answers(findings: &[Finding]) -> Table {
    let columns =
        ["program", "limit", "now", "recommended", "", "time", "to stock musl", "to glibc", "memory"];
    let mut table = Table::new(columns);
    for Finding { program, first, .. } in findings {
        let mut row = vec![program.name.to_owned(), program.limit.to_owned()];
        match first {
            Some(answer) => row.extend([
                answer.now.clone(),
                format!("`{}`", answer.pick),
                advice(answer.advice).to_owned(),
                time(answer, &answer.now),
                time(answer, "stock"),
                time(answer, "glibc"),
                memory(answer),
            ]),
            None => row.extend(["", "none"].map(str::to_owned)),
        }
        table.row(row);
    }
    table
}

/// The time of the recommendation beside another.
fn time(answer: &Answer, name: &str) -> String {
    if answer.pick == name {
        return "1".into();
    }
    let against = answer.against.iter().find(|against| against.name == name);
    let time = against.and_then(|against| against.time.as_ref());
    time.map_or_else(|| against.map_or("", |_| "failed").to_owned(), interval)
}

/// Its memory beside what is used now.
fn memory(answer: &Answer) -> String {
    if answer.pick == answer.now {
        return "1".into();
    }
    let against = answer.against.iter().find(|against| against.name == answer.now);
    against.and_then(|against| against.memory.as_ref()).map_or_else(String::new, interval)
}

fn checks(findings: &[Finding]) -> Table {
    let columns =
        ["program", "first run", "second run", "agree", "best of all", "first to best", "second to best"];
    let mut table = Table::new(columns);
    for finding in findings {
        let pick = |answer: &Option<Answer>| answer.as_ref().map(|answer| answer.pick.clone());
        let beside = |answer: &Option<Answer>| {
            let ratio = pick(answer).and_then(|pick| finding.beside_best(&pick));
            ratio.as_ref().map_or("unknown".to_owned(), interval)
        };
        let shown =
            |answer: &Option<Answer>| pick(answer).map_or("none".to_owned(), |pick| format!("`{pick}`"));
        table.row([
            finding.program.name.to_owned(),
            shown(&finding.first),
            shown(&finding.second),
            if finding.repeats() { "yes" } else { "no" }.to_owned(),
            finding.best().map_or("none".to_owned(), |best| format!("`{}`", best.name)),
            beside(&finding.first),
            beside(&finding.second),
        ]);
    }
    table
}

/// The word for advice in a table.
fn advice(advice: Advice) -> &'static str {
    match advice {
        Advice::Change => "certainly better",
        Advice::ChangeForSecond => "as fast, less memory",
        Advice::ChangeForFailure => "the other would be killed",
        Advice::KeepBest => "keep, the best",
        Advice::Keep | Advice::Unknown => "keep, no difference",
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
