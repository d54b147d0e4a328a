//! Jobs as the API server gets them.

#[path = "../../brawn-image/tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;

use brawn_elf::Arch;
use brawn_fleet::Error;
use brawn_fleet::fleet::Fleet;
use brawn_fleet::manifest::list;
use brawn_fleet::nodes::Node;
use brawn_fleet::spec::Spec;
use common::{Sandbox, program};
use k8s_openapi::api::batch::v1::Job;
use serde_json::Value;

const PLAIN: &str = r#"
seed = 7
memory = "256MiB"
cores = 1.5
args = ["--query", "$(HOME)"]
files = ["data"]

[env]
LANG = "C"

[[candidates]]
name = "now"
executable = "old"

[[candidates]]
name = "brawn"
executable = "new"
knobs = { BRAWN_THREADS = "2" }

[[pools]]
name = "large"
selector = { kind = "large" }
blocks = 30

[[pools]]
name = "small"
selector = { kind = "small" }
memory = "128MiB"

[kubernetes]
image = "registry.example/team/fleet"
"#;

/// Everything that can be asked for.
const FULL: &str = r#"
namespace = "measure"
queue = "spare"
parallelism = 3
scratch = "2GiB"
pull-secrets = ["registry"]
tolerations = [{ key = "dedicated", operator = "Exists", effect = "NoSchedule", tolerationSeconds = 60 }]
"#;

fn nodes() -> Vec<Node> {
    let node = |name: &str, kind: &str, arch: &str| Node {
        name: name.into(),
        labels: BTreeMap::from([("kind".to_owned(), kind.to_owned())]),
        arch: arch.into(),
        cores: 4.0,
        memory: 8 << 30,
    };
    vec![
        node("a", "large", "amd64"),
        node("b", "large", "amd64"),
        node("c", "small", "amd64"),
        node("d", "small", "arm64"),
    ]
}

/// A fleet of programs on disk, the name of which is always the same.
#[allow(clippy::result_large_err)] // As large as the crate has it.
fn fleet(sandbox: &Sandbox, text: &str) -> Result<Fleet, Error> {
    for (name, text) in [("old", "1"), ("new", "2"), ("brawn", "3")] {
        fs_err::write(sandbox.path(name), program(Arch::X86_64, &[text])).unwrap();
    }
    fs_err::write(sandbox.path("data"), "some data\n").unwrap();
    let file = sandbox.path("fleet.toml");
    let spec = Spec::parse(text, &file)?;
    let mut fleet = Fleet::plan(spec, &sandbox.path(""), &sandbox.path("brawn"), Some(&nodes()))?;
    fleet.id = "0a1b2c3d".to_owned();
    Ok(fleet)
}

fn jobs(text: &str) -> Value {
    let fleet = fleet(&Sandbox::new(), text).unwrap();
    let digest = fleet.pack.image(None).unwrap().digest().to_owned();
    let settings = fleet.spec.kubernetes.clone().unwrap();
    read(&list(&fleet, &settings, &format!("{}@{digest}", settings.image)).unwrap())
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn jobs_are_as_they_were() {
    insta::assert_snapshot!("plain", pretty(&jobs(PLAIN)));
    // Of these only what differs.
    let full = jobs(&format!("{PLAIN}{FULL}"));
    let job = &full["items"][0];
    insta::assert_snapshot!(
        "full",
        pretty(&serde_json::json!({
            "metadata": job["metadata"],
            "parallelism": job["spec"]["parallelism"],
            "tolerations": job["spec"]["template"]["spec"]["tolerations"],
            "imagePullSecrets": job["spec"]["template"]["spec"]["imagePullSecrets"],
            "volumes": job["spec"]["template"]["spec"]["volumes"],
        }))
    );
}

/// Whatever the types do not know would not come back.
#[test]
fn every_field_is_one_of_kubernetes() {
    let list = jobs(&format!("{PLAIN}{FULL}"));
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), 2);
    for item in items {
        let job: Job = serde_json::from_value(item.clone()).unwrap();
        assert_eq!(serde_json::to_value(job).unwrap(), *item);
    }
    let mut wrong = items[0].clone();
    wrong["spec"]["backoffLimitPerindex"] = 1.into();
    let job: Job = serde_json::from_value(wrong.clone()).unwrap();
    assert_ne!(serde_json::to_value(job).unwrap(), wrong);
}

