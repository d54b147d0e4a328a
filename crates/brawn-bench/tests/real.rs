//! A service of real crates is built, linked for each variant, scraped and measured, at a tiny scale.

mod common;

use std::time::Duration;

use brawn_bench::{Context, Figure, Flavour, Options};

#[test]
fn the_exporter_is_scraped_and_every_answer_is_counted() {
    let workshop = common::workshop();
    let flavours = Flavour::list(["glibc", "stock", "balanced"]).unwrap();
    let options = Options { threads: vec![2], case: Some("exporter".into()), ..Options::default() };
    let context = Context { workshop: &workshop, flavours: &flavours, options: &options };
    let (suites, _) = brawn_bench::suites(&["footprint".to_owned()]).unwrap();
    let prepared = suites[0].prepare(&context).unwrap();
    let Some(mut case) = prepared.cases.into_iter().find(|case| case.name == "exporter, threads=2") else {
        // Without a crate registry the suite goes on without it, and says so.
        let notes = prepared.notes.join("\n");
        assert!(notes.contains("the exporter is left out: "), "{notes}");
        assert!(std::env::var_os("CI").is_none(), "{notes}");
        eprintln!("skipped: {notes}");
        return;
    };
    assert_eq!(case.variants.len(), 3);
    for variant in &mut case.variants {
        let service = variant.service.as_mut().expect("it is a server");
        service.idle = Some(Duration::from_millis(20));
        // The last argument is how long it is scraped.
        *service.client.args.last_mut().unwrap() = "0.2".into();
    }
    case.session.blocks = 2;
    case.session.min_blocks = 1;
    case.session.warmup_blocks = 0;
    case.session.budget = None;
    case.session.precision = None;
    let outcome = case.session.run(&case.variants).unwrap();
    for measured in &outcome.measured {
        assert_eq!(measured.samples.len(), 2);
        for sample in &measured.samples {
            for name in ["requests_per_second", "idle_bytes"] {
                let value = Figure::metric(name).of(sample);
                assert!(value.is_some_and(|value| value > 0.0), "{}: {name}", measured.variant.name);
            }
        }
    }
    let rows: Vec<String> =
        brawn_measure::figure::rows(&outcome, &case.rows).into_iter().map(|row| row.name).collect();
    assert_eq!(rows, ["requests", "peak memory", "idle memory"]);
}
