//! Programs that no one here wrote, built by their own build systems through `brawn`, and then made to work.
//!
//! Their sources come from the crate registry and from Debian's, pinned by version and hash. Where a source of Debian's cannot
//! be had, the test says so and ends; in continuous integration (`CI` is set) it fails.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::long;

fn brawn() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_brawn"))
}

/// A new folder of the test's own.
fn workplace(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real").join(name);
    if folder.exists() {
        fs_err::remove_dir_all(&folder).unwrap();
    }
    fs_err::create_dir_all(&folder).unwrap();
    folder
}

/// A command whose environment is a user's own, not that of the cargo or make that runs this test.
fn command(program: impl AsRef<Path>, folder: &Path) -> Command {
    let mut command = Command::new(program.as_ref());
    for (key, _) in std::env::vars_os() {
        let name = key.to_string_lossy();
        let ours = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_EXE_", "BRAWN_", "MAKE", "MFLAGS"];
        if ours.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(&key);
        }
    }
    command.current_dir(folder).stdin(Stdio::null());
    // Brawn's cache is that of the other tests, and zig's the user's own: its C++ library takes a minute to compile.
    command.env("BRAWN_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command
}

/// Runs to success, or shows everything that was said.
fn succeed(command: &mut Command) -> String {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
    stdout.into_owned()
}

/// Static, with one heap, and that heap Brawn's: what `brawn verify` promises.
fn verify(executable: &Path) {
    let folder = executable.parent().unwrap();
    succeed(command(brawn(), folder).arg("verify").arg(executable));
    let found = succeed(command(brawn(), folder).args(["inspect", "--json"]).arg(executable));
    assert!(found.replace(' ', "").contains("\"kit\":true"), "no heap of Brawn's kit inside: {found}");
}

/// The unpacked source of a Debian package; none when it cannot be had and this is not continuous integration.
fn debian_source(package: &str, file: &str, sha256: &str, into: &Path) -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/brawn-bench/debian-source");
    // Kept between runs, so that a second one needs no network.
    let downloads = Path::new(env!("CARGO_TARGET_TMPDIR")).join("downloads");
    let output = command(script, into).args([package, file, sha256]).arg(&downloads).output().unwrap();
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        assert!(std::env::var_os("CI").is_none(), "{reason}");
        eprintln!("skipped: {reason}");
        return None;
    }
    succeed(command("tar", into).arg("xf").arg(downloads.join(file)).arg("--strip-components=1"));
    Some(into.to_owned())
}

/// How a makefile is told of the compiler.
fn cc() -> String {
    format!("CC={} cc", brawn().display())
}

/// A Rust program around SQLite, whose C code allocates through `malloc`: both sides must be on the one heap. It takes a
/// minute of both processors; the guide for Rust with C is the short form of it, as its example has SQLite inside.
#[test]
fn mcfly_keeps_a_shell_history_in_sqlite() {
    if !long() {
        eprintln!("left out: BRAWN_TEST_LONG=1 compiles mcfly");
        return;
    }
    let folder = workplace("mcfly");
    let mut install = command(brawn(), &folder);
    // Not optimised: the test is about the heap, and optimising SQLite takes minutes.
    install
        .args(["cargo", "install", "mcfly", "--version", "0.9.4", "--locked", "--debug", "--root"])
        .arg(&folder);
    install.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-build"));
    succeed(&mut install);
    let mcfly = folder.join("bin/mcfly");
    verify(&mcfly);

    let commands: Vec<String> =
        (0..5_000).map(|n| format!("git commit -m 'change {n}' -- file{}.c", n % 97)).collect();
    let history = folder.join("history");
    fs_err::write(&history, commands.join("\n") + "\n").unwrap();
    fs_err::write(folder.join("session"), "").unwrap();
    fs_err::create_dir_all(folder.join("data/mcfly")).unwrap();
    let run = |arguments: &[&str]| {
        succeed(
            command(&mcfly, &folder)
                .args(arguments)
                .env("HOME", &folder)
                .env("XDG_DATA_HOME", folder.join("data"))
                .env("HISTFILE", &history)
                .env("MCFLY_HISTORY", folder.join("session"))
                .env("MCFLY_SESSION_ID", "test"),
        )
    };
    run(&["add", "--exit", "0", "--dir", "/there", "--when", "1700000000", "make install"]);
    let dump = run(&["dump", "--format", "csv"]);
    let mut lines = dump.lines();
    assert_eq!(lines.next(), Some("cmd,when_run"));
    assert_eq!(lines.next(), Some("make install,2023-11-14T22:13:20+00:00"));
    let imported: Vec<&str> = lines.map(|line| line.rsplit_once(',').unwrap().0).collect();
    assert_eq!(imported, commands);
    run(&["move", "/there", "/elsewhere"]);
}

