//! `brawn build`, `brawn cargo` and `brawn relink` on packages.

use std::path::Path;

use crate::common::{DEFAULT_MALLOC, Sandbox, fails, note, ok, redact};
use insta::assert_snapshot;
use serde_json::Value;

const TARGET: &str = "x86_64-unknown-linux-musl";

/// `brawn build ARGS --message-format json` in a package: every message.
fn messages(sandbox: &Sandbox, package: &Path, args: &[&str]) -> Vec<Value> {
    let mut command = sandbox.brawn(&["build", "--message-format=json"]);
    let text = ok(command.args(args).current_dir(package));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_kind<'a>(messages: &'a [Value], reason: &'a str) -> impl Iterator<Item = &'a Value> {
    messages.iter().filter(move |message| message["reason"] == reason)
}

fn said(sandbox: &Sandbox, program: &Path) -> String {
    ok(&mut sandbox.command(program.to_str().unwrap()))
}

#[test]
fn a_package_becomes_one_verified_executable() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("hello");
    let text = ok(sandbox.brawn(&["build", "--release"]).current_dir(&package));
    let program = package.join("target").join(TARGET).join("release/hello");
    assert!(text.contains("static-pie, musl 1.2."), "{text}");
    assert!(text.contains("verified: static, one heap"), "{text}");
    assert_eq!(said(&sandbox, &program), "1 2 3\n");
    ok(sandbox.brawn(&["verify"]).arg(&program));
    let note = note(&program);
    assert_eq!(note.preset.as_deref(), Some("balanced"));
    assert_eq!(note.malloc, DEFAULT_MALLOC);
    for (key, value) in brawn_libc::PRESETS[0].knobs {
        assert_eq!(note.knobs.get(*key).map(String::as_str), Some(*value), "{key}");
    }
}

#[test]
fn another_allocator_recompiles_nothing() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("swap");
    let program = package.join("target").join(TARGET).join("debug/swap");
    let first = messages(&sandbox, &package, &[]);
    assert!(of_kind(&first, "compiler-artifact").any(|artifact| artifact["fresh"] == false));
    for malloc in ["mimalloc2", "stock", "mimalloc-secure", "mimalloc", "brawn"] {
        let messages = messages(&sandbox, &package, &["--malloc", malloc]);
        let fresh: Vec<_> =
            of_kind(&messages, "compiler-artifact").map(|artifact| &artifact["fresh"]).collect();
        assert!(!fresh.is_empty() && fresh.iter().all(|fresh| **fresh == true), "{malloc}: {fresh:?}");
        assert_eq!(note(&program).malloc, malloc);
        assert_eq!(said(&sandbox, &program), "1 2 3\n");
    }
}

#[test]
fn run_and_test_use_what_was_asked_for_although_cargo_calls_it_fresh() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("fresh");
    sandbox.write("fresh/tests/note.rs", "#[test]\nfn passes() { assert_eq!(vec![1; 3].len(), 3); }\n");
    let program = package.join("target").join(TARGET).join("debug/fresh");
    let run = |args: &[&str]| ok(sandbox.brawn(args).current_dir(&package));
    assert_eq!(run(&["cargo", "run", "--quiet"]), "1 2 3\n");
    assert_eq!(note(&program).malloc, DEFAULT_MALLOC);
    let before = program.metadata().unwrap().modified().unwrap();
    assert_eq!(run(&["--malloc", "mimalloc2", "cargo", "run", "--quiet"]), "1 2 3\n");
    assert_eq!(note(&program).malloc, "mimalloc2");
    assert_eq!(program.metadata().unwrap().modified().unwrap(), before, "cargo would think it changed");
    assert!(run(&["cargo", "test", "--malloc=stock"]).contains("1 passed"));
    assert_eq!(note(&program).malloc, "stock");
}

