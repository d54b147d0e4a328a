//! Keeps `docs/reference/schema/check.schema.json` in step with the types of [`Report`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::conform::conform;
use crate::{Access, Content, End, Operation, Report, Run, judge, needs};

#[path = "../../../brawn-elf/tests/common/conform.rs"]
mod conform;

/// Set to anything, this writes the file instead of comparing it.
const RENEW: &str = "BRAWN_RENEW";

/// What [`brawn_elf::Evidence`] is written as. Its own description is there in the tests of its own crate only.
#[derive(schemars::JsonSchema)]
#[allow(dead_code, reason = "only described, never made")]
pub(crate) struct Evidence {
    /// Where it was found: `strings` or `symbols`.
    kind: String,
    /// What was found, for a person to read.
    detail: String,
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/schema/check.schema.json")
}

fn schema() -> Value {
    let mut schema = schemars::schema_for!(Report);
    schema.insert("title".to_owned(), "What `brawn check --json` prints".into());
    let mut schema = schema.to_value();
    // The command says which file it looked at.
    schema["properties"]["path"] =
        json!({ "description": "The executable, as it was named.", "type": "string" });
    schema["required"].as_array_mut().unwrap().push("path".into());
    schema
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os(RENEW).is_some() {
        fs_err::write(path(), &text).unwrap();
    }
    assert!(
        fs_err::read_to_string(path()).unwrap_or_default() == text,
        "docs/reference/schema/check.schema.json is stale; renew it with: {RENEW}=1 cargo test -p brawn-check --lib schema"
    );
}

/// Every field that is written must be described, and every one that the schema requires must be written.
#[test]
fn what_is_written_keeps_to_the_schema() {
    // This test is itself an executable, and a dynamic one: a finding that is an error.
    let needs = needs(&fs_err::read(std::env::current_exe().unwrap()).unwrap()).unwrap();
    let access =
        |target: &str, operation, error| Access { target: target.into(), operation, error, count: 2 };
    for end in [End::Exited { status: 3 }, End::Killed { signal: "SIGILL".into() }, End::StillRunning] {
        let run = Run {
            root: "chroot".into(),
            runtime: true,
            end,
            accesses: vec![
                access("/etc/ssl/cert.pem", Operation::Open, Some(2)),
                access("192.0.2.1:443", Operation::Connect, None),
            ],
        };
        for run in [Some(run), None] {
            let report = judge(&needs, run, &BTreeSet::from([Content::Tmp]));
            assert!(!report.findings.is_empty());
            let mut value = serde_json::to_value(&report).unwrap();
            value["path"] = "program".into();
            conform(&schema(), &value);
            value.as_object_mut().unwrap().remove("path");
            assert_eq!(serde_json::from_value::<Report>(value).unwrap(), report);
        }
    }
}
