//! What is inside an image, read by others' readers of the two standards.

mod common;

use brawn_elf::Arch;
use brawn_image::{Bundle, Epoch, Package, Request, Settings};
use common::{Sandbox, build, with};
use cyclonedx_bom::prelude::{Bom, SpecVersion, Validate};

/// Reads both documents with other people's types, and gives names and versions by each.
fn read(bundle: &Bundle) -> [Vec<String>; 2] {
    let sbom = bundle.images[0].sbom.as_ref().unwrap();
    let bom = Bom::parse_from_json_v1_5(&*sbom.cyclonedx).unwrap();
    let problems = bom.validate_version(SpecVersion::V1_5);
    assert!(problems.passed(), "{problems:?}");
    let components = bom.components.iter().flat_map(|components| &components.0);
    let program = bom.metadata.iter().flat_map(|metadata| &metadata.component);
    let shown = |name: &str, version: Option<String>| {
        format!("{name} {}", version.unwrap_or_default()).trim_end().to_owned()
    };
    let cyclonedx = components.chain(program).map(|component| {
        shown(component.name.as_ref(), component.version.as_ref().map(|version| version.to_string()))
    });
    let document: spdx_rs::models::SPDX = serde_json::from_slice(&sbom.spdx).unwrap();
    let packages = &document.package_information;
    let spdx = packages.iter().map(|package| shown(&package.package_name, package.package_version.clone()));
    let known = |id: &str| {
        id == "SPDXRef-DOCUMENT" || packages.iter().any(|package| package.package_spdx_identifier == id)
    };
    for relationship in &document.relationships {
        assert!(known(&relationship.spdx_element_id) && known(&relationship.related_spdx_element));
    }
    let mut both = [cyclonedx.collect::<Vec<_>>(), spdx.collect()];
    both.iter_mut().for_each(|names| names.sort());
    both
}

#[test]
fn data_files_are_components() {
    let sandbox = Sandbox::new();
    let [cyclonedx, spdx] = read(&sandbox.bundle(&with(&["certificates", "zones"])));
    assert_eq!(cyclonedx, spdx);
    let names: Vec<&str> = spdx.iter().map(|name| name.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["hello", "mozilla-ca-certificates", "tzdata"]);
}

#[test]
fn the_certificates_are_those_of_the_crate_that_is_locked() {
    let lock = include_str!("../../../Cargo.lock");
    let version = brawn_image::contents::CERTIFICATES_VERSION;
    // With another version its date in `contents/certificates.rs` has to change as well.
    assert!(lock.contains(&format!("name = \"webpki-root-certs\"\nversion = \"{version}\"")));
}

#[test]
fn crates_come_from_cargo_and_only_those_that_are_linked() {
    let sandbox = Sandbox::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../brawn-elf");
    let package =
        Package::find(std::path::Path::new(folder), Some("brawn-elf"), vec!["--locked".into()]).unwrap();
    let executables = [sandbox.executable(Arch::X86_64, &[])];
    let settings = Settings::default();
    let request = Request {
        executables: &executables,
        settings: &settings,
        base: None,
        beside: &[],
        package: Some(&package),
        epoch: Epoch::default(),
    };
    let bundle = brawn_image::build(&request).unwrap();
    let [cyclonedx, spdx] = read(&bundle);
    assert_eq!(cyclonedx, spdx);
    let has = |name: &str| spdx.iter().any(|component| component.starts_with(&format!("{name} ")));
    assert!(has("brawn-elf") && has("object") && has("memchr"), "{spdx:?}");
    // A proc macro, and what is there for tests.
    assert!(!has("thiserror-impl") && !has("proptest") && !has("schemars"), "{spdx:?}");
    let manifest = bundle.images[0].read_manifest();
    let annotations = manifest.annotations().as_ref().unwrap();
    assert_eq!(annotations["org.opencontainers.image.title"], "brawn-elf");
    assert_eq!(annotations["org.opencontainers.image.licenses"], "MIT OR Apache-2.0");
}

/// `cargo auditable` writes a list of crates into a section; here it is written by hand.
#[test]
fn what_cargo_auditable_recorded_wins() {
    use std::io::Write;
    let list = br#"{"packages":[
        {"name":"app","version":"1.2.3","source":"local","dependencies":[1,2],"root":true},
        {"name":"cc","version":"1.0.0","source":"crates.io","kind":"build"},
        {"name":"memchr","version":"2.7.4+x","source":"crates.io"}]}"#;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(list).unwrap();
    let audit = encoder.finish().unwrap();
    let sandbox = Sandbox::new();
    let program = common::program(Arch::X86_64, &[]);
    let path = sandbox.path("audited");
    let mut names = read_audited(&path, &with_section(&program, ".dep-v0", &audit));
    assert_eq!(names.remove(0), "app 1.2.3");
    assert_eq!(names, ["memchr 2.7.4+x"]);
    // A damaged list is none.
    let names = read_audited(&path, &with_section(&program, ".dep-v0", &audit[..10]));
    assert_eq!(names, ["hello"]);
}

fn read_audited(path: &std::path::Path, bytes: &[u8]) -> Vec<String> {
    fs_err::write(path, bytes).unwrap();
    let executable = brawn_image::Executable::read(path, Some("hello")).unwrap();
    let [cyclonedx, spdx] = read(&build(&[executable], &Settings::default(), None));
    assert_eq!(cyclonedx, spdx);
    spdx
}

/// Adds a section to a program that has none.
fn with_section(program: &[u8], name: &str, data: &[u8]) -> Vec<u8> {
    let mut file = program.to_vec();
    let names = format!("\0{name}\0.shstrtab\0");
    let data_at = file.len() as u64;
    file.extend_from_slice(data);
    let names_at = file.len() as u64;
    file.extend_from_slice(names.as_bytes());
    file.resize(file.len().next_multiple_of(8), 0);
    let table_at = file.len() as u64;
    let mut section = |name: u32, kind: u32, at: u64, size: u64| {
        file.extend_from_slice(&name.to_le_bytes());
        file.extend_from_slice(&kind.to_le_bytes());
        for word in [0, 0, at, size] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        file.extend_from_slice(&[0; 8]);
        for word in [u64::from(kind != 0), 0] {
            file.extend_from_slice(&word.to_le_bytes());
        }
    };
    section(0, 0, 0, 0);
    section(1, 1, data_at, data.len() as u64);
    section(2 + name.len() as u32, 3, names_at, names.len() as u64);
    file[40..48].copy_from_slice(&table_at.to_le_bytes());
    for (at, half) in [(58, 64u16), (60, 3), (62, 2)] {
        file[at..at + 2].copy_from_slice(&half.to_le_bytes());
    }
    file
}
