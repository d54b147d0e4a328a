//! Layouts and archives: written whole or not at all, read back, and refused when they are damaged.

mod common;

use brawn_elf::Arch;
use brawn_image::registry::Access;
use brawn_image::sink;
use brawn_image::{Base, Error, Settings, Store, check};
use common::{Sandbox, build, corrupt, layout, request, with};

fn archive(sandbox: &Sandbox, name: &str, bundle: &brawn_image::Bundle) -> std::path::PathBuf {
    let path = sandbox.path(name);
    sink::archive(bundle, &path, &"hello:1".parse().unwrap()).unwrap();
    path
}

#[test]
fn what_is_written_is_read_back() {
    let sandbox = Sandbox::new();
    for compress in ["gzip", "zstd", "none"] {
        let settings = Settings { compress: Some(compress.into()), ..with(&["users", "tmp"]) };
        let bundle = sandbox.bundle(&settings);
        for path in [layout(&sandbox, "layout", &bundle), archive(&sandbox, "image.tar", &bundle)] {
            let store = Store::open(&path).unwrap();
            let report = check(&store).unwrap();
            assert_eq!((report.images, report.blobs), (1, 4));
            assert_eq!(report.bytes, bundle.images[0].size());
            assert_eq!(store.index().unwrap().manifests()[0].digest().as_ref(), bundle.digest());
        }
    }
}

#[test]
fn archives_are_the_same_bytes_each_time() {
    let sandbox = Sandbox::new();
    let bundle = sandbox.bundle(&with(&["certificates"]));
    let first = fs_err::read(archive(&sandbox, "a.tar", &bundle)).unwrap();
    let second = fs_err::read(archive(&sandbox, "b.tar", &sandbox.bundle(&with(&["certificates"])))).unwrap();
    assert!(first == second);
}

#[test]
fn a_layout_takes_the_place_of_another_and_of_nothing_else() {
    let sandbox = Sandbox::new();
    let old = sandbox.bundle(&Settings::default());
    let new = sandbox.bundle(&with(&["tmp"]));
    let path = layout(&sandbox, "layout", &old);
    layout(&sandbox, "layout", &new);
    let blobs = fs_err::read_dir(path.join("blobs/sha256")).unwrap().count();
    assert_eq!(blobs, new.blobs().len(), "nothing of the old image is left");
    fs_err::create_dir(sandbox.path("empty")).unwrap();
    layout(&sandbox, "empty", &new);

    fs_err::create_dir(sandbox.path("mine")).unwrap();
    fs_err::write(sandbox.path("mine/thesis"), "years of work").unwrap();
    fs_err::write(sandbox.path("file"), "more of it").unwrap();
    let names = sandbox.names();
    for name in ["mine", "file"] {
        let error = sink::layout(&new, &sandbox.path(name), &"x".parse().unwrap()).unwrap_err();
        assert!(matches!(error, Error::NotALayout { .. }), "{error}");
    }
    let error = sink::rootfs(&new, &sandbox.path("mine")).unwrap_err();
    assert!(matches!(error, Error::NotALayout { .. }));
    assert_eq!(sandbox.names(), names);
    assert_eq!(fs_err::read(sandbox.path("mine/thesis")).unwrap(), b"years of work");
}

#[test]
fn a_place_that_cannot_be_written_is_named_and_nothing_is_left() {
    let sandbox = Sandbox::new();
    let bundle = sandbox.bundle(&Settings::default());
    let names = sandbox.names();
    let missing = sandbox.path("no/such/folder");
    for error in [
        sink::layout(&bundle, &missing.join("layout"), &"x".parse().unwrap()).unwrap_err(),
        sink::archive(&bundle, &missing.join("image.tar"), &"x".parse().unwrap()).unwrap_err(),
        sink::rootfs(&bundle, &missing.join("root")).unwrap_err(),
    ] {
        assert!(error.to_string().starts_with(&format!("cannot write {}", missing.display())), "{error}");
    }
    assert_eq!(sandbox.names(), names);
}

#[test]
fn every_damage_is_found() {
    let sandbox = Sandbox::new();
    let bundle = sandbox.bundle(&with(&["users"]));
    let pristine = layout(&sandbox, "pristine", &bundle);
    let mut files = Vec::new();
    for entry in fs_err::read_dir(pristine.join("blobs/sha256")).unwrap() {
        files.push(format!("blobs/sha256/{}", entry.unwrap().file_name().to_str().unwrap()));
    }
    for file in &files {
        let path = layout(&sandbox, "layout", &bundle).join(file);
        corrupt(&path);
        let error = check(&Store::open(&sandbox.path("layout")).unwrap()).unwrap_err();
        assert!(matches!(error, Error::Digest { .. }), "{file}: {error}");
        fs_err::write(&path, "").unwrap();
        let error = check(&Store::open(&sandbox.path("layout")).unwrap()).unwrap_err();
        assert!(error.to_string().contains("bytes, and is 0"), "{file}: {error}");
        fs_err::remove_file(&path).unwrap();
        let error = check(&Store::open(&sandbox.path("layout")).unwrap()).unwrap_err();
        assert!(error.to_string().contains("there is no blobs/sha256/"), "{file}: {error}");
    }
    for file in ["index.json", "oci-layout"] {
        let path = layout(&sandbox, "layout", &bundle).join(file);
        fs_err::write(&path, "{").unwrap();
        let error = Store::open(&sandbox.path("layout")).and_then(|store| check(&store)).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }) && error.to_string().contains(file), "{error}");
    }
}

