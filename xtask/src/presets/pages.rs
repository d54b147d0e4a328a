//! What is written from the results: tables and pictures.

use anyhow::{Result, ensure};
use brawn_measure::Table;
use brawn_measure::export::Format;
use brawn_measure::results::Results;

use super::picture::picture;
use super::{standing, start};

/// The files for a document: names and contents.
pub fn pages(results: &Results, starts: &Results) -> Result<Vec<(&'static str, String)>> {
    let standings = standing::standings(results);
    ensure!(!standings.is_empty(), "no candidate has figures of both time and memory");
    let judged = format!(
        "# Candidates for presets\n\nMade by `make presets` from the results beside it{}. Time and memory are geometric means of the cost over \
         that of {}, over each suite's rows and then over the suites: below 1 is better; beside them each suite's own, time and then memory. A \
         star marks those that no other beats in both.\n\n{}\n{}",
        made(results),
        results.variants[0].name,
        standing::table(&standings).to_markdown(),
        standing::worst(&standings).to_markdown(),
    );
    let started = format!(
        "# Starting and ending\n\nMade by `make presets` from the results beside it{}. A Rust program that prints a line: medians over many \
         starts; system calls, pages and peak memory are those of a single one.\n\n{}",
        made(starts),
        start::table(starts).to_markdown(),
    );
    Ok(vec![
        ("standings.md", judged),
        ("pareto.svg", picture(&standings, &results.variants[0].name)),
        ("startup.md", started),
    ])
}

/// The page with everything: large, and not quoted anywhere.
pub fn report(results: &Results) -> String {
    Format::Html.render(results)
}

/// For the terminal.
pub fn tables(results: &Results, starts: &Results) -> [Table; 3] {
    let standings = standing::standings(results);
    [standing::table(&standings), standing::worst(&standings), start::table(starts)]
}

/// By what, when and where.
fn made(results: &Results) -> String {
    format!(" (`{}`, {}, {})", results.command, results.date, results.machine.describe())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::candidates::chosen;
    use super::super::search::{REDUCED, RESULTS, STARTS, committed};
    use super::*;

    const OUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/results/presets");
    const RENEW: &str = "`make presets` measures docs/results/presets/ again, and `cargo run -p xtask -- presets --out \
                         docs/results/presets --read` renews its tables and pictures";

    #[test]
    fn tables_and_pictures_are_those_of_the_results() {
        let out = Path::new(OUT);
        let results = committed(out, RESULTS).expect(RENEW);
        let starts = committed(out, STARTS).expect(RENEW);
        for (name, text) in pages(&results, &starts).expect(RENEW) {
            let written = fs_err::read_to_string(out.join(name)).expect(RENEW);
            assert!(written == text, "{name} is stale: {RENEW}");
        }
        assert!(!start::table(&starts).to_markdown().contains('–'), "a figure is missing: {RENEW}");
    }

    #[test]
    fn the_results_are_of_the_candidates_that_there_are() {
        let results = committed(Path::new(OUT), RESULTS).expect(RENEW);
        let reduced = results.command.contains(REDUCED);
        let all = chosen(reduced, None, None).unwrap();
        let measured: Vec<&str> = results.variants.iter().map(|variant| variant.name.as_str()).collect();
        assert_eq!(measured, all.variants, "{RENEW}");
        for case in &all.cases {
            let suite = results.suites.iter().find(|suite| suite.name == case.suite).expect(RENEW);
            let wanted = |name: &str| case.text.is_none_or(|text| name.contains(text));
            assert!(suite.cases.iter().any(|one| wanted(&one.name)), "{}: {RENEW}", case.name());
        }
    }
}
