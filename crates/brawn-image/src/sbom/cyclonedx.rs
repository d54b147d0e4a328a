use serde_json::{Value, json};

use super::component::{Component, Inventory, Kind};
use crate::json;

/// The inventory as a CycloneDX 1.5 document.
pub(super) fn document(inventory: &Inventory) -> Vec<u8> {
    let mut program = entry(0, &inventory.components[0]);
    program["hashes"] = json!([{ "alg": "SHA-256", "content": inventory.sha256 }]);
    let components = || inventory.components.iter().enumerate();
    let dependencies: Vec<Value> = components()
        .map(|(index, component)| {
            let on: Vec<String> = component.depends.iter().map(|other| reference(*other)).collect();
            json!({ "ref": reference(index), "dependsOn": on })
        })
        .collect();
    json::canonical(&json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": serial(&inventory.sha256),
        "version": 1,
        "metadata": {
            "timestamp": inventory.epoch.rfc3339(),
            "tools": {
                "components": [{ "type": "application", "name": "brawn", "version": env!("CARGO_PKG_VERSION") }],
            },
            "component": program,
            "properties": [{ "name": "brawn:crates", "value": inventory.source }],
        },
        "components": components().skip(1).map(|(index, of)| entry(index, of)).collect::<Vec<_>>(),
        "dependencies": dependencies,
    }))
}

fn entry(index: usize, component: &Component) -> Value {
    let kind = match component.kind {
        Kind::Application => "application",
        Kind::Library => "library",
        Kind::Data => "data",
    };
    let mut entry = json!({ "type": kind, "bom-ref": reference(index), "name": component.name });
    if let Some(version) = &component.version {
        entry["version"] = json!(version);
    }
    if let Some(expression) = Inventory::expression(component) {
        entry["licenses"] = json!([{ "expression": expression }]);
    }
    if let Some(purl) = &component.purl {
        entry["purl"] = json!(purl);
    }
    entry
}

fn reference(index: usize) -> String {
    format!("component-{index}")
}

/// A UUID of version 8 (RFC 9562: free use) from the executable's digest.
fn serial(sha256: &str) -> String {
    let variant = match u8::from_str_radix(&sha256[16..17], 16).unwrap_or(0) & 3 {
        0 => '8',
        1 => '9',
        2 => 'a',
        _ => 'b',
    };
    format!(
        "urn:uuid:{}-{}-8{}-{variant}{}-{}",
        &sha256[..8],
        &sha256[8..12],
        &sha256[13..16],
        &sha256[17..20],
        &sha256[20..32]
    )
}
