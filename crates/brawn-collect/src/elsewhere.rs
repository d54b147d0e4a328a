//! How schemas name types of other crates: by where these are published.

use schemars::{Schema, SchemaGenerator, json_schema};

pub fn machine(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "results.schema.json#/$defs/Machine" })
}

pub fn sample(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "results.schema.json#/$defs/Sample" })
}

pub fn summary_itself(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "results.schema.json#/$defs/Summary" })
}

pub fn summary(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "$ref": "results.schema.json#/$defs/Summary" }, { "type": "null" }] })
}
