//! Families of functions: which come from the kit, and how they are left musl's.

use crate::common::{Sandbox, fails, note, ok};

const PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    int main(void) { setenv(\"AB\", \"c\", 1); puts(getenv(\"AB\")); return getenv(\"A\") != 0; }\n";

/// What the note says of `getenv`, and whether the object with it is the kit's.
fn linked(sandbox: &Sandbox, brawn: &[&str], map: &str) -> (bool, bool) {
    let output = ["program.c", "-o", "program"];
    ok(sandbox.brawn(brawn).arg("cc").arg(format!("-Wl,-Map={map}")).args(output));
    assert_eq!(ok(&mut sandbox.command("./program")), "c\n");
    let noted = note(&sandbox.path().join("program")).functions.contains(&"environment".to_owned());
    let map = fs_err::read_to_string(sandbox.path().join(map)).unwrap();
    (noted, map.contains("brawn-environment-getenv.o"))
}

#[test]
fn a_family_can_be_left_to_musl_in_every_place() {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", PROGRAM);
    for brawn in [&[][..], &["--malloc", "stock"], &["--preset", "small"], &["--no-strings"]] {
        assert_eq!(linked(&sandbox, brawn, "map"), (true, true), "{brawn:?}");
    }
    for brawn in [&["--musl", "environment"][..], &["--musl=all"], &["--preset", "stock"]] {
        assert_eq!(linked(&sandbox, brawn, "map"), (false, false), "{brawn:?}");
    }
    let of_variable = |value: &str| {
        ok(sandbox.brawn(&[]).args(["cc", "program.c", "-o", "program"]).env("BRAWN_MUSL", value));
        let note = note(&sandbox.path().join("program"));
        (note.strings, note.functions.contains(&"environment".to_owned()))
    };
    assert_eq!(of_variable("environment"), (true, false));
    assert_eq!(of_variable("strings,environment"), (false, false));
    assert_eq!(of_variable("none"), (true, true));
}

#[test]
fn verify_compares_families_with_the_note() {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", PROGRAM);
    linked(&sandbox, &["--musl", "environment"], "map");
    ok(sandbox.brawn(&["--musl", "environment"]).args(["verify", "program"]));
    let text = fails(sandbox.brawn(&["--musl", "none"]).args(["verify", "program"]), 1);
    assert!(text.contains("families of functions"), "{text}");
    let shown = ok(sandbox.brawn(&[]).args(["inspect", "program"]));
    assert!(shown.lines().any(|line| line.trim_start().starts_with("functions ")), "{shown}");
}

#[test]
fn a_slip_of_the_hand_is_answered_with_the_nearest_family() {
    let sandbox = Sandbox::new();
    let text = fails(sandbox.brawn(&["--musl", "enviroment"]).args(["libc", "--dry-run"]), 2);
    assert!(text.contains("unknown family of functions 'enviroment'"), "{text}");
    assert!(text.contains("did you mean 'environment'?"), "{text}");
}
