use serde::Serialize;

use super::component::{Inventory, Kind};
use crate::json;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    spdx_version: &'static str,
    data_license: &'static str,
    #[serde(rename = "SPDXID")]
    id: &'static str,
    name: String,
    document_namespace: String,
    creation_info: CreationInfo,
    packages: Vec<Package>,
    relationships: Vec<Relationship>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CreationInfo {
    created: String,
    creators: Vec<String>,
    comment: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Package {
    #[serde(rename = "SPDXID")]
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version_info: Option<String>,
    download_location: &'static str,
    files_analyzed: bool,
    license_concluded: &'static str,
    license_declared: String,
    copyright_text: &'static str,
    primary_package_purpose: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checksums: Vec<Checksum>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    external_refs: Vec<ExternalRef>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checksum {
    algorithm: &'static str,
    checksum_value: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExternalRef {
    reference_category: &'static str,
    reference_type: &'static str,
    reference_locator: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Relationship {
    spdx_element_id: String,
    relationship_type: &'static str,
    related_spdx_element: String,
}

const UNKNOWN: &str = "NOASSERTION";

/// The inventory as an SPDX 2.3 document.
pub(super) fn document(inventory: &Inventory) -> Vec<u8> {
    let program = &inventory.components[0];
    let id = |index: usize| format!("SPDXRef-Package-{index}");
    let packages = inventory.components.iter().enumerate().map(|(index, component)| Package {
        id: id(index),
        name: component.name.clone(),
        version_info: component.version.clone(),
        download_location: UNKNOWN,
        files_analyzed: false,
        license_concluded: UNKNOWN,
        license_declared: Inventory::expression(component).unwrap_or_else(|| UNKNOWN.to_owned()),
        copyright_text: UNKNOWN,
        primary_package_purpose: match component.kind {
            Kind::Application => "APPLICATION",
            Kind::Library => "LIBRARY",
            Kind::Data => "FILE",
        },
        checksums: match index {
            0 => vec![Checksum { algorithm: "SHA256", checksum_value: inventory.sha256.clone() }],
            _ => Vec::new(),
        },
        external_refs: component
            .purl
            .iter()
            .map(|purl| ExternalRef {
                reference_category: "PACKAGE-MANAGER",
                reference_type: "purl",
                reference_locator: purl.clone(),
            })
            .collect(),
    });
    let mut relationships = vec![Relationship {
        spdx_element_id: "SPDXRef-DOCUMENT".to_owned(),
        relationship_type: "DESCRIBES",
        related_spdx_element: id(0),
    }];
    for (index, component) in inventory.components.iter().enumerate() {
        relationships.extend(component.depends.iter().map(|other| Relationship {
            spdx_element_id: id(index),
            relationship_type: "DEPENDS_ON",
            related_spdx_element: id(*other),
        }));
    }
    json::canonical(&Document {
        spdx_version: "SPDX-2.3",
        data_license: "CC0-1.0",
        id: "SPDXRef-DOCUMENT",
        name: program.name.clone(),
        // Unique as the standard wants it, and the same for the same executable.
        document_namespace: format!("urn:brawn:spdx:{}:{}", program.name, inventory.sha256),
        creation_info: CreationInfo {
            created: inventory.epoch.rfc3339(),
            creators: vec![format!("Tool: brawn-{}", env!("CARGO_PKG_VERSION"))],
            comment: format!("The crates are known from {}.", inventory.source),
        },
        packages: packages.collect(),
        relationships,
    })
}
