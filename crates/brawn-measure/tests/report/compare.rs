use brawn_base::Diagnostic as _;
use brawn_measure::Summary;
use brawn_measure::compare::{Basis, CompareError, Gate, Interval, Options, Verdict, compare};
use brawn_measure::results::{Better, Kind, Noise, Results, Row};

use crate::fixture;

fn gate(text: &str) -> Gate {
    text.parse().unwrap()
}

/// The same results with the figures of one variant times a factor, where the row fits.
fn scaled(variant: &str, factor: f64, fits: impl Fn(&str, &Row) -> bool) -> Results {
    let mut results = fixture::results();
    for suite in &mut results.suites {
        for row in suite.cases.iter_mut().flat_map(|case| &mut case.rows) {
            if fits(&suite.name, row) {
                for cell in row.cells.iter_mut().filter(|cell| cell.variant == variant) {
                    cell.summary = times(cell.summary, factor);
                    cell.ratio = cell.ratio.map(|ratio| times(ratio, factor));
                }
            }
        }
    }
    results
}

fn times(summary: Summary, factor: f64) -> Summary {
    Summary {
        count: summary.count,
        median: summary.median * factor,
        min: summary.min * factor,
        max: summary.max * factor,
        low: summary.low * factor,
        high: summary.high * factor,
    }
}

#[test]
fn the_same_results_are_the_same() {
    let comparison = compare(&fixture::results(), &fixture::results(), &Options::default()).unwrap();
    assert!(comparison.changes.iter().all(|change| change.verdict == Verdict::Same));
    assert!(comparison.warnings.is_empty() && comparison.gone.is_empty() && comparison.added.is_empty());
    assert_eq!(comparison.check(&[gate("all>0%")]).unwrap(), []);
    assert!(comparison.to_text().starts_with("0 worse, 0 better, "), "{}", comparison.to_text());
}

