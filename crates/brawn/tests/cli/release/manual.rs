use std::collections::BTreeSet;

use crate::common::{Sandbox, commands, fails, ok};

#[test]
fn every_command_has_a_manual_page() {
    let sandbox = Sandbox::new();
    ok(&mut sandbox.brawn(&["man", "--output", "pages"]));
    let written: BTreeSet<String> = fs_err::read_dir(sandbox.path().join("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut expected: BTreeSet<String> =
        commands(&sandbox).iter().map(|name| format!("brawn-{name}.1")).collect();
    assert!(expected.len() > 10, "{expected:?}");
    let inner = ["bench-compare", "bench-report", "cache-clear", "cache-trim"];
    let fleet = [
        "fleet-canary",
        "fleet-collect",
        "fleet-delete",
        "fleet-plan",
        "fleet-report",
        "fleet-run",
        "fleet-status",
    ];
    expected.extend(inner.iter().chain(&fleet).map(|name| format!("brawn-{name}.1")));
    expected.insert("brawn.1".to_owned());
    assert_eq!(written, expected);
    for name in &written {
        let text = fs_err::read_to_string(sandbox.path().join("pages").join(name)).unwrap();
        assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{name}:\n{text}");
    }
}

#[test]
fn a_page_is_printed_and_names_the_options() {
    let sandbox = Sandbox::new();
    let page = ok(&mut sandbox.brawn(&["man", "image"]));
    let title =
        concat!("\n.TH brawn-image 1  \"brawn ", env!("CARGO_PKG_VERSION"), "\" \"Brawn's commands\"\n");
    assert!(page.contains(title) && page.contains(r"\-\-rootfs"), "{page}");
    let page = ok(&mut sandbox.brawn(&["man", "bench", "compare"]));
    assert!(page.contains(r"\-\-fail\-if"), "{page}");
    let error = fails(&mut sandbox.brawn(&["man", "imagine"]), 2);
    assert!(
        error.contains("brawn has no command 'imagine'") && error.contains("Usage: brawn man "),
        "{error}"
    );
    let error = fails(&mut sandbox.brawn(&["man", "bench", "imagine"]), 2);
    assert!(error.contains("brawn bench has no command 'imagine'"), "{error}");
}

#[test]
fn a_dry_run_writes_no_page() {
    let sandbox = Sandbox::new();
    ok(&mut sandbox.brawn(&["man", "--dry-run", "--output", "pages"]));
    assert!(!sandbox.path().join("pages").exists());
}

#[test]
fn shells_complete_every_command() {
    let sandbox = Sandbox::new();
    let commands = commands(&sandbox);
    for shell in ["bash", "zsh", "fish"] {
        let text = ok(&mut sandbox.brawn(&["completions", shell]));
        for command in &commands {
            assert!(text.contains(command.as_str()), "{shell} does not know {command}");
        }
    }
    // bash itself says what it would offer.
    sandbox.write("brawn.bash", ok(&mut sandbox.brawn(&["completions", "bash"])));
    let offered = ok(sandbox.command("bash").args([
        "-c",
        "source brawn.bash; COMP_WORDS=(brawn image --roo); COMP_CWORD=2; _brawn brawn --roo image; \
         echo \"${COMPREPLY[@]}\"",
    ]));
    assert_eq!(offered.trim(), "--rootfs");
    let error = fails(&mut sandbox.brawn(&["completions", "tcsh"]), 2);
    assert!(error.contains("possible values: bash"), "{error}");
}