#[test]
fn cargos_own_arguments_pass_through() {
    let sandbox = Sandbox::new();
    sandbox.write("ws/Cargo.toml", "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"3\"\n\n[profile.lean]\ninherits = \"release\"\nstrip = true\n");
    for (name, bins) in [("one", &["a", "b"][..]), ("two", &["c"][..])] {
        sandbox.write(
            &format!("ws/{name}/Cargo.toml"),
            format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[features]\nloud = []\n"),
        );
        for bin in bins {
            let source = "fn main() { println!(\"{}\", if cfg!(feature = \"loud\") { \"LOUD\" } else { \"quiet\" }) }\n";
            sandbox.write(&format!("ws/{name}/src/bin/{bin}.rs"), source);
        }
    }
    let build = |args: &[&str]| {
        let mut command = sandbox.brawn(&["build", "--quiet"]);
        let text = ok(command.args(args).current_dir(sandbox.path().join("ws")));
        let mut names: Vec<_> =
            text.lines().map(|line| line.rsplit('/').next().unwrap().to_owned()).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(build(&["-p", "one"]), "a b");
    assert_eq!(build(&["-p", "one", "--bin", "b"]), "b");
    assert_eq!(build(&["--workspace"]), "a b c");
    assert_eq!(
        build(&["-p", "two", "--features", "loud", "--target-dir", "elsewhere", "--profile", "lean"]),
        "c"
    );
    let program = sandbox.path().join("ws/elsewhere").join(TARGET).join("lean/c");
    assert_eq!(said(&sandbox, &program), "LOUD\n");
    // The profile strips; the note and the verdict survive.
    assert!(ok(sandbox.brawn(&["verify"]).arg(program)).contains(&format!("one heap: {DEFAULT_MALLOC}")));
}

#[test]
fn settings_come_from_flag_environment_package_workspace_and_file() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("settings");
    let program = package.join("target").join(TARGET).join("debug/settings");
    let manifest = package.join("Cargo.toml");
    let plain = fs_err::read_to_string(&manifest).unwrap();
    let malloc = |args: &[&str], environment: Option<(&str, &str)>| {
        let mut command = sandbox.brawn(&["build", "--quiet"]);
        ok(command.args(args).envs(environment).current_dir(&package));
        note(&program).malloc
    };
    sandbox.write("config/brawn/config.toml", "malloc = \"stock\"\n");
    assert_eq!(malloc(&[], None), "stock");
    fs_err::write(&manifest, format!("{plain}\n[workspace.metadata.brawn]\nmalloc = \"mimalloc2\"\n"))
        .unwrap();
    assert_eq!(malloc(&[], None), "mimalloc2");
    fs_err::write(
        &manifest,
        format!("{plain}\n[workspace.metadata.brawn]\nmalloc = \"mimalloc2\"\n\n[package.metadata.brawn]\npreset = \"hardened\"\n"),
    )
    .unwrap();
    assert_eq!(malloc(&[], None), "brawn-hardened");
    assert_eq!(malloc(&[], Some(("BRAWN_MALLOC", "mimalloc2-secure"))), "mimalloc2-secure");
    assert_eq!(malloc(&["--preset", "balanced"], Some(("BRAWN_MALLOC", "stock"))), DEFAULT_MALLOC);
}

/// A linker that says that it was called, and calls the real one.
fn spy(sandbox: &Sandbox, name: &str) -> String {
    let log = sandbox.path().join("spy.log");
    let script = format!("#!/bin/sh\necho called >> {}\nexec cc \"$@\"\n", log.display());
    let path = sandbox.write(&format!("bin/{name}"), script);
    ok(sandbox.command("chmod").arg("+x").arg(&path));
    path.display().to_string()
}

