//! Results of `brawn bench`, which others may have measured.

use std::path::Path;

use brawn_measure::compare::{Basis, Options, compare};
use brawn_measure::export::Format;
use brawn_measure::results::{Results, SCHEMA};
use serde_json::{Value, json};

use crate::rarely;

fn summary(median: f64) -> Value {
    json!({ "count": 3, "median": median, "min": 0.5, "max": 2.5, "low": 0.5, "high": 2.0 })
}

pub fn seeds() -> Vec<Vec<u8>> {
    let cells = json!([
        { "variant": "glibc", "summary": summary(1.5), "ratio": null, "outliers": 0 },
        { "variant": "musl", "summary": summary(1.0), "ratio": summary(0.7), "outliers": 1 },
    ]);
    let row = |name: &str, kind: &str, unit: &str, better: &str, x: Value| {
        json!({
            "name": name, "kind": kind, "unit": unit, "better": better, "series": "s", "x": x, "x_label": "threads",
            "cells": cells, "winner": "musl", "published": [{ "label": "theirs", "value": 2.0, "ratio": 0.5, "source": "a" }],
        })
    };
    let rows = [
        row("time", "time", "s", "lower", json!(1.0)),
        row("peak memory", "memory", "bytes", "lower", json!(null)),
        row("requests", "other", "/s", "higher", json!(4.0)),
    ];
    let sample = json!({ "wall_seconds": 1.5, "peak_bytes": 4096, "metrics": { "a": 2.0 } });
    let run = |variant: &str| json!({ "variant": variant, "argv": ["p", "x"], "samples": [sample, sample] });
    let results = json!({
        "schema": SCHEMA, "brawn": "0.1.0", "command": "brawn bench", "date": "2026-01-02", "seed": 7,
        "settings": {
            "budget_seconds": 1.0, "precision": 0.01, "min_blocks": 3, "max_blocks": 9, "cores": [0], "quota": null
        },
        "machine": {
            "architecture": "x86_64", "processor": "p", "cores": 2, "memory_bytes": 1024, "kernel": "6", "system": "s",
            "huge_pages": "madvise", "load": 0.5, "caches": [{ "name": "L2", "bytes": 4096 }]
        },
        "noise": { "ratio": summary(1.0), "resolution": 0.02 },
        "versions": { "musl": "1.2.5" },
        "variants": [{ "name": "glibc", "title": "glibc 2.36" }, { "name": "musl", "title": "musl 1.2.5" }],
        "suites": [
            {
                "name": "a", "title": "A", "about": "what", "skipped": null, "notes": ["n"],
                "cases": [{
                    "name": "c", "command": "brawn bench a", "runs": [run("glibc"), run("musl")], "rows": rows,
                    "warnings": ["w"]
                }]
            },
            { "name": "b", "title": "B", "about": "", "skipped": { "reason": "r", "hint": "h" }, "notes": [], "cases": [] }
        ],
        "complete": true
    });
    vec![results.to_string().into_bytes()]
}

pub fn read(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(results) = Results::parse(Path::new("results.json"), text) else { return };
    for basis in [Basis::Figures, Basis::Ratios] {
        if let Ok(comparison) = compare(&results, &results, &Options { basis, force: false }) {
            let _ = (comparison.to_text(), comparison.to_json(&[]));
        }
    }
    // Everything that shows them.
    if rarely(data, 16) {
        for format in Format::ALL {
            let _ = format.render(&results);
        }
    }
}
