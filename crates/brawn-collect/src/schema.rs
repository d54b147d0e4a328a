//! Keeps the published schemas in step with the types.

use std::path::Path;

use crate::kept::Kept;
use crate::plan::SCHEMA;
use crate::report::Document;

/// Set to anything, this writes the file instead of comparing it.
const RENEW: &str = "BRAWN_RENEW";

fn published<T: schemars::JsonSchema>(file: &str, title: &str) {
    let mut schema = schemars::schema_for!(T);
    schema.insert("title".to_owned(), format!("{title}, form {SCHEMA}").into());
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/schema").join(file);
    if std::env::var_os(RENEW).is_some() {
        brawn_measure::write_whole(&path, &text).unwrap();
    }
    assert!(
        fs_err::read_to_string(&path).is_ok_and(|published| published == text),
        "docs/reference/schema/{file} is stale; renew it with: {RENEW}=1 cargo test -p brawn-collect --lib schema"
    );
}

#[test]
fn the_published_schemas_are_those_of_the_types() {
    published::<Kept>("fleet.schema.json", "Measurements of a fleet");
    published::<Document>("fleet-report.schema.json", "What a fleet answers (`brawn fleet report --json`)");
}
