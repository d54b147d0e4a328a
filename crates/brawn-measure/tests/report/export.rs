use brawn_measure::export::Format;
use serde_json::Value;

use crate::fixture;

#[test]
fn csv_has_a_line_for_each_figure_and_the_same_number_of_fields_in_each() {
    let results = fixture::results();
    let csv = Format::Csv.render(&results);
    let records: Vec<Vec<String>> = csv.lines().map(fields).collect();
    let cells: usize = results.rows().map(|(_, _, row)| row.cells.len()).sum();
    assert_eq!(records.len(), cells + 1);
    assert!(records.iter().all(|record| record.len() == records[0].len()));
    let column = |name: &str| records[0].iter().position(|title| title == name).unwrap();

    let (suite, case, row) = results.rows().find(|(_, case, _)| case.name.contains('"')).unwrap();
    let last = row.cells.last().unwrap();
    let record = records
        .iter()
        .find(|record| {
            record[column("case")] == case.name
                && record[column("row")] == row.name
                && record[column("variant")] == fixture::ODD
        })
        .unwrap();
    assert_eq!(record[column("suite")], suite.name);
    assert_eq!(record[column("median")].parse::<f64>().unwrap(), last.summary.median);
    assert_eq!(record[column("ratio_high")].parse::<f64>().unwrap(), last.ratio.unwrap().high);
    let baseline = &records[1];
    assert_eq!((baseline[column("variant")].as_str(), baseline[column("ratio")].as_str()), ("glibc", ""));
}

/// One line of RFC 4180.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted, mut characters) = (vec![String::new()], false, line.chars().peekable());
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                fields.last_mut().unwrap().push('"');
                characters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.last_mut().unwrap().push(other),
        }
    }
    fields
}

#[test]
fn bencher_metric_format_keeps_to_its_documented_form() {
    let results = fixture::results();
    let text = Format::Bencher.render(&results);
    let Value::Object(benchmarks) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
    let cases: usize = results.suites.iter().map(|suite| suite.cases.len()).sum();
    assert_eq!(benchmarks.len(), cases * results.variants.len());
    let mut metrics = 0;
    for (name, measures) in &benchmarks {
        assert!(name.chars().count() <= 1024);
        for (measure, metric) in measures.as_object().unwrap() {
            assert!(measure.chars().count() <= 64, "{measure}");
            let end = |key: &str| metric[key].as_f64().unwrap();
            assert!(
                end("lower_value") <= end("value") && end("value") <= end("upper_value"),
                "{name} {measure}"
            );
            assert_eq!(metric.as_object().unwrap().len(), 3);
            metrics += 1;
        }
    }
    assert_eq!(metrics, results.rows().map(|(_, _, row)| row.cells.len()).sum::<usize>());
    assert!(benchmarks["startup/empty program @fast"]["peak memory (bytes)"].is_object(), "{text}");
}

#[test]
fn markdown_has_a_table_for_each_suite_that_can_be_quoted() {
    let results = fixture::results();
    let text = Format::Markdown.render(&results);
    for suite in &results.suites {
        assert!(text.contains(&format!("\n## {}\n", suite.title)), "{}", suite.title);
    }
    assert!(text.contains("Skipped: there is no wrk on this machine. apt-get install wrk"), "{text}");
    assert!(text.contains("| published |") && text.contains("Tweag, stock musl: 20.7x"), "{text}");
    let (_, _, row) = results.rows().find(|(_, _, row)| row.winner.is_some()).unwrap();
    let winner = row.cells.iter().find(|cell| Some(&cell.variant) == row.winner.as_ref()).unwrap();
    let figure = brawn_measure::format::figure(winner.summary.median, &row.unit);
    assert!(text.contains(&format!("| **{figure}")), "the winner {figure} is bold:\n{text}");

    // Every line of a table has as many cells as its header.
    let mut width = None;
    for line in text.lines() {
        let cells = line.starts_with('|').then(|| line.replace("\\|", "").matches('|').count());
        if let (Some(expected), Some(found)) = (width, cells) {
            assert_eq!(found, expected, "{line}");
        }
        width = cells;
    }

    // A document that quotes the first table quotes the means of all suites.
    let first = text.lines().find(|line| line.starts_with('|')).unwrap();
    assert!(first.starts_with("| suite | figure | glibc | stock |"), "{first}");
}

#[test]
fn a_terminal_gets_a_table_for_each_suite_with_a_star_at_each_winner() {
    let results = fixture::results();
    let text = Format::Text.render(&results);
    let winners = results.rows().filter(|(_, _, row)| row.winner.is_some()).count();
    assert!(winners > 0);
    assert_eq!(text.matches('*').count(), winners, "{text}");
    assert!(text.contains("skipped: there is no wrk on this machine\nhint: apt-get install wrk\n"));
    assert!(text.contains("warning: threads=1: 2 of 12 samples"), "{text}");
}

#[test]
fn geometric_means_turn_rates_round_and_leave_out_partial_rows() {
    let mut results = fixture::results();
    let time = |results: &brawn_measure::results::Results, suite: &str| {
        results
            .geometric_means()
            .into_iter()
            .find(|mean| mean.suite == suite && mean.kind == brawn_measure::results::Kind::Time)
    };
    let mean = time(&results, "footprint").unwrap();
    // Requests a second, where stock musl makes fewer: its cost is above 1.
    assert!((mean.ratios["stock"] / 4.6_f64.powf(0.7) - 1.0).abs() < 0.03, "{mean:?}");
    assert_eq!((mean.ratios["glibc"], mean.rows), (1.0, 4));
    assert_eq!(time(&results, "nginx"), None);

    let footprint = results.suites.iter_mut().find(|suite| suite.name == "footprint").unwrap();
    footprint.cases[0].rows[0].cells.pop();
    assert_eq!(time(&results, "footprint").unwrap().rows, 3);
}

#[test]
fn names_of_forms_lead_back_to_them() {
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
        assert!(format.render(&fixture::results()).ends_with('\n'));
    }
    assert_eq!(Format::from_name("yaml"), None);
}
