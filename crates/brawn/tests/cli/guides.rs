//! The commands of the guides, run as they stand there.
//!
//! A page in `docs/guides/` is its own test. Every block of the language `sh` is run, one after the other in one shell,
//! and a block of the language `text` right behind one is what that one prints. The page says where:
//!
//! - a link to a folder of `examples/`: the commands run in a copy of it, or else in an empty folder;
//! - `<!-- needs: go, ocamlopt 4.13, … -->`: commands, of a version if one is named, without which the page is skipped;
//! - `<!-- long -->`: the next block takes minutes, and is left out unless `BRAWN_TEST_LONG` is set; with `<!-- long: dist -->`
//!   it is left out as well where that command is missing, which only `make test-long` compiles;
//! - `<!-- source: PACKAGE FILE SHA256 -->`: a file from the sources of a Debian package that lies in the folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Sandbox, long, ok};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What a page says.
#[derive(Debug, Default, PartialEq)]
struct Page {
    example: Option<String>,
    needs: Vec<String>,
    sources: Vec<Vec<String>>,
    blocks: Vec<Block>,
}

/// Commands, and what they print if the page says so.
#[derive(Debug, Default, PartialEq)]
struct Block {
    commands: String,
    prints: Option<String>,
    long: bool,
}

impl Page {
    fn parse(text: &str) -> Page {
        let mut page = Page::default();
        let mut lines = text.lines();
        // Only right behind a block of commands is a block of text what they print.
        let mut behind = false;
        let (mut long, mut absent) = (false, false);
        while let Some(line) = lines.next() {
            if let Some(language) = line.strip_prefix("```") {
                let body: Vec<_> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
                let body = body.join("\n") + "\n";
                let printed = std::mem::take(&mut behind) && language == "text";
                match page.blocks.last_mut() {
                    Some(block) if printed => block.prints = Some(body),
                    _ if language == "sh" && std::mem::take(&mut absent) => {}
                    _ if language == "sh" => {
                        page.blocks.push(Block {
                            commands: body,
                            prints: None,
                            long: std::mem::take(&mut long),
                        });
                        behind = true;
                    }
                    _ => {}
                }
                continue;
            }
            behind &= line.trim().is_empty();
            let tool = comment(line, "long");
            long |= line == "<!-- long -->" || tool.is_some_and(is_here);
            absent |= tool.is_some_and(|tool| !is_here(tool));
            if let Some(list) = comment(line, "needs") {
                page.needs.extend(list.split(',').map(|need| need.trim().to_owned()));
            }
            if let Some(source) = comment(line, "source") {
                page.sources.push(source.split_whitespace().map(str::to_owned).collect());
            }
            if let Some((_, link)) = line.split_once("(../../examples/")
                && let Some((name, _)) = link.split_once(')')
            {
                page.example.get_or_insert_with(|| name.to_owned());
            }
        }
        page
    }

    /// One shell for all commands, so that what one exports the next one sees; what a block prints goes to a file.
    fn script(&self) -> String {
        let mut script = String::from("set -euo pipefail\n");
        for (number, block) in self.blocks.iter().enumerate() {
            script += &format!("{{\n{}}} > \"$PRINTED/{number}\"\n", block.commands);
        }
        script
    }
}

/// `<!-- NAME: … -->`
fn comment<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.strip_prefix("<!-- ")?.strip_suffix(" -->")?.strip_prefix(name)?.strip_prefix(": ")
}

/// Runs the commands of a page, which must succeed and print what the page says.
fn guide(name: &str) {
    let path = repository().join("docs/guides").join(format!("{name}.md"));
    let mut page = Page::parse(&fs_err::read_to_string(&path).unwrap());
    if !long() {
        page.blocks.retain(|block| !block.long);
    }
    assert!(!page.blocks.is_empty(), "{} has no commands", path.display());
    for need in &page.needs {
        if !is_here(need) {
            assert!(std::env::var_os("CI").is_none(), "{name}: no {need}: scripts/setup installs it as root");
            eprintln!(
                "skipped: {name}.md needs {need}, which is not on this machine; `make setup` as root installs it"
            );
            return;
        }
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.path().join("work");
    let printed = sandbox.path().join("printed");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::create_dir_all(&printed).unwrap();
    if let Some(example) = &page.example {
        copy(&repository().join("examples").join(example), &folder);
    }
    // A crate of this repository, from here: a page is written for those who have it from the registry.
    let heap = repository().join("crates/brawn-heap");
    let patch = format!("[patch.crates-io]\nbrawn-heap = {{ path = \"{}\" }}\n", heap.display());
    let manifest = folder.join("Cargo.toml");
    if fs_err::read_to_string(manifest).is_ok_and(|text| text.contains("\nbrawn-heap")) {
        sandbox.write(".cargo/config.toml", patch);
    }
    for source in &page.sources {
        if !fetch(&sandbox, source, &folder) {
            return;
        }
    }
    let brawn = Path::new(env!("CARGO_BIN_EXE_brawn")).parent().unwrap();
    let path = format!("{}:{}", brawn.display(), std::env::var("PATH").unwrap());
    let mut shell = sandbox.command("bash");
    shell
        .args(["-c", &page.script()])
        .current_dir(&folder)
        .env("PATH", path)
        .env("PRINTED", &printed)
        // setuptools-rust and what it stands on, as `pip install` puts them where Python looks.
        .env("PYTHONPATH", repository().join(".tools/build"))
        .env("BRAWN_ZIG", repository().join(".tools/zig/ziglang/zig"))
        .env("CARGO_ZIGBUILD_ZIG_PATH", repository().join(".tools/zig/ziglang/zig"))
        // What the commands build is of no use to another run, but what they download is.
        .env_remove("CI");
    let output = shell.output().unwrap();
    let said = |number: usize| fs_err::read_to_string(printed.join(number.to_string())).unwrap_or_default();
    let all: String = (0..page.blocks.len()).map(said).collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}.md: {}\n{all}{errors}", output.status);
    for (number, block) in page.blocks.iter().enumerate() {
        if let Some(expected) = &block.prints {
            assert_eq!(&said(number), expected, "{name}.md: what this prints:\n{}", block.commands);
        }
    }
}

