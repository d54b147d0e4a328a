use serde::Serialize;

use super::component::{Component, Inventory, Kind};
use crate::json;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bom {
    bom_format: &'static str,
    spec_version: &'static str,
    serial_number: String,
    version: u32,
    metadata: Metadata,
    components: Vec<Entry>,
    dependencies: Vec<Dependency>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    timestamp: String,
    tools: Tools,
    component: Entry,
    properties: Vec<Property>,
}

#[derive(Serialize)]
struct Tools {
    components: Vec<Entry>,
}

#[derive(Serialize)]
struct Property {
    name: &'static str,
    value: String,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "kebab-case")]
struct Entry {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bom_ref: Option<String>,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<License>,
    #[serde(skip_serializing_if = "Option::is_none")]
    purl: Option<String>,
}

#[derive(Serialize)]
struct Hash {
    alg: &'static str,
    content: String,
}

#[derive(Serialize)]
struct License {
    expression: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dependency {
    #[serde(rename = "ref")]
    of: String,
    depends_on: Vec<String>,
}

/// The inventory as a CycloneDX 1.5 document.
pub(super) fn document(inventory: &Inventory) -> Vec<u8> {
    let entry = |(index, component): (usize, &Component)| Entry {
        kind: match component.kind {
            Kind::Application => "application",
            Kind::Library => "library",
            Kind::Data => "data",
        },
        bom_ref: Some(reference(index)),
        name: component.name.clone(),
        version: component.version.clone(),
        hashes: Vec::new(),
        licenses: Inventory::expression(component)
            .map(|expression| License { expression })
            .into_iter()
            .collect(),
        purl: component.purl.clone(),
    };
    let mut program = entry((0, &inventory.components[0]));
    program.hashes = vec![Hash { alg: "SHA-256", content: inventory.sha256.clone() }];
    let brawn = Entry {
        kind: "application",
        name: "brawn".to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        ..Entry::default()
    };
    let dependencies = inventory.components.iter().enumerate().map(|(index, component)| Dependency {
        of: reference(index),
        depends_on: component.depends.iter().map(|other| reference(*other)).collect(),
    });
    json::canonical(&Bom {
        bom_format: "CycloneDX",
        spec_version: "1.5",
        serial_number: serial(&inventory.sha256),
        version: 1,
        metadata: Metadata {
            timestamp: inventory.epoch.rfc3339(),
            tools: Tools { components: vec![brawn] },
            component: program,
            properties: vec![Property { name: "brawn:crates", value: inventory.source.to_owned() }],
        },
        components: inventory.components.iter().enumerate().skip(1).map(entry).collect(),
        dependencies: dependencies.collect(),
    })
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