/// Any prefix of an archive, and any changed byte in its headers, is an error or the same image: never a panic.
#[test]
fn a_cut_or_changed_archive_is_no_panic() {
    let sandbox = Sandbox::new();
    let path = archive(&sandbox, "image.tar", &sandbox.bundle(&Settings::default()));
    let bytes = fs_err::read(&path).unwrap();
    let read = |bytes: &[u8]| {
        let path = sandbox.path("changed.tar");
        fs_err::write(&path, bytes).unwrap();
        Store::open(&path).and_then(|store| check(&store))
    };
    // What follows the last byte that says something is padding.
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    for length in (0..end).step_by(97) {
        assert!(read(&bytes[..length]).is_err(), "{length} bytes are an image");
    }
    for position in (0..2048).step_by(3) {
        let mut changed = bytes.clone();
        changed[position] ^= 0x41;
        let _ = read(&changed);
    }
}

#[test]
fn a_compressed_archive_is_told_from_a_damaged_one() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("image.tar.gz");
    fs_err::write(&path, [0x1f, 0x8b, 8, 0, 0, 0]).unwrap();
    assert!(Store::open(&path).unwrap_err().to_string().contains("unpack it first"));
}

#[test]
fn an_image_is_built_upon_another() {
    let sandbox = Sandbox::new();
    let below = Settings {
        user: Some("7".into()),
        env: [("A".to_owned(), "1".to_owned()), ("B".to_owned(), "1".to_owned())].into(),
        ports: vec!["80".into()],
        ..with(&["certificates"])
    };
    let [x86_64, aarch64] = Arch::ALL.map(|arch| sandbox.executable(arch, &[]));
    let lower = build(&[x86_64.clone(), aarch64.clone()], &below, None);
    let settings = Settings {
        env: [("B".to_owned(), "2".to_owned())].into(),
        entrypoint: Some(vec!["/hello".into(), "-v".into()]),
        ..with(&["tmp"])
    };
    for path in [layout(&sandbox, "layout", &lower), archive(&sandbox, "image.tar", &lower)] {
        let base = Base::open(path.to_str().unwrap(), &Access::default()).unwrap().unwrap();
        let upper = build(&[x86_64.clone(), aarch64.clone()], &settings, Some(&base));
        let store = layout(&sandbox, "upper", &upper);
        assert_eq!(check(&Store::open(&store).unwrap()).unwrap().images, 2);
        for (image, under) in upper.images.iter().zip(&lower.images) {
            assert_eq!((image.layers.len(), image.base_layers), (4, 2));
            assert_eq!(image.layers[0].digest(), under.layers[0].digest());
            let config: oci_spec::image::ImageConfiguration =
                serde_json::from_slice(&image.config.read().unwrap()).unwrap();
            assert_eq!(config.history().as_ref().unwrap().len(), 4);
            let labels = config.labels_of_config().unwrap();
            assert_eq!(labels["org.opencontainers.image.base.digest"], under.manifest.digest());
            let config = config.config().as_ref().unwrap();
            assert_eq!(config.env().as_ref().unwrap(), &["A=1", "B=2"]);
            assert_eq!(config.user().as_deref(), Some("7"));
            assert_eq!(config.exposed_ports().as_ref().unwrap(), &["80/tcp"]);
        }
        // One image of several may be named by its digest.
        let named = format!("{}@{}", path.display(), lower.digest());
        assert!(Base::open(&named, &Access::default()).unwrap().is_some());
        let wrong = format!("{}@sha256:{}", path.display(), "0".repeat(64));
        assert!(Base::open(&wrong, &Access::default()).unwrap_err().to_string().contains("does not list"));
    }
    assert!(Base::open("scratch", &Access::default()).unwrap().is_none());
}

#[test]
fn a_base_without_the_platform_says_which_it_has() {
    let sandbox = Sandbox::new();
    let path = layout(&sandbox, "layout", &sandbox.bundle(&Settings::default()));
    let base = Base::open(path.to_str().unwrap(), &Access::default()).unwrap().unwrap();
    let executables = [sandbox.executable(Arch::Aarch64, &[])];
    let error = brawn_image::build(&request(&executables, &Settings::default(), Some(&base))).unwrap_err();
    assert!(error.to_string().ends_with("has no image for linux/arm64, only for linux/amd64"), "{error}");
}

#[test]
fn what_is_inside_is_written_beside() {
    let sandbox = Sandbox::new();
    layout(&sandbox, "one", &sandbox.bundle(&Settings::default()));
    let both = build(&Arch::ALL.map(|arch| sandbox.executable(arch, &[])), &Settings::default(), None);
    archive(&sandbox, "two.tar", &both);
    layout(&sandbox, "none", &sandbox.bundle(&Settings { sbom: Some(false), ..Settings::default() }));
    let names: Vec<_> = sandbox.names().into_iter().filter(|name| name.ends_with(".json")).collect();
    assert_eq!(
        names,
        [
            "one.cdx.json",
            "one.spdx.json",
            "two.tar.linux-amd64.cdx.json",
            "two.tar.linux-amd64.spdx.json",
            "two.tar.linux-arm64.cdx.json",
            "two.tar.linux-arm64.spdx.json"
        ]
    );
}

#[test]
fn the_files_of_an_image_in_a_folder() {
    let sandbox = Sandbox::new();
    let bundle = sandbox.bundle(&with(&["certificates", "tmp", "users"]));
    let root = sandbox.path("root");
    sink::rootfs(&bundle, &root).unwrap();
    use std::os::unix::fs::PermissionsExt;
    let mode = |name: &str| fs_err::metadata(root.join(name)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("tmp"), mode("hello"), mode("etc/passwd")), (0o1777, 0o755, 0o644));
    let links = [root.join("etc/ssl/cert.pem"), root.join("etc/ssl/certs/ca-certificates.crt")];
    let [first, second] = links.map(|path| fs_err::read(path).unwrap());
    assert!(first == second);
}
