//! `brawn env`: what it hands to cargo, and what to make and CMake.

use std::collections::BTreeMap;

use crate::common::{Sandbox, fails, note, ok};

fn variables(sandbox: &Sandbox, args: &[&str]) -> BTreeMap<String, String> {
    let mut command = sandbox.brawn(&["env", "--message-format", "json"]);
    for name in ["CC", "CXX", "HOST_CC", "HOST_CXX", "PKG_CONFIG_LIBDIR"] {
        command.env_remove(name);
    }
    serde_json::from_str(&ok(command.args(args))).unwrap()
}

/// A library of this machine, as pkg-config knows it.
fn package(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.write("packages/hosts.pc", "Name: hosts\nDescription: made for this machine\nVersion: 1\n");
    sandbox.path().join("packages")
}

#[test]
fn build_scripts_that_compile_for_this_machine_keep_its_compiler() {
    let sandbox = Sandbox::new();
    let plain = variables(&sandbox, &[]);
    for name in ["CC", "CXX", "PKG_CONFIG_LIBDIR"] {
        assert!(!plain.contains_key(name), "{plain:?}");
    }
    assert!(plain["CC_x86_64_unknown_linux_musl"].ends_with("/brawn-cc"), "{plain:?}");
    assert!(plain["CXX_x86_64_unknown_linux_musl"].ends_with("/brawn-c++"), "{plain:?}");
    assert!(plain.contains_key("CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER"), "{plain:?}");
    assert_eq!((plain["HOST_CC"].as_str(), plain["HOST_CXX"].as_str()), ("cc", "c++"));
    let make = variables(&sandbox, &["--make"]);
    assert_eq!(make["CC"], plain["CC_x86_64_unknown_linux_musl"]);
    assert_eq!(make["HOST_CC"], "cc");
    sandbox.write("main.c", "int main(void) { return 0; }\n");
    ok(sandbox.command("sh").args(["-c", "$CC main.c -o main"]).envs(&make));
    note(&sandbox.path().join("main"));
}

#[test]
fn packages_of_this_machine_are_not_found() {
    let sandbox = Sandbox::new();
    let folder = package(&sandbox);
    let ask = |variables: &BTreeMap<String, String>| {
        let mut command = sandbox.command("pkg-config");
        // As this machine's own folder would be searched, which the variable stands for.
        command.args(["--exists", "hosts"]).env("PKG_CONFIG_LIBDIR", &folder).envs(variables);
        command.status().unwrap().success()
    };
    assert!(ask(&BTreeMap::new()));
    assert!(!ask(&variables(&sandbox, &["--make"])));
    // What the user says about it stays.
    let mut own = sandbox.brawn(&["env", "--make", "--message-format", "json"]);
    let own: BTreeMap<String, String> =
        serde_json::from_str(&ok(own.env("PKG_CONFIG_LIBDIR", &folder))).unwrap();
    assert!(!own.contains_key("PKG_CONFIG_LIBDIR"), "{own:?}");
}

#[test]
fn cmake_does_not_find_this_machines_packages() {
    let sandbox = Sandbox::new();
    let folder = package(&sandbox);
    sandbox.write("toolchain.cmake", ok(sandbox.brawn(&["env", "--cmake"]).env_remove("PKG_CONFIG_LIBDIR")));
    sandbox.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(p C)\nfind_package(PkgConfig REQUIRED)\n\
         pkg_check_modules(HOSTS hosts)\nmessage(STATUS \"found: <${HOSTS_FOUND}>\")\n",
    );
    let said = |more: &[&str], build: &str| {
        let mut cmake = sandbox.command("cmake");
        ok(cmake.args(["-S", ".", "-B", build]).args(more).env("PKG_CONFIG_LIBDIR", &folder))
    };
    assert!(said(&[], "host").contains("found: <1>"));
    let found = said(&["-DCMAKE_TOOLCHAIN_FILE=../toolchain.cmake"], "musl");
    assert!(found.contains("found: <>"), "{found}");
}

/// A program by its source, which prints nothing.
fn empty_main(sandbox: &Sandbox) {
    sandbox.write("main.c", "int main(void) { return 0; }\n");
}

#[test]
fn what_was_asked_for_reaches_the_compilers_of_a_build_system() {
    let sandbox = Sandbox::new();
    empty_main(&sandbox);
    sandbox.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(p C)\nadd_executable(p main.c)\n",
    );
    let env = |form: &str| ok(&mut sandbox.brawn(&["--malloc", "stock", "env", "--format", form]));
    sandbox.write("toolchain.cmake", env("cmake"));
    sandbox.write("CMakeUserPresets.json", env("cmake-presets"));
    let meson = env("meson");
    assert!(meson.contains("\nc = ['/usr/bin/env', 'BRAWN_MALLOC=stock', '/"), "{meson}");
    let cmake = |args: &[&str]| ok(sandbox.command("cmake").args(args));
    cmake(&["-S", ".", "-B", "by-file", "-DCMAKE_TOOLCHAIN_FILE=../toolchain.cmake"]);
    cmake(&["--build", "by-file"]);
    cmake(&["--preset", "brawn"]);
    cmake(&["--build", "--preset", "brawn"]);
    for built in ["by-file/p", "build/brawn/p"] {
        assert_eq!(note(&sandbox.path().join(built)).malloc, "stock", "{built}");
    }
}

#[test]
fn every_form_says_the_same() {
    let sandbox = Sandbox::new();
    let said = |form: &str| ok(&mut sandbox.brawn(&["env", "--make", "--format", form]));
    let json: BTreeMap<String, String> = serde_json::from_str(&said("json")).unwrap();
    assert_eq!(json, variables(&sandbox, &["--make"]));
    let cc = &json["CC"];
    assert!(said("sh").contains(&format!("export CC={cc}\n")));
    assert!(said("fish").contains(&format!("set -gx CC '{cc}'\n")));
    assert!(said("github").contains(&format!("CC<<BRAWN\n{cc}\nBRAWN\n")));
    assert_eq!(
        ok(&mut sandbox.brawn(&["env", "--cmake"])),
        ok(&mut sandbox.brawn(&["env", "--format", "cmake"]))
    );
    for (args, code) in [
        (&["env", "--make", "--format", "meson"][..], 2),
        (&["env", "--format", "ninja"], 2),
        (&["env", "--format", "sh", "--cmake"], 2),
        (&["env", "--format", "sh", "--message-format", "json"], 2),
    ] {
        fails(&mut sandbox.brawn(args), code);
    }
}

#[test]
fn a_path_that_a_build_system_cannot_be_told_is_refused() {
    let sandbox = Sandbox::new();
    let refused = |cache: &str, form: &str| {
        let mut command = sandbox.brawn(&["env", "--format", form]);
        fails(command.env("BRAWN_CACHE_DIR", sandbox.path().join(cache)), 1)
    };
    let message = refused("a\u{1b}b", "meson");
    assert!(message.contains("cannot be told of") && message.contains("BRAWN_CACHE_DIR"), "{message}");
    let message = refused("a$b", "cmake-presets");
    assert!(message.contains("$ begins a name in them"), "{message}");
}
