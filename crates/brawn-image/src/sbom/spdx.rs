use serde_json::{Value, json};

use super::component::{Component, Inventory, Kind};
use crate::json;

const UNKNOWN: &str = "NOASSERTION";

/// The inventory as an SPDX 2.3 document.
pub(super) fn document(inventory: &Inventory) -> Vec<u8> {
    let program = &inventory.components[0];
    let components = || inventory.components.iter().enumerate();
    let mut packages: Vec<Value> = components().map(|(index, component)| package(index, component)).collect();
    packages[0]["checksums"] = json!([{ "algorithm": "SHA256", "checksumValue": inventory.sha256 }]);
    let mut relationships = vec![relationship("SPDXRef-DOCUMENT", "DESCRIBES", &id(0))];
    for (index, component) in components() {
        let on = |other: &usize| relationship(&id(index), "DEPENDS_ON", &id(*other));
        relationships.extend(component.depends.iter().map(on));
    }
    json::canonical(&json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": program.name,
        // Unique as the standard wants it, and the same for the same executable.
        "documentNamespace": format!("urn:brawn:spdx:{}:{}", program.name, inventory.sha256),
        "creationInfo": {
            "created": inventory.epoch.rfc3339(),
            "creators": [format!("Tool: brawn-{}", env!("CARGO_PKG_VERSION"))],
            "comment": format!("The crates are known from {}.", inventory.source),
        },
        "packages": packages,
        "relationships": relationships,
    }))
}

fn package(index: usize, component: &Component) -> Value {
    let purpose = match component.kind {
        Kind::Application => "APPLICATION",
        Kind::Library => "LIBRARY",
        Kind::Data => "FILE",
    };
    let mut package = json!({
        "SPDXID": id(index),
        "name": component.name,
        "downloadLocation": UNKNOWN,
        "filesAnalyzed": false,
        "licenseConcluded": UNKNOWN,
        "licenseDeclared": Inventory::expression(component).unwrap_or_else(|| UNKNOWN.to_owned()),
        "copyrightText": UNKNOWN,
        "primaryPackagePurpose": purpose,
    });
    if let Some(version) = &component.version {
        package["versionInfo"] = json!(version);
    }
    if let Some(purl) = &component.purl {
        package["externalRefs"] = json!([
            { "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl },
        ]);
    }
    package
}

fn id(index: usize) -> String {
    format!("SPDXRef-Package-{index}")
}

fn relationship(element: &str, kind: &str, related: &str) -> Value {
    json!({ "spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": related })
}
