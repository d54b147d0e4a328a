use std::collections::BTreeSet;

use super::component::{Component, Crates, Inventory, Kind};
use crate::blob::sha256;
use crate::contents::{self, Part};
use crate::{Epoch, Error, Executable, Package};

/// The source of crates where there is none.
pub(super) const NO_CRATES: &str = "nothing but the executable";

/// Everything that is known to be in an image.
pub(super) fn inventory(
    executable: &Executable,
    package: Option<&Package>,
    parts: &BTreeSet<Part>,
    epoch: Epoch,
) -> Result<Inventory, Error> {
    let audited = audited(&executable.bytes);
    let crates = match (audited, package) {
        (Some(crates), _) => crates,
        (None, Some(package)) => package.crates(executable.platform.arch.musl_triple())?,
        (None, None) => Crates {
            components: vec![Component { purl: None, ..Component::library(&executable.name, None) }],
            source: NO_CRATES,
        },
    };
    let mut components = crates.components;
    components[0].kind = Kind::Application;
    for extra in linked(executable).into_iter().chain(data(parts)) {
        components.push(extra);
        let last = components.len() - 1;
        components[0].depends.push(last);
    }
    let digest = sha256(&executable.bytes);
    let sha256 = digest.trim_start_matches("sha256:").to_owned();
    Ok(Inventory { components, sha256, epoch, source: crates.source })
}

/// The crates that `cargo auditable` recorded.
fn audited(executable: &[u8]) -> Option<Crates> {
    let info = brawn_elf::recorded_crates(executable)?;
    let root = info.packages.iter().position(|package| package.root)?;
    let runtime = |index: &usize| info.packages[*index].kind == auditable_serde::DependencyKind::Runtime;
    // The root comes first, and what is only needed to build is left out.
    let mut order: Vec<usize> =
        (0..info.packages.len()).filter(|index| *index != root && runtime(index)).collect();
    order.insert(0, root);
    let place = |old: &usize| order.iter().position(|index| index == old);
    let components = order.iter().map(|index| {
        let package = &info.packages[*index];
        let public = package.source == auditable_serde::Source::CratesIo;
        let depends = package.dependencies.iter().filter_map(place).collect();
        Component { depends, ..Component::of_crate(&package.name, &package.version.to_string(), public) }
    });
    Some(Crates { components: components.collect(), source: "cargo auditable" })
}

/// What the linker put in besides crates.
fn linked(executable: &Executable) -> Vec<Component> {
    let inspection = executable.inspection();
    let mut components = Vec::new();
    let mut add = |name: &str, version: Option<&str>, license: Option<&str>| {
        components
            .push(Component { license: license.map(str::to_owned), ..Component::library(name, version) });
    };
    if let Some(rust) = &inspection.rust {
        add("rust-std", rust.version.as_deref(), Some("MIT OR Apache-2.0"));
    }
    if let Some(note) = &inspection.note {
        let (name, version) = note.libc.split_once(' ').unwrap_or((&note.libc, ""));
        add(name, Some(version).filter(|version| !version.is_empty()), license(name));
        if note.malloc != "stock" {
            add(&note.malloc, note.malloc_version.as_deref(), license(&note.malloc));
        }
        add("brawn-kit", Some(&note.kit), Some("MIT OR Apache-2.0"));
        return components;
    }
    use brawn_elf::inspection::LibcName;
    let libc = inspection.libc.name;
    if !matches!(libc, LibcName::None | LibcName::Unknown) {
        let name = libc.name();
        add(name, inspection.libc.version.as_deref(), license(name));
    }
    // musl's own heap is part of musl, and glibc's of glibc.
    let own = ["mallocng", "oldmalloc", "bump", "musl", "ptmalloc", "go", "unknown"];
    for heap in inspection.allocators.iter().filter(|heap| !own.contains(&heap.name.as_str())) {
        add(&heap.name, heap.version.as_deref(), license(&heap.name));
    }
    components
}

fn data(parts: &BTreeSet<Part>) -> Vec<Component> {
    let mut components = Vec::new();
    if parts.contains(&Part::Certificates) {
        components.push(Component {
            kind: Kind::Data,
            license: Some("CDLA-Permissive-2.0".to_owned()),
            purl: Some(format!("pkg:cargo/webpki-root-certs@{}", contents::CERTIFICATES_VERSION)),
            ..Component::library("mozilla-ca-certificates", Some(contents::CERTIFICATES_DATE))
        });
    }
    if parts.contains(&Part::Zones) {
        components.push(Component {
            kind: Kind::Data,
            ..Component::library("tzdata", Some(contents::zones_version()))
        });
    }
    components
}

fn license(name: &str) -> Option<&'static str> {
    if let Some(own) = brawn_kit::allocator(name) {
        return Some(own.license);
    }
    Some(match name {
        "musl" => "MIT",
        "glibc" => "LGPL-2.1-or-later",
        "tcmalloc" => "Apache-2.0",
        "scudo" => "Apache-2.0 WITH LLVM-exception",
        _ => return None,
    })
}