/// A C server with threads that forks while they run, built by its own makefile, against its own test suite.
#[test]
fn redis_passes_its_own_tests() {
    let folder = workplace("redis");
    let sha256 = "4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982";
    let Some(source) = debian_source("redis", "redis_7.0.15.orig.tar.gz", sha256, &folder) else { return };
    // Little optimised and without debugging information, as for ninja.
    succeed(command("make", &source).args(["-j2", "MALLOC=libc", "OPTIMIZATION=-O1", "DEBUG=", &cc()]));
    verify(&source.join("src/redis-server"));
    verify(&source.join("src/redis-cli"));

    let mut tests = command("./runtest", &source);
    // Snapshots fork the server, scripts run Lua inside it, lists and hashes allocate all sizes.
    let units = ["unit/type/hash", "unit/type/list", "unit/scripting", "unit/other", "integration/rdb"];
    tests.args(["--clients", "2"]).args(units.iter().flat_map(|unit| ["--single", unit]));
    let said = succeed(&mut tests);
    assert!(said.contains("All tests passed without errors!"), "{said}");
}

/// A small C program, built by its own makefile, running a program of its own.
#[test]
fn lua_runs_programs() {
    let folder = workplace("lua");
    let sha256 = "164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61";
    let Some(source) = debian_source("lua5.4", "lua5.4_5.4.4.orig.tar.gz", sha256, &folder) else { return };
    succeed(command("make", &source).args(["-j2", "linux", &format!("{} -std=gnu99", cc())]));
    let lua = source.join("src/lua");
    verify(&lua);
    assert!(succeed(command("make", &source).arg("test")).contains("Lua 5.4.4"));

    // Makes and drops hundreds of thousands of strings and tables, through a coroutine and a full collection.
    let program = r#"
        local words, total = {}, 0
        local source = coroutine.wrap(function()
            for n = 1, 200000 do coroutine.yield(("word%d"):format(n % 5000)) end
        end)
        for word in source do
            local entry = words[word] or { count = 0, places = {} }
            entry.count = entry.count + 1
            entry.places[#entry.places + 1] = ("%s at %d"):format(word, total)
            words[word] = entry
            total = total + 1
        end
        local text = {}
        for word, entry in pairs(words) do
            text[#text + 1] = word .. ":" .. entry.count .. ":" .. entry.places[40]
        end
        table.sort(text)
        local joined = table.concat(text, "\n")
        words, source = nil, nil
        collectgarbage()
        print(total, #text, #joined, text[2], text[5000])
    "#;
    let file = folder.join("words.lua");
    fs_err::write(&file, program).unwrap();
    assert_eq!(
        succeed(command(&lua, &folder).arg(&file)),
        "200000\t5000\t152779\tword1000:40:word1000 at 195999\tword9:40:word9 at 195008\n"
    );
}

/// A C++ program, built by its own CMake with the toolchain file, which starts many programs of its own.
#[test]
fn ninja_builds_what_it_is_told() {
    let folder = workplace("ninja");
    let sha256 = "31747ae633213f1eda3842686f83c2aa1412e0f5691d1c14dbbcc67fe7400cea";
    let Some(source) = debian_source("ninja-build", "ninja-build_1.11.1.orig.tar.gz", sha256, &folder) else {
        return;
    };
    let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
    let with_zig = |program: &Path| {
        let mut command = command(program, &source);
        command.env("BRAWN_ZIG", &zig);
        command
    };
    fs_err::write(source.join("toolchain.cmake"), succeed(with_zig(brawn()).args(["env", "--cmake"])))
        .unwrap();
    let mut configure = with_zig(Path::new("cmake"));
    // Not optimised: the test is about the runtime, and one core optimises for a minute.
    configure.args(["-B", "build", "-DCMAKE_TOOLCHAIN_FILE=toolchain.cmake", "-DCMAKE_BUILD_TYPE=Debug"]);
    succeed(configure.args(["-DBUILD_TESTING=OFF", "-G", "Unix Makefiles"]));
    succeed(with_zig(Path::new("cmake")).args(["--build", "build", "--target", "ninja", "-j2"]));
    let ninja = source.join("build/ninja");
    verify(&ninja);

    let mut plan = String::from("rule join\n  command = cat $in > $out\n");
    for n in 1..=300 {
        plan += &format!("build out/{n}: join out/{} word\n", n / 2);
    }
    fs_err::create_dir_all(folder.join("out")).unwrap();
    fs_err::write(folder.join("out/0"), "").unwrap();
    fs_err::write(folder.join("word"), "x").unwrap();
    fs_err::write(folder.join("build.ninja"), plan).unwrap();
    assert!(succeed(command(&ninja, &folder).arg("-j8")).contains("[300/300]"));
    // Each has the word once for every bit of its number.
    assert_eq!(fs_err::read_to_string(folder.join("out/300")).unwrap(), "x".repeat(9));
    assert!(succeed(&mut command(&ninja, &folder)).contains("no work to do"));
    fs_err::write(folder.join("build.ninja"), "build broken\n").unwrap();
    let output = command(&ninja, &folder).output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("build.ninja:1"));
}
