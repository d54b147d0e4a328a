//! Keeps `docs/schema/inspect.schema.json` in step with the types of [`crate::inspection`].

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Code, Inspection, verdict};

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
    let path = docs().join("schema/inspect.schema.json");
    if std::env::var_os(RENEW).is_some() {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        // In one step: the other test reads it at the same time.
        let staged = path.with_extension("new");
        fs_err::write(&staged, &text).unwrap();
        fs_err::rename(&staged, &path).unwrap();
    }
    assert!(
        fs_err::read_to_string(&path).unwrap() == text,
        "docs/schema/inspect.schema.json is stale; renew it with: {RENEW}=1 cargo test -p brawn-elf --lib schema"
    );
}

/// Every field that is written must be described, and every one that the schema requires must be written.
#[test]
fn what_is_written_keeps_to_the_published_schema() {
    let schema: Value =
        serde_json::from_str(&fs_err::read_to_string(docs().join("schema/inspect.schema.json")).unwrap())
            .unwrap();
    // This test is itself an executable: dynamic, on glibc, with symbols and Rust's marks.
    let own = fs_err::read(std::env::current_exe().unwrap()).unwrap();
    let inspection = crate::inspect(&own).unwrap();
    let value = serde_json::to_value(&inspection).unwrap();
    assert!(value["allocators"].as_array().is_some_and(|heaps| !heaps.is_empty()), "{value:#}");
    conform(&schema, &schema, &value, "$");
    assert_eq!(serde_json::from_value::<Inspection>(value).unwrap(), inspection);
}

/// Checks what `schemars` makes use of for these types: references, `anyOf`, `oneOf`, `type`, `properties`,
/// `required`, `items`, `const`, `enum`.
fn conform(root: &Value, schema: &Value, value: &Value, at: &str) {
    if let Err(reason) = check(root, schema, value) {
        panic!("{at}: {reason}\nschema: {schema:#}\nvalue: {value:#}");
    }
}

fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).ok_or("a dangling reference")?;
        return check(root, target, value);
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = schema.get(choice).and_then(Value::as_array)
            && !choices.iter().any(|choice| check(root, choice, value).is_ok())
        {
            return Err(format!("{value} fits no choice"));
        }
    }
    if schema.get("const").is_some_and(|constant| constant != value) {
        return Err(format!("{value} is another constant"));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        return Err(format!("{value} is not in the list"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    match schema.get("type") {
        Some(Value::String(name)) if name != kind => return Err(format!("{value} is no {name}")),
        Some(Value::Array(names)) if !names.iter().any(|name| name == kind) => {
            return Err(format!("{value} is none of {names:?}"));
        }
        _ => {}
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (index, item) in values.iter().enumerate() {
            check(root, items, item).map_err(|reason| format!("[{index}]: {reason}"))?;
        }
    }
    if let Some(fields) = value.as_object() {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if !fields.contains_key(name.as_str().unwrap_or_default()) {
                return Err(format!("{name} is missing"));
            }
        }
        if let Some(properties) = schema.get("properties") {
            for (name, field) in fields {
                let property = properties.get(name).ok_or_else(|| format!("`{name}` is not described"))?;
                check(root, property, field).map_err(|reason| format!("{name}: {reason}"))?;
            }
        }
    }
    Ok(())
}

#[test]
fn every_code_is_in_the_docs() {
    let text = fs_err::read_to_string(docs().join("inspect.md")).unwrap();
    let (inspect, verify) = text.split_once("## What `brawn verify` checks").expect("the section on verify");
    for code in Code::ALL {
        assert!(
            verify.contains(&format!("| `{code}` |")),
            "docs/inspect.md does not list the problem `{code}`"
        );
    }
    for code in verdict::CODES {
        assert!(
            inspect.contains(&format!("| `{code}` |")),
            "docs/inspect.md does not list the finding `{code}`"
        );
    }
}
