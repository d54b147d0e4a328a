//! Whether a document is what a JSON schema describes.

use serde_json::Value;

/// Checks what `schemars` makes use of for these types: references, `anyOf`, `oneOf`, `type`, `properties`,
/// `required`, `items`, `const`, `enum`.
///
/// # Panics
/// Where `value` is not what `schema` describes.
pub fn conform(schema: &Value, value: &Value) {
    if let Err(reason) = check(schema, schema, value) {
        panic!("{reason}\nschema: {schema:#}\nvalue: {value:#}");
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