#[test]
fn a_gate_closes_on_what_it_names_and_on_nothing_else() {
    let slower = scaled("balanced", 1.2, |suite, row| suite == "strings" && row.name.starts_with("memcpy"));
    let comparison = compare(&fixture::results(), &slower, &Options::default()).unwrap();
    let failed = |text: &str| comparison.check(&[gate(text)]).unwrap().len();
    let memcpy = slower.rows().filter(|(_, _, row)| row.name.starts_with("memcpy")).count();
    for text in
        ["time>3%", "all>3%", "strings/memcpy*>2%", "strings>2%", "strings/memcpy/*>2%", "time@bal*>3%"]
    {
        assert_eq!(failed(text), memcpy, "{text}");
    }
    for text in ["memory>1%", "time>25%", "strings/strlen*>0%", "time@fast>3%", "time@glibc>0%"] {
        assert_eq!(failed(text), 0, "{text}");
    }
    assert_eq!(failed("strings/memcpy/memcpy 36>2%"), 1);
    let failure = &comparison.check(&[gate("strings/memcpy/memcpy 36>2%")]).unwrap()[0];
    assert!(
        failure.to_string().starts_with("strings/memcpy/memcpy 36 @balanced grew worse by 20.0 %, more than"),
        "{failure}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&comparison.to_json(std::slice::from_ref(failure))).unwrap();
    assert_eq!(json["failures"][0]["change"]["verdict"], "worse");
    assert_eq!(json["changes"].as_array().unwrap().len(), comparison.changes.len());
    assert!(comparison.to_text().contains("+20.0 %"), "{}", comparison.to_text());
}

#[test]
fn a_rate_that_falls_is_worse_and_one_that_rises_is_better() {
    let verdicts = |factor: f64| {
        let new = scaled("fast", factor, |_, row| row.better == Better::Higher && row.kind == Kind::Time);
        let comparison = compare(&fixture::results(), &new, &Options::default()).unwrap();
        let failures = comparison.check(&[gate("time>5%")]).unwrap().len();
        let changed: Vec<_> = comparison
            .changes
            .iter()
            .filter(|change| change.verdict != Verdict::Same)
            .map(|change| change.verdict)
            .collect();
        assert!(changed.len() > 5 && changed.iter().all(|verdict| *verdict == changed[0]));
        (changed[0], failures)
    };
    assert_eq!(verdicts(1.3), (Verdict::Better, 0));
    let (verdict, failures) = verdicts(0.8);
    assert!(verdict == Verdict::Worse && failures > 5);
}

#[test]
fn what_the_machine_cannot_resolve_is_no_change() {
    let slower = scaled("fast", 1.1, |_, row| row.kind == Kind::Memory);
    let mut old = fixture::results();
    let worse = |old: &Results| {
        let comparison = compare(old, &slower, &Options::default()).unwrap();
        comparison.changes.iter().filter(|change| change.verdict == Verdict::Worse).count()
    };
    assert!(worse(&old) > 0);
    old.noise = Some(Noise { resolution: 0.15, ..old.noise.unwrap() });
    assert_eq!(worse(&old), 0);
}

#[test]
fn the_interval_of_a_change_covers_the_true_ratio() {
    // Two sets of samples whose true medians are 1 and 1.1, many times.
    let mut random = fastrand::Rng::with_seed(11);
    let mut summary = |center: f64| {
        let samples: Vec<f64> = (0..20)
            .map(|_| center * (1.0 + 0.1 * ((0..6).map(|_| random.f64()).sum::<f64>() - 3.0)))
            .collect();
        Summary::of(&samples).unwrap()
    };
    let covered = (0..100)
        .filter(|_| {
            let interval = Interval::of(&summary(1.0), &summary(1.1)).unwrap();
            interval.low <= 1.1 && 1.1 <= interval.high
        })
        .count();
    assert!((88..=100).contains(&covered), "covered {covered} of 100");
}

#[test]
fn a_count_that_was_0_has_no_ratio_and_still_a_verdict() {
    let zero = Summary::of(&[0.0, 0.0, 0.0]).unwrap();
    let with = |summary: Summary| {
        let mut results = fixture::results();
        results.suites[3].cases[0].rows[2].cells[2].summary = summary;
        results
    };
    let options = Options::default();
    let comparison = compare(&with(zero), &with(Summary::of(&[3.0, 3.0, 3.0]).unwrap()), &options).unwrap();
    let failures = comparison.check(&[gate("malloc/page faults>5%")]).unwrap();
    assert_eq!(failures.len(), 1);
    assert!(failures[0].change.worsening().is_infinite() && failures[0].change.change.is_none());
    assert_eq!(compare(&with(zero), &with(zero), &options).unwrap().check(&[gate("other>0%")]).unwrap(), []);
}

#[test]
fn a_gate_that_looks_at_nothing_is_an_error() {
    let comparison = compare(&fixture::results(), &fixture::results(), &Options::default()).unwrap();
    let error = comparison.check(&[gate("string/memcpy*>2%")]).unwrap_err();
    assert_eq!(error.to_string(), "no figure in common fits `string/memcpy*>2%`");
    assert!(error.hint().unwrap().contains("threads/threads=1/operations @glibc"), "{:?}", error.hint());
}

#[test]
fn other_machines_are_refused_but_their_ratios_are_not() {
    let old = fixture::results();
    let mut new = fixture::results();
    new.machine.processor = "Other 1".into();
    let refusal = compare(&old, &new, &Options::default()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the results come from different machines: processor was `Example 9000 8-Core Processor` and is `Other 1`"
    );
    assert!(refusal.hint().unwrap().contains("--ratios"));
    let forced = compare(&old, &new, &Options { force: true, ..Options::default() }).unwrap();
    assert_eq!(forced.warnings, [refusal.to_string()]);
    let ratios = Options { basis: Basis::Ratios, force: false };
    let comparison = compare(&old, &new, &ratios).unwrap();
    assert!(comparison.changes.iter().all(|change| change.variant != "glibc" && change.unit.is_empty()));

    new.machine.architecture = "aarch64".into();
    assert!(matches!(
        compare(&old, &new, &ratios),
        Err(CompareError::OtherMachine { what: "architecture", .. })
    ));
}

#[test]
fn what_may_explain_a_change_is_a_warning() {
    let old = fixture::results();
    let mut new = scaled("glibc", 1.2, |_, row| row.better == Better::Lower);
    new.machine.kernel = "6.6.0".into();
    new.versions.insert("rustc".into(), "1.96.0".into());
    new.complete = false;
    new.suites[0].cases.remove(0);
    new.suites[1].cases[0].rows[0].name = "memcpy 37".into();
    let comparison = compare(&old, &new, &Options::default()).unwrap();
    let said = comparison.warnings.join("\n");
    for start in [
        "kernel was `6.1.0` and is `6.6.0`\n",
        "rustc was 1.95.0 and is 1.96.0\n",
        "the new run was interrupted",
        "the baseline itself took +",
    ] {
        assert!(said.contains(start), "{start}\n{said}");
    }
    let text = comparison.to_text();
    for line in [
        "strings/memcpy/memcpy 36 @glibc and 11 more\n",
        "only in the new results: strings/memcpy/memcpy 37 @glibc",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!((comparison.gone.len(), comparison.added.len()), (3 * 5, 5));
}

#[test]
fn results_without_a_common_figure_are_refused() {
    let old = fixture::results();
    let mut new = fixture::results();
    new.suites.retain(|suite| suite.name == "nginx");
    let refusal = compare(&old, &new, &Options::default()).unwrap_err();
    assert!(refusal.to_string().contains("no figure in common: threads, strings, "), "{refusal}");
}
