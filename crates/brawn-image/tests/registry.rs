//! Pushing to a registry and building upon what it holds, when all is well and when it is not.

mod common;
#[path = "common/stub.rs"]
mod stub;

use brawn_base::Diagnostic as _;
use brawn_elf::Arch;
use brawn_image::registry::{Access, Repository};
use brawn_image::sink;
use brawn_image::{Base, Bundle, Error, Settings};
use common::{Sandbox, build, with};
use stub::{Faults, State, Stub};

fn push(stub: &Stub, name: &str, bundle: &Bundle, mount_from: &[&str]) -> Result<String, Error> {
    let mount_from: Vec<String> = mount_from.iter().map(|name| (*name).to_owned()).collect();
    sink::push(bundle, &stub.repository(name), &stub.reference(name), &mount_from)
}

fn no_sbom() -> Settings {
    Settings { sbom: Some(false), ..Settings::default() }
}

#[test]
fn an_image_is_pushed_blobs_first_and_the_tag_last() {
    let sandbox = Sandbox::new();
    let stub = Stub::start(State::default());
    let bundle = build(&Arch::ALL.map(|arch| sandbox.executable(arch, &[])), &with(&["tmp"]), None);
    let line = push(&stub, "a/hello:1", &bundle, &[]).unwrap();
    assert_eq!(line, format!("{}/a/hello@{}", stub.address, bundle.digest()));
    let state = stub.state.lock().unwrap();
    let (media_type, bytes) = &state.manifests[&("a/hello".to_owned(), "1".to_owned())];
    assert_eq!(media_type, "application/vnd.oci.image.index.v1+json");
    assert_eq!(stub::sha256(bytes), bundle.digest());
}

#[test]
fn what_is_there_is_not_sent_again() {
    let sandbox = Sandbox::new();
    let stub = Stub::start(State::default());
    let bundle = sandbox.bundle(&with(&["tmp"]));
    push(&stub, "a", &bundle, &[]).unwrap();
    let uploads = stub.count("PUT /v2/a/blobs");
    assert!(uploads >= 3);
    push(&stub, "a", &bundle, &[]).unwrap();
    assert_eq!(stub.count("PUT /v2/a/blobs"), uploads, "every blob was there");
    // And for another repository it is enough to say where it is.
    push(&stub, "b", &bundle, &["elsewhere", "a"]).unwrap();
    let empty_and_documents = 3;
    assert!(stub.count("PUT /v2/b/blobs") <= empty_and_documents, "{}", stub.count("PUT /v2/b/blobs"));
}

#[test]
fn a_registry_that_cuts_the_connection_is_tried_again() {
    let sandbox = Sandbox::new();
    let faults = Faults { cut_uploads: 2, busy: 1, ..Faults::default() };
    let stub = Stub::start(State { faults, ..State::default() });
    push(&stub, "a", &sandbox.bundle(&no_sbom()), &[]).unwrap();

    let faults = Faults { cut_uploads: 100, ..Faults::default() };
    let stub = Stub::start(State { faults, ..State::default() });
    let error = push(&stub, "a", &sandbox.bundle(&no_sbom()), &[]).unwrap_err();
    let shown = error.to_string();
    assert!(matches!(error, Error::Transport { .. }), "{error}");
    assert!(
        shown
            .starts_with(&format!("{} does not answer as it should: PUT /v2/a/blobs/uploads/", stub.address)),
        "{shown}"
    );
    assert!(!shown.contains("state=x"), "queries may hold secrets: {shown}");
    assert!(stub.state.lock().unwrap().manifests.is_empty(), "no tag of half an image");
}

#[test]
fn a_registry_that_stays_busy_is_given_up() {
    let sandbox = Sandbox::new();
    let faults = Faults { busy: 100, ..Faults::default() };
    let stub = Stub::start(State { faults, ..State::default() });
    let error = push(&stub, "a", &sandbox.bundle(&no_sbom()), &[]).unwrap_err();
    assert!(matches!(error, Error::Refused { status: 503, .. }), "{error}");
    assert_eq!(stub.count(""), 4);
}

#[test]
fn a_registry_that_understood_something_else_is_found_out() {
    let sandbox = Sandbox::new();
    let faults = Faults { other_digest: true, ..Faults::default() };
    let stub = Stub::start(State { faults, ..State::default() });
    let bundle = sandbox.bundle(&no_sbom());
    let error = push(&stub, "a", &bundle, &[]).unwrap_err();
    assert!(matches!(&error, Error::Digest { expected, .. } if expected == bundle.digest()), "{error}");
}

