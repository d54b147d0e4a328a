//! Types of other crates are described where they are at home.

use std::path::Path;

use schemars::{Schema, SchemaGenerator, json_schema};

use crate::kept::{Kept, SCHEMA};

/// Set to anything, this writes the file instead of comparing it.
const RENEW: &str = "BRAWN_RENEW";

pub fn machine(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "results.schema.json#/$defs/Machine" })
}

pub fn sample(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "results.schema.json#/$defs/Sample" })
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let mut schema = schemars::schema_for!(Kept);
    schema.insert("title".to_owned(), format!("Measurements of a fleet, form {SCHEMA}").into());
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/schema/fleet.schema.json");
    if std::env::var_os(RENEW).is_some() {
        brawn_measure::write_whole(&path, &text).unwrap();
    }
    assert!(
        fs_err::read_to_string(&path).is_ok_and(|published| published == text),
        "docs/reference/schema/fleet.schema.json is stale; renew it with: {RENEW}=1 cargo test -p brawn-collect --lib schema"
    );
}