/// Whether there is a program, or one whose version begins so: `go`, `ocamlopt 4.13`.
fn is_here(need: &str) -> bool {
    let (program, version) = need.split_once(' ').unwrap_or((need, ""));
    let path = std::env::var_os("PATH").unwrap();
    if !std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
        return false;
    }
    if version.is_empty() {
        return true;
    }
    let said = Command::new(program).arg("--version").output().unwrap().stdout;
    String::from_utf8_lossy(&said).split_whitespace().any(|word| word.starts_with(version))
}

/// What git has of a folder, without what was built in it.
fn copy(from: &Path, to: &Path) {
    for entry in fs_err::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != "target" {
                fs_err::create_dir_all(&place).unwrap();
                copy(&entry.path(), &place);
            }
        } else {
            fs_err::copy(entry.path(), place).unwrap();
        }
    }
}

/// Puts a file of a Debian package's sources into the folder; false when it cannot be had here.
fn fetch(sandbox: &Sandbox, source: &[String], folder: &Path) -> bool {
    // Kept between runs, so that a second one needs no network.
    let downloads = Path::new(env!("CARGO_TARGET_TMPDIR")).join("downloads");
    let script = repository().join("crates/brawn-bench/debian-source");
    let output = sandbox.command(script.to_str().unwrap()).args(source).arg(&downloads).output().unwrap();
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        assert!(std::env::var_os("CI").is_none(), "{reason}");
        eprintln!("skipped: {reason}");
        return false;
    }
    fs_err::copy(downloads.join(&source[1]), folder.join(&source[1])).unwrap();
    true
}

/// One test for each page, and the list of them.
macro_rules! guides {
    ($($test:ident: $name:literal,)*) => {
        const PAGES: &[&str] = &[$($name),*];
        $(
            #[test]
            fn $test() {
                guide($name);
            }
        )*
    };
}

guides! {
    autotools: "autotools",
    cxx: "c++",
    go: "go",
    graft: "graft",
    haskell: "haskell",
    fleet: "fleet",
    init: "init",
    meson: "meson",
    modules: "modules",
    nim: "nim",
    ocaml: "ocaml",
    python: "python",
    releases: "releases",
    rust_in_c: "rust-in-c",
    rust_with_c: "rust-with-c",
    zig: "zig",
}

/// Pages that tests of their own cover.
const ELSEWHERE: &[(&str, &str)] = &[
    ("builder-image", "tests/cli/release/builder_image.rs"),
    ("github-action", "tests/cli/release/action.rs"),
    ("preload", "tests/cli/preload.rs"),
];

#[test]
fn every_page_with_commands_is_tested() {
    for entry in fs_err::read_dir(repository().join("docs/guides")).unwrap() {
        let path = entry.unwrap().path();
        // Pictures are no pages.
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let known = PAGES.contains(&name) || ELSEWHERE.iter().any(|(page, _)| *page == name);
        let commands = !Page::parse(&fs_err::read_to_string(&path).unwrap()).blocks.is_empty();
        assert_eq!(known, commands, "{}: name it in crates/brawn/tests/cli/guides.rs", path.display());
    }
    for (_, test) in ELSEWHERE {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(test).is_file(), "{test}");
    }
}

/// Its commands are run, and print what stands there but for figures and versions.
#[test]
fn the_transcript_of_the_readme_is_what_the_commands_print() {
    let sandbox = Sandbox::new();
    let script = repository().join("scripts/transcript");
    let mut check = sandbox.command(script.to_str().unwrap());
    ok(check.args(["--check", env!("CARGO_BIN_EXE_brawn")]));
}

#[test]
fn pages_are_read_as_the_test_promises() {
    let mut page = Page::parse(
        "# A\n\n<!-- needs: go, cc -->\n<!-- source: p f.tar 12 -->\nSee [it](../../examples/a).\n\n\
         ```sh\none\ntwo\n```\n\nIt prints:\n\n```text\nno\n```\n\n```sh\nthree\n```\n\n```text\nyes\n```\n\n<!-- long -->\n\n```sh\nfour\n```\n\n\
         ```dockerfile\nRUN rm\n```\n",
    );
    assert_eq!(page.example.as_deref(), Some("a"));
    assert_eq!(page.needs, ["go", "cc"]);
    assert_eq!(page.sources, [["p", "f.tar", "12"]]);
    let commands: Vec<_> = page.blocks.iter().map(|block| block.commands.as_str()).collect();
    assert_eq!(commands, ["one\ntwo\n", "three\n", "four\n"]);
    assert_eq!(page.blocks.iter().map(|block| block.long).collect::<Vec<_>>(), [false, false, true]);
    page.blocks.pop();
    assert_eq!(page.blocks[0].prints, None, "a sentence stands between");
    assert_eq!(page.blocks[1].prints.as_deref(), Some("yes\n"));
    assert_eq!(
        page.script(),
        "set -euo pipefail\n{\none\ntwo\n} > \"$PRINTED/0\"\n{\nthree\n} > \"$PRINTED/1\"\n"
    );
}
