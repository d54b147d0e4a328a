//! `docs/reference/hardening.md`: which damage each heap notices, as `damage.c` finds out.

use std::path::PathBuf;
use std::sync::Arc;

use brawn_libc::{Malloc, PRESETS};
use libtest_mimic::{Failed, Trial};

use crate::compile::{Objects, Source};
use crate::libc::Libc;
use crate::run::{self, Outcome};
use crate::table::Tests;

/// The program's name for each kind of damage, and the docs' words for it.
const KINDS: &[(&str, &str)] = &[
    ("free-twice", "a block freed twice in a row"),
    ("free-twice-later", "a block freed twice, others between"),
    ("free-twice-used", "the same, and blocks allocated after that"),
    ("resize-after-free", "a freed block resized"),
    ("free-middle", "an address inside a block freed"),
    ("free-off-by-one", "an address off by one freed"),
    ("free-stack", "an address on the stack freed"),
    ("write-past-end", "a byte written past the end"),
    ("write-into-next", "a block overrun by its own length"),
    ("write-after-free", "a freed block's first bytes overwritten"),
    ("write-past-asked", "a byte written past what was asked for"),
    ("write-after-free-inside", "a byte in a freed block's middle overwritten"),
    ("use-large-after-free", "a freed block of 1 MiB written to"),
    ("read-after-free", "old content gone from a freed block"),
];

/// Some heaps place blocks at random: what shows only now and then must not make the test fail now and then.
const RUNS: usize = 5;

const ALWAYS: &str = "yes";
const SOMETIMES: &str = "now and then";
const NEVER: &str = "no";

/// The test that the table is what was measured.
pub fn trial(tests: &Tests, libc: &Arc<Libc>, objects: &Arc<Objects>) -> Trial {
    let test =
        tests.all.iter().find(|test| test.name == "damage").expect("there is a test of damage").clone();
    let (libc, objects) = (libc.clone(), objects.clone());
    Trial::test(format!("{}/damage-table", libc.name), move || {
        let object = objects.get(&Source::plain(libc.arch, &test.file))?;
        let nothing_promised: Vec<String> =
            ["1".to_owned()].into_iter().chain(KINDS.iter().map(|(kind, _)| format!("{kind}=0"))).collect();
        let mut columns = Vec::new();
        for malloc in Malloc::names() {
            let executable = libc.link(Some(malloc), &[&object], &test.link)?;
            let mut noticed = vec![0; KINDS.len()];
            for _ in 0..RUNS {
                let limit = test.limit(libc.emulated(), false);
                match run::run(&test, &libc, &nothing_promised, limit, &executable)? {
                    Outcome::Failed(why) => return Err(Failed::from(why)),
                    Outcome::Passed(lines) => {
                        for (times, (kind, _)) in noticed.iter_mut().zip(KINDS) {
                            *times += usize::from(lines.contains(&format!("noticed {kind}")));
                        }
                    }
                }
            }
            columns.push((malloc, noticed));
        }
        compare(&columns).map_err(Failed::from)
    })
}

fn cell(times: usize) -> &'static str {
    match times {
        0 => NEVER,
        RUNS => ALWAYS,
        _ => SOMETIMES,
    }
}

fn compare(columns: &[(&str, Vec<usize>)]) -> Result<(), String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/hardening.md");
    if std::env::var_os("BRAWN_RENEW").is_some() {
        fs_err::write(&path, page(columns)).map_err(|error| error.to_string())?;
    }
    let text = fs_err::read_to_string(&path).unwrap_or_default();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let stale = |what: String| {
        format!(
            "docs/reference/hardening.md is stale: {what}\nrenew it with `BRAWN_RENEW=1 cargo test -p brawn-libc --test \
             heap_behaviour -- damage-table`"
        )
    };
    let names: Vec<String> = columns.iter().map(|(malloc, _)| format!("`{malloc}`")).collect();
    let header = rows.iter().find(|row| row.first() == Some(&"damage")).cloned().unwrap_or_default();
    if header.get(1..).is_none_or(|listed| listed != names) {
        return Err(stale(format!("its columns are {header:?}, the heaps are {names:?}")));
    }
    for (index, (_, words)) in KINDS.iter().enumerate() {
        let row = rows
            .iter()
            .find(|row| row.first() == Some(words))
            .ok_or_else(|| stale(format!("no row for {words}")))?;
        for ((malloc, noticed), said) in columns.iter().zip(&row[1..]) {
            let measured = cell(noticed[index]);
            if *said != measured && *said != SOMETIMES && measured != SOMETIMES {
                return Err(stale(format!("{malloc}, {words}: it says {said}, measured is {measured}")));
            }
        }
    }
    Ok(())
}

fn page(columns: &[(&str, Vec<usize>)]) -> String {
    let mut text = String::from(
        "# What each heap notices

Made by `tests/libc/damage.c`, which does each kind of damage in a child of its own, five times.
`BRAWN_RENEW=1 cargo test -p brawn-libc --test heap_behaviour -- damage-table` writes this page
again, and `make test` fails when it no longer holds.

*yes*: the program was stopped every time; *now and then*: it depends on where blocks happen to
lie; *no*: the program went on. The blocks have 200 bytes; an address on the stack is aligned like a
block.

| damage |",
    );
    for (malloc, _) in columns {
        text.push_str(&format!(" `{malloc}` |"));
    }
    text.push_str(&format!("\n|---|{}\n", "---|".repeat(columns.len())));
    for (index, (_, words)) in KINDS.iter().enumerate() {
        text.push_str(&format!("| {words} |"));
        for (_, noticed) in columns {
            text.push_str(&format!(" {} |", cell(noticed[index])));
        }
        text.push('\n');
    }
    text.push_str("\nThe presets:\n");
    let presets: Vec<_> =
        PRESETS.iter().map(|preset| format!("`{}` is {}", preset.name, preset.malloc)).collect();
    text.push_str(&presets.join(",\n"));
    text.push_str(".\n");
    // `QUARANTINE_LARGEST` and `LARGEST_SLOT` of the front.
    text.push_str(
        "
A freed block of `brawn-hardened` waits, filled with a pattern, before it is used again, and a write
to any of its bytes is found when it leaves; blocks of more than 8 KiB do not wait. **A byte written
into the middle of a freed block between 8 KiB and 128 KiB goes unnoticed**, as does reading its old
content. What is larger has its pages unmapped at once, and any access ends the program.
",
    );
    text
}