#[test]
fn a_linker_that_the_user_configured_is_the_one_that_links() {
    for place in ["config", "environment", "rustflags", "config-rustflags"] {
        let sandbox = Sandbox::new();
        let package = sandbox.package("linker");
        let spy = spy(&sandbox, "my-gcc");
        let mut command = sandbox.brawn(&["build", "--quiet"]);
        command.current_dir(&package);
        match place {
            "config" => drop(sandbox.write(
                "linker/.cargo/config.toml",
                format!("[target.{TARGET}]\nlinker = \"{spy}\"\nrustflags = [\"--cfg\", \"mine\"]\n"),
            )),
            "environment" => drop(command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER", &spy)),
            "rustflags" => drop(command.env("RUSTFLAGS", format!("-C linker={spy} --cfg mine"))),
            _ => drop(sandbox.write(
                "linker/.cargo/config.toml",
                format!("[build]\nrustflags = [\"-Clinker={spy}\", \"--cfg\", \"mine\"]\n"),
            )),
        }
        ok(&mut command);
        let program = package.join("target").join(TARGET).join("debug/linker");
        assert_eq!(note(&program).malloc, DEFAULT_MALLOC, "{place}");
        assert!(sandbox.path().join("spy.log").exists(), "{place}: the linker was not called");
    }
}

#[test]
fn rustflags_of_the_user_reach_the_program() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("flags");
    sandbox.write("flags/src/main.rs", "fn main() { println!(\"{}\", cfg!(mine)) }\n");
    let flags = "--cfg mine -C relocation-model=static -C link-arg=-Wl,-z,stack-size=1048576";
    ok(sandbox.brawn(&["build", "--quiet"]).current_dir(&package).env("RUSTFLAGS", flags));
    let program = package.join("target").join(TARGET).join("debug/flags");
    assert_eq!(said(&sandbox, &program), "true\n");
    let inspection = brawn_elf::inspect(&fs_err::read(&program).unwrap()).unwrap();
    assert_eq!(inspection.kind, brawn_elf::inspection::Kind::Static, "not position-independent, as asked");
    assert_eq!(inspection.thread_stack.bytes, Some(1 << 20), "the user's stack size holds");
}

#[test]
fn thread_stacks_get_eight_mebibytes() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("stack");
    ok(sandbox.brawn(&["build", "--quiet"]).current_dir(&package));
    let program = fs_err::read(package.join("target").join(TARGET).join("debug/stack")).unwrap();
    assert_eq!(brawn_elf::inspect(&program).unwrap().thread_stack.bytes, Some(8 << 20));
}

#[test]
fn a_program_that_allocates_nothing_is_whole_with_every_heap() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("nothing");
    sandbox.write(
        "nothing/src/main.rs",
        "#![no_main]\n#[unsafe(no_mangle)]\npub extern \"C\" fn main() -> i32 {\n    0\n}\n",
    );
    ok(sandbox.brawn(&["build", "--quiet", "--release"]).current_dir(&package));
    let program = package.join("target").join(TARGET).join("release/nothing");
    // Each link is verified; so little of the heap is left that it could be taken for another.
    for allocator in brawn_kit::allocators() {
        ok(&mut sandbox.brawn(&["relink", program.to_str().unwrap(), "--malloc", allocator.name]));
        ok(&mut sandbox.command(program.to_str().unwrap()));
    }
}

#[test]
fn without_any_compiler_the_toolchains_own_linker_links() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("bare");
    // A PATH with nothing on it but the Rust toolchain.
    let rust = brawn_link::toolchain::Rust::find().unwrap();
    let path = rust.sysroot.join("bin");
    for target in [TARGET, "aarch64-unknown-linux-musl"] {
        ok(sandbox
            .brawn(&["build", "--quiet", "--target", target])
            .current_dir(&package)
            .env("PATH", &path)
            .env("RUSTC", path.join("rustc")));
        let program = package.join("target").join(target).join("debug/bare");
        assert_eq!(note(&program).malloc, DEFAULT_MALLOC);
        if target == TARGET {
            assert_eq!(said(&sandbox, &program), "1 2 3\n");
        }
    }
}