/// What `Pod Security Standards: Restricted` demands, and the class Guaranteed.
#[test]
fn pods_are_restricted_and_guaranteed() {
    for job in jobs(PLAIN)["items"].as_array().unwrap() {
        let pod = &job["spec"]["template"]["spec"];
        let container = &pod["containers"][0];
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
        assert_eq!(container["securityContext"]["allowPrivilegeEscalation"], false);
        assert_eq!(container["securityContext"]["capabilities"]["drop"][0], "ALL");
        assert_eq!(pod["automountServiceAccountToken"], false);
        assert!(pod["volumes"].as_array().unwrap().iter().all(|volume| volume.get("hostPath").is_none()));
        assert_eq!(container["resources"]["requests"], container["resources"]["limits"]);
        // A variable of the pod's never gets into the program's arguments.
        let task = container["args"].as_array().unwrap().last().unwrap().as_str().unwrap();
        assert!(task.contains("$$(HOME)") && !task.replace("$$(", "").contains("$("), "{task}");
    }
}

#[test]
fn a_pool_fits_its_nodes() {
    let sandbox = Sandbox::new();
    let planned = fleet(&sandbox, PLAIN).unwrap();
    let of = |place: usize| {
        (planned.pools[place].nodes, planned.pools[place].parallelism, planned.pools[place].blocks)
    };
    assert_eq!((of(0), of(1)), ((Some(2), 2, 30), (Some(1), 1, 20)));
    assert_eq!(
        planned.notes,
        [
            "1 nodes of the pool 'small' are left out: they are not amd64, which the executables are for",
            "20 blocks may not tell a difference of 3 %: that takes 36 on each pool",
        ]
    );
    let (whole, all) = planned.time(std::time::Duration::from_secs(10));
    assert_eq!((whole.as_secs(), all.as_secs()), (200, 500));
    let refused = |from: &str, to: &str| fleet(&sandbox, &PLAIN.replace(from, to)).unwrap_err();
    assert!(matches!(
        refused("[kubernetes]", "[kubernetes]\ntolerations = [{ keys = \"a\" }]"),
        Error::Spec { .. }
    ));
    assert!(matches!(refused("cores = 1.5", "cores = 5"), Error::Cores { there: 4.0, .. }));
    assert!(matches!(refused("\"256MiB\"", "\"8GiB\""), Error::Memory { pool, .. } if pool == "large"));
    assert!(
        matches!(refused("kind = \"small\"", "kind = \"tiny\""), Error::NoNodes { pool, .. } if pool == "small")
    );
    fs_err::write(sandbox.path("other"), program(Arch::Aarch64, &[])).unwrap();
    assert!(matches!(refused("\"new\"", "\"other\""), Error::Architectures { count: 0, .. }));
}

/// The file with each executable for both architectures.
fn both(sandbox: &Sandbox) -> String {
    for (name, text) in [("old.arm", "4"), ("new.arm", "5"), ("brawn.arm", "6")] {
        fs_err::write(sandbox.path(name), program(Arch::Aarch64, &[text])).unwrap();
    }
    format!("brawn = [\"brawn.arm\", \"brawn\"]\n{PLAIN}")
        .replace("\"old\"", "[\"old\", \"old.arm\"]")
        .replace("\"new\"", "[\"new\", \"new.arm\"]")
}

