//! What the programs work on, the same on every machine: made here, or sources that a lock file pins.

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
/// | `table.csv` | 120,000 lines: a number, a name of 50, a value with decimals, a number |
/// | `records.json` | 30,000 objects in a list |
/// | `sources/` | the sources of some 200 crates, `.git` in it so that tools take it for a repository |
/// | `sources.tar` | those files, in the order of their names |
/// | `files.txt` | the paths of 3,000 of them |
/// | `words.patch` | changes to `words.txt` in 1,000 places |
/// | `rules.mk`, `macros.m4`, `grammar.y`, `words.l`, `loop.zsh`, `justfile` | work for tools that read such |
pub fn make(root: &Path) -> Result<()> {
    let folder = root.join("inputs");
    fs_err::create_dir_all(&folder)?;
    let mut random = Rng::with_seed(1);
    let text = words(&mut random);
    let table = table(&mut random);
    let records: Vec<String> = (0..30_000_u64)
        .map(|n| {
            let value = n * 2_654_435_761 % 1_000_003;
            format!("{{\"group\":\"g{}\",\"value\":{value},\"name\":\"record {n}\"}}", value % 997)
        })
        .collect();
    let records = format!("[{}]\n", records.join(",\n"));
    let made = [
        ("words.patch", patch(&text)),
        ("words.txt", text),
        ("table.csv", table),
        ("records.json", records),
        ("rules.mk", rules()),
        ("macros.m4", MACROS.to_owned()),
        ("grammar.y", grammar()),
        ("words.l", scanner(&mut random)),
        ("loop.zsh", LOOP.to_owned()),
        ("justfile", recipes()),
    ];
    for (name, text) in made {
        let path = folder.join(name);
        // Another version of this file's, perhaps.
        if !fs_err::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
            fs_err::write(&path, text)?;
        }
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
        let output = found.arg(&sources).args(["-type", "f", "-not", "-path", "*/.git/*"]).output()?;
        let text = String::from_utf8(output.stdout)?;
        let mut paths: Vec<&str> = text.lines().collect();
        paths.sort_unstable();
        paths.truncate(3_000);
        fs_err::write(list, paths.join("\n") + "\n")?;
    }
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

/// Targets that depend on each other, and variables made of their names. Nothing is to be done for any.
fn rules() -> String {
    const COUNT: usize = 20_000;
    let mut text = String::from("all: result\n");
    let names: Vec<String> = (0..COUNT).map(|n| format!("part{n}.c")).collect();
    let _ = writeln!(text, "SOURCES := {}", names.join(" "));
    text.push_str(
        "OBJECTS := $(patsubst %.c,%.o,$(sort $(SOURCES)))\nODD := $(filter %1.o %3.o %7.o,$(OBJECTS))\n",
    );
    text.push_str("result: $(OBJECTS) ; @echo $(words $(ODD)) $(lastword $(sort $(ODD)))\n");
    for n in 0..COUNT {
        let _ = writeln!(text, "part{n}.o: part{n}.c part{}.c ;\npart{n}.c: ;", n / 7);
    }
    text
}

/// Expressions with 400 operators, each of a precedence of its own, and statements of 400 words.
fn grammar() -> String {
    let mut text = String::from("%token NUMBER\n");
    for n in 0..400 {
        let _ = writeln!(text, "%left OP{n}\n%token WORD{n}");
    }
    text.push_str("%%\nprogram: | program statement;\nexpression: NUMBER | '(' expression ')'\n");
    for n in 0..400 {
        let _ = writeln!(text, "  | expression OP{n} expression {{ $$ = $1 + $3 * {n}; }}");
    }
    text.push_str(";\nstatement: expression ';'\n");
    for n in 0..400 {
        let _ = writeln!(text, "  | WORD{n} expression statement");
    }
    text + ";\n%%\n"
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

const LOOP: &str = "typeset -A seen\nlocal total=0 word\nfor (( n = 0; n < 60000; n++ )); do\n  word=\"w$(( n * 7919 % 997 ))x\"\n  \
    seen[$word]=$(( ${seen[$word]:-0} + 1 ))\n  [[ $word == *9?x ]] && (( total += ${#word} ))\n  word=${word//w/${n%%1*}}\ndone\n\
    print $total ${#seen} ${#${(j:,:)${(ok)seen}}}\n";

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

fn table(random: &mut Rng) -> String {
    let names: Vec<String> = (0..50).map(|_| (0..9).map(|_| random.lowercase()).collect()).collect();
    let mut text = String::new();
    for id in 0..120_000 {
        let value = random.f64() * 10_f64.powi(random.i32(-2..6));
        let (name, number) = (&names[random.usize(..names.len())], random.u32(1..4_000_000));
        let _ = writeln!(text, "{id},{name},{value:.6},{number}");
    }
    text
}