#[test]
fn the_other_architecture_runs_under_emulation() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("cross");
    let target = "aarch64-unknown-linux-musl";
    for malloc in [
        "brawn",
        "brawn-hardened",
        "jemalloc",
        "mimalloc",
        "mimalloc2",
        "mimalloc-secure",
        "mimalloc2-secure",
        "stock",
    ] {
        let mut command = sandbox.brawn(&["cargo", "run", "--quiet", "--target", target, "--malloc", malloc]);
        assert_eq!(ok(command.current_dir(&package)), "1 2 3\n", "{malloc}");
        assert_eq!(note(&package.join("target").join(target).join("debug/cross")).malloc, malloc);
    }
}

#[test]
fn the_same_source_gives_the_same_executable() {
    let sandbox = Sandbox::new();
    let programs = ["one", "two"].map(|folder| {
        let package = sandbox.package(&format!("{folder}/same"));
        sandbox.write(
            &format!("{folder}/same/Cargo.toml"),
            "[package]\nname = \"same\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[profile.release]\nstrip = true\n",
        );
        let flags = format!("--remap-path-prefix={}=/", package.display());
        ok(sandbox.brawn(&["build", "--release", "--quiet"]).current_dir(&package).env("RUSTFLAGS", flags));
        fs_err::read(package.join("target").join(TARGET).join("release/same")).unwrap()
    });
    assert!(programs[0] == programs[1], "two builds of the same source differ");
}

#[test]
fn relink_replays_the_link_of_an_executable_and_of_its_copy() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("again");
    ok(sandbox.brawn(&["build", "--quiet"]).current_dir(&package));
    let program = package.join("target").join(TARGET).join("debug/again");
    let copy = sandbox.path().join("copy");
    fs_err::copy(&program, &copy).unwrap();
    for path in [&program, &copy] {
        ok(sandbox.brawn(&["relink", "--malloc", "mimalloc2"]).arg(path));
        assert_eq!(note(path).malloc, "mimalloc2");
        assert_eq!(said(&sandbox, path), "1 2 3\n");
    }
    let elsewhere = sandbox.path().join("elsewhere");
    ok(sandbox.brawn(&["relink", "--preset", "stock", "-o"]).arg(&elsewhere).arg(&program));
    assert_eq!((note(&elsewhere).malloc, note(&program).malloc), ("stock".into(), "mimalloc2".into()));
}

/// As where a machine keeps the target folder for the next run, and not Brawn's cache.
#[test]
fn what_has_no_record_is_linked_anew() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("kept");
    let program = package.join("target").join(TARGET).join("debug/kept");
    let cache = |name: &str| sandbox.path().join(name);
    let by_cargo = || ok(sandbox.command("cargo").args(["build", "--target", TARGET]).current_dir(&package));
    let by_brawn = |args: &[&str], cache: &Path| {
        ok(sandbox.brawn(args).current_dir(&package).env("BRAWN_CACHE_DIR", cache));
        assert_eq!(note(&program).malloc, DEFAULT_MALLOC);
        fs_err::metadata(&program).unwrap().modified().unwrap()
    };
    by_cargo();
    let script = program.with_file_name("deps/script-0123456789abcdef");
    fs_err::write(&script, "#!/bin/sh\n").unwrap();
    fs_err::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let build = ["build", "--quiet"];
    // The second time everything is up to date.
    assert_eq!(by_brawn(&build, &cache("1")), by_brawn(&build, &cache("1")));
    let run = ["cargo", "run"];
    assert_eq!(by_brawn(&run, &cache("2")), by_brawn(&run, &cache("2")));
    // Here is a record, of what lay there before.
    sandbox.write("kept/src/main.rs", "fn main() { println!(\"{}\", String::from(\"changed\")); }\n");
    by_cargo();
    by_brawn(&build, &cache("2"));
    assert_eq!(said(&sandbox, &program), "changed\n");
    assert!(script.exists(), "what is no executable stays");
}

