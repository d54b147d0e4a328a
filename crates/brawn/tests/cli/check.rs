//! What `brawn check` prints, and how it ends.

use crate::common::{Sandbox, fails, ok, refuse};
use insta::assert_snapshot;

const TLS: &str =
    "#include <stdio.h>\nint main(void) { return !fopen(\"/etc/ssl/certs/ca-certificates.crt\", \"r\"); }\n";

/// A sandbox with a static program of this source.
fn program(source: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", source);
    ok(sandbox.command("musl-gcc").args(["-static", "program.c", "-o", "program"]));
    sandbox
}

#[test]
fn a_program_that_needs_nothing_passes() {
    let sandbox = program("int main(void) { return 0; }\n");
    let said = ok(&mut sandbox.brawn(&["check", "program"]));
    assert!(said.starts_with("program: it ran in an empty root and exited with status 0 ("), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn what_is_missing_is_told_with_its_flag() {
    let sandbox = program(TLS);
    let output = sandbox.brawn(&["check", "program"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(answer(&output), @r"
    program: it ran in an empty root and exited with status 1 (ROOT)
      hint: what it wrote to standard error stands above; what it did not find may be the reason
      required: it looked for certificate authorities, found none, and failed [certificates]
        tried to open /etc/ssl/certs/ca-certificates.crt: No such file or directory
        hint: --with certificates
      an image of it needs: --with certificates
    ");
}

/// The report, whatever way this machine gives a program a root of its own.
fn answer(output: &std::process::Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    ["a mount namespace", "a user namespace", "chroot"]
        .iter()
        .fold(text, |text, way| text.replace(way, "ROOT"))
}

/// What happened comes first, and what a program did without keeps it from nothing.
#[test]
fn a_program_that_goes_on_without_what_is_missing_passes() {
    let sandbox = program(
        "#include <pwd.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n\
         int main(int n, char **v) { time_t now = 0; localtime(&now); fopen(\"/proc/self/status\", \"r\");\n\
         fopen(\"/etc/ssl/cert.pem\", \"r\"); fopen(\"/etc/mine.conf\", \"r\"); fopen(\"/run/secrets/token\", \"r\");\n\
         if (n > 1) { getpwnam(v[1]); system(v[1]); }\n return 0; }\n",
    );
    let output = sandbox.brawn(&["check", "program"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_snapshot!(answer(&output), @r"
    program: it ran in an empty root and exited with status 0 (ROOT)
      probable: it looked for certificate authorities, found none, and went on [certificates]
        tried to open /etc/ssl/cert.pem: No such file or directory
        hint: --with certificates
      note: it looks for files of its own that are not there [missing-file]
        tried to open /etc/mine.conf: No such file or directory
        tried to open /run/secrets/token: No such file or directory
        hint: if it needs them, add them to the image or mount a volume
      optional: used or done without: time zone files, /proc; may be used another time: names of users and groups, other programs (-v tells why)
      an image of it should have: --with certificates
    ");
    let output = sandbox.brawn(&["check", "--quiet", "program"]).output().unwrap();
    assert_snapshot!(answer(&output), @r"
    program: it ran in an empty root and exited with status 0 (ROOT)
      probable: it looked for certificate authorities, found none, and went on [certificates]
        tried to open /etc/ssl/cert.pem: No such file or directory
        hint: --with certificates
      an image of it should have: --with certificates
    ");
    let output = sandbox.brawn(&["check", "--static", "program"]).output().unwrap();
    assert_snapshot!(answer(&output), @r"
    program: it was not run; nothing in the file keeps it from running in an empty root
      probable: it may use certificate authorities [certificates]
        /etc/ssl/cert.pem: the file of certificates
        hint: --with certificates
      probable: it may use names of users and groups [users]
        /etc/passwd: names of users
        getpwnam, getpwuid
        hint: --with users
      probable: it may use other programs [programs]
        /bin/sh: it starts a shell
        system
        hint: bring the programs along, static as well, or start from a base that has them
      optional: may be used: time zone files, /proc (-v tells why)
      an image of it should have: --with certificates,users
    ");
    let verbose = answer(&sandbox.brawn(&["check", "-v", "program"]).output().unwrap());
    assert!(verbose.contains("\n  optional: it uses /proc, which a container runtime provides"), "{verbose}");
}

/// Each end is the headline.
#[test]
fn the_headline_is_what_happened() {
    let sandbox = program(
        "#include <stdlib.h>\n#include <unistd.h>\nint main(int n, char **v) {\n\
         if (n < 2) abort(); if (*v[1] == 's') for (;;) pause(); return atoi(v[1]); }\n",
    );
    let first = |args: &[&str]| {
        let output =
            sandbox.brawn(&[&["check", "--seconds", "1", "program"], args].concat()).output().unwrap();
        (output.status.code().unwrap(), answer(&output).lines().next().unwrap().to_owned())
    };
    let it = |what: &str| format!("program: it ran in an empty root and {what} (ROOT)");
    assert_eq!(first(&["--", "0"]), (0, it("exited with status 0")));
    assert_eq!(first(&["--", "7"]), (1, it("exited with status 7")));
    assert_eq!(first(&[]), (1, it("was killed by SIGABRT")));
    assert_eq!(first(&["--", "stay"]), (0, it("was still running when its time was up")));
}

#[test]
fn a_look_alone_runs_nothing() {
    let sandbox = program(
        "#include <stdio.h>\n#include <sys/stat.h>\nint main(void) { return mkdir(\"/tmp/\", 0) + !fopen(\"/bin/sh\", \"r\"); }\n",
    );
    let value: serde_json::Value =
        serde_json::from_str(&ok(&mut sandbox.brawn(&["check", "--static", "--json", "program"]))).unwrap();
    assert_eq!((&value["ok"], &value["run"]), (&true.into(), &serde_json::Value::Null));
    assert_eq!(value["missing"], serde_json::json!(["tmp"]));
    assert_eq!(value["path"], "program");
}

#[test]
fn a_dynamic_program_is_not_even_tried() {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", "int main(void) { return 0; }\n");
    ok(sandbox.command("cc").args(["program.c", "-o", "program"]));
    let output = sandbox.brawn(&["check", "program"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("[dynamic-executable]") && said.contains("it needs libc.so.6"), "{said}");
}

/// Arguments, environment and user arrive.
#[test]
fn the_program_gets_what_it_is_given() {
    let sandbox = program(
        "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\nint main(int n, char **v) {\n\
         if (n != 3 || strcmp(v[1], \"--static\") || strcmp(v[2], \"two words\")) return 1;\n\
         if (!getenv(\"MINE\") || strcmp(getenv(\"MINE\"), \"a=b\") || getenv(\"BRAWN_CACHE_DIR\")) return 2;\n\
         return getuid() == 1234 && getgid() == 99 ? 0 : 3; }\n",
    );
    let args = ["check", "--user", "1234:99", "--env", "MINE=a=b", "program", "--", "--static", "two words"];
    ok(&mut sandbox.brawn(&args));
}

#[test]
fn the_answer_is_written_into_the_manifest() {
    let sandbox = program(TLS);
    let manifest = "[package]\nname = \"x\" # mine\nversion = \"1.0.0\"\n";
    sandbox.write("Cargo.toml", manifest);
    fails(&mut sandbox.brawn(&["check", "--fix", "--dry-run", "program"]), 1);
    assert_eq!(fs_err::read_to_string(sandbox.path().join("Cargo.toml")).unwrap(), manifest);
    let said = fails(&mut sandbox.brawn(&["check", "--fix", "program"]), 1);
    assert!(said.contains("Cargo.toml now has: certificates"), "{said}");
    assert_snapshot!(fs_err::read_to_string(sandbox.path().join("Cargo.toml")).unwrap(), @r#"
    [package]
    name = "x" # mine
    version = "1.0.0"

    [package.metadata.brawn.image]
    with = ["certificates"]
    "#);
    // What the manifest names, the root has.
    ok(&mut sandbox.brawn(&["check", "--manifest-path", "Cargo.toml", "program"]));
}

#[test]
fn wrong_words_and_wrong_files_are_refused() {
    let sandbox = program("int main(void) { return 0; }\n");
    sandbox.write("script", "#!/bin/sh\n");
    let said = fails(&mut sandbox.brawn(&["check", "--with", "certs", "program"]), 2);
    assert!(said.contains("certificates, zones, users, tmp, nsswitch, resolv"), "{said}");
    assert!(
        fails(&mut sandbox.brawn(&["check", "--user", "me", "program"]), 2)
            .contains("'me' is not the number")
    );
    assert_snapshot!(fails(&mut sandbox.brawn(&["check", "script"]), 3), @r"
    error: cannot check script
      caused by: not an ELF file
    hint: give an executable for Linux; scripts and archives cannot be looked into
    ");
    assert_snapshot!(fails(&mut sandbox.brawn(&["check", "--fix", "--manifest-path", "none.toml", "program"]), 5), @r"
    error: failed to open file `none.toml`: No such file or directory (os error 2)
    ");
    sandbox.write("virtual.toml", "[workspace]\n");
    let said = fails(
        &mut sandbox.brawn(&["check", "--static", "--fix", "--manifest-path", "virtual.toml", "program"]),
        3,
    );
    assert!(said.contains("it has no [package]"), "{said}");
}

/// Where the kernel allows no root of one's own, or no tracing, it says so; a look at the file is always possible.
#[test]
fn what_the_kernel_refuses_is_said() {
    let sandbox = program("int main(void) { return 0; }\n");
    let said =
        fails(refuse(&mut sandbox.brawn(&["check", "program"]), &[libc::SYS_unshare, libc::SYS_chroot]), 4);
    assert!(said.contains("the kernel gives this user no root of its own: "), "{said}");
    assert!(said.contains("a user namespace: cannot make a namespace: Operation not permitted"), "{said}");
    assert!(said.contains("brawn check --static"), "{said}");
    let said = fails(refuse(&mut sandbox.brawn(&["check", "program"]), &[libc::SYS_ptrace]), 4);
    assert!(said.contains("the kernel refuses to let the program be traced"), "{said}");
    let refused = [libc::SYS_unshare, libc::SYS_chroot, libc::SYS_ptrace];
    ok(refuse(&mut sandbox.brawn(&["check", "--static", "program"]), &refused));
}

/// Every part of an image provides what it is named for.
#[test]
fn what_an_image_holds_the_root_holds() {
    let sandbox = program(
        "#include <pwd.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\
         int main(void) { time_t july = 1783468800; setenv(\"TZ\", \"Europe/Vienna\", 1);\n\
         int missing = strcmp(localtime(&july)->tm_zone, \"CEST\") != 0;\n\
         missing += !getpwuid(65532); missing += !tmpfile();\n\
         missing += !fopen(\"/etc/ssl/certs/ca-certificates.crt\", \"r\"); return missing; }\n",
    );
    let output = sandbox.brawn(&["check", "--json", "program"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["missing"], serde_json::json!(["certificates", "zones", "users", "tmp"]));
    assert_eq!(report["run"]["end"], serde_json::json!({"how": "exited", "status": 4}));
    let said =
        ok(&mut sandbox.brawn(&["check", "--with", "certificates,zones,users", "--with", "tmp", "program"]));
    assert!(said.contains("exited with status 0") && !said.contains("--with"), "{said}");
}

#[test]
fn a_program_for_another_machine_is_not_even_tried() {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", "int main(void) { return 0; }\n");
    let other = brawn_elf::Arch::ALL.into_iter().find(|arch| Some(*arch) != brawn_elf::Arch::host()).unwrap();
    let zig = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/zig/ziglang/zig");
    let mut compile = sandbox.brawn(&["--target", other.musl_triple(), "cc", "program.c", "-o", "program"]);
    ok(compile.env("BRAWN_ZIG", zig));
    let output = sandbox.brawn(&["check", "--json", "program"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["ok"], &report["run"]), (&false.into(), &serde_json::Value::Null));
    let codes: Vec<_> = report["findings"].as_array().unwrap().iter().map(|found| &found["code"]).collect();
    assert!(codes.contains(&&"wrong-architecture".into()), "{codes:?}");
}

#[test]
fn a_server_runs_as_long_as_was_said() {
    let sandbox = program("#include <unistd.h>\nint main(void) { for (;;) pause(); }\n");
    let said = ok(&mut sandbox.brawn(&["check", "--seconds", "1", "program"]));
    assert!(said.contains("it ran in an empty root and was still running when its time was up"), "{said}");
    let error = fails(&mut sandbox.brawn(&["check", "--seconds", "0", "program"]), 2);
    assert!(error.contains("0 is not in 1..=3600"), "{error}");
}
