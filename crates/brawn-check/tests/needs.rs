//! What executables that real compilers made show of their needs, stripped and not.

use std::path::PathBuf;
use std::process::Command;

use brawn_check::{Content, Need, Needs, Strength, needs};

/// Compiles C with the distribution's musl compiler and looks into the result, and into a stripped copy of it.
fn compiled(tool: &str, flags: &[&str], source: &str) -> [Needs; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    fs_err::write(path("main.c"), source).unwrap();
    let run = |command: &mut Command| {
        let output = command.current_dir(folder.path()).output();
        let output = output.unwrap_or_else(|error| panic!("{command:?}: {error} (`make setup` installs it)"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(Command::new(tool).args(["main.c", "-O1", "-o", "program"]).args(flags));
    run(Command::new("strip").args(["--strip-all", "program", "-o", "stripped"]));
    ["program", "stripped"].map(|name| needs(&fs_err::read(path(name)).unwrap()).unwrap())
}

fn musl(source: &str) -> [Needs; 2] {
    compiled("musl-gcc", &["-static"], source)
}

fn list(needs: &Needs) -> Vec<Need> {
    needs.found.iter().map(|found| found.need).collect()
}

#[test]
fn a_program_that_needs_nothing_shows_nothing() {
    for needs in musl("#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n") {
        assert_eq!(list(&needs), [], "{:#?}", needs.found);
        assert!(needs.contents().is_empty() && needs.is_static());
    }
}

/// One program for each need that C code of musl's shows; stripped or not, the answer is the same.
#[test]
fn each_need_shows_alone() {
    let cases = [
        (
            "#include <pwd.h>\nint main(int c, char **v) { return getpwnam(v[0]) != 0; }",
            Need::Users,
            Strength::Likely,
        ),
        (
            "#include <time.h>\nint main(void) { time_t t = 0; return localtime(&t)->tm_hour; }",
            Need::Zones,
            Strength::Possible,
        ),
        ("#include <stdio.h>\nint main(void) { return tmpfile() == 0; }", Need::Temporary, Strength::Likely),
        (
            "#include <netdb.h>\nint main(int c, char **v) { struct addrinfo *a; return getaddrinfo(v[0], 0, 0, &a); }",
            Need::Resolver,
            Strength::Likely,
        ),
        (
            "#include <dlfcn.h>\nint main(int c, char **v) { return dlopen(v[0], 1) != 0; }",
            Need::DynamicLoading,
            Strength::Likely,
        ),
        (
            "#include <stdlib.h>\nint main(int c, char **v) { return system(v[0]); }",
            Need::Programs,
            Strength::Likely,
        ),
        (
            "#include <unistd.h>\nint main(int c, char **v) { return execvp(v[0], v); }",
            Need::Programs,
            Strength::Likely,
        ),
        (
            "#include <locale.h>\nint main(void) { return setlocale(LC_ALL, \"\") == 0; }",
            Need::Locale,
            Strength::Possible,
        ),
        (
            "#include <stdio.h>\nint main(void) { return fopen(\"/proc/self/status\", \"r\") == 0; }",
            Need::Proc,
            Strength::Likely,
        ),
        (
            "#include <stdio.h>\nint main(void) { return fopen(\"/etc/ssl/certs/ca-certificates.crt\", \"r\") == 0; }",
            Need::Certificates,
            Strength::Likely,
        ),
    ];
    for (source, need, strength) in cases {
        for needs in musl(source) {
            let found = needs.of(need).unwrap_or_else(|| panic!("{need:?} in {source}: {:#?}", needs.found));
            assert_eq!(found.strength, strength, "{source}");
            assert!(!found.evidence.is_empty());
        }
    }
}

#[test]
fn an_image_gets_what_the_code_is_there_for() {
    let source = "#include <pwd.h>\n#include <time.h>\n#include <stdio.h>\n\
        int main(int c, char **v) { time_t t = c; fopen(\"/etc/ssl/cert.pem\", v[0]); tmpfile();\n\
        return localtime(&t)->tm_hour + (getpwnam(v[0]) != 0); }\n";
    for needs in musl(source) {
        let wanted = [Content::Certificates, Content::Users, Content::Tmp];
        assert_eq!(needs.contents().into_iter().collect::<Vec<_>>(), wanted);
    }
}

/// A dynamic executable names what it takes from its libraries.
#[test]
fn a_dynamic_executable_shows_by_its_imports() {
    let source = "#include <netdb.h>\nint main(int c, char **v) { struct addrinfo *a; return getaddrinfo(v[0], 0, 0, &a); }";
    for needs in compiled("gcc", &[], source) {
        assert_eq!(list(&needs), [Need::Resolver]);
        assert!(!needs.is_static());
    }
}

/// The table of clues must not be found in the program that holds it.
#[test]
fn the_clues_are_obfuscated() {
    let own = needs(&fs_err::read(std::env::current_exe().unwrap()).unwrap()).unwrap();
    for need in
        [Need::Zones, Need::Nsswitch, Need::Services, Need::Sockets, Need::Locale, Need::DynamicLoading]
    {
        assert!(own.of(need).is_none(), "{:#?}", own.found);
    }
}

#[test]
fn what_is_no_executable_is_refused() {
    assert_eq!(needs(b"#!/bin/sh\n").unwrap_err(), brawn_elf::Error::NotElf);
}
