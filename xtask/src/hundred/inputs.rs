//! What the programs work on, the same on every machine: made here, or sources that a lock file pins.

mod file;
mod rust;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use fastrand::Rng;

use crate::study;
use crate::workshop::step;

/// Makes what is missing in `{root}/inputs`:
///
/// | name | holds |
/// |---|---|
/// | `words.txt` | 200,000 lines of text, 12 MB, from 30,000 words of which few are frequent |
/// | `words.patch` | changes to it in 999 places |
/// | `words.l`, `macros.m4`, `justfile` | work for the tools that read such |
/// | `sources/` | the crates that the study's first program depends on, `.git` in it so that tools take it for a repository |
/// | `sources.tar` | those files, in the order of their names |
/// | `clippy.json`, `clippy.sarif`, `lcov.info` | 20,000 complaints about those, and how often 400,000 lines ran |
/// | `book/`, `package/`, `manifest/`, `Makefile.toml` | a book of 200 chapters, 1,500 structures, 6,000 dependencies, 2,000 tasks |
/// | `files.txt` | the paths of 3,000 of them, from `inputs` |
pub fn make(root: &Path) -> Result<()> {
    let folder = root.join("inputs");
    fs_err::create_dir_all(&folder)?;
    let mut random = Rng::with_seed(1);
    let text = words(&mut random);
    let made = [
        ("words.patch", patch(&text)),
        ("words.txt", text),
        ("macros.m4", MACROS.to_owned()),
        ("words.l", scanner(&mut random)),
        ("justfile", recipes()),
    ];
    for (name, text) in made {
        file::write(folder.join(name), text)?;
    }
    let sources = folder.join("sources");
    if !sources.exists() {
        let fetched = study::build::input(root)?;
        fs_err::create_dir_all(fetched.join(".git"))?;
        fs_err::rename(fetched, &sources)?;
    }
    let list = folder.join("files.txt");
    if !list.exists() {
        let mut found = Command::new("find");
        let output = found
            .args(["sources", "-type", "f", "-not", "-path", "*/.git/*"])
            .current_dir(&folder)
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        let mut paths: Vec<&str> = text.lines().collect();
        paths.sort_unstable();
        paths.truncate(3_000);
        fs_err::write(list, paths.join("\n") + "\n")?;
    }
    rust::make(&folder)?;
    let archive = folder.join("sources.tar");
    if !archive.exists() {
        let mut command = Command::new("tar");
        command.args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "-cf"]);
        command.arg(&archive).args(["--exclude=.git", "-C"]).arg(&folder).arg("sources");
        step("packing the sources", &mut command)?;
    }
    Ok(())
}

/// A unified difference that changes every 200th line.
fn patch(text: &str) -> String {
    const CONTEXT: usize = 3;
    let lines: Vec<&str> = text.lines().collect();
    let mut patch = String::from("--- words.txt\n+++ words.txt\n");
    for at in (200..lines.len() - CONTEXT).step_by(200) {
        let (begin, count) = (at - CONTEXT, 2 * CONTEXT + 1);
        let _ = writeln!(patch, "@@ -{0},{count} +{0},{count} @@", begin + 1);
        for (index, line) in lines[begin..begin + count].iter().enumerate() {
            let _ = match index == CONTEXT {
                true => writeln!(patch, "-{line}\n+{line} again"),
                false => writeln!(patch, " {line}"),
            };
        }
    }
    patch
}

/// A scanner of 1,500 words.
fn scanner(random: &mut Rng) -> String {
    let mut text = String::from("%option noyywrap\n%%\n");
    let mut words = std::collections::BTreeSet::new();
    while words.len() < 1_500 {
        words.insert((0..random.usize(3..9)).map(|_| random.lowercase()).collect::<String>());
    }
    for (n, word) in words.iter().enumerate() {
        let _ = writeln!(text, "{word} return {n};");
    }
    text + "[a-z]+ return -1;\n.|\\n ;\n%%\n"
}

/// Recipes that depend on each other, with parameters, conditions and variables.
fn recipes() -> String {
    let mut text = String::from("version := \"1.0\"\n");
    for n in 0..4_000 {
        let _ = writeln!(
            text,
            "name{n} := if version == \"1.{n}\" {{ \"a{n}\" }} else {{ version + \"-{n}\" }}\n\n# Builds part {n}.\n\
             build{n} target='all' *flags: build{}\n    echo {{{{ name{n} }}}} {{{{target}}}} {{{{flags}}}}\n",
            if n == 0 { "-base".to_owned() } else { (n / 3).to_string() }
        );
    }
    text.replace("build0 target='all' *flags: build-base", "build0 target='all' *flags:")
}

const MACROS: &str = "define(`sum', `ifelse($1, 0, 0, `eval($1 + sum(decr($1)))')')dnl\n\
    define(`times', `ifelse($1, 0, , `sum(200) translit(`$2', `a-z', `b-za')\ntimes(decr($1), `$2')')')dnl\n\
    times(150, `some words that are moved by a letter')\n";

/// Lines of 3 to 15 words, whose frequencies fall with their ranks.
fn words(random: &mut Rng) -> String {
    let known: Vec<String> = (0..30_000)
        .map(|_| {
            let length = random.usize(2..10);
            (0..length).map(|_| random.lowercase()).collect()
        })
        .collect();
    let mut text = String::new();
    for _ in 0..200_000 {
        for at in 0..random.usize(3..16) {
            // The square of a number between 0 and 1 is more often small.
            let place = random.f64().powi(3) * known.len() as f64;
            let _ = write!(text, "{}{}", if at == 0 { "" } else { " " }, known[place as usize]);
        }
        text.push('\n');
    }
    text
}
