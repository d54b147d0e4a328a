//! Images as they are made: reproducible, small, and as they were asked for.

mod common;

use std::collections::BTreeMap;

use brawn_base::Diagnostic as _;
use brawn_elf::Arch;
use brawn_image::{Epoch, Error, Executable, Request, Settings, Store, check};
use common::{Sandbox, build, layout, program, request, with};
use oci_spec::image::ImageConfiguration;

fn config(image: &brawn_image::Image) -> ImageConfiguration {
    serde_json::from_slice(&image.config.read().unwrap()).unwrap()
}

/// Everything at once, so that a change anywhere shows.
fn full(compress: &str) -> Settings {
    let all = ["certificates", "zones", "users", "tmp", "nsswitch", "resolv"];
    Settings {
        compress: Some(compress.to_owned()),
        args: Some(vec!["--serve".into()]),
        env: BTreeMap::from([("B".into(), "2".into()), ("A".into(), "1".into())]),
        ports: vec!["8080".into(), "53/udp".into()],
        volumes: vec!["/data".into(), "/cache".into()],
        labels: BTreeMap::from([
            ("z".into(), "1".into()),
            ("a".into(), "2".into()),
            ("m".into(), "3".into()),
        ]),
        annotations: BTreeMap::from([("y".into(), "1".into()), ("b".into(), "2".into())]),
        stop_signal: Some("SIGINT".into()),
        ..with(&all)
    }
}

/// The same input gives the same digest on any machine. When one of these changes, every user's image changes: a newer
/// compressor, other certificates or zones, another layout. That is a line in the changelog.
#[test]
fn digests_are_golden() {
    let sandbox = Sandbox::new();
    let minimal = Settings { compress: Some("none".into()), ..Settings::default() };
    let settings = [full("gzip"), full("zstd"), full("none"), minimal];
    let digests = settings.map(|settings| sandbox.bundle(&settings).digest().to_owned());
    assert_eq!(
        digests,
        [
            "sha256:046eeaabf02341a4120d8c08a845200517eb111e326d5ccc83fb51084bf4e1a0",
            "sha256:2b60478a161d96d6fec535b7e587b89ec4686376f7ef774c82b6745f7c761c64",
            "sha256:356e8722fdfb9c1370bf3b3f5272102628f026ac75849d193085bf6c59700683",
            "sha256:9211e544433c21bb3a88c816ce6258fec7950028c052cb1542fd1cf537875211"
        ]
    );
}

#[test]
fn the_order_of_the_arguments_is_no_matter() {
    let sandbox = Sandbox::new();
    let [x86_64, aarch64] = Arch::ALL.map(|arch| sandbox.executable(arch, &[]));
    let settings = Settings::default();
    let one = build(&[x86_64.clone(), aarch64.clone()], &settings, None);
    let other = build(&[aarch64, x86_64], &settings, None);
    assert_eq!(one.digest(), other.digest());
    assert_eq!(
        one.images.iter().map(|image| image.platform.to_string()).collect::<Vec<_>>(),
        ["linux/amd64", "linux/arm64"]
    );
    let report = check(&Store::open(&layout(&sandbox, "layout", &one)).unwrap()).unwrap();
    assert_eq!(report.images, 2);
}

#[test]
fn the_time_shown_is_the_one_given_and_layers_do_not_depend_on_it() {
    let sandbox = Sandbox::new();
    let executables = [sandbox.executable(Arch::X86_64, &[])];
    let settings = with(&["tmp"]);
    let at = |seconds| {
        let request = Request { epoch: Epoch { seconds }, ..request(&executables, &settings, None) };
        brawn_image::build(&request).unwrap().images.remove(0)
    };
    let (then, now) = (at(0), at(1_700_000_000));
    assert_eq!(config(&now).created().as_deref(), Some("2023-11-14T22:13:20Z"));
    assert_ne!(then.manifest.digest(), now.manifest.digest());
    for (then, now) in then.layers.iter().zip(&now.layers) {
        assert_eq!(then.digest(), now.digest());
    }
}

#[test]
fn an_image_is_little_more_than_its_program() {
    let sandbox = Sandbox::new();
    let size = program(Arch::X86_64, &[]).len() as u64;
    for compress in ["gzip", "zstd", "none"] {
        let settings = Settings { compress: Some(compress.into()), ..Settings::default() };
        let plain = sandbox.bundle(&settings).images[0].size();
        assert!(plain <= size + 4096, "{compress}: {plain} bytes around a program of {size}");
        let settings = Settings {
            compress: Some(compress.into()),
            ..with(&["certificates", "users", "tmp", "nsswitch"])
        };
        let with_certificates = sandbox.bundle(&settings).images[0].size();
        assert!(
            with_certificates <= size + 300_000,
            "{compress}: {with_certificates} bytes around a program of {size}"
        );
    }
    let all = sandbox.bundle(&with(&["certificates", "zones", "users", "tmp", "nsswitch", "resolv"])).images
        [0]
    .size();
    assert!(all <= size + 300_000, "{all} bytes around a program of {size}");
}

