//! Keeps `docs/reference/schema/inspect.schema.json` in step with the types of [`crate::inspection`].

use std::path::{Path, PathBuf};

use serde_json::Value;

use self::conform::conform;
use crate::{Code, Inspection};

#[path = "conform.rs"]
mod conform;

/// Set to anything, this writes the file instead of comparing it.
const RENEW: &str = "BRAWN_RENEW";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let mut schema = schemars::schema_for!(Inspection);
    schema.insert("title".to_owned(), "What `brawn inspect --json` prints for one file".into());
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = docs().join("reference/schema/inspect.schema.json");
    if std::env::var_os(RENEW).is_some() {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        // In one step: the other test reads it at the same time.
        let staged = path.with_extension("new");
        fs_err::write(&staged, &text).unwrap();
        fs_err::rename(&staged, &path).unwrap();
    }
    assert!(
        fs_err::read_to_string(&path).unwrap() == text,
        "docs/reference/schema/inspect.schema.json is stale; renew it with: {RENEW}=1 cargo test -p brawn-elf --lib schema"
    );
}

/// Every field that is written must be described, and every one that the schema requires must be written.
#[test]
fn what_is_written_keeps_to_the_published_schema() {
    let schema: Value = serde_json::from_str(
        &fs_err::read_to_string(docs().join("reference/schema/inspect.schema.json")).unwrap(),
    )
    .unwrap();
    // This test is itself an executable: dynamic, on glibc, with symbols and Rust's marks.
    let own = fs_err::read(std::env::current_exe().unwrap()).unwrap();
    let inspection = crate::inspect(&own).unwrap();
    let value = serde_json::to_value(&inspection).unwrap();
    assert!(value["allocators"].as_array().is_some_and(|heaps| !heaps.is_empty()), "{value:#}");
    conform(&schema, &value);
    assert_eq!(serde_json::from_value::<Inspection>(value).unwrap(), inspection);
}

/// The codes of all findings, those about damage (`inspect.rs`) included; `docs/reference/inspect.md` explains them.
const CODES: &[&str] = &[
    "cut-off",
    "sections-damaged",
    "note-damaged",
    "notes-disagree",
    "crates-damaged",
    "slow-heap",
    "fat-heap",
    "second-heap",
    "heaps-unclear",
    "slow-strings",
    "small-thread-stack",
    "new-processor",
    "executable-stack",
    "writable-code",
    "relro-not-applied",
    "dynamic-executable",
];

#[test]
fn every_code_is_in_the_docs() {
    let text = fs_err::read_to_string(docs().join("reference/inspect.md")).unwrap();
    let (inspect, verify) = text.split_once("## What `brawn verify` checks").expect("the section on verify");
    for code in Code::ALL {
        assert!(
            verify.contains(&format!("| `{code}` |")),
            "docs/reference/inspect.md does not list the problem `{code}`"
        );
    }
    for code in CODES {
        assert!(
            inspect.contains(&format!("| `{code}` |")),
            "docs/reference/inspect.md does not list the finding `{code}`"
        );
    }
}
