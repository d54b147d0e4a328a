//! Types of other crates are described where they are at home.

use schemars::{Schema, SchemaGenerator, json_schema};

pub fn machine(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "results.schema.json#/$defs/Machine" })
}

pub fn sample(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "results.schema.json#/$defs/Sample" })
}
