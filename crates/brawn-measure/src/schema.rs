//! Keeps `docs/reference/schema/results.schema.json` in step with the types of [`crate::results`].

use std::path::Path;

use crate::results::{Results, SCHEMA};

/// Set to anything, this writes the file instead of comparing it.
const RENEW: &str = "BRAWN_RENEW";

#[test]
fn the_published_schema_is_that_of_the_types() {
    let mut schema = schemars::schema_for!(Results);
    schema.insert("title".to_owned(), format!("Results of `brawn bench`, form {SCHEMA}").into());
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/schema/results.schema.json");
    if std::env::var_os(RENEW).is_some() {
        crate::write_whole(&path, &text).unwrap();
    }
    assert!(
        fs_err::read_to_string(&path).is_ok_and(|published| published == text),
        "docs/reference/schema/results.schema.json is stale; renew it with: {RENEW}=1 cargo test -p brawn-measure --lib schema"
    );
}