#[test]
fn parts_follow_from_what_the_program_shows() {
    let sandbox = Sandbox::new();
    let texts = ["/etc/ssl/certs/ca-certificates.crt", "/usr/share/zoneinfo/"];
    let executable = sandbox.executable(Arch::X86_64, &texts);
    let count =
        |settings: &Settings| build(std::slice::from_ref(&executable), settings, None).images[0].layers.len();
    let labels = |settings: &Settings| {
        let bundle = build(std::slice::from_ref(&executable), settings, None);
        config(&bundle.images[0]).labels_of_config().unwrap().clone()
    };
    assert_eq!(count(&Settings::default()), 2);
    assert!(labels(&Settings::default())["brawn.certificates"].starts_with("Mozilla, 20"));
    let without = |names: &[&str]| Settings {
        without: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Settings::default()
    };
    assert!(!labels(&without(&["certificates"])).contains_key("brawn.certificates"));
    assert_eq!(count(&without(&["certificates", "zones"])), 1);
    assert_eq!(count(&without(&["all"])), 1);
    assert_eq!(count(&Settings { with: vec!["tmp".into()], ..without(&["all"]) }), 2);
    assert_eq!(sandbox.bundle(&Settings::default()).images[0].layers.len(), 1);
}

#[test]
fn the_stable_layer_comes_first_and_is_shared() {
    let sandbox = Sandbox::new();
    let [x86_64, aarch64] = Arch::ALL.map(|arch| sandbox.executable(arch, &[]));
    let bundle = build(&[x86_64, aarch64], &with(&["certificates", "zones"]), None);
    let [first, second] = bundle.images.as_slice() else { panic!() };
    assert_eq!(first.layers.len(), 2);
    assert_eq!(first.layers[0].digest(), second.layers[0].digest());
    assert_ne!(first.layers[1].digest(), second.layers[1].digest());
    // Two layers of programs, one of certificates, two configurations, two manifests, one index.
    assert_eq!(bundle.blobs().len(), 8);
}

#[test]
fn the_configuration_is_what_was_asked_for() {
    let sandbox = Sandbox::new();
    let config = config(&sandbox.bundle(&full("gzip")).images[0]);
    assert_eq!(config.architecture().to_string(), "amd64");
    assert_eq!(config.history().as_ref().unwrap().len(), config.rootfs().diff_ids().len());
    let config = config.config().as_ref().unwrap();
    assert_eq!(config.entrypoint().as_ref().unwrap(), &["/hello"]);
    assert_eq!(config.cmd().as_ref().unwrap(), &["--serve"]);
    assert_eq!(config.env().as_ref().unwrap(), &["A=1", "B=2"]);
    assert_eq!(config.user().as_deref(), Some("65532:65532"));
    assert_eq!(config.working_dir().as_deref(), Some("/"));
    assert_eq!(config.stop_signal().as_deref(), Some("SIGINT"));
    let mut ports = config.exposed_ports().clone().unwrap();
    ports.sort();
    assert_eq!(ports, ["53/udp", "8080/tcp"]);
    let labels = config.labels().as_ref().unwrap();
    assert_eq!(labels["a"], "2");
    assert_eq!(labels["org.opencontainers.image.title"], "hello");
}

#[test]
fn what_cannot_run_is_refused() {
    let sandbox = Sandbox::new();
    let refused = |bytes: &[u8], name: Option<&str>| {
        let path = sandbox.path("file");
        fs_err::write(&path, bytes).unwrap();
        Executable::read(&path, name).unwrap_err()
    };
    let error = refused(b"#!/bin/sh\n", None);
    assert!(matches!(error, Error::NotAnExecutable { .. }), "{error}");
    assert!(error.hint().unwrap().contains("scripts"), "{error}");
    let mut other = program(Arch::X86_64, &[]);
    other[18..20].copy_from_slice(&243u16.to_le_bytes());
    assert!(
        refused(&other, None).to_string().ends_with("is for riscv64, which is no platform that brawn knows")
    );
    for name in ["", "..", "a/b"] {
        assert!(matches!(refused(&program(Arch::X86_64, &[]), Some(name)), Error::Setting { .. }), "{name}");
    }
    use std::os::unix::ffi::OsStrExt;
    let path = sandbox.path("x").with_file_name(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs_err::write(&path, program(Arch::X86_64, &[])).unwrap();
    let error = Executable::read(&path, None).unwrap_err();
    assert!(error.to_string().ends_with("is not UTF-8, and names in an image are"), "{error}");
    assert_eq!(Executable::read(&path, Some("cafe")).unwrap().name, "cafe");
    let twice = [sandbox.executable(Arch::X86_64, &[]), sandbox.executable(Arch::X86_64, &["other"])];
    let error = brawn_image::build(&request(&twice, &Settings::default(), None)).unwrap_err();
    assert!(matches!(error, Error::SamePlatform { .. }), "{error}");
}