#[test]
fn what_is_inside_is_attached() {
    let sandbox = Sandbox::new();
    for referrers in [true, false] {
        let stub = Stub::start(State { referrers, ..State::default() });
        let bundle = sandbox.bundle(&Settings::default());
        push(&stub, "a", &bundle, &[]).unwrap();
        push(&stub, "a", &bundle, &[]).unwrap();
        let state = stub.state.lock().unwrap();
        let read = |bytes: &[u8]| -> serde_json::Value { serde_json::from_slice(bytes).unwrap() };
        let mut types: Vec<String> = state
            .manifests
            .iter()
            .filter(|((_, reference), _)| reference.starts_with("sha256:"))
            .map(|(_, (_, bytes))| read(bytes))
            .filter(|value| value["subject"]["digest"] == bundle.digest())
            .map(|value| value["artifactType"].as_str().unwrap().to_owned())
            .collect();
        types.sort();
        assert_eq!(types, ["application/spdx+json", "application/vnd.cyclonedx+json"]);
        // A registry that does not know about subjects gets an index under a tag.
        let tag = ("a".to_owned(), bundle.digest().replace(':', "-"));
        let listed =
            state.manifests.get(&tag).map(|(_, bytes)| read(bytes)["manifests"].as_array().unwrap().len());
        assert_eq!(listed, (!referrers).then_some(2));
    }
}

#[test]
fn a_base_is_pulled_by_digest_and_mounted() {
    let sandbox = Sandbox::new();
    let stub = Stub::start(State::default());
    let lower = build(&Arch::ALL.map(|arch| sandbox.executable(arch, &[])), &with(&["certificates"]), None);
    push(&stub, "base", &lower, &[]).unwrap();
    let access = &Access::insecure();
    let name = format!("{}/base", stub.address);
    let error = Base::open(&name, access).unwrap_err();
    assert!(
        error.hint().unwrap().ends_with(&format!("say --base {name}@{}", lower.digest())),
        "{:?}",
        error.hint()
    );

    let base = Base::open(&format!("{name}@{}", lower.digest()), access).unwrap().unwrap();
    let upper = build(&[sandbox.executable(Arch::X86_64, &["upper"])], &no_sbom(), Some(&base));
    stub.state.lock().unwrap().faults.cut_downloads = 1;
    let written = common::layout(&sandbox, "layout", &upper);
    brawn_image::check(&brawn_image::Store::open(&written).unwrap()).unwrap();
    push(&stub, "upper", &upper, &[]).unwrap();
    // The program's layer and the configuration; the base's two layers were in the registry.
    assert_eq!(stub.count("PUT /v2/upper/blobs"), 2);

    // What was fetched is kept, so it takes another base to see that the registry's bytes have changed.
    let base = Base::open(&format!("{name}@{}", lower.digest()), access).unwrap().unwrap();
    let upper = build(&[sandbox.executable(Arch::X86_64, &["upper"])], &no_sbom(), Some(&base));
    stub.state.lock().unwrap().faults.corrupt = true;
    let names = sandbox.names();
    let error = sink::layout(&upper, &sandbox.path("other"), &"x".parse().unwrap()).unwrap_err();
    assert!(matches!(error, Error::Digest { .. }), "{error}");
    assert_eq!(sandbox.names(), names, "nothing half-written");
}

#[test]
fn a_manifest_that_is_not_the_one_asked_for_is_refused() {
    let stub = Stub::start(State::default());
    let digest = stub::sha256(b"expected");
    let manifest = ("application/vnd.oci.image.manifest.v1+json".to_owned(), b"{}".to_vec());
    stub.state.lock().unwrap().manifests.insert(("base".to_owned(), digest.clone()), manifest);
    let error = Base::open(&format!("{}/base@{digest}", stub.address), &Access::insecure()).unwrap_err();
    assert!(matches!(error, Error::Digest { .. }), "{error}");
}

#[test]
fn plain_http_stays_on_this_machine() {
    let reference = "registry.example.com/a".parse().unwrap();
    let error = Repository::open(&reference, &Access::insecure()).unwrap_err();
    assert!(matches!(error, Error::Insecure { .. }), "{error}");
}
