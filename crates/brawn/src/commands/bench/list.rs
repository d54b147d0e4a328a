//! `brawn bench --list`

use brawn_base::Diagnostic as _;
use brawn_bench::{Error, Workshop, registry};
use serde_json::json;

use crate::output::{self, Line, STRONG};

/// Every suite, and whether what it needs is here.
pub fn print(workshop: &Workshop, json: bool) {
    if json {
        let list: Vec<_> = registry::SUITES
            .iter()
            .map(|suite| {
                let missing = suite
                    .check(workshop)
                    .err()
                    .map(|error| json!({ "reason": error.to_string(), "hint": error.hint() }));
                json!({
                    "name": suite.name,
                    "title": suite.title,
                    "about": suite.about,
                    "quick": suite.quick,
                    "needs": suite.needs,
                    "missing": missing,
                })
            })
            .collect();
        output::json(&list).expect("a list is plain data");
        return;
    }
    for suite in registry::SUITES.iter() {
        let quick = if suite.quick { ", part of quick" } else { "" };
        let state = match suite.check(workshop) {
            Ok(()) => "ready".to_owned(),
            Err(error @ Error::Absent { .. }) => {
                format!("{error}\n             {}", error.hint().unwrap_or_default())
            }
            Err(error) => error.to_string(),
        };
        let name = format!("{:10}", suite.name);
        Line::new().styled(STRONG, name).plain(format_args!("   {}{quick}", suite.title)).print();
        if !suite.needs.is_empty() {
            outln!("             needs {}", suite.needs);
        }
        outln!("             {state}");
    }
}
