//! The answer for people, in money, and for a workload.

mod common;

use std::path::Path;

use brawn_base::{Code, Diagnostic};
use brawn_collect::plan::PlanCandidate;
use brawn_collect::prices::Prices;
use brawn_collect::report::{Form, render};
use brawn_collect::{Answer, Error, Kept, page, patch};
use common::{block, plan};

fn kept() -> Kept {
    let mut plan = plan(&[("small", 8), ("large", 9)]);
    plan.candidates[0].knobs = [("MALLOC_ARENA".to_owned(), "1".to_owned())].into();
    plan.candidates[1].knobs = [("BRAWN_ARENAS".to_owned(), "2".to_owned())].into();
    plan.candidates.push(PlanCandidate { name: "greedy".into(), ..PlanCandidate::default() });
    plan.pools[0].replicas = Some(10);
    plan.pools[0].cores = Some(2.0);
    plan.pools[0].memory = Some(4 << 30);
    plan.pools[1].replicas = Some(30);
    let mut kept = Kept::new(plan);
    for (pool, count, cores, ratio) in [("small", 8, 4, 0.9), ("large", 8, 64, 1.0)] {
        let blocks = (0..count).map(|index| {
            let noise = 1.0 + 0.001 * f64::from(index % 4);
            let mut block = block(pool, index, &[("now", 1.0), ("other", ratio * noise), ("greedy", 1.0)]);
            block.machine.cores = cores;
            block.machine.processor = format!("processor of {pool}");
            if pool == "small" {
                block.runs[2].outcome =
                    brawn_collect::block::Outcome::OverMemory { limit: 1 << 28, peak: None };
            }
            block
        });
        kept.add(blocks.collect(), vec![]);
    }
    kept
}

const PRICES: &str = r#"
currency = "EUR"
[pools.small]
gib_hour = 0.01
core_hour = 0.05
[pools.large]
node_hour = 1.0
nodes = 3
filled_by = "cores"
"#;

#[test]
fn a_report_says_everything_in_words_and_tables() {
    let kept = kept();
    let answer = Answer::of(&kept);
    let path = Path::new("prices.toml");
    let yearly = Prices::parse(path, PRICES).unwrap().yearly(path, &kept.plan, &answer).unwrap();
    // 10 replicas, 8,766 hours: 4 GiB at 0.01 and 2 cores at 0.05; a tenth less time of the second.
    assert!((yearly.pools[1].now - 12_272.4).abs() < 0.1, "{yearly:?}");
    let pick = yearly.pools[1].pick.unwrap();
    assert!((pick.amount - (3_506.4 + 8_766.0 * 0.9015)).abs() < 30.0 && pick.low < pick.amount, "{pick:?}");
    assert!((yearly.pools[0].now - 26_298.0).abs() < 0.1 && yearly.pools[0].pick.is_none());
    let text = render(&answer, Some(&yearly), Form::Text);
    for part in [
        "program: ",
        "16 of 17 blocks were measured; 0 were lost.",
        "With 95 % all 6 intervals hold together.",
        "take other",
        "over its memory",
        "large: 1 of 9 blocks are missing: 8",
        "small: `greedy` wanted more than the limit of 256 MiB in 8 of 8 blocks",
        "Cost a year, in EUR",
        "64 cores",
        "greedy",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let markdown = render(&answer, None, Form::Markdown);
    assert!(markdown.starts_with("## program: ") && markdown.contains("| pool | answer |"), "{markdown}");
    assert!(!markdown.contains("Cost a year"));
    let html = page::html(&kept, &answer, "brawn fleet report fleet.json");
    assert!(html.contains("<title>brawn fleet, 2026-11-25</title>"));
    assert!(html.contains("memory by cores") && html.contains("processor of large; processor of small"));
}

#[test]
fn wrong_prices_are_told() {
    let kept = kept();
    let answer = Answer::of(&kept);
    let path = Path::new("prices.toml");
    let refused = |text: &str| match Prices::parse(path, text) {
        Ok(prices) => prices.yearly(path, &kept.plan, &answer).unwrap_err(),
        Err(error) => error,
    };
    let message = |text: &str| refused(text).to_string();
    assert_eq!(refused("currency = 3").code(), Code::Input);
    assert!(message(&PRICES.replace("small", "smal")).contains("has no pool `smal`; it has: small, large"));
    assert!(message(&PRICES.replace("1.0", "-1.0")).contains("`large` has a price below 0"));
    let without = message(
        &PRICES.replace("node_hour = 1.0\nnodes = 3\nfilled_by = \"cores\"", "gib_hour = 1\ncore_hour = 1"),
    );
    assert!(without.contains("the plan does not say how many cores a replica has on `large`"), "{without}");
    assert!(message(&PRICES.replace("core_hour", "cor_hour")).contains("prices.toml is no price list"));
}

#[test]
fn a_patch_has_image_command_and_knobs() {
    let kept = kept();
    let answer = Answer::of(&kept);
    let patch = |pool| patch::patch(&kept.plan, &answer, pool, "app");
    let container = &patch(Some("small")).unwrap()["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["name"], "app");
    assert_eq!(container["image"].as_str(), kept.plan.image.as_deref());
    assert_eq!(container["command"][0], "/bin/other");
    let env = container["env"].to_string();
    assert_eq!(env, r#"[{"name":"BRAWN_ARENAS","value":"2"},{"$patch":"delete","name":"MALLOC_ARENA"}]"#);
    assert!(matches!(patch(Some("medium")), Err(Error::NoPool { .. })));
    assert_eq!(patch(None).unwrap(), patch(Some("small")).unwrap(), "it is the one for all");
    let nothing = patch(Some("large")).unwrap_err();
    assert_eq!(
        (nothing.code(), nothing.to_string()),
        (Code::NoAnswer, "nothing is to be changed on large: `now`, which is used now, stays".to_owned())
    );
    let mut without = kept.clone();
    without.plan.image = None;
    assert!(matches!(patch::patch(&without.plan, &answer, Some("small"), "app"), Err(Error::NoImage)));
    without.blocks.clear();
    let none = Answer::of(&without);
    assert!(matches!(patch::patch(&without.plan, &none, Some("small"), "app"), Err(Error::NoPick { .. })));
}
