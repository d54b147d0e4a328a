//! What `brawn doctor` finds, on this machine and on ones that lack something.

use crate::common::{Sandbox, fails, ok, refuse};
use serde_json::Value;

fn finding<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["findings"].as_array().unwrap();
    all.iter().find(|finding| finding["name"] == name).unwrap_or_else(|| panic!("{name} in {report:#}"))
}

#[test]
fn a_machine_that_can_build_this_is_well() {
    let sandbox = Sandbox::new();
    let report: Value = serde_json::from_str(&ok(&mut sandbox.brawn(&["doctor", "--json"]))).unwrap();
    assert_eq!(report["ok"], true);
    // C++ may be missing.
    assert_ne!(finding(&report, "c-compiler")["state"], "missing", "{report:#}");
    for name in ["rust-toolchain", "musl-target", "linker", "kit", "cache"] {
        assert_eq!(finding(&report, name)["state"], "good", "{report:#}");
    }
    assert!(finding(&report, "kit")["found"].as_str().unwrap().contains("fits into musl 1."));
    // Whatever is not good says what that costs and what cures it.
    for finding in report["findings"].as_array().unwrap() {
        let good = finding["state"] == "good";
        assert_eq!(finding["cost"].is_null(), good, "{finding:#}");
        assert_eq!(finding["hint"].is_null(), good, "{finding:#}");
    }
    let said = ok(&mut sandbox.brawn(&["doctor"]));
    assert!(said.ends_with("executables can be built here\n"), "{said}");
    assert!(said.contains("good    rust-toolchain: rustc "), "{said}");
}

#[test]
fn without_a_toolchain_nothing_can_be_built() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.brawn(&["doctor", "--json"]);
    command.env("PATH", sandbox.path()).env_remove("BRAWN_ZIG");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ok"], false);
    for name in ["rust-toolchain", "musl-target", "c-compiler"] {
        assert_eq!(finding(&report, name)["state"], "missing", "{report:#}");
    }
    assert!(finding(&report, "rust-toolchain")["hint"].as_str().unwrap().contains("rustup"));
    fails(sandbox.brawn(&["doctor", "--quiet"]).env("PATH", sandbox.path()), 4);
}

#[test]
fn a_cache_that_cannot_be_written_is_told() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("file", "");
    let output =
        sandbox.brawn(&["doctor", "--json"]).env("BRAWN_CACHE_DIR", file.join("cache")).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cache = finding(&report, "cache");
    assert_eq!(cache["state"], "missing");
    assert!(cache["found"].as_str().unwrap().contains("file/cache"), "{cache:#}");
}

/// Names of registries, never what opens them.
#[test]
fn credentials_are_not_shown() {
    let sandbox = Sandbox::new();
    let config =
        sandbox.write("docker/config.json", r#"{"auths": {"registry.example": {"auth": "c2VjcmV0"}}}"#);
    let mut command = sandbox.brawn(&["doctor"]);
    for name in ["REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR"] {
        command.env_remove(name);
    }
    let said = ok(command.env("DOCKER_CONFIG", config.parent().unwrap()));
    assert!(said.contains("registry-login: ") && said.contains("registry.example"), "{said}");
    assert!(!said.contains("c2VjcmV0"), "{said}");
}

#[test]
fn what_the_kernel_refuses_is_told_with_its_cost() {
    let sandbox = Sandbox::new();
    let refused = [libc::SYS_unshare, libc::SYS_chroot, libc::SYS_ptrace, libc::SYS_perf_event_open];
    let mut command = sandbox.brawn(&["doctor", "--json"]);
    let report: Value = serde_json::from_str(&ok(refuse(&mut command, &refused))).unwrap();
    for name in ["ptrace", "user-namespaces", "perf"] {
        let finding = finding(&report, name);
        assert_eq!(finding["state"], "missing", "{report:#}");
        assert!(!finding["cost"].is_null() && !finding["hint"].is_null());
    }
    assert_eq!(report["ok"], true);
}