#[test]
fn what_is_built_for_both_architectures_runs_on_both() {
    let sandbox = Sandbox::new();
    let text = both(&sandbox);
    let planned = fleet(&sandbox, &text).unwrap();
    let pools: Vec<_> = planned.pools.iter().map(|one| (&*one.pool.name, one.arch, one.nodes)).collect();
    // Nodes of both are two pools: one answer may not hold for both.
    assert_eq!(
        pools,
        [
            ("large", Arch::X86_64, Some(2)),
            ("small-amd64", Arch::X86_64, Some(1)),
            ("small-arm64", Arch::Aarch64, Some(1))
        ]
    );
    assert!(!planned.notes.iter().any(|note| note.contains("left out")), "{:?}", planned.notes);
    let bundle = planned.pack.image(None).unwrap();
    let index: Value = serde_json::from_slice(&bundle.index.as_ref().unwrap().read().unwrap()).unwrap();
    let platforms: Vec<_> =
        index["manifests"].as_array().unwrap().iter().map(|one| &one["platform"]["architecture"]).collect();
    assert_eq!(platforms, ["amd64", "arm64"]);
    // Of the four layers of each only that of the files is the same.
    let layers: Vec<std::collections::BTreeSet<_>> =
        bundle.images.iter().map(|image| image.layers.iter().map(|layer| layer.digest()).collect()).collect();
    assert_eq!((layers[0].len(), layers[1].len(), layers[0].intersection(&layers[1]).count()), (4, 4, 1));
    let jobs = read(&list(&planned, planned.spec.kubernetes.as_ref().unwrap(), "image@digest").unwrap());
    for (place, arch, text) in [(0, "amd64", "1"), (1, "amd64", "1"), (2, "arm64", "4")] {
        let pod = &jobs["items"][place]["spec"]["template"]["spec"];
        assert_eq!(pod["nodeSelector"]["kubernetes.io/arch"], arch);
        let task = pod["containers"][0]["args"].as_array().unwrap().last().unwrap().as_str().unwrap();
        let task: Value = serde_json::from_str(task).unwrap();
        let arch = if arch == "amd64" { Arch::X86_64 } else { Arch::Aarch64 };
        let digest = brawn_libc::sha256_hex(&program(arch, &[text]));
        assert_eq!(
            (&task["candidates"][0]["path"], &task["candidates"][0]["digest"]),
            (&"candidates/0/old".into(), &digest.into())
        );
    }
    let document = planned.document(None);
    assert_eq!(document.pools[2].arch.as_deref(), Some("aarch64"));
    assert_eq!(document.pools[2].selector["kubernetes.io/arch"], "arm64");
}

#[test]
#[allow(clippy::result_large_err)] // As large as the crate has it.
fn what_is_not_there_for_an_architecture_is_named() {
    let sandbox = Sandbox::new();
    let text = both(&sandbox);
    let said = |text: &str| fleet(&sandbox, text).unwrap_err().to_string();
    assert_eq!(
        said(&text.replace("\"brawn.arm\", ", "")),
        "brawn itself has 0 executables for aarch64, and needs one"
    );
    assert_eq!(
        said(&text.replace(", \"new.arm\"", "")),
        "brawn has 0 executables for aarch64, and needs one"
    );
    assert_eq!(
        said(&text.replace("\"new.arm\"", "\"old\"")),
        "brawn has 2 executables for x86_64, and needs one"
    );
    // Where nodes are not listed, the selector must say.
    let plan = |text: &str| {
        let spec = Spec::parse(text, &sandbox.path("fleet.toml")).unwrap();
        Fleet::plan(spec, &sandbox.path(""), &sandbox.path("brawn"), None)
    };
    assert!(matches!(plan(&text), Err(Error::WhichArchitecture { pool }) if pool == "large"));
    let arm = ["large", "small"].into_iter().fold(text, |text, kind| {
        text.replace(
            &format!("kind = \"{kind}\" }}"),
            &format!("kind = \"{kind}\", \"kubernetes.io/arch\" = \"arm64\" }}"),
        )
    });
    assert!(plan(&arm).unwrap().pools.iter().all(|planned| planned.arch == Arch::Aarch64));
}

#[test]
fn an_image_has_a_layer_for_each_candidate() {
    let sandbox = Sandbox::new();
    let layers = |text: &str| {
        let bundle = fleet(&sandbox, text).unwrap().pack.image(None).unwrap();
        brawn_image::sink::layout(&bundle, &sandbox.path("layout"), &"a".parse().unwrap()).unwrap();
        let root = sandbox.path("root");
        let _ = fs_err::remove_dir_all(&root);
        brawn_image::sink::rootfs(&bundle, &root).unwrap();
        for (path, text) in [("brawn", "3"), ("fleet/candidates/0/old", "1"), ("fleet/candidates/1/new", "2")]
        {
            assert_eq!(fs_err::read(root.join(path)).unwrap(), program(Arch::X86_64, &[text]), "{path}");
        }
        assert_eq!(fs_err::read(root.join("fleet/work/data")).unwrap(), b"some data\n");
        bundle.images[0].layers.iter().map(|layer| layer.digest().to_owned()).collect::<Vec<_>>()
    };
    let both = layers(PLAIN);
    assert_eq!(both.len(), 4);
    // What is added leaves the others as they are, so that a registry has them already.
    let third = "[[candidates]]\nname = \"third\"\nexecutable = \"brawn\"\n\n[[pools]]\nname = \"large\"";
    let three = layers(&PLAIN.replace("[[pools]]\nname = \"large\"", third));
    assert_eq!((three.len(), &three[..3], &three[4]), (5, &both[..3], &both[3]));
}
