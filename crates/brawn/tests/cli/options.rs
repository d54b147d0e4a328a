//! Options where they do not belong, and names that are another kind of thing.

use crate::common::{Sandbox, built, fails};

#[test]
fn a_preset_for_an_allocator_and_the_reverse_are_told() {
    let sandbox = Sandbox::new();
    let program = built("options").display().to_string();
    sandbox.write("main.c", "int main(void) { return 0; }\n");
    for command in [&["relink", &program][..], &["libc"], &["build"]] {
        let said = |option: &str, name: &str| {
            let mut run = sandbox.brawn(command);
            fails(run.args([option, name]), 2)
        };
        assert_eq!(
            said("--malloc", "small"),
            "error: unknown allocator 'small'\nhint: 'small' is a preset: --preset small\n"
        );
        assert_eq!(
            said("--preset", "jemalloc"),
            "error: unknown preset 'jemalloc'\nhint: 'jemalloc' is an allocator: --malloc jemalloc\n"
        );
    }
    let message = fails(&mut sandbox.brawn(&["--malloc", "hardened", "cc", "main.c"]), 2);
    assert!(message.contains("--preset hardened"), "{message}");
}

#[test]
fn options_of_brawn_behind_cc_are_sent_before_it() {
    let sandbox = Sandbox::new();
    for (args, expected) in [
        (
            &["cc", "--malloc", "mimalloc", "main.c"][..],
            "--malloc goes before the command: brawn --malloc … cc …",
        ),
        (&["c++", "main.cc", "--preset=small"], "--preset goes before the command: brawn --preset … c++ …"),
        (&["cc", "-c", "--musl", "all"], "--musl goes before the command: brawn --musl … cc …"),
        (&["cc", "-c", "--no-strings"], "--no-strings goes before the command: brawn --no-strings cc …"),
    ] {
        let message = fails(&mut sandbox.brawn(args), 2);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn tune_names_its_budget() {
    let sandbox = Sandbox::new();
    let message = fails(&mut sandbox.brawn(&["tune", "--time", "45s", "--", "x"]), 2);
    assert!(message.contains("unexpected argument '--time ") && message.contains("--budget"), "{message}");
}