#[test]
fn relink_says_what_it_lacks() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("lacks");
    ok(sandbox.brawn(&["build", "--quiet"]).current_dir(&package));
    let program = package.join("target").join(TARGET).join("debug/lacks");
    let copy = sandbox.path().join("copy");
    fs_err::copy(&program, &copy).unwrap();
    ok(sandbox.command("cp").args(["/bin/true", "true"]));
    assert_snapshot!(redact(&sandbox, &fails(&mut sandbox.brawn(&["relink", "true"]), 3)), @r"
    error: there is no record of how [DIR]/true was linked
    hint: only links that went through Brawn are recorded, until the build folder is cleaned: build it again
    ");
    let before = fs_err::read(&copy).unwrap();
    let message =
        fails(sandbox.brawn(&["relink", "copy"]).env("BRAWN_CACHE_DIR", sandbox.path().join("empty")), 3);
    assert!(message.starts_with("error: there is no record"), "{message}");
    assert!(fs_err::read(&copy).unwrap() == before);
}

#[test]
fn a_failing_build_ends_with_cargos_own_code_and_message() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("broken");
    sandbox.write("broken/src/main.rs", "fn main() { nonsense }\n");
    let message = fails(sandbox.brawn(&["build"]).current_dir(&package), 101);
    assert!(message.contains("cannot find value `nonsense`"), "{message}");
}

#[test]
fn a_dynamic_executable_is_not_handed_over() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("dynamic");
    let mut command = sandbox.brawn(&["build"]);
    command.current_dir(&package).env("RUSTFLAGS", "-C target-feature=-crt-static -C linker=musl-gcc");
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    // Whichever comes first: this toolchain has no dynamic musl to link with, or verification refuses the result.
    assert!(!output.status.success(), "{message}");
}

#[test]
fn brawn_env_makes_a_plain_cargo_do_the_same() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("env");
    let script = format!(
        "eval \"$('{}' env --malloc mimalloc2)\" && cargo build --quiet",
        env!("CARGO_BIN_EXE_brawn")
    );
    ok(sandbox.command("sh").args(["-c", &script]).current_dir(&package));
    assert_eq!(note(&package.join("target").join(TARGET).join("debug/env")).malloc, "mimalloc2");
}

#[test]
fn cargo_brawn_is_the_same_program() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("sub");
    let folder = Path::new(env!("CARGO_BIN_EXE_cargo-brawn")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(folder.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let text = ok(sandbox.command("cargo").args(["brawn", "build"]).env("PATH", path).current_dir(&package));
    assert!(text.contains("verified: static, one heap"), "{text}");
}

#[test]
fn a_target_that_is_not_musl_is_refused() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("gnu");
    let mut command = sandbox.brawn(&["build", "--target", "x86_64-unknown-linux-gnu"]);
    assert_snapshot!(fails(command.current_dir(&package), 2), @r"
    error: target 'x86_64-unknown-linux-gnu' is not static musl Linux on a 64-bit architecture that Brawn knows
    hint: there are x86_64-unknown-linux-musl and aarch64-unknown-linux-musl
    ");
}

#[test]
fn executables_of_former_commands_that_are_others_now_are_named() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("two");
    sandbox.write("two/examples/other.rs", "fn main() {}\n");
    ok(sandbox.brawn(&["build", "--quiet", "--examples"]).current_dir(&package));
    let build = |args: &[&str]| {
        let output = sandbox.brawn(args).current_dir(&package).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let said = build(&["build", "--quiet", "--bins", "--preset", "stock"]);
    let place = "debug/examples/other below the target folder, no longer what was tested before";
    assert!(
        said.contains("warning: linked again with what this command asks for: ") && said.contains(place),
        "{said}"
    );
    // Nothing has changed since.
    assert!(!build(&["build", "--quiet", "--bins", "--preset", "stock"]).contains("linked again"));
    assert!(build(&["cargo", "run", "--quiet", "--preset", "balanced"]).contains("linked again with what"));
}
